# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that are packed with another dimension last than their tensor's: squares of elements, turned in registers.

Of b[n, k], packed in panels of 32 n, 16 vectors along k are loaded for each 16 n and 16 k, and 16 along n stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from roller_mlir.lowering.codegen.builder.fragments import mapped, panel_place
from roller_mlir.lowering.codegen.builder.masked_access import (
    load_neighbours,
    neighbours_inside,
    store_neighbours,
    takes_vectors,
)
from roller_mlir.lowering.codegen.builder.task_context import memref_view
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile
from roller_mlir.lowering.codegen.builder.transpose import transposed
from roller_mlir.lowering.codegen.task.scope import TaskScope
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.plan import OperandPlan
from roller_mlir.support.bindings import ir


@dataclass(frozen=True)
class Square:
    """How a tile is turned.

    Attributes:
        last: The dimension that comes last in the packed tile.
        first: The first of the dimensions behind it whose elements follow each other in the tensor.
        length: How many elements these are.
        width: Lanes of a vector.
    """

    last: int
    first: int
    length: int
    width: int


def square_of(tile: DirectTile, extents: Sequence[int], layout: OperandPlan) -> Square | None:
    """Return how a tile is turned by vectors, None where it is not, or its rows are too short for them.

    Args:
        tile: The tile.
        extents: Its extents.
        layout: How it is packed.
    """
    inner, width = len(extents) - 1, layout.fragment_vector
    last = layout.order[-1] if layout.order else inner
    element = ir.MemRefType(tile.buffer.type).element_type
    if last == inner or width == 1 or extents[last] % width or tile.limits or not takes_vectors(element):
        return None
    first = inner
    while first - 1 > last and _is_whole(tile, extents, first):
        first -= 1
    length = prod(extents[first:])
    low, high = tile.origin[first].range()
    inside = low >= 0 and high + extents[first] <= tile.shape[first]
    if tile.steps[first] != 1 or not inside or length < width:
        return None
    return Square(last, first, length, width)


def pack_turned(
    scope: TaskScope, tile: DirectTile, offset: int | ir.Value, extents: Sequence[int], layout: OperandPlan, one: Square
) -> None:
    """Emit the copy of a tile to its place in the task's memory.

    Args:
        scope: The task.
        tile: The tile.
        offset: Of its place.
        extents: Its extents.
        layout: How it is packed there.
        one: How it is turned.
    """
    context, emit, width = scope.context, scope.context.emit, one.width
    assert context.arena is not None
    rows = [d for d in layout.order[:-1] if d < one.first]
    panel = layout.panel or extents[one.last]
    shape = [1, *([extents[one.last] // panel] if layout.panel else []), *[extents[d] for d in rows], one.length]
    pitch = -(-panel // width) * width + layout.pad
    view = memref_view(emit, context.arena, offset, [*shape, pitch], ir.MemRefType(tile.buffer.type).element_type)
    source, bounds = _flat(tile, one.first)
    start = tile.origin[one.first] * prod(tile.shape[one.first + 1 :])

    def square(place: dict[int, Linear], lane: Linear, along: Linear) -> None:
        """Turn one square: `width` rows from `lane` on, their elements from `along` on."""
        found: list[ir.Value] = []
        for number in range(width):
            local = {**place, one.last: lane + number}
            at = [*[tile.origin[d] + local[d] * tile.steps[d] for d in range(one.first)], start + along]
            mask = neighbours_inside(emit, at, bounds, width)
            value = load_neighbours(emit, source, at, width, mask, tile.pad, f"global load {tile.name}")
            found.append(mapped(context, tile, value, width, mask))
        for number, column in enumerate(transposed(emit, found)):
            target = panel_place(emit, layout, [*[place[d] for d in rows], along + number, lane])
            store_neighbours(emit, view, [Linear(), *target], None, column, f"workgroup store {tile.name}")

    def across(place: dict[int, Linear], lane: Linear) -> None:
        whole = one.length // width

        def step(number: Symbol, _: list[ir.Value]) -> list[ir.Value]:
            square(place, lane, Linear.of(number, width))
            return []

        emit.loop(0, whole, [], step)
        if one.length % width:
            square(place, lane, Linear(None, one.length - width))  # some elements once more

    def walk(place: dict[int, Linear], rest: Sequence[int]) -> None:
        loop, count = (rest[0], extents[rest[0]]) if rest else (one.last, extents[one.last] // width)

        def step(number: Symbol, _: list[ir.Value]) -> list[ir.Value]:
            if rest:
                walk({**place, loop: Linear.of(number)}, rest[1:])
            else:
                across(place, Linear.of(number, width))
            return []

        emit.loop(0, count, [], step)

    walk({}, rows)


def _is_whole(tile: DirectTile, extents: Sequence[int], dimension: int) -> bool:
    """Return whether a tile has all of a dimension, element by element."""
    whole = tile.origin[dimension] == Linear() and extents[dimension] == tile.shape[dimension]
    return whole and (tile.steps[dimension] == 1 or extents[dimension] == 1)


def _flat(tile: DirectTile, first: int) -> tuple[ir.Value, tuple[int, ...]]:
    """Return a tile's buffer with its dimensions from `first` on as one, and its extents."""
    shape = (*tile.shape[:first], prod(tile.shape[first:]))
    if first == len(tile.shape) - 1:
        return tile.buffer, shape
    kind, i64 = ir.MemRefType(tile.buffer.type), ir.IntegerType.get_signless(64)
    groups = [[d] for d in range(first)] + [list(range(first, len(tile.shape)))]
    together = ir.ArrayAttr.get([ir.ArrayAttr.get([ir.IntegerAttr.get(i64, d) for d in group]) for group in groups])
    flat = ir.MemRefType.get(list(shape), kind.element_type, memory_space=kind.memory_space)
    made = ir.Operation.create(
        "memref.collapse_shape", results=[flat], operands=[tile.buffer], attributes={"reassociation": together}
    )
    return made.results[0], shape
