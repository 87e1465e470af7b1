# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tile that one thread packs into memory of the task, row by row, so that what reads it finds neighbours."""

from collections.abc import Mapping, Sequence

from roller_mlir.dialects.rtile import TileLoad
from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.codegen.builder.fragments import load_global, mapped, panel_place
from roller_mlir.lowering.codegen.builder.masked_access import (
    load_neighbours,
    neighbours_inside,
    prefetch,
    store_neighbours,
    takes_vectors,
)
from roller_mlir.lowering.codegen.builder.task_context import access_memory, element_bytes, memref_view
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile, StagedTile
from roller_mlir.lowering.codegen.task.pack.turned import pack_turned, square_of
from roller_mlir.lowering.codegen.task.scope import TaskScope
from roller_mlir.lowering.loops.program import load_layout
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.mapping.layout.data_tile import TileDimension
from roller_mlir.mapping.layout.layout import buffer_shape
from roller_mlir.plan import OperandPlan
from roller_mlir.support.bindings import ir

_BYTES_AHEAD = 2048
"""How far ahead of what is copied rows are prefetched: they are further apart than a core's own prefetchers look."""
MOST_UNROLLED = 8
"""Vectors of a row whose copies stand in the code; of a longer row those of a panel, whose places need no division."""


def pack(scope: TaskScope, load: TileLoad, tile: DirectTile) -> StagedTile:
    """Emit the copy of a tile to its place in the task's memory; return the copy.

    Args:
        scope: The task.
        load: What loads the tile.
        tile: Where it lies.
    """
    context, emit, layout = scope.context, scope.context.emit, load_layout(load)
    assert context.arena is not None
    element = ir.MemRefType(tile.buffer.type).element_type
    extents = list(load.tile.shape)
    shape = (1, *buffer_shape([TileDimension({}, 1, extent) for extent in extents], layout))
    view = memref_view(emit, context.arena, context.offsets[load.operation], shape, element)
    if layout.interleave is not None:
        _interleave(scope, tile, view, extents, layout)
        return StagedTile(tile, view, emit.constant(0), layout)
    if (square := square_of(tile, extents, layout)) is not None:
        pack_turned(scope, tile, context.offsets[load.operation], extents, layout, square)
        return StagedTile(tile, view, emit.constant(0), layout)
    inner, width = len(extents) - 1, layout.vector
    rows = layout.order[-1] == inner and tile.steps[inner] == 1 and width > 1 and takes_vectors(element)
    step = width if rows else 1
    row_bytes = extents[inner] * element_bytes(element) if extents else 0
    ahead = max(1, _BYTES_AHEAD // row_bytes) if rows and inner > 0 and extents[inner - 1] > 1 else 0

    def copy(place: Sequence[Linear]) -> None:
        at = [o + x * s for o, x, s in zip(tile.origin, place, tile.steps, strict=True)]
        target = [Linear(), *panel_place(emit, layout, [place[d] for d in layout.order])]
        site = f"workgroup store {tile.name}"
        if rows:
            if ahead:
                further = [*at[:-2], at[-2] + ahead * tile.steps[-2], at[-1]]
                prefetch(emit, tile.buffer, further)
            mask = neighbours_inside(emit, at, tile.shape, width)
            value = load_neighbours(emit, tile.buffer, at, width, mask, tile.pad, f"global load {tile.name}")
            store_neighbours(emit, view, target, None, mapped(context, tile, value, width, mask), site)
            return
        value = load_global(context, tile, at, 1, emit.inside(at, tile.shape))
        access_memory(emit, view, [emit.index(x) for x in target], 1, site, value)

    def walk(place: list[Linear]) -> None:
        dimension = len(place)
        if dimension == len(extents):
            copy(place)
            return
        distance = step if dimension == inner else 1
        count = -(-extents[dimension] // distance)
        each = layout.panel // distance if rows and dimension == inner else 0
        if count > MOST_UNROLLED >= each > 0 and layout.panel % distance == 0:
            whole, rest = divmod(count, each)

            def panel(number: Symbol, _: list[ir.Value]) -> list[ir.Value]:
                for vector in range(each):
                    walk([*place, Linear.of(number, layout.panel) + vector * distance])
                return []

            emit.loop(0, whole, [], panel)
            for vector in range(rest):
                walk([*place, Linear(None, whole * layout.panel + vector * distance)])
            return
        if count == 1 or (dimension == inner and count <= MOST_UNROLLED):
            for number in range(count):
                walk([*place, Linear(None, number * distance)])
            return

        def one(number: Symbol, _: list[ir.Value]) -> list[ir.Value]:
            walk([*place, Linear.of(number, distance)])
            return []

        emit.loop(0, count, [], one)

    walk([])
    return StagedTile(tile, view, emit.constant(0), layout)


def _interleave(
    scope: TaskScope, tile: DirectTile, view: ir.Value, extents: Sequence[int], layout: OperandPlan
) -> None:
    """Emit the copy of a tile whose rows lie interleaved: by vectors of its rows, or by what lies together."""
    context, emit, near = scope.context, scope.context.emit, layout.interleave or 1
    *outer, deep, wide = layout.order
    inner = len(extents) - 1
    by_rows = wide == inner and tile.steps[inner] == 1
    width = layout.vector if by_rows else 1

    def source(place: Mapping[int, Linear]) -> list[Linear]:
        return [o + place[d] * s for d, (o, s) in enumerate(zip(tile.origin, tile.steps, strict=True))]

    def read(place: Mapping[int, Linear], lanes: int) -> ir.Value:
        at = source(place)
        mask = neighbours_inside(emit, at, tile.shape, lanes)
        value = load_neighbours(emit, tile.buffer, at, lanes, mask, tile.pad, f"global load {tile.name}")
        return mapped(context, tile, value, lanes, mask)

    def group(place: Mapping[int, Linear], number: Linear) -> None:
        """Copy `near` points of the deep dimension at `width` of the wide one."""
        at = {**place, deep: number * near}
        *whole, within = panel_place(emit, layout, [*[place[d] for d in outer], number, place[wide]])
        target = [Linear(), *whole, within * near]
        if by_rows:
            rows = [read({**at, deep: at[deep] + n}, width) for n in range(near)]
            while len(rows) > 1:
                half = len(rows) // 2
                rows = [_alternating(emit, a, b) for a, b in zip(rows[:half], rows[half:], strict=True)]
            (value,) = rows
        elif deep == inner and tile.steps[inner] == 1:
            value = read(at, near)
        else:
            parts = [
                load_global(context, tile, source(one), 1, emit.inside(source(one), tile.shape))
                for one in ({**at, deep: at[deep] + n} for n in range(near))
            ]
            value = emit.op("vector.from_elements", parts, ir.VectorType.get([near], parts[0].type))
        store_neighbours(emit, view, target, None, value, f"workgroup store {tile.name}")

    distances = {wide: width, deep: near}

    def walk(rest: Sequence[int], place: dict[int, Linear]) -> None:
        if not rest:
            group(place, place[deep])
            return
        distance = distances.get(rest[0], 1)

        def one(number: Symbol, _: list[ir.Value]) -> list[ir.Value]:
            walk(rest[1:], {**place, rest[0]: Linear.of(number, 1 if rest[0] == deep else distance)})
            return []

        def panel(number: Symbol, _: list[ir.Value]) -> list[ir.Value]:
            def part(vector: Symbol, _: list[ir.Value]) -> list[ir.Value]:
                walk(rest[1:], {**place, wide: Linear.of(number, layout.panel) + Linear.of(vector, distance)})
                return []

            emit.loop(0, layout.panel // distance, [], part)
            return []

        if rest[0] == wide and layout.panel and layout.panel % distance == 0:  # places in panels need no division
            emit.loop(0, -(-extents[wide] // layout.panel), [], panel)
        else:
            emit.loop(0, -(-extents[rest[0]] // distance), [], one)

    # What is read lies in a row: along the last dimension of the tensor.
    walk([*outer, deep, wide] if by_rows else [*outer, wide, deep], {})


def _alternating(emit: Emitter, first: ir.Value, second: ir.Value) -> ir.Value:
    """Return the elements of two vectors in turns."""
    width = ir.VectorType(first.type).shape[0]
    order = [number for lane in range(width) for number in (lane, width + lane)]
    kind = ir.VectorType.get([2 * width], ir.VectorType(first.type).element_type)
    return emit.op("vector.shuffle", [first, second], kind, {"mask": ir.DenseI64ArrayAttr.get(order)})
