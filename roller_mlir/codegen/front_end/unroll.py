# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of constant trips around linalg ops, unrolled: the steps stand one behind the other.

    %r = scf.for %i = %c0 to %c8 step %c4 iter_args(%a = %z) { ... scf.yield %w }
    // becomes
    the body with %i = 0 and %a = %z, then with %i = 4 and %a = the first one's %w, which is %r

    %r = scf.forall (%i) in (2) shared_outs(%a = %z) { ... tensor.parallel_insert_slice %x into %a[%i] [1] [1] }
    // becomes
    %0 = tensor.insert_slice %x0 into %z[0] ...   %r = tensor.insert_slice %x1 into %0[1] ...   %a read as %z

Each step becomes programs of its own, which take some tens of milliseconds to compile and a launch each to run: that is
why the steps of a function are limited. Refused, each at its loop: more steps, and bounds that are no constants.
"""

from collections.abc import Callable
from itertools import product
from math import prod
from typing import Any

from roller_mlir.codegen.accepted_input import compiled_functions
from roller_mlir.codegen.separate import renew_operands
from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op

FOR, FORALL = "scf.for", "scf.forall"
_DYNAMIC = ir.ShapedType.get_dynamic_size()


def unroll_loops(module: ir.Module, limit: int, simplify: Callable[[], None]) -> None:
    """Unroll the loops of each function, outer ones first.

    Args:
        module: Its constants are folded.
        limit: Steps at most, of all loops of the module together.
        simplify: Folds the constants of the module, on which loops inside of others depend.
    """
    steps = 0
    while True:
        loops = [
            op.operation
            for function in compiled_functions(module)
            for op in function.entry_block.operations
            if op.operation.name in (FOR, FORALL)
        ]
        if not loops:
            return
        for operation in loops:
            ranges = _ranges(operation)
            here = prod(map(len, ranges))
            steps += here
            if steps > limit:
                fail(
                    operation,
                    f"'{operation.name}' has {here} steps, with which {steps} would be unrolled, of at most {limit}; "
                    "write the loop as a dimension of linalg ops, or raise unroll-limit",
                )
            (_unroll_for if operation.name == FOR else _unroll_forall)(operation, ranges)
        simplify()
        for function in compiled_functions(module):
            renew_operands(function)  # steps read what the ones before made as outputs that they overwrite
        simplify()


def _ranges(operation: ir.Operation) -> list[range]:
    """Return the positions of each of a loop's variables."""
    if operation.name == FOR:
        low, high, step = (_constant(operation, value) for value in list(operation.operands)[:3])
        return [range(low, high, step)]
    given = iter(list(operation.operands))
    bounds: list[list[int]] = []
    for name in ("staticLowerBound", "staticUpperBound", "staticStep"):
        values = [int(value) for value in ir.DenseI64ArrayAttr(operation.attributes[name])]
        bounds.append([_constant(operation, next(given)) if value == _DYNAMIC else value for value in values])
    return [range(low, high, step) for low, high, step in zip(*bounds, strict=True)]


def _unroll_for(operation: ir.Operation, ranges: list[range]) -> None:
    (steps,) = ranges
    block = operation.regions[0].blocks[0]
    carried: list[ir.Value] = list(operation.operands)[3:]
    with ir.InsertionPoint(operation), operation.location:
        for position in steps:
            index = arith.constant(block.arguments[0].type, position)
            mapped = _clone(block, dict(zip(block.arguments, [index, *carried], strict=True)))
            terminator = list(block.operations)[-1].operation
            yielded: list[ir.Value] = list(terminator.operands)
            carried = [mapped.get(value, value) for value in yielded]
    _replace(operation, carried)


def _unroll_forall(operation: ir.Operation, ranges: list[range]) -> None:
    block = operation.regions[0].blocks[0]
    terminator = list(block.operations)[-1].operation
    shared: list[ir.Value] = list(operation.operands)[len(operation.operands) - len(operation.results) :]
    outputs = list(block.arguments)[len(ranges) :]
    made = list(shared)
    with ir.InsertionPoint(operation), operation.location:
        for positions in product(*ranges):
            indices = [arith.constant(ir.IndexType.get(), position) for position in positions]
            mapped = _clone(block, dict(zip(block.arguments, [*indices, *shared], strict=True)))
            for op in (op.operation for op in terminator.regions[0].blocks[0].operations):
                if op.name != "tensor.parallel_insert_slice":
                    fail(op, f"'{op.name}' joins the steps of a '{FORALL}'; 'tensor.parallel_insert_slice' can")
                given: list[ir.Value] = [mapped.get(value, value) for value in list[ir.Value](op.operands)]
                target = op.operands[1]
                number = outputs.index(target)
                given[1] = made[number]
                names: list[str] = list(op.attributes)
                made[number] = ir.Operation.create(
                    "tensor.insert_slice",
                    results=[target.type],
                    operands=given,
                    attributes={name: op.attributes[name] for name in names},
                    loc=op.location,
                ).results[0]
    _replace(operation, made)


def _constant(operation: ir.Operation, value: ir.Value) -> int:
    constant = defining_op(value, "arith.constant")
    if constant is None:
        fail(operation, f"'{operation.name}' has bounds that are known at run time only; give constants")
    return ir.IntegerAttr(constant.attributes["value"]).value


def _clone(block: Any, mapped: dict[ir.Value, ir.Value]) -> dict[ir.Value, ir.Value]:
    """Clone a block but for its terminator to the insertion point; return what its values are now."""
    for op in list(block.operations)[:-1]:
        copy = op.operation.clone().operation
        _remap(copy, mapped)
        mapped.update(zip(op.operation.results, copy.results, strict=True))
    return mapped


def _remap(operation: ir.Operation, mapped: dict[ir.Value, ir.Value]) -> None:
    for number, value in enumerate(operation.operands):
        if value in mapped:
            operation.operands[number] = mapped[value]
    for region in operation.regions:
        for block in region.blocks:
            for op in block.operations:
                _remap(op.operation, mapped)


def _replace(operation: ir.Operation, values: list[ir.Value]) -> None:
    for result, value in zip(operation.results, values, strict=True):
        result.replace_all_uses_with(value)
    operation.erase()
