# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loop nests of an expanded program: parallel loops (a task an iteration), reduction and row loops (a step each)."""

from collections.abc import Sequence
from dataclasses import dataclass

from roller_mlir.dialects.rtile import MAPPING, STAGES
from roller_mlir.plan.extent import Extent, product
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op

UNIT, INNER, ROW = "unit", "inner", "row"
# Tasks and steps are counted in 32 bits.
MAX_TRIPS = 1 << 31


@dataclass(frozen=True)
class NestLoop:
    """One loop of a nest: variable = low + step * i for i in range(trips)."""

    variable: ir.Value
    low: int
    step: int
    trips: Extent


@dataclass(frozen=True)
class LoopNest:
    """A perfect nest.

    Attributes:
        loops: Outermost first.
        body: Operations of the innermost block.
        stages: Buffers for staged operands.
        initial: What the nest carries in.
        carried: The carried values inside the innermost block.
        yielded: What the innermost block yields.
        results: The nest's results.
    """

    loops: tuple[NestLoop, ...]
    body: Sequence[ir.OpView]
    stages: int
    initial: tuple[ir.Value, ...]
    carried: tuple[ir.Value, ...]
    yielded: tuple[ir.Value, ...]
    results: tuple[ir.Value, ...]

    @property
    def trips(self) -> Extent:
        """Iterations of the whole nest."""
        return product(loop.trips for loop in self.loops)


def parallel_nest(program: ir.Operation) -> LoopNest:
    """Return the parallel loops of a program whose region is a perfect nest (of any depth, also none) of them."""
    block = program.regions[0].blocks[0]
    loops: list[NestLoop] = []
    while True:
        inner = [op for op in block.operations if op.operation.name == "scf.for" and is_parallel(op.operation)]
        if not inner:
            break
        if len(inner) > 1:
            fail(inner[1], "a program has one nest of parallel loops; put what follows into a program of its own")
        loop = inner[0].operation
        others = [
            op.operation.name
            for op in block.operations
            if op.operation != loop
            and op.operation.name.split(".")[0] == "rtile"
            and op.operation.name != "rtile.yield"
        ]
        if others:
            fail(loop, f"parallel loops must be perfectly nested, but '{others[0]}' stands beside this one")
        if len(loop.results):
            fail(loop, "parallel loops carry nothing once buffers are assigned; run rtile-assign-buffers first")
        loops.append(nest_loop(loop))
        block = loop.regions[0].blocks[0]
    return LoopNest(tuple(loops), list(block.operations), 1, (), (), (), ())


def reduction_nest(outer: ir.Operation) -> LoopNest:
    """Return the perfect nest of reduction loops, or of row loops, that starts at a loop."""
    if is_parallel(outer):
        fail(outer, "parallel loops must be perfectly nested and stand outside of reduction loops")
    loops = [nest_loop(outer)]
    operations_of_nest = [outer]
    loop = outer
    while True:
        block = loop.regions[0].blocks[0]
        *inner, terminator = [op.operation for op in block.operations]
        nested = [op for op in inner if op.name == "scf.for"]
        if not nested:
            break
        if any(op.name.startswith("rtile.") for op in inner) or len(nested) > 1:
            fail(nested[0], "reduction loops must be perfectly nested")
        if list(terminator.operands) != list(nested[0].results):
            fail(nested[0], "a nest of reduction loops must yield what its inner loop gives")
        if list(nested[0].operands)[3:] != list(block.arguments)[1:]:
            fail(nested[0], "an inner reduction loop must carry what its outer loop carries")
        loop = nested[0]
        loops.append(nest_loop(loop))
        operations_of_nest.append(loop)
    block = loop.regions[0].blocks[0]
    operations = list(block.operations)
    found = {ir.IntegerAttr(op.attributes[STAGES]).value for op in operations_of_nest if STAGES in op.attributes}
    if len(found) > 1:
        fail(outer, f"the loops of a nest have one number of stages, but '{STAGES}' is {sorted(found)}")
    stages = found.pop() if found else 1
    if stages < 1:
        fail(loop, f"'{STAGES}' is {stages}, but there is at least 1 buffer")
    return LoopNest(
        tuple(loops),
        operations[:-1],
        stages,
        tuple(outer.operands)[3:],
        tuple(block.arguments)[1:],
        tuple(operations[-1].operands),
        tuple(outer.results),
    )


def is_parallel(operation: ir.Operation) -> bool:
    """Return whether a loop's iterations are tasks."""
    return _mapping(operation) == UNIT


def is_inner(operation: ir.Operation) -> bool:
    """Return whether a loop's iterations are tiles that one task computes one after the other."""
    return _mapping(operation) == INNER


def is_row(operation: ir.Operation) -> bool:
    """Return whether a loop's iterations are steps of a pass over a task's rows."""
    return _mapping(operation) == ROW


def _mapping(operation: ir.Operation) -> str:
    return ir.StringAttr(operation.attributes[MAPPING]).value if MAPPING in operation.attributes else ""


def nest_loop(operation: ir.Operation) -> NestLoop:
    """Return a loop with constant bounds, or refuse it."""
    low, high, step = (_constant(operation, value) for value in list(operation.operands)[:3])
    if step < 1 or high <= low:
        fail(operation, f"loops need at least 1 trip, but this one runs from {low} to {high} by {step}")
    if high - low >= MAX_TRIPS:
        fail(operation, f"loops have less than {MAX_TRIPS} trips, but this one runs from {low} to {high}")
    return NestLoop(operation.regions[0].blocks[0].arguments[0], low, step, Extent(high - low).tiles(step))


def _constant(operation: ir.Operation, value: ir.Value) -> int:
    constant = defining_op(value, "arith.constant")
    if constant is None:
        fail(operation, f"loop bounds must be constants, but {value} is none")
    return ir.IntegerAttr(constant.attributes["value"]).value
