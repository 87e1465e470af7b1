# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes of the `rtile` dialect.

    #rtile.tile<[128, 8], "workgroup", [1, 1]>
    #rtile.layout<{fragment_vector = 4, order = [1, 0], pad = 4, store_vector = 1, vector = 4}>
    #rtile.threads<{axes = [[16, 4], [16, 4], [1, 1]], lane = 1, order = [1, 0], unroll = 8}>
    #rtile.plan<{axes = [{block = 128, chunk = 4, threads = 16}, ...], device = "h200", ...}>

Integers of dictionaries print as `4 : i64`. The bindings allow no verifier on attributes, so that the ops which carry
them call `check`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from roller_mlir.dialects.rtile.checks import InvalidOpError, integers, require
from roller_mlir.dialects.rtile.dialect import RTile
from roller_mlir.dialects.rtile.fields import (
    check_axis,
    check_permutation,
    check_thread_order,
    check_tile,
    read_record,
    spelled,
    to_attribute,
)
from roller_mlir.hal.atoms import ATOMS, FAMILIES, atom_family
from roller_mlir.plan.plan import LAYERS, WORKGROUP, AtomPlan, Count, LoopNumber, OperandPlan, Plan
from roller_mlir.plan.records.codec import OneOf, Range, seldom
from roller_mlir.support.bindings import ir


@dataclass(frozen=True, kw_only=True)
class ThreadsRecord:
    """The entries of `ThreadsAttr`: see there."""

    axes: tuple[tuple[Count, ...], ...]
    order: tuple[LoopNumber, ...]
    lane: Annotated[int, Range(-1)] = -1
    unroll: Count = 1
    lane_order: tuple[LoopNumber, ...] = seldom(())


@dataclass(frozen=True, kw_only=True)
class InstructionRecord(AtomPlan):
    """The entries of `InstructionAttr`: see there."""

    family: Annotated[str, OneOf(tuple(name for name, one in ATOMS.items() if one.has_shape))]

    @property
    def loops(self) -> tuple[int, int, int]:
        """The loops of rows, columns and reduction."""
        return self.row, self.column, self.depth


class TileAttr(RTile.Attribute, name="tile"):
    """A data tile in a memory layer: element x holds source[origin + x * steps].

    Paper: ROLLER section 3.1 (rTile).
    """

    shape_parameter: ir.ArrayAttr
    layer_parameter: ir.StringAttr
    steps_parameter: ir.ArrayAttr

    @classmethod
    def of(cls, shape: Sequence[int], layer: str, steps: Sequence[int] | None = None) -> "TileAttr":
        """Build the attribute; steps are 1 where not given."""
        steps = [1] * len(shape) if steps is None else list(steps)
        return cls.get(to_attribute(list(shape)), to_attribute(layer), to_attribute(steps))

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements per dimension."""
        return integers(self.params[0].maybe_downcast(), "tile shape")

    @property
    def layer(self) -> str:
        """The memory layer: "workgroup" (staged) or "register" (read directly)."""
        return ir.StringAttr(self.params[1]).value

    @property
    def steps(self) -> tuple[int, ...]:
        """Distance in the source between neighbouring elements, per dimension."""
        return integers(self.params[2].maybe_downcast(), "tile steps")

    def check(self) -> None:
        """Raise `InvalidOpError` unless shape, layer and steps fit together."""
        rank, steps = len(self.shape), len(self.steps)
        if rank != steps:
            raise InvalidOpError(f"tile has {rank} dimensions, but {steps} steps")
        if self.layer not in LAYERS:
            layers = " or ".join(repr(layer) for layer in LAYERS)
            raise InvalidOpError(f"tile layer must be {layers}, but is {self.layer!r}")


class LayoutAttr(RTile.Attribute, name="layout"):
    """How a staged tile lies in workgroup memory, and how wide the accesses to it are.

    Keys: `order` (dimensions, outermost first), `pad` (elements after each innermost row, default 0), `vector`
    (elements of one global read), `store_vector` (of one write of workgroup memory), `fragment_vector` (of one read
    of it); default 1; `swizzle` ("xor", "tma128": how the 16-byte pieces of each row are permuted, default none),
    `copy` ("synchronous", "asynchronous", "tensor": how the tile gets there, default synchronous), `panel` (columns
    that lie together, one panel behind the other; default whole rows), `interleave` (rows that lie in one, element by
    element, default none).
    """

    fields_parameter: ir.DictAttr

    @classmethod
    def of(cls, operand: OperandPlan) -> "LayoutAttr":
        """Build the attribute of an operand's layout; what has its default may be left out."""
        beside = ("layer", "pad_value")
        return cls.get(to_attribute({name: value for name, value in spelled(operand).items() if name not in beside}))

    def read(self, layer: str = WORKGROUP, pad_value: float | None = None) -> OperandPlan:
        """Return the layout as the operand of a plan, with the layer and the pad value that stand beside it."""
        return read_record(OperandPlan, self.params[0], "layout", {"layer": layer, "pad_value": pad_value})

    def check(self, rank: int) -> None:
        """Raise `InvalidOpError` unless the layout fits a tile of this rank."""
        check_permutation(self.read().order, rank, "layout 'order'")


class ThreadsAttr(RTile.Attribute, name="threads"):
    """How the box of a compute step is spread over threads and their registers.

    Keys: `axes` ([threads, chunk] per loop), `order` (loops with more than one thread, fastest in the thread number
    first), `lane` (loop whose chunk is the SSA vector, -1 for none), `unroll` (reduction points unrolled inside one
    step). Register r of thread t holds position r // chunk * (threads * chunk) + t * chunk + r % chunk of a loop.

    A loop that a matrix instruction spans has [threads, chunk, lanes, tile]: see `roller_mlir.plan.AxisPlan`. The lanes
    come first in the thread number, in `lane_order` (fastest first), then the subgroups in `order`.
    """

    fields_parameter: ir.DictAttr

    @classmethod
    def of(
        cls,
        axes: Sequence[tuple[int, ...]],
        *,
        order: Sequence[int],
        lane: int = -1,
        unroll: int = 1,
        lane_order: Sequence[int] = (),
    ) -> "ThreadsAttr":
        """Build the attribute with all its keys, `lane_order` only where there is one."""
        record = ThreadsRecord(
            axes=tuple(axes), order=tuple(order), lane=lane, unroll=unroll, lane_order=tuple(lane_order)
        )
        return cls.get(to_attribute(record))

    def read(self) -> ThreadsRecord:
        """Return the entries."""
        return read_record(ThreadsRecord, self.params[0], "threads")

    def check(self, box: Sequence[int]) -> None:
        """Raise `InvalidOpError` unless the map fits a box."""
        read = self.read()
        axes = read.axes
        if len(axes) != len(box):
            raise InvalidOpError(f"threads 'axes' needs {len(box)} pairs, one per loop, but has {len(axes)}")
        for loop, (extent, axis) in enumerate(zip(box, axes, strict=True)):
            if len(axis) not in (2, 4):
                raise InvalidOpError(
                    f"threads 'axes' must hold [threads, chunk] of at least 1, but loop {loop} has {list(axis)}"
                )
            check_axis(f"threads of loop {loop}", extent, *axis[:2])
            if len(axis) == 4:
                check_tile(f"threads of loop {loop}", extent, *axis)
        tiled = [loop for loop, axis in enumerate(axes) if len(axis) == 4]
        order = sorted(read.lane_order)
        if order != tiled:
            raise InvalidOpError(f"threads 'lane_order' must name the loops with lanes, {tiled}, but is {order}")
        check_thread_order(read.order, [axis[0] for axis in axes], "threads 'order'")
        if read.lane >= len(box):
            raise InvalidOpError(f"threads 'lane' must be -1 or one of {len(box)} loops, but is {read.lane}")


class InstructionAttr(RTile.Attribute, name="instruction"):
    """A matrix instruction that computes a box: its rows, columns and reduction are loops of the box.

    Keys: `family` (one that has shapes), `shape` ([rows, columns, reduction] of one
    instruction), `row`, `column`, `depth` (loops).
    """

    fields_parameter: ir.DictAttr

    @classmethod
    def of(cls, family: str, shape: Sequence[int], *, row: int, column: int, depth: int) -> "InstructionAttr":
        """Build the attribute with all its keys."""
        entries = {"family": family, "shape": list(shape), "row": row, "column": column, "depth": depth}
        return cls.get(to_attribute(entries))

    def read(self) -> InstructionRecord:
        """Return the entries."""
        return read_record(InstructionRecord, self.params[0], "instruction", {"lane_order": ()})

    def check(self, iterators: Sequence[str], threads: ThreadsRecord) -> None:
        """Raise `InvalidOpError` unless the instruction fits loops and their threads."""
        loops = self.read().loops
        if len(set(loops)) != 3:
            raise InvalidOpError(f"instruction must span 3 different loops, but spans {list(loops)}")
        wanted = ("parallel", "parallel", "reduction")
        for key, loop, kind in zip(("row", "column", "depth"), loops, wanted, strict=True):
            known = loop < len(iterators) and iterators[loop] == kind
            if not known:
                raise InvalidOpError(f"instruction '{key}' must be a {kind} loop of the box, but is {loop}")
        row, column, _ = loops
        if atom_family(self.read().family).is_matrix and sorted(threads.lane_order) != sorted((row, column)):
            raise InvalidOpError(
                f"instruction needs threads whose 'lane_order' holds its rows and columns, {row} and {column}, "
                f"but it is {list(threads.lane_order)}"
            )


class PlanAttr(RTile.Attribute, name="plan"):
    """The plan of a program, field by field as `roller_mlir.plan.Plan` declares it (absent means the default)."""

    fields_parameter: ir.DictAttr

    @classmethod
    def of(cls, plan: Plan) -> "PlanAttr":
        """Build the attribute of a plan."""
        return cls.get(to_attribute(plan))

    def read(self) -> Plan:
        """Return the plan.

        Raises:
            InvalidOpError: An entry is missing, unknown, or no value of its field.
        """
        return read_record(Plan, self.params[0], "plan")

    def check(self) -> None:
        """Raise `InvalidOpError` unless the plan is complete and consistent in itself."""
        check_plan(self.read())


def check_plan(plan: Plan) -> None:
    """Raise `InvalidOpError` unless the fields of a program's plan fit together."""
    require(plan.split is None, "plan 'split' is of two programs; rtile-construct gives each stage a plan of its own")
    if plan.instruction not in FAMILIES:
        known = ", ".join(repr(family) for family in FAMILIES)
        raise InvalidOpError(f"plan.instruction: expected one of {known}, but got {plan.instruction!r}")
    loops = len(plan.axes)
    for loop, axis in enumerate(plan.axes):
        check_axis(f"plan axis {loop}", axis.block, axis.threads, axis.chunk)
        if axis.lanes:
            check_tile(f"plan axis {loop}", axis.block, axis.threads, axis.chunk, axis.lanes, axis.tile)
    tiled = [loop for loop, axis in enumerate(plan.axes) if axis.lanes]
    atom = plan.atom
    if atom is not None:
        for key, loop in (("row", atom.row), ("column", atom.column), ("depth", atom.depth)):
            if loop >= loops:
                raise InvalidOpError(f"plan 'atom' {key} must be one of the loops")
        order = sorted(atom.lane_order)
        if order != tiled:
            raise InvalidOpError(f"plan 'atom' lane_order must name the loops with lanes, {tiled}, but is {order}")
    else:
        if tiled:
            raise InvalidOpError(f"plan axes {tiled} have lanes, which only an 'atom' gives a meaning")
    check_thread_order(plan.thread_order, [axis.threads for axis in plan.axes], "plan 'thread_order'")
    if plan.lane is not None and plan.lane >= loops:
        raise InvalidOpError(f"plan 'lane' must be one of {loops} loops, but is {plan.lane}")
    seen: set[int] = set()
    for key, order in (("unit_order", plan.unit_order), ("reduction_order", plan.reduction_order)):
        for loop in order:
            if loop >= loops:
                raise InvalidOpError(f"plan '{key}' must hold some of {loops} loops, but holds {loop}")
            if loop in seen:
                raise InvalidOpError(f"plan orders must name a loop once, but loop {loop} occurs again in '{key}'")
            seen.add(loop)
    for number, operand in enumerate(plan.operands):
        check_permutation(operand.order, len(operand.order), f"plan operand {number} 'order'")
