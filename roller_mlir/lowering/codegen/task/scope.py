# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the values of a task stand for while it is built: loop variables, tiles and their copies."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import gcd, prod
from typing import Any

from roller_mlir.dialects.rtile import ComputeOp, MapLoadOp, TileLoad
from roller_mlir.hal.atoms import atom_family
from roller_mlir.lowering.codegen.builder.apply_body import clone_body, widen
from roller_mlir.lowering.codegen.builder.task_context import TaskContext, element_bytes, memref_view
from roller_mlir.lowering.codegen.builder.tile_values import (
    DirectTile,
    Limit,
    SplatTile,
    StagedTile,
    TileValue,
    lies_beyond,
)
from roller_mlir.lowering.codegen.task.copies import StagedCopy, Transfer, copy_now, copy_rounds, load_rounds
from roller_mlir.lowering.codegen.task.prefetch.constants import ahead_of
from roller_mlir.lowering.linalg.affine import apply_indices, map_indices
from roller_mlir.lowering.linalg.body import BodyArgument, read_body
from roller_mlir.lowering.loops.nest import LoopNest
from roller_mlir.lowering.loops.program import load_layout
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.mapping.layout.data_tile import TileDimension, tile_copy
from roller_mlir.mapping.layout.layout import MAX_VECTOR_BYTES, buffer_shape
from roller_mlir.mapping.unrolling import MOST_UNROLLED_ROUNDS
from roller_mlir.plan import LinearIndex, OperandPlan
from roller_mlir.plan.plan import WORKGROUP
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op


class TaskScope:
    """The tiles and loop variables that are known so far.

    Attributes:
        context: The task's parameters.
        tiles: What each SSA tile stands for.
    """

    def __init__(self, context: TaskContext) -> None:
        self.context = context
        self.tiles: dict[ir.Value, TileValue] = {}
        self._limited: dict[ir.Operation, list[tuple[int, ComputeOp, LinearIndex]]] = {}
        self._within: dict[ir.Value, Linear] = {}
        """How far each reduction loop has come in a task."""

    def bind(self, nest: LoopNest, symbol: Symbol) -> None:
        """Give the nest's loop variables their values from a linear number, last loop fastest."""
        moving = [loop for loop in nest.loops if loop.trips != 1]
        digits = self.context.emit.delinearize(symbol, [loop.trips.static for loop in reversed(moving)])
        values = dict(zip([loop.variable for loop in reversed(moving)], digits, strict=True))
        for loop in nest.loops:
            digit = values.get(loop.variable)
            number = Linear.of(digit, loop.step) if digit is not None else Linear()
            self.context.indices[loop.variable] = number + loop.low

    def bind_step(self, nest: LoopNest, symbol: Symbol) -> None:
        """Give the variables of reduction loops their values, as `bind` does; slices begin where those begin."""
        self.bind(nest, symbol)
        for loop in nest.loops:
            self._within[loop.variable] = self.context.indices[loop.variable] + -loop.low

    def tile(self, op: ir.Operation, value: ir.Value) -> TileValue:
        """Return what an SSA tile stands for."""
        if value in self.tiles:
            return self.tiles[value]
        if defining_op(value, "tensor.empty") is not None:
            return SplatTile(None)
        constant = defining_op(value, "arith.constant")
        dense: Any = ir.DenseElementsAttr(constant.attributes["value"]) if constant is not None else None
        if dense is None or not dense.is_splat:
            fail(op, f"'{op.name}' uses a tile that is neither loaded, computed nor a constant of equal elements")
        return SplatTile(dense.get_splat_value().value)

    def part(self, load: TileLoad) -> StagedTile:
        """Return a part of a tile that lies in workgroup memory."""
        whole = self.tiles[load.source]
        assert isinstance(whole, StagedTile)
        if isinstance(load, MapLoadOp) or load.pad_value is not None or load.tile.layer == WORKGROUP or whole.steps:
            fail(load, f"'{load.operation.name}' of a tile is a plain part of one that was staged, read where it lies")
        origin = apply_indices(map_indices(load.origin_map), self.context.linear(load.operation, load.indices))
        for at, extent, step, end in zip(origin, load.tile.shape, load.tile.steps, whole_shape(load), strict=True):
            low, high = at.range()
            if low < 0 or high + (extent - 1) * step >= end:
                fail(load, f"'{load.operation.name}' reads elements {low} to {high + (extent - 1) * step} of {end}")
        return replace(whole, origin=tuple(origin), steps=load.tile.steps)

    def condition(self, op: ir.Operation, value: ir.Value) -> ir.Value:
        """Return a comparison of loop variables, or a conjunction of such, for their current values."""
        emit, made = self.context.emit, defining_op(value)
        if made is not None and made.name == "arith.andi":
            left, right = (self.condition(op, one) for one in made.operands)
            return emit.op("arith.andi", [left, right], left.type)
        if made is None or made.name != "arith.cmpi":
            fail(op, f"'{op.name}' asks {value}, which is no comparison of loop variables")
        operands = [emit.index(one) for one in self.context.linear(made, list(made.operands))]
        return emit.op("arith.cmpi", operands, made.results[0].type, {"predicate": made.attributes["predicate"]})

    def name(self, load: TileLoad) -> str:
        """Return what reports call a load's source."""
        return f"arg{load.source.arg_number}"

    def direct(self, load: TileLoad) -> DirectTile:
        """Return the tile of a load as a place in its buffer, for the current loop variables."""
        place = self.place(load.operation, load.source, load.indices, load.origin_map, load.tile.steps)
        if load.source in self.context.slots:
            place = self._kept(load, place)
        vector = load.layout.read().vector if load.layout is not None else 1
        pad = 0.0 if load.pad_value is None else load.pad_value
        place = replace(place, pad=pad, vector=vector)
        place = replace(place, limits=self._limits(load, place))
        return self._mapped(load, place) if isinstance(load, MapLoadOp) else place

    def slice(self, load: TileLoad) -> DirectTile:
        """Return what a task reads of a load's buffer, with all its steps, as a place there; no step is bound yet."""
        context = self.context
        at = apply_indices(map_indices(load.origin_map), context.linear(load.operation, load.indices, steps=False))
        buffer, pad = context.buffers[load.source], 0.0 if load.pad_value is None else load.pad_value
        shape = tuple(ir.MemRefType(buffer.type).shape)
        return DirectTile(load.operation, self.name(load), buffer, shape, tuple(at), load.tile.steps, pad)

    def _kept(self, load: TileLoad, place: DirectTile) -> DirectTile:
        """Return the tile of a load in its slot, which begins with the task's slice."""
        view = self.context.slots[load.source].view
        values = [self._within.get(value, Linear()) for value in load.indices]
        at = apply_indices([LinearIndex(one.coefficients) for one in map_indices(load.origin_map)], values)
        return replace(place, buffer=view, shape=tuple(ir.MemRefType(view.type).shape), origin=tuple(at))

    def packed(self, load: TileLoad) -> StagedTile:
        """Return the tile of a load that lies in a packed constant, for the current loop variables."""
        context, layout = self.context, load_layout(load)
        indices = context.linear(load.operation, load.indices)
        (number,) = apply_indices(map_indices(load.origin_map), indices)
        buffer = context.buffers[load.source]
        kind = ir.MemRefType(buffer.type)
        shape = [kind.shape[0], *buffer_shape([TileDimension({}, 1, extent) for extent in load.tile.shape], layout)]
        if prod(shape[1:]) != kind.shape[1]:
            fail(load, f"'rtile.load' has tiles of {prod(shape[1:])} elements, but its source has {kind.shape[1]}")
        i64 = ir.IntegerType.get_signless(64)
        groups = [[0], list(range(1, len(shape)))]
        attributes: dict[str, ir.Attribute] = {
            "reassociation": ir.ArrayAttr.get(
                [ir.ArrayAttr.get([ir.IntegerAttr.get(i64, d) for d in g]) for g in groups]
            ),
            "static_output_shape": ir.DenseI64ArrayAttr.get(shape),
        }
        view = context.emit.cached(
            ("packed", buffer, *shape),
            lambda: context.emit.op(
                "memref.expand_shape", [buffer], ir.MemRefType.get(shape, kind.element_type), attributes
            ),
        )
        source = DirectTile(load.operation, self.name(load), buffer, tuple(kind.shape), (number, Linear()), (1, 1))
        ahead = ahead_of(context, load, number, kind.shape[1] * element_bytes(kind.element_type))
        return StagedTile(source, view, context.emit.index(number), layout, number=number, ahead=ahead)

    def _limits(self, load: TileLoad, place: DirectTile) -> tuple[Limit, ...]:
        """Return where elements must read as 0 though they are in the tensor, or the tensor reads as something else.

        A matrix instruction computes whole blocks of its reduction: beyond the loop's ends both factors must be 0.
        """
        operation = load.operation
        if operation not in self._limited:
            self._limited[operation] = list(_reduced_dimensions(load))
        found: list[Limit] = []
        for dimension, view, function in self._limited[operation]:
            ((loop, step),) = function.terms().items()
            indices = self.context.linear(view.operation, view.indices)
            first = apply_indices(map_indices(view.origin_map), indices)[loop] + function.constant * -step
            limit = Limit(dimension, first, step, view.loop_bounds[loop])
            if not limit.reaches_beyond(load.tile.shape[dimension]):
                continue
            pitch = place.steps[dimension] * step
            start = place.origin[dimension] + first * -pitch
            if place.pad != 0 or not lies_beyond(start, pitch, place.shape[dimension], limit.extent):
                found.append(limit)
        return tuple(found)

    def _mapped(self, load: MapLoadOp, place: DirectTile) -> DirectTile:
        """Return a tile whose elements a body makes of what lies in the buffer."""
        body = read_body(load.entry, 1)

        def made(value: ir.Value, width: int) -> ir.Value:
            (found,) = clone_body(self.context, body, {BodyArgument(0): (value, width)})
            return widen(self.context, found, width)

        keeps = load.pad_value is None or body.on_constant(place.pad) == place.pad
        return replace(place, body=made, body_keeps_pad=keeps)

    def place(
        self,
        op: ir.Operation,
        memory: ir.Value,
        indices: Sequence[ir.Value],
        origin: ir.AffineMap,
        steps: tuple[int, ...],
    ) -> DirectTile:
        """Return a place in a buffer, for the current loop variables."""
        context = self.context
        if memory not in context.buffers:
            fail(op, f"'{op.name}' needs a memref of the program; run rtile-assign-buffers first")
        at = apply_indices(map_indices(origin), context.linear(op, indices))
        name = f"arg{ir.BlockArgument(memory).arg_number}"
        buffer = context.buffers[memory]
        return DirectTile(op, name, buffer, tuple(ir.MemRefType(buffer.type).shape), tuple(at), steps)

    def copy(self, load: TileLoad, stages: int, *, now: bool) -> StagedCopy:
        """Return the staged copy of a load: its buffers and the thread's share.

        Args:
            load: The load.
            stages: Buffers.
            now: Whether nothing is computed while the copy is on its way, so that it need not be unrolled.
        """
        context = self.context
        assert context.arena is not None
        layout = load_layout(load)
        dimensions = [TileDimension({}, 1, extent) for extent in load.tile.shape]
        shape = (stages, *buffer_shape(dimensions, layout))
        element = ir.MemRefType(load.source.type).element_type
        view = memref_view(context.emit, context.arena, context.offsets[load.operation], shape, element)
        copy = tile_copy(load.tile.shape, layout, context.threads)
        rolled = now and copy.rounds > MOST_UNROLLED_ROUNDS
        return StagedCopy(view, layout, copy, () if rolled else copy_rounds(context, copy))

    def fetch(self, load: TileLoad, copy: StagedCopy, wanted: ir.Value | None) -> list[ir.Value]:
        """Load the thread's share of a tile into registers; a condition says whether it is wanted at all."""
        tile = self.direct(load)
        check_layout(load, copy.layout, tile)
        return load_rounds(self.context, copy, tile, wanted)

    def copy_now(self, copies: Sequence[tuple[TileLoad, StagedCopy]], stage: ir.Value) -> None:
        """Copy tiles to a stage while nothing else is computed."""
        transfers: list[Transfer] = []
        for load, copy in copies:
            tile = self.direct(load)
            check_layout(load, copy.layout, tile)
            transfers.append(Transfer(copy, tile, self.name(load)))
        copy_now(self.context, transfers, stage)


def _reduced_dimensions(load: TileLoad) -> Iterator[tuple[int, ComputeOp, LinearIndex]]:
    """Yield the dimensions of a tile that one reduction loop of a matrix instruction's compute walks, and how."""
    for use in load.operation.results[0].uses:
        view = use.owner.operation.opview
        if not isinstance(view, ComputeOp) or view.matrix_instruction is None:
            continue
        if atom_family(view.matrix_instruction.family).vectors:
            continue  # which take all of the reduction in one step
        if use.operand_number >= len(view.inputs):
            continue
        for dimension, function in enumerate(map_indices(view.maps[use.operand_number])):
            terms = list(function.terms().items())
            if len(terms) == 1 and abs(terms[0][1]) == 1 and view.iterators[terms[0][0]] == "reduction":
                yield dimension, view, function


def whole_shape(load: TileLoad) -> tuple[int, ...]:
    """Return the extents of the tile that a load takes a part of."""
    return tuple(ir.RankedTensorType(load.source.type).shape)


def staged_tile(copy: StagedCopy, tile: DirectTile, stage: ir.Value) -> StagedTile:
    """Return a tile that was copied to a stage."""
    return StagedTile(tile, copy.view, stage, copy.layout)


def check_layout(load: TileLoad, layout: OperandPlan, tile: DirectTile) -> None:
    """Refuse a layout whose vectors would be misaligned; the widths are the plan's to choose, never changed here."""
    inner = len(tile.shape) - 1
    widest = max(layout.vector, layout.store_vector, layout.fragment_vector)
    size = widest * element_bytes(ir.MemRefType(tile.buffer.type).element_type)
    if size > MAX_VECTOR_BYTES:
        fail(load, f"'rtile.load' accesses {size} B at once, a thread accesses at most {MAX_VECTOR_BYTES} B; lower it")
    row = gcd(tile.shape[inner], tile.origin[inner].divisor())
    if layout.vector > 1 and (tile.steps[inner] != 1 or row % layout.vector):
        fail(
            load,
            f"'rtile.load' copies vectors of {layout.vector}, but its rows are aligned to {row} elements; lower vector",
        )
    rows = layout.order[-1] if layout.order else inner
    if rows == inner and layout.vector % layout.store_vector:
        fail(
            load,
            f"'rtile.load' writes vectors of {layout.store_vector}, which must divide vector = {layout.vector}; lower "
            "store_vector",
        )
    if rows != inner and load.tile.shape[rows] % layout.store_vector:
        fail(
            load,
            f"'rtile.load' writes vectors of {layout.store_vector} along dimension {rows}, which must divide the "
            f"tile's extent {load.tile.shape[rows]}; lower store_vector",
        )
    width = max(layout.store_vector, layout.fragment_vector)
    if layout.pad % width:
        fail(load, f"'rtile.load' pads rows by {layout.pad}, which misaligns vectors of {width}; pad by a multiple")
