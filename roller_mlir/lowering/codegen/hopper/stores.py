# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From an rtile.store by tensor copy to its tensor map: what a warpgroup writes at once.

A warpgroup writes the 64 lines of an instruction's result piece by piece of at most 128 bytes: its threads lay a piece
down in workgroup memory, and one of them starts its copy, which leaves out what lies outside of the tensor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from roller_mlir.dialects.rtile import ComputeOp, StoreOp
from roller_mlir.lowering.codegen.builder.task_context import element_bytes
from roller_mlir.lowering.linalg.affine import map_indices
from roller_mlir.lowering.loops.program import box_axes
from roller_mlir.mapping.tensor_copy import (
    MOST_DIMENSIONS,
    STORE_LINES,
    STORED_TYPES,
    STRIDE_BYTES,
    WARP_THREADS,
    WARPGROUP_THREADS,
    store_columns,
    store_swizzle,
)
from roller_mlir.mapping.thread_map import ThreadMap
from roller_mlir.plan.extent import as_extents
from roller_mlir.plan.plan import TENSOR
from roller_mlir.plan.tensor_maps.tensor_map import MapElement, TensorMap
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

_WARPS = WARPGROUP_THREADS // WARP_THREADS
_WARP_LINES = STORE_LINES // _WARPS


@dataclass(frozen=True)
class TensorStore:
    """The copies of a stored tile.

    Attributes:
        store: The store.
        map: The tensor map.
        dimensions: The tensor's dimensions that the map has, outermost first.
        row: Loop of the box whose 16 neighbours a subgroup holds.
        column: Loop of the box that is innermost in the tensor.
        width: Columns of one copy.
    """

    store: StoreOp
    map: TensorMap
    dimensions: tuple[int, ...]
    row: int
    column: int
    width: int


def is_tensor_store(store: StoreOp) -> bool:
    """Return whether a store is by tensor copies."""
    return store.copy == TENSOR


def tensor_store(store: StoreOp, compute: ComputeOp, number: int, argument: int) -> TensorStore:
    """Return the copies of a store, refusing what they cannot express.

    Args:
        store: The store.
        compute: What made the tile.
        number: Which of its results the tile is.
        argument: Number of the kernel's buffer.
    """
    kind = ir.MemRefType(store.destination.type)
    extents, size = list(kind.shape), element_bytes(kind.element_type)
    axes, threads = box_axes(compute), compute.thread_map
    named: dict[str, MapElement] = {one: one for one in STORED_TYPES}
    element = named.get(str(kind.element_type))
    if element is None:
        known = ", ".join(STORED_TYPES)
        fail(store, f"'rtile.store' by tensor copy stores {known}, but the tile is {kind.element_type}")
    functions = map_indices(compute.maps[len(compute.inputs) + number])
    terms = [function.terms() for function in functions]
    columns = [loop for loop, axis in enumerate(axes) if (axis.lanes, axis.chunk) == (4, 2)]
    rows = [loop for loop, axis in enumerate(axes) if (axis.lanes, axis.tile, axis.chunk) == (8, _WARP_LINES, 1)]
    plain = all(list(each.values()) in ([], [1]) for each in terms) and set(store.tile_steps) <= {1}
    if not columns or not rows or threads.lane not in columns or not plain or terms[-1] != {columns[0]: 1}:
        fail(
            store,
            "'rtile.store' by tensor copy needs a tile as wgmma leaves it, with neighbouring columns in the tensor's "
            "innermost dimension; leave out its copy",
        )
    (row,), (column,) = rows, columns
    width = store_columns(axes[column].tile)
    warps = ThreadMap(axes, threads.order, threads.lane_order)
    first = [warps.positions(WARP_THREADS * number) for number in range(_WARPS)]
    box = [width if each == {column: 1} else prod(_span(first, loop, row) for loop in each) for each in terms]
    inner = len(extents) - 1
    dimensions = tuple(d for d in range(len(extents)) if extents[d] > 1 or box[d] > 1 or d == inner)
    strides = tuple(prod(extents[d + 1 :]) * size for d in dimensions[:-1])
    for d, stride in zip(dimensions, strides, strict=False):
        if stride % STRIDE_BYTES:
            fail(
                store,
                f"'rtile.store' by tensor copy needs strides that are multiples of {STRIDE_BYTES} B, but dimension {d} "
                f"of {kind} has {stride} B; leave out its copy",
            )
    if len(dimensions) > MOST_DIMENSIONS:
        fail(
            store,
            f"'rtile.store' by tensor copy has {len(dimensions)} dimensions, a tensor map {MOST_DIMENSIONS} at most",
        )
    lines = [_line(at, terms[:-1], box) for at in first]
    if lines != [_WARP_LINES * warp for warp in range(_WARPS)] or prod(box[:-1]) != STORE_LINES:
        fail(
            store,
            f"'rtile.store' by tensor copy needs the {STORE_LINES} rows of a warpgroup in neighbouring lines of a box, "
            f"but those of its subgroups begin at lines {lines}; leave out its copy",
        )
    described = TensorMap(
        argument=argument,
        element=element,
        extents=as_extents(extents[d] for d in dimensions),
        strides=strides,
        box=tuple(box[d] for d in dimensions),
        steps=(1,) * len(dimensions),
        swizzle=store_swizzle(width),
    )
    return TensorStore(store, described, dimensions, row, column, width)


def _span(first: Sequence[Mapping[int, int]], loop: int, row: int) -> int:
    """Return the points of a loop that a warpgroup holds of one instruction's rows."""
    return max(at.get(loop, 0) for at in first) + (_WARP_LINES if loop == row else 1)


def _line(at: Mapping[int, int], terms: Sequence[Mapping[int, int]], box: Sequence[int]) -> int:
    """Return in which line of a box a point lies."""
    number = 0
    for each, extent in zip(terms, box, strict=False):
        number = number * extent + sum(at.get(loop, 0) for loop in each)
    return number
