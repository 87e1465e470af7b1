# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From an rtile.load by tensor copy to its tensor map, and to the boxes that fill the tile in workgroup memory."""

from dataclasses import dataclass
from itertools import product
from math import prod

from roller_mlir.dialects.rtile import MapLoadOp, TileLoad
from roller_mlir.lowering.codegen.builder.task_context import element_bytes
from roller_mlir.mapping.tensor_copy import (
    LINE_BYTES,
    MOST_BOX_ELEMENTS,
    MOST_DIMENSIONS,
    MOST_STEP,
    STRIDE_BYTES,
    SWIZZLE_BYTES,
    SwizzledTile,
)
from roller_mlir.plan.extent import as_extents
from roller_mlir.plan.plan import TENSOR, TMA128, WORKGROUP
from roller_mlir.plan.tensor_maps.tensor_map import MapElement, TensorMap
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

_ELEMENTS: dict[str, MapElement] = {"f16": "f16", "bf16": "bf16", "f32": "tf32", "i8": "i8"}
"""What the matrix instruction makes of a tensor's elements, by their type."""


@dataclass(frozen=True)
class CopyBox:
    """One copy.

    Attributes:
        at: Its first element, per dimension of the map, in tensor elements behind the tile's origin.
        offset: Where it goes in the tile, in bytes.
    """

    at: tuple[int, ...]
    offset: int


@dataclass(frozen=True)
class TensorCopy:
    """The copies of one tile.

    Attributes:
        load: The load.
        tile: Where its elements lie.
        map: The tensor map.
        dimensions: The tensor's dimensions that the map has, outermost first.
        boxes: The copies.
    """

    load: TileLoad
    tile: SwizzledTile
    map: TensorMap
    dimensions: tuple[int, ...]
    boxes: tuple[CopyBox, ...]


def is_tensor_copy(load: TileLoad) -> bool:
    """Return whether a load is a tensor copy."""
    return load.tile.layer == WORKGROUP and load.layout is not None and load.layout.read().copy == TENSOR


def tensor_copy(load: TileLoad, argument: int) -> TensorCopy:
    """Return the copies of a load's tile, refusing what no tensor map can express.

    Args:
        load: A load into workgroup memory.
        argument: Number of the kernel's buffer.
    """
    assert load.layout is not None
    layout = load.layout.read()
    kind = ir.MemRefType(load.source.type)
    size = element_bytes(kind.element_type)
    extents, shape, steps = list(kind.shape), load.tile.shape, load.tile.steps
    inner = len(extents) - 1
    if isinstance(load, MapLoadOp):
        fail(load, "'rtile.map_load' computes on the way, which a tensor copy cannot; copy it through registers")
    if layout.swizzle != TMA128 or layout.pad:
        fail(load, "'rtile.load' by tensor copy lays rows down with swizzle 'tma128' and without a pad; change layout")
    if load.pad_value:
        fail(load, f"'rtile.load' pads by {load.pad_value}, but a tensor copy fills with 0; copy it through registers")
    if str(kind.element_type) not in _ELEMENTS:
        fail(load, f"'rtile.load' copies {kind.element_type}, tensor copies for wgmma {', '.join(_ELEMENTS)}")
    if inner < 0 or layout.order[-1] != inner or steps[inner] != 1:
        fail(
            load,
            "'rtile.load' by tensor copy must keep the tensor's innermost dimension innermost and read all of it; "
            "change its order or steps",
        )
    if max(steps) > MOST_STEP:
        fail(load, f"'rtile.load' by tensor copy has steps {list(steps)}, a tensor map {MOST_STEP} at most")
    tile = SwizzledTile(tuple(shape[d] for d in layout.order), size)
    if tile.shape[-1] * size % LINE_BYTES or tile.box_bytes % SWIZZLE_BYTES:
        fail(
            load,
            f"'rtile.load' by tensor copy needs tiles of whole lines of {LINE_BYTES} B, 8 at a time, but has "
            f"{tile.lines} x {tile.shape[-1] * size} B; change the tile",
        )
    dimensions = tuple(d for d in layout.order if extents[d] > 1 or shape[d] > 1 or d == inner)
    if len(dimensions) > MOST_DIMENSIONS:
        fail(
            load,
            f"'rtile.load' by tensor copy has {len(dimensions)} dimensions, a tensor map has {MOST_DIMENSIONS} at most",
        )
    strides = tuple(prod(extents[d + 1 :]) * size for d in dimensions[:-1])
    for d, stride in zip(dimensions, strides, strict=False):
        if stride % STRIDE_BYTES:
            fail(
                load,
                f"'rtile.load' by tensor copy needs strides that are multiples of {STRIDE_BYTES} B, but dimension {d} "
                f"of {kind} has {stride} B; use instruction mma, whose copies may be narrower",
            )
    outer = next((d for d in dimensions[:-1] if shape[d] > 1), inner)
    parts = _parts(tile, shape[outer], steps[outer]) if outer != inner else 1
    box = {d: shape[d] for d in dimensions} | {outer: shape[outer] // parts, inner: tile.line_elements}
    map_steps = {d: steps[d] if box[d] > 1 else 1 for d in dimensions}
    spans = tuple(box[d] * map_steps[d] for d in dimensions)
    if max(spans) > MOST_BOX_ELEMENTS:
        fail(load, f"'rtile.load' by tensor copy spans {list(spans)} elements, a box {MOST_BOX_ELEMENTS} at most")
    boxes: list[CopyBox] = []
    for number, part in product(range(tile.boxes), range(parts)):
        first = {inner: number * box[inner]} | ({outer: part * box[outer]} if outer != inner else {})
        at = tuple(first.get(d, 0) * steps[d] for d in dimensions)
        boxes.append(CopyBox(at, tile.offset([first.get(d, 0) for d in layout.order])))
    described = TensorMap(
        argument=argument,
        element=_ELEMENTS[str(kind.element_type)],
        extents=as_extents(extents[d] for d in dimensions),
        strides=strides,
        box=spans,
        steps=tuple(map_steps[d] for d in dimensions),
    )
    return TensorCopy(load, tile, described, dimensions, tuple(boxes))


def _parts(tile: SwizzledTile, extent: int, step: int) -> int:
    """Return in how many boxes a tile is copied along its outermost dimension."""
    lines = tile.lines // extent
    return next(  # 8 lines of a step of at most 8 always fit
        parts
        for parts in range(1, extent + 1)
        if extent % parts == 0
        and extent // parts * step <= MOST_BOX_ELEMENTS
        and extent // parts * lines * LINE_BYTES % SWIZZLE_BYTES == 0
    )
