# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The register tile: an rtile.compute applied to every point that a thread holds.

The scalar body is cloned onto scalars or lane vectors. A product that feeds a sum becomes one fused multiply-add.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import TYPE_CHECKING

from roller_mlir.lowering.codegen.builder.apply_body import clone_body, keeps_every_product, widen
from roller_mlir.lowering.codegen.builder.emitter import Within
from roller_mlir.lowering.codegen.builder.fragments import TileReader, Wide
from roller_mlir.lowering.codegen.builder.gathers import emit_gather
from roller_mlir.lowering.codegen.builder.task_context import TaskContext, element_bytes
from roller_mlir.lowering.codegen.builder.thread_box import Positions, ThreadBox
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile, RegisterTile, StagedTile
from roller_mlir.lowering.codegen.task.padding.known_inside import known_or_tested, window_inside
from roller_mlir.lowering.codegen.task.padding.padded_points import PaddedDimension, trips_inside
from roller_mlir.lowering.codegen.task.prefetch.constants import ask_ahead
from roller_mlir.lowering.codegen.task.prefetch.rows import prefetch_rows
from roller_mlir.lowering.codegen.task.register_tiles import read_register_tile
from roller_mlir.lowering.linalg.body import INDEX, Body, BodyArgument, Local, Reference
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.mapping.point_order import Reads, point_order
from roller_mlir.mapping.unrolling import LEAST_POINTS_INSIDE, rolled_loops
from roller_mlir.plan import LinearIndex
from roller_mlir.support.bindings import ir

if TYPE_CHECKING:
    from roller_mlir.lowering.codegen.matrix.product import Matrix
    from roller_mlir.lowering.codegen.vectors.atom import VectorAtom


_FIRST = Linear()
"""The first trip of loops."""


@dataclass(frozen=True)
class Compute:
    """One rtile.compute, ready to be emitted.

    Attributes:
        box: Its box as the thread sees it.
        body: Its scalar body.
        inputs: Tile and index functions of each input that the body reads, by argument number.
        tables: The whole tensor of each argument that the body reads at computed positions.
        origin: Position of the box in the operator's loops.
        masked: Reduction loops whose points may lie out of range and would then contribute something.
        unroll: Reduction points that are unrolled.
        matrix: The matrix instruction that computes it, None where each thread computes by itself.
        atom: The instruction on whole vectors that computes it, None where there is none.
        padded: Dimensions of an input outside of whose tensor a point contributes nothing.
        padded_input: That input.
        target: Where tile registers of sums are stored as they are, and index functions of its dimensions; None where
            sums are vectors.
    """

    box: ThreadBox
    body: Body
    inputs: dict[int, tuple[DirectTile | StagedTile | RegisterTile, tuple[LinearIndex, ...]]]
    tables: dict[int, DirectTile]
    origin: tuple[Linear, ...]
    masked: tuple[int, ...]
    unroll: int
    matrix: "Matrix | None" = None
    atom: "VectorAtom | None" = None
    padded: tuple[PaddedDimension, ...] = ()
    padded_input: int | None = None
    target: tuple[DirectTile, tuple[LinearIndex, ...]] | None = None

    def reductions(self) -> list[int]:
        """Return the reduction loops of the box."""
        return [i for i, loop in enumerate(self.box.loops) if loop.reduction]

    def runs(self) -> dict[int, int]:
        """Return the chunks along each of them."""
        return {i: self.box.axes[i].registers // self.box.axes[i].chunk for i in self.reductions()}

    def chunks(self) -> dict[int, int]:
        """Return the points of a chunk, 1 where it is a vector."""
        return {i: 1 if i == self.box.lane else self.box.axes[i].chunk for i in self.reductions()}

    def rolled(self) -> frozenset[int]:
        """Return the reduction loops that stay loops."""
        return rolled_loops(self.reductions(), self.runs(), self.chunks(), self.unroll)

    def has_rows(self) -> bool:
        """Return whether what the lanes read at a point is multiplied for several rows, so that reading is not all."""
        rows = {tuple([(loop, at) for loop, at in key.items() if loop != self.box.lane]) for key in self.box.keys}
        return len(rows) > 1

    def asks(self, loop: int) -> bool:
        """Return whether it pays to ask at each trip of a loop that stays one whether it reads padding alone."""
        axes = self.box.axes
        stride = axes[loop].threads * axes[loop].chunk
        return stride == 1 and prod([axes[i].block for i in self.reductions() if i > loop]) >= LEAST_POINTS_INSIDE

    def edge_dimension(self) -> PaddedDimension | None:
        """Return the dimension of which tiles at its ends leave out single points on padding: the last that may."""
        rolled = self.rolled()
        for one in reversed(self.padded):
            along = one.along
            if along is None or self.atom is not None or along.window.block == 1 or not along.window.edges():
                continue
            if along.taps not in rolled or self.asks(along.taps):
                return one
        return None

    def has_known_taps(self, loop: int) -> bool:
        """Return whether it is known of taps of a window, whose loop stays one, that points read padding at them."""
        one = self.edge_dimension()
        if one is None or one.along is None or one.along.taps != loop:
            return False
        return one.tile in one.along.window.edges()

    def walked_inside(self) -> dict[int, list[PaddedDimension]]:
        """Return, by loops over windows, dimensions that they walk alone: no trip of them reads padding there."""
        rolled, found = self.rolled(), dict[int, list[PaddedDimension]]()
        for one in self.padded:
            loop = one.walked_loop(self.box)
            if loop in rolled and self.asks(loop) and not self.has_known_taps(loop):
                found.setdefault(loop, []).append(one)
        return found


def emit_points(context: TaskContext, compute: Compute, accumulators: Sequence[ir.Value]) -> list[ir.Value]:
    """Emit all points of the box that the thread holds; return the new accumulators, those of each result together.

    Reduction points beyond `unroll` become loops that carry the accumulators.
    """
    box = compute.box
    fragments = TileReader(context, box)
    reductions, runs, inner, rolled = compute.reductions(), compute.runs(), compute.chunks(), compute.rolled()
    counted, reads, walked = _is_counted(compute), list(compute.inputs.values()), compute.walked_inside()

    trips = prod([runs[loop] for loop in rolled])

    def nest(
        loops: list[int], positions: Positions, values: Sequence[ir.Value], trip: Linear = _FIRST
    ) -> list[ir.Value]:
        if loops:
            loop, rest = loops[0], loops[1:]
            stride = box.axes[loop].threads * box.axes[loop].chunk

            def one(run: Symbol, carried: list[ir.Value]) -> list[ir.Value]:
                at = {**positions, loop: box.base(loop) + Linear.of(run, stride)}
                number = trip * runs[loop] + Linear.of(run)
                facts = list(window_inside(box, reads, loop, at)) if context.masked and loop != reductions[-1] else []
                visited = [one.read_at(box, at) for one in walked.get(loop, ())]
                with context.emit.given([Within(place, place, extent) for place, extent in visited]):
                    return known_or_tested(context, [facts], carried, lambda: nest(rest, at, carried, number))

            if compute.has_known_taps(loop):
                for tap in range(runs[loop]):
                    values = one(Symbol(str(tap), tap, tap), list(values))
                return list(values)
            asks = compute.asks(loop)
            bounds = trips_inside(context.emit, compute.padded, box, loop, runs[loop]) if asks else None
            with fragments.scope():
                if bounds is not None:
                    return context.emit.loop_between(bounds, runs[loop], values, one)
                return context.emit.loop(0, runs[loop], values, one)
        points = [positions]
        for loop in reductions:
            offsets = [
                run * box.axes[loop].threads * box.axes[loop].chunk + v
                for run in range(1 if loop in rolled else runs[loop])
                for v in range(inner[loop])
            ]
            points = [{**p, loop: p.get(loop, box.base(loop)) + o} for p in points for o in offsets]
        points = [point for point in points if _may_be_in_range(compute, point)]
        current = list(values)
        if context.masked and rolled and points:
            prefetch_rows(context, box, compute.inputs, max(rolled), points[0])
        for tile, _ in compute.inputs.values() if points and compute.has_rows() else ():
            if isinstance(tile, StagedTile):
                ask_ahead(context, tile, trip, trips)
        ordered = compute.body.combiners() is None
        with fragments.scope():
            found = _reads(compute, points, by_vectors=context.masked)
            order = point_order(found, len(points), len(box.keys), ordered=ordered, by_reads=context.masked)
            for place, result in order:
                at = {**points[place], **box.at(box.keys[result])}
                if not any(one.is_outside(box, at) for one in compute.padded):
                    _point(context, compute, fragments, points[place], result, current, counted=counted)
        return current

    return nest(sorted(rolled), {}, accumulators)


def _may_be_in_range(compute: Compute, point: Positions) -> bool:
    """Return whether a reduction point can lie inside the operator's loops for any thread and step."""
    for loop, position in point.items():
        low, high = (compute.origin[loop] + position).range()
        if loop == compute.box.lane:
            high += compute.box.width - 1
        if high < 0 or compute.box.loops[loop].extent <= low:
            return False
    return True


def _reads(compute: Compute, points: Sequence[Positions], *, by_vectors: bool) -> list[Reads]:
    """Return what points read of each tile, without the part that is the same for all of a thread's.

    Args:
        compute: What reads.
        points: Places of the reduction.
        by_vectors: Whether a register holds what a point reads of a tile: a vector, or an element for all lanes.
    """
    box = compute.box

    def at(functions: Sequence[LinearIndex], positions: Positions, steps: Sequence[int]) -> tuple[int, ...]:
        moved = {loop: positions[loop].constant - box.base(loop).constant for loop in positions}
        return tuple(
            [
                step * sum([k * moved.get(loop, 0) for loop, k in function.terms().items()])
                for function, step in zip(functions, steps, strict=True)
            ]
        )

    found: list[Reads] = []
    for tile, functions in compute.inputs.values():
        if isinstance(tile, RegisterTile) or not functions:
            continue
        if isinstance(tile, StagedTile):
            functions, width = [functions[d] for d in tile.layout.order], tile.layout.fragment_vector
            steps, source = [tile.strides()[d] for d in tile.layout.order], tile.source
        else:
            width, steps, source = tile.vector, tile.steps, tile
        lanes: list[Positions] = [
            {} if box.lane is None else {box.lane: box.base(box.lane) + n} for n in range(box.width)
        ]
        size = element_bytes(ir.MemRefType(source.buffer.type).element_type)
        if by_vectors:
            lanes, width, size = lanes[:1], 1, 4
        found.append(
            Reads(
                tuple([at(functions, point, steps) for point in points]),
                tuple([at(functions, box.at(key), steps) for key in box.keys]),
                tuple([at(functions, lane, steps) for lane in lanes]),
                width,
                max(1, size // 4),
            )
        )
    return found


def _point(
    context: TaskContext,
    compute: Compute,
    fragments: TileReader,
    point: Positions,
    at: int,
    accumulators: list[ir.Value],
    *,
    counted: bool,
) -> None:
    """Emit the body at one reduction point for one accumulator of each result, which change in place."""
    box = compute.box
    condition = _in_range(context, compute, point)
    count = len(box.keys)
    positions = {**point, **box.at(box.keys[at])}
    values: dict[Reference, Wide] = {
        BodyArgument(number): read_register_tile(context, tile, box, functions, positions)
        if isinstance(tile, RegisterTile)
        else fragments.read(tile, functions, positions)
        for number, (tile, functions) in compute.inputs.items()
    }
    for number, accumulator in enumerate(accumulators[at::count]):
        values[BodyArgument(compute.body.inputs + number)] = (accumulator, box.width)
    for number, op in enumerate(compute.body.ops):
        if op.name == INDEX:
            loop = ir.IntegerAttr(op.attributes["dim"]).value
            values[Local(number)] = _position(context, compute, loop, positions)
    lanes = _live_lanes(compute, positions) if counted else 0
    gather = partial(emit_gather, context, compute.tables)
    for number, found in enumerate(clone_body(context, compute.body, values, counted=lanes, gather=gather)):
        new, old = widen(context, found, box.width), accumulators[number * count + at]
        if condition is not None:
            new = context.emit.op("arith.select", [condition, new, old], new.type)
        accumulators[number * count + at] = new


def _position(context: TaskContext, compute: Compute, loop: int, positions: Positions) -> Wide:
    """Return the position on a loop: along the lanes, a vector of neighbours."""
    emit, box = context.emit, compute.box
    first = emit.index(compute.origin[loop] + positions.get(loop, Linear()))
    if loop != box.lane or box.width == 1:
        return first, 1
    kind = ir.VectorType.get([box.width], emit.index_type)
    lanes = ir.DenseElementsAttr.get([ir.IntegerAttr.get(emit.index_type, lane) for lane in range(box.width)], kind)
    operands = [widen(context, (first, 1), box.width), emit.typed_constant(lanes)]
    return emit.cached(("lanes", first, box.width), lambda: emit.op("arith.addi", operands, kind)), box.width


def _is_counted(compute: Compute) -> bool:
    """Return whether LLVM must keep all of a thread's multiply-adds: no two are equal, and none is a plain sum."""
    if not keeps_every_product(compute.body):
        return False
    used = {loop for _, functions in compute.inputs.values() for f in functions for loop in f.terms()}
    return all(i in used for i, axis in enumerate(compute.box.axes) if axis.registers > 1)


def _live_lanes(compute: Compute, positions: Positions) -> int:
    """Return how many lanes of a point can lie inside the lane's loop; nobody stores the others, so LLVM drops them."""
    box = compute.box
    if box.lane is None:
        return 1
    low, high = (compute.origin[box.lane] + positions.get(box.lane, box.base(box.lane))).range()
    extent = box.loops[box.lane].extent
    return sum(not extent <= low + lane and high + lane >= 0 for lane in range(box.width))


def _in_range(context: TaskContext, compute: Compute, point: Positions) -> ir.Value | None:
    """Return the condition that a reduction point is in range; a vector where the lanes reduce."""
    box, emit = compute.box, context.emit

    def position(loop: int) -> Linear:
        return compute.origin[loop] + point.get(loop, box.base(loop))

    condition: ir.Value | None = None
    for loop in compute.masked:
        if loop != box.lane:
            condition = emit.both(condition, emit.inside([position(loop)], [box.loops[loop].extent.static]))
    if box.lane not in compute.masked:
        return condition
    extent = box.loops[box.lane].extent.static
    lanes = [emit.inside([position(box.lane) + j], [extent]) for j in range(box.width)]
    if all(lane is None for lane in lanes):
        return condition
    true = ir.IntegerAttr.get(ir.IntegerType.get_signless(1), 1)
    elements = [lane if lane is not None else emit.typed_constant(true) for lane in lanes]
    if box.width == 1:
        return emit.both(condition, elements[0])
    i1 = ir.VectorType.get([box.width], elements[0].type)
    mask = emit.op("vector.from_elements", elements, i1)
    if condition is None:
        return mask
    return emit.op("arith.andi", [mask, emit.op("vector.broadcast", [condition], i1)], i1)
