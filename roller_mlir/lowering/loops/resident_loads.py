# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tasks of a program can keep in workgroup memory for tasks behind them: slices of operands, as they lie there.

A slice is the box of an operand that a task reads, with all its reduction steps, its rows one behind the other. Threads
read it there as they would read the operand itself, which a load straight from global memory does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from roller_mlir.dialects.rammer import start_values
from roller_mlir.dialects.rtile import ComputeOp, ProgramOp, TileLoad
from roller_mlir.lowering.linalg.affine import map_indices
from roller_mlir.lowering.linalg.body import read_body
from roller_mlir.lowering.loops.nest import LoopNest, is_inner, is_row, parallel_nest, reduction_nest
from roller_mlir.lowering.loops.program import box_axes, element_bytes, loads_of, stores_of
from roller_mlir.mapping.alignment import aligned
from roller_mlir.plan.plan import WORKGROUP
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import defining_op

_WORD_BYTES = 4


@dataclass(frozen=True)
class ResidentLoad:
    """A load whose slice tasks can keep.

    Attributes:
        load: The load.
        operand: The number of its operand.
        extents: Of a slice, in elements.
        element_bytes: Bytes of one.
        words: Registers of a thread that hold what it reads of it in a step.
    """

    load: TileLoad
    operand: int
    extents: tuple[int, ...]
    element_bytes: int
    words: int

    @property
    def bytes(self) -> int:
        """Bytes of a slice."""
        return prod(self.extents) * self.element_bytes

    @property
    def slot_bytes(self) -> int:
        """What a slot of workgroup memory takes that holds one."""
        return aligned(self.bytes)


def resident_loads(program: ProgramOp, operands: Sequence[int]) -> dict[int, ResidentLoad]:
    """Return the loads of a program on buffers whose slices its tasks can keep, by their operands.

    Args:
        program: The program.
        operands: Those that are asked for.
    """
    return {number: found for number in operands if isinstance(found := resident_load(program, number), ResidentLoad)}


def resident_load(program: ProgramOp, operand: int) -> ResidentLoad | str:
    """Return the load of an operand whose slices tasks of a program on buffers can keep, or why they cannot."""
    argument = program.entry.arguments[operand]
    loads = [one for one in loads_of(program.operation) if one.source == argument]
    if len(loads) != 1 or any(one.destination == argument for one in stores_of(program.operation)):
        return f"operand {operand} is accessed at {len(loads)} places, and a slot holds what one load reads"
    (load,) = loads
    if load.operation.name != "rtile.load":
        return f"operand {operand} is changed on its way, and a slot holds what lies in memory"
    if load.tile.layer == WORKGROUP:
        return f"operand {operand} goes through workgroup memory tile by tile"
    nest = parallel_nest(program.operation)
    loops = _reduction_loops(nest)
    outer = {loop.variable for loop in nest.loops} | {*start_values(program)}
    reach = _extents(load, loops, outer)
    if reach is None:
        return f"operand {operand} is read in parts that are no box of rows one behind the other"
    vector = 1 if load.layout is None else load.layout.read().vector
    if reach[-1] % vector or map_indices(load.origin_map)[-1].constant % vector:
        return f"operand {operand} is read by vectors of {vector}, which do not divide rows of {reach[-1]}"
    words = _words(load)
    if words is None:
        return f"operand {operand} is read by a matrix instruction or at computed positions"
    return ResidentLoad(load, operand, reach, element_bytes(load), words)


def _reduction_loops(nest: LoopNest) -> dict[ir.Value, int]:
    """Return how far the variable of each reduction loop of a task reaches."""
    found: dict[ir.Value, int] = {}
    for op in nest.body:
        if op.operation.name == "scf.for" and not is_inner(op.operation) and not is_row(op.operation):
            for loop in reduction_nest(op.operation).loops:
                found[loop.variable] = loop.step * (loop.trips.static - 1)
    return found


def _extents(load: TileLoad, loops: dict[ir.Value, int], outer: set[ir.Value]) -> tuple[int, ...] | None:
    """Return the extents of what a task reads; None where it may begin in front of the buffer, or is no dense box."""
    shape = load.tile.shape
    if not shape or any(step != 1 for step in load.tile.steps):
        return None
    found: list[int] = []
    values = list(load.indices)
    for index, extent in zip(map_indices(load.origin_map), shape, strict=True):
        reach = 0
        if index.constant < 0:
            return None
        for number, factor in index.terms().items():
            if factor < 0:
                return None
            value = values[number]
            if value in loops:
                reach += factor * loops[value]
            elif value not in outer and defining_op(value, "arith.constant") is None:
                return None
        found.append(reach + extent)
    return tuple(found)


def _words(load: TileLoad) -> int | None:
    """Return the registers of a thread that hold what it reads in a step; None where threads do not read alone."""
    words = 0
    for compute, number in _readers(load):
        if compute is None or compute.matrix_instruction is not None:
            return None
        if number >= len(compute.inputs) or number in read_body(compute.entry, len(compute.inputs)).gathered():
            return None
        axes = box_axes(compute)
        loops = {loop for index in map_indices(compute.maps[number]) for loop in index.terms()}
        words += prod(axes[loop].registers for loop in loops) * max(1, element_bytes(load) // _WORD_BYTES)
    return words


def _readers(load: TileLoad) -> Iterator[tuple[ComputeOp | None, int]]:
    """Yield the computes that use a tile, with the number of the operand; None for other users."""
    for use in load.operation.results[0].uses:
        view = use.owner.operation.opview
        yield (view if isinstance(view, ComputeOp) else None), use.operand_number
