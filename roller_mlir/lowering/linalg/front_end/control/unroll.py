# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of constant trips around linalg ops, unrolled: the steps stand one behind the other.

    %r = scf.for %i = %c0 to %c8 step %c4 iter_args(%a = %z) { ... scf.yield %w }
    // becomes
    the body with %i = 0 and %a = %z, then with %i = 4 and %a = the first one's %w, which is %r

    %r = scf.forall (%i) in (2) shared_outs(%a = %z) { ... tensor.parallel_insert_slice %x into %a[%i] [1] [1] }
    // becomes
    %0 = tensor.insert_slice %x0 into %z[0] ...   %r = tensor.insert_slice %x1 into %0[1] ...   %a read as %z

Each step becomes programs of its own, which take some tens of milliseconds to compile: that is why the different steps
of a module are limited. The steps of a loop with more are launched in turn: they take what depends on the step from
memory, so that all of them are launches of the same kernels (`steps_in_turn`), which take some milliseconds each. Inner
loops are unrolled before outer ones, so that each loop is judged by the steps inside of it. Refused, each at its loop:
more steps, steps of more different shapes than may be different, steps below 1, and bounds that are no constants.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

from roller_mlir.lowering.linalg.accepted_input import compiled_functions
from roller_mlir.lowering.linalg.front_end.control.step_tables import forget_marks, number_step, store_tables
from roller_mlir.lowering.linalg.front_end.control.steps_in_turn import SharedSteps, StepData
from roller_mlir.lowering.linalg.front_end.walk import operations_of
from roller_mlir.lowering.linalg.mapped_copies import copy_mapped
from roller_mlir.lowering.linalg.rewrite.separate import renew_operands
from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import DYNAMIC, constant_of, replace_op

FOR, FORALL = "scf.for", "scf.forall"


def unroll_loops(module: ir.Module, limit: int, launch_limit: int, simplify: Callable[[], None]) -> None:
    """Unroll the loops of each function.

    Args:
        module: Its constants are folded.
        limit: Different steps at most, of all loops of the module together; loops of more are launched in turn.
        launch_limit: Steps at most, of all loops of the module together.
        simplify: Folds the constants of the module, on which loops inside of others may depend.
    """
    unrolling = _Unrolling(limit, launch_limit)
    found = False
    forget_marks(module)
    while loops := [loop for one in compiled_functions(module) for loop in _outermost(one.entry_block.operations)]:
        found = True
        for loop in loops:
            unrolling.unroll(loop)
        simplify()
        for function in compiled_functions(module):
            renew_operands(function)  # steps read what the ones before made as outputs that they overwrite
        simplify()
    if found:
        store_tables(module)


def check_steps(module: ir.Module) -> None:
    """Fail where a loop has a constant step below 1, which upstream takes for a loop without steps."""
    for operation in operations_of(module):
        if operation.name in (FOR, FORALL):
            _ranges(operation)


@dataclass(frozen=True)
class _StepCount:
    """How many steps a loop has, those of the loops inside of it counted.

    Attributes:
        different: Those that have kernels of their own.
        all: All of them.
    """

    different: int = 0
    all: int = 0

    def __add__(self, other: "_StepCount") -> "_StepCount":
        return _StepCount(self.different + other.different, self.all + other.all)


@dataclass
class _KnownNest:
    """A loop of known bounds.

    Attributes:
        operation: The loop.
        ranges: The positions of each of its variables.
        inside: The loops of known bounds in it; others stand alone once it is unrolled.
        in_turn: Whether its steps share kernels.
    """

    operation: ir.Operation
    ranges: list[range]
    inside: list["_KnownNest"]
    in_turn: bool = False


@dataclass
class _Unrolling:
    """The unrolling of a module's loops, as far as it is.

    Attributes:
        limit: Different steps at most.
        launch_limit: Steps at most.
        done: The steps of the outermost loops so far.
        marks: What the steps of loops share.
    """

    limit: int
    launch_limit: int
    done: _StepCount = field(default_factory=_StepCount)
    marks: StepData = field(default_factory=StepData)

    def unroll(self, operation: ir.Operation) -> None:
        """Unroll an outermost loop and those inside of it but for the ones whose bounds depend on its steps."""
        nest = _read(operation)
        if nest is None:
            fail(operation, f"'{operation.name}' has bounds that are known at run time only; give constants")
        self.done += self._decide(nest, self.done)
        self._unroll(nest)

    def _decide(self, nest: _KnownNest, before: _StepCount) -> _StepCount:
        """Decide which loops are launched in turn; return the steps."""
        inside = _StepCount()
        for one in nest.inside:
            inside += self._decide(one, before + inside)
        here = prod(map(_count, nest.ranges))
        steps = _StepCount(here * (1 + inside.different), here * (1 + inside.all))
        total = (before + steps).all
        if total > self.launch_limit:
            name = nest.operation.name
            fail(
                nest.operation,
                f"'{name}' has {here} steps, with which {total} would be launched, of at most {self.launch_limit}; "
                "write the loop as a dimension of linalg ops, or raise launch-limit",
            )
        nest.in_turn = (before + steps).different > self.limit
        return _StepCount(inside.different, steps.all) if nest.in_turn else steps

    def _unroll(self, nest: _KnownNest) -> None:
        """Let steps share what they can, outer loops first, and unroll, inner loops first."""
        shared = self.marks.share(nest.operation, self.limit) if nest.in_turn else None
        for one in nest.inside:
            self._unroll(one)
        (_unroll_for if nest.operation.name == FOR else _unroll_forall)(nest.operation, nest.ranges, shared)


def _read(operation: ir.Operation) -> _KnownNest | None:
    """Read a loop, None of one whose bounds are not known."""
    ranges = _ranges(operation)
    if ranges is None:
        return None
    inside = map(_read, _outermost(operation.regions[0].blocks[0].operations))
    return _KnownNest(operation, ranges, [one for one in inside if one is not None])


def _outermost(operations: Any) -> list[ir.Operation]:
    """Return the loops among operations, and in the sides of a `scf.if` among them, that are inside of no other."""
    found: list[ir.Operation] = []
    for op in (op.operation for op in operations):
        if op.name in (FOR, FORALL):
            found.append(op)
        elif op.name == "scf.if":
            found += [loop for region in op.regions for block in region.blocks for loop in _outermost(block.operations)]
    return found


def _ranges(operation: ir.Operation) -> list[range] | None:
    """Return the positions of each of a loop's variables, None where they are not known."""
    bounds: list[list[int | None]] = []
    if operation.name == FOR:
        bounds = [[_bound(operation, value)] for value in list(operation.operands)[:3]]
    else:
        given = iter(list(operation.operands))
        for name in ("staticLowerBound", "staticUpperBound", "staticStep"):
            values = [int(value) for value in ir.DenseI64ArrayAttr(operation.attributes[name])]
            bounds.append([constant_of(next(given)) if value == DYNAMIC else value for value in values])
    for step in bounds[2]:
        if step is not None and step < 1:
            fail(operation, f"'{operation.name}' has a step of {step}; steps must be at least 1")
    known = [[number for number in each if number is not None] for each in bounds]
    if known != bounds:
        return None
    return [range(low, high, step) for low, high, step in zip(*known, strict=True)]


def _count(positions: range) -> int:
    """Return how many positions there are, of which `len` counts no more than fit an index."""
    return max(0, -((positions.start - positions.stop) // positions.step))


def _unroll_for(operation: ir.Operation, ranges: list[range], shared: SharedSteps | None) -> None:
    (steps,) = ranges
    block = operation.regions[0].blocks[0]
    carried: list[ir.Value] = list(operation.operands)[3:]
    with ir.InsertionPoint(operation), operation.location:
        for step, position in enumerate(steps):
            index = arith.constant(block.arguments[0].type, position)
            mapped = _clone(block, dict(zip(block.arguments, [index, *carried], strict=True)), step)
            terminator = list(block.operations)[-1].operation
            yielded: list[ir.Value] = list(terminator.operands)
            carried = [mapped.get(value, value) for value in yielded]
            if shared is not None:
                shared.note(mapped)
                carried = [shared.carry(value, number, step) for number, value in enumerate(carried)]
    if shared is not None:
        shared.check()
    replace_op(operation, *carried)


def _unroll_forall(operation: ir.Operation, ranges: list[range], shared: SharedSteps | None) -> None:
    block = operation.regions[0].blocks[0]
    terminator = list(block.operations)[-1].operation
    outer: list[ir.Value] = list(operation.operands)[len(operation.operands) - len(operation.results) :]
    outputs = list(block.arguments)[len(ranges) :]
    made = list(outer)
    with ir.InsertionPoint(operation), operation.location:
        for step, positions in enumerate(product(*ranges)):
            indices = [arith.constant(ir.IndexType.get(), position) for position in positions]
            mapped = _clone(block, dict(zip(block.arguments, [*indices, *outer], strict=True)), step)
            for op in (op.operation for op in terminator.regions[0].blocks[0].operations):
                if op.name != "tensor.parallel_insert_slice":
                    fail(op, f"'{op.name}' joins the steps of a '{FORALL}'; 'tensor.parallel_insert_slice' can")
                given: list[ir.Value] = [mapped.get(value, value) for value in list[ir.Value](op.operands)]
                target = op.operands[1]
                number = outputs.index(target)
                given[1] = made[number]
                made[number] = ir.Operation.create(
                    "tensor.insert_slice",
                    results=[target.type],
                    operands=given,
                    attributes=dict(op.attributes.items()),
                    loc=op.location,
                ).results[0]
            if shared is not None:
                shared.note(mapped)
    if shared is not None:
        shared.check()
    replace_op(operation, *made)


def _bound(loop: ir.Operation, value: ir.Value) -> int | None:
    number = constant_of(value)
    if number is None or "unsignedCmp" not in loop.attributes:
        return number
    return number % (1 << (ir.IntegerType(value.type).width if isinstance(value.type, ir.IntegerType) else 64))


def _clone(block: Any, mapped: dict[ir.Value, ir.Value], step: int) -> dict[ir.Value, ir.Value]:
    """Clone a block but for its terminator to the insertion point, as a step; return what its values are now."""
    for op in list(block.operations)[:-1]:
        number_step(copy_mapped(op.operation, mapped), step)
    return mapped
