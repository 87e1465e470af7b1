# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From an rtile.compute to what is emitted for it: its box, its inputs, its masks and its first accumulators."""

from collections.abc import Sequence
from functools import partial
from math import prod

from roller_mlir.dialects.rtile import ComputeOp
from roller_mlir.lowering.codegen.builder.fragments import TileReader
from roller_mlir.lowering.codegen.builder.task_context import splat, vector_type
from roller_mlir.lowering.codegen.builder.thread_box import ThreadBox
from roller_mlir.lowering.codegen.builder.tile_values import (
    ChoiceTile,
    DirectTile,
    RegisterTile,
    SplatTile,
    StagedTile,
    TileValue,
    lies_beyond,
)
from roller_mlir.lowering.codegen.matrix.product import matrix_of
from roller_mlir.lowering.codegen.matrix.results import pack, unpack
from roller_mlir.lowering.codegen.task.compute import Compute
from roller_mlir.lowering.codegen.task.padding.padded_points import PaddedDimension, padded_dimensions
from roller_mlir.lowering.codegen.task.register_tiles import (
    materialise,
    materialise_spread,
    read_register_tile,
    waiting_alike,
)
from roller_mlir.lowering.codegen.task.scope import TaskScope
from roller_mlir.lowering.codegen.vectors.atom import vector_atom_of
from roller_mlir.lowering.linalg.affine import apply_indices, map_indices
from roller_mlir.lowering.linalg.body import Body, read_body
from roller_mlir.lowering.loops.program import box_axes, box_loops, lane_of
from roller_mlir.mapping.index import Linear
from roller_mlir.plan import LinearIndex
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

Inputs = dict[int, tuple[DirectTile | StagedTile | RegisterTile, tuple[LinearIndex, ...]]]


class ComputeReader:
    """Reads computes in a scope. A compute's box is made once; its inputs follow the loop variables."""

    def __init__(self, scope: TaskScope) -> None:
        self._scope = scope
        self._boxes: dict[ir.Operation, ThreadBox] = {}

    def body(self, view: ComputeOp) -> Body:
        """Return the scalar body."""
        return read_body(view.entry, len(view.inputs))

    def box(self, view: ComputeOp) -> ThreadBox:
        """Return the box as the thread sees it."""
        op = view.operation
        if op not in self._boxes:
            loops, axes = box_loops(view), box_axes(view)
            if prod(axis.threads for axis in axes) != self._scope.context.threads:
                fail(
                    op, f"'{op.name}' has another thread count than the program's first ({self._scope.context.threads})"
                )
            context = self._scope.context
            self._boxes[op] = ThreadBox(
                loops,
                axes,
                view.thread_map.order,
                lane_of(view),
                context.emit,
                context.thread,
                context.subgroup_size,
                view.thread_map.lane_order,
            )
        return self._boxes[op]

    def prepare(self, view: ComputeOp) -> Compute:
        """Return what is to be emitted, for the current loop variables."""
        box, body = self.box(view), self.body(view)
        maps = [map_indices(m) for m in view.maps]
        inputs: Inputs = {}
        tables: dict[int, DirectTile] = {}
        joined: list[tuple[RegisterTile, tuple[LinearIndex, ...]]] = []
        for number, value in enumerate(view.inputs):
            if not body.reads(number):
                continue
            tile = self._scope.tile(view.operation, value)
            if isinstance(tile, SplatTile | ChoiceTile):
                fail(view.operation, f"'{view.operation.name}' input {number} is no loaded tile; load it first")
            if isinstance(tile, RegisterTile):
                joined.append((tile, maps[number]))
            if number in body.gathered():
                tables[number] = _table(view, number, tile)
            else:
                inputs[number] = (tile, maps[number])
        if any(tile.combiner is not None for tile, _ in joined):
            waiting = waiting_alike([tile for tile, _ in joined], self._scope.tiles.values())
            materialise_spread(self._scope.context, waiting, box, joined)
            materialise(self._scope.context, waiting, everyone=True)
        origin = tuple(
            apply_indices(map_indices(view.origin_map), self._scope.context.linear(view.operation, view.indices))
        )
        masked = tuple(
            loop
            for loop, bound in enumerate(box.loops)
            if bound.reduction
            and not (
                origin[loop].range()[0] >= 0 and origin[loop].range()[1] + box.axes[loop].block <= bound.extent.static
            )
            and not self._contributes_nothing(loop, bound.extent.static, body, inputs, origin)
        )
        matrix = matrix_of(view, box, body, maps)
        unroll = view.thread_map.unroll
        padded: list[PaddedDimension] = []
        padded_input = next((number for number in view.skips if number in inputs), None)
        if padded_input is not None and not isinstance(tile := inputs[padded_input][0], RegisterTile):
            padded = padded_dimensions(tile, inputs[padded_input][1], box)
        atom = vector_atom_of(view, body)
        return Compute(box, body, inputs, tables, origin, masked, unroll, matrix, atom, tuple(padded), padded_input)

    def _contributes_nothing(
        self, loop: int, extent: int, body: Body, inputs: Inputs, origin: tuple[Linear, ...]
    ) -> bool:
        """Return whether points out of a loop's range leave the accumulator alone, as every input reads as its pad."""
        neutral = body.pad_value()
        if neutral is None or not inputs:
            return False
        for tile, functions in inputs.values():
            if isinstance(tile, RegisterTile):
                return False
            source = tile.source if isinstance(tile, StagedTile) else tile
            if neutral == 0 and any(list(functions[limit.dimension].terms()) == [loop] for limit in source.limits):
                continue
            covered = False
            for function, pitch, length, start in zip(
                functions, source.steps, source.shape, source.origin, strict=True
            ):
                if list(function.terms()) == [loop]:
                    step = function.coefficients[loop] * pitch
                    zero = start + function.constant * pitch + origin[loop] * -step
                    covered = covered or lies_beyond(zero, step, length, extent)
            if source.pad != neutral or not covered:
                return False
        return True

    def is_partial(self, box: ThreadBox) -> bool:
        """Return whether threads or lanes hold partial results of a box."""
        return box.lane_reduces or bool(box.combination.split_loops)

    def first(self, view: ComputeOp) -> list[ir.Value]:
        """Return the accumulators before the first step of loops that carry them, whose inputs are not there yet."""
        box, body = self.box(view), self.body(view)
        return self.start(view, Compute(box, body, {}, {}, (), (), view.thread_map.unroll))

    def start(self, view: ComputeOp, compute: Compute) -> list[ir.Value]:
        """Return the accumulators before the first point, those of each result together.

        Of a matrix instruction: the fragments of its result.
        """
        values = [value for number in range(len(view.accumulators)) for value in self._start_of(view, compute, number)]
        return values if compute.matrix is None else pack(self._scope.context, compute.matrix, values)

    def results(self, view: ComputeOp, compute: Compute, values: Sequence[ir.Value]) -> list[RegisterTile]:
        """Return the results of a compute as tiles.

        Args:
            view: The compute.
            compute: What was emitted of it.
            values: The accumulators after the last point.
        """
        box, count = compute.box, len(compute.box.keys)
        if compute.matrix is not None:
            element = ir.RankedTensorType(view.operation.results[0].type).element_type
            values = unpack(self._scope.context, compute.matrix, values, element)
        combiners = self._combiners(view, compute.body) if self.is_partial(box) else None
        return [
            RegisterTile(
                view.operation,
                box,
                map_indices(view.maps[len(view.inputs) + number]),
                list(values[number * count : (number + 1) * count]),
                box.width,
                combiners[number] if combiners else None,
                self._scope.tile(view.operation, view.accumulators[number]) if combiners else None,
                number,
            )
            for number in range(len(view.accumulators))
        ]

    def _combiners(self, view: ComputeOp, body: Body) -> tuple[str, ...]:
        combiners = body.combiners()
        if combiners is None:
            fail(view.operation, f"'{view.operation.name}' splits a reduction without a known combiner over threads")
        return combiners

    def _start_of(self, view: ComputeOp, compute: Compute, number: int) -> list[ir.Value]:
        emit, box = self._scope.context.emit, compute.box
        tile = self._scope.tile(view.operation, view.accumulators[number])
        element = ir.RankedTensorType(view.operation.results[number].type).element_type
        if self.is_partial(box):
            self._combiners(view, compute.body)
            neutral = compute.body.neutral(number)
            assert neutral is not None  # each combiner has one
            return [splat(emit, element, box.width, neutral)] * len(box.keys)
        return self._started(view, compute, number, tile)

    def _started(self, view: ComputeOp, compute: Compute, number: int, tile: TileValue) -> list[ir.Value]:
        emit, box, context = self._scope.context.emit, compute.box, self._scope.context
        element = ir.RankedTensorType(view.operation.results[number].type).element_type
        if isinstance(tile, ChoiceTile):
            kinds = [vector_type(element, box.width)] * len(box.keys)
            ways = [partial(self._started, view, compute, number, one) for one in (tile.first, tile.second)]
            return emit.branch(tile.condition, kinds, *ways)
        if isinstance(tile, SplatTile):
            return [splat(emit, element, box.width, 0.0 if tile.value is None else tile.value)] * len(box.keys)
        indices = map_indices(view.maps[len(view.inputs) + number])
        if isinstance(tile, RegisterTile):
            materialise(context, [tile], everyone=True)
            found = [read_register_tile(context, tile, box, indices, box.at(key)) for key in box.keys]
        else:
            fragments = TileReader(context, box)
            found = [fragments.read(tile, indices, box.at(key)) for key in box.keys]
        kind = vector_type(element, box.width)
        return [v if w == box.width else emit.op("vector.broadcast", [v], kind) for v, w in found]


def _table(view: ComputeOp, number: int, tile: DirectTile | StagedTile | RegisterTile) -> DirectTile:
    """Return the tile of an input that is read at computed positions: a whole tensor, which is read where it lies."""
    whole = isinstance(tile, DirectTile) and tile.body is None and all(at == Linear() for at in tile.origin)
    shape = tuple(ir.RankedTensorType(view.inputs[number].type).shape)
    if not whole or not isinstance(tile, DirectTile) or tile.steps != (1,) or tile.shape != shape:
        fail(
            view.operation,
            f"'{view.operation.name}' reads input {number} at computed positions; load it as one register tile that is "
            "the whole tensor of one dimension",
        )
    return tile
