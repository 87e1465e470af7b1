# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linalg ops moved into an `rtile.program` of their own, with the constants, paddings and fills of theirs; and back."""

from collections.abc import Sequence

from roller_mlir.dialects import rtile
from roller_mlir.lowering.linalg.pads import PAD
from roller_mlir.lowering.linalg.reader import StructuredOp, fill_constant
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op

_BROUGHT = ("arith.constant", "tensor.empty", "tensor.extract_slice", PAD)


def wrap(
    roots: Sequence[StructuredOp], results: Sequence[ir.Value], name: str, plan: rtile.PlanAttr | None
) -> rtile.ProgramOp:
    """Replace linalg ops by one program, which stands where the last of them stood.

    Args:
        roots: The ops in order, read; they are erased.
        results: Which of their results leave the program.
        name: Its name.
        plan: Its plan; None where it has none yet.
    """
    made = {value for root in roots for value in root.operation.results}
    wanted: dict[ir.Value, None] = {}
    for root in roots:
        wanted |= dict.fromkeys(source for source in root.sources if source not in made)
        operation, inputs = root.operation, root.body.inputs
        # Asked of the operands as they are now: a fill that is a result, too, has become a program since it was read.
        for number, value in enumerate(list(operation.operands)[inputs:]):
            if root.body.reads(inputs + number) and fill_constant(value) is None and value not in made:
                wanted[value] = None
    operands = list(wanted)
    last = roots[-1].operation
    with last.location:
        program = rtile.program(
            operands, [value.type for value in results], name, plan=plan, ip=ir.InsertionPoint(last)
        )
        mapped = dict(zip(operands, program.entry.arguments, strict=True))
        with ir.InsertionPoint(program.entry):
            for root in roots:
                copy = _clone(root.operation, mapped)
                mapped.update(zip(root.operation.results, copy.results, strict=True))
            rtile.yield_([mapped[value] for value in results])
    for value, result in zip(results, program.operation.results, strict=True):
        value.replace_all_uses_with(result)
    for root in reversed(roots):
        for result in root.operation.results:
            _erase_paddings(result)
        root.operation.erase()
    return program


def unwrap(
    program: rtile.ProgramOp, arguments: Sequence[ir.Value] | None = None
) -> tuple[list[ir.Operation], list[ir.Value]]:
    """Move the ops of a program in front of it; it is left, without them, for the caller to replace.

    Args:
        program: The program.
        arguments: What they read in the place of its arguments; None for its operands.

    Returns:
        The ops, in order, and what the program yielded.
    """
    given = program.operands if arguments is None else arguments
    for argument, value in zip(program.entry.arguments, given, strict=True):
        argument.replace_all_uses_with(value)
    *body, last = [op.operation for op in program.entry.operations]
    for op in body:
        op.move_before(program.operation)
    return body, list(last.operands)


def _erase_paddings(value: ir.Value) -> None:
    """Erase paddings and slices of a tensor that nobody uses any more."""
    for use in list(value.uses):
        user = use.owner.operation
        _erase_paddings(user.results[0])
        user.erase()


def _clone(operation: ir.Operation, mapped: dict[ir.Value, ir.Value]) -> ir.Operation:
    """Clone an op into a program, with the constants that it uses and the start of its output."""
    for value in operation.operands:
        if value not in mapped:
            _bring(value, mapped)
    copy = operation.clone().operation
    for i, value in enumerate(operation.operands):
        copy.operands[i] = mapped[value]
    with ir.InsertionPoint(copy):
        for inner in (op.operation for region in copy.regions for op in region.blocks[0].operations):
            for i, value in enumerate(inner.operands):
                constant = defining_op(value, "arith.constant")
                if constant is None or constant.parent == copy:
                    continue
                if value not in mapped:
                    _bring(value, mapped)
                inner.operands[i] = mapped[value]
    return copy


def _bring(value: ir.Value, mapped: dict[ir.Value, ir.Value]) -> None:
    """Bring a value into the program: constants, paddings and fills as they are, else as an empty tensor."""
    source = defining_op(value)
    if source is not None and (source.name in _BROUGHT or fill_constant(value) is not None):
        mapped[value] = _clone(source, mapped).results[0]
        return
    if not isinstance(value.type, ir.RankedTensorType):
        fail(
            value, f"a scalar of type {value.type} that is no constant cannot be used by a program; pass it as a tensor"
        )
    mapped[value] = ir.Operation.create("tensor.empty", results=[value.type]).results[0]
