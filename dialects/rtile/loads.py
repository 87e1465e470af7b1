# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rtile.load`: a tile of a tensor or memref; `rtile.map_load`: a tile of what an element-wise body makes of one.

Element x of the tile is source[origin(indices) + x * steps]. Elements outside the source read as `pad`, where that
optional attribute is there, and are unspecified else. A tile of layer "workgroup" is staged in workgroup memory as
`layout` says; a "register" tile is read where it is used. A "constant" tile lies in a constant that was packed when the
program was compiled: the source is a tensor of tiles x elements, `layout` is that of a tile, `origin` its number.

    %t = "rtile.load"(%a, %i, %k) {tile = #rtile.tile<[128, 8], "workgroup", [1, 1]>,
        origin = affine_map<(d0, d1) -> (d0 * 128, d1 * 8 - 4)>, pad = 0.0 : f32,
        layout = #rtile.layout<{order = [1, 0], pad = 4, vector = 4, store_vector = 1, fragment_vector = 4}>}
        : (tensor<1000x1020xf32>, index, index) -> tensor<128x8xf32>

The region of a map_load runs on each element of the source on its way into the tile; outside of the source, elements
are `pad`. Element types of source and tile are equal.

    %t = "rtile.map_load"(%a, %i, %k) ({
    ^bb0(%x: f32):
      %r = arith.maximumf %x, %zero : f32
      "rtile.yield"(%r) : (f32) -> ()
    }) {tile = ..., origin = ..., pad = 0.0 : f32, layout = ...} : (tensor<1000x1020xf32>, index, index) -> ...
"""

from collections.abc import Sequence
from typing import Any

from roller_mlir.dialects.rtile.attributes import LayoutAttr, TileAttr
from roller_mlir.dialects.rtile.checks import (
    InvalidOpError,
    check_index_operands,
    check_map,
    check_segments,
    check_types,
    check_yield,
    element_type,
    hook_inside,
    known_attributes,
    optional_attribute,
    require,
    required_attribute,
    single_block,
    static_shape,
)
from roller_mlir.dialects.rtile.dialect import ReadsMemrefs, RTile, Speculatable
from roller_mlir.plan.plan import CONSTANT, WORKGROUP
from roller_mlir.support.bindings import ext, ir
from roller_mlir.support.values import number_attribute


class TileLoad(RTile.Operation):
    """What both ops are: a source, where the tile begins in it, and where and how the tile lies."""

    source_operand: ext.Operand[Any]
    index_operands: Sequence[ext.Operand[ir.IndexType]]
    tile: TileAttr
    origin: ir.AffineMapAttr
    result_tile: ext.Result[Any]  # pyrefly: ignore[bad-specialization] - the stub takes no type

    @property
    def source(self) -> Any:
        """The tensor or memref that is read."""
        return self.operands[0]

    @property
    def indices(self) -> tuple[Any, ...]:
        """Positions of the tile: the arguments of the origin map."""
        return tuple(self.operands)[1:]

    @property
    def origin_map(self) -> Any:
        """The affine map from `indices` to the tile's first element."""
        return self.attributes["origin"].value

    @property
    def layout(self) -> LayoutAttr | None:
        """The layout in workgroup memory; None where the tile has none."""
        return self.attributes.get("layout")

    @property
    def pad_value(self) -> float | int | None:
        """What elements outside the source read as; None leaves them unspecified."""
        return self.attributes["pad"].value if "pad" in self.attributes else None

    @hook_inside
    def verify_invariants(self) -> None:
        """Check operands, attributes and results."""
        require(len(self.operands) >= 1, "needs a source operand")
        check_segments(self, ("source", "indices"), (True, False), needed=False)
        known_attributes(self, ("operandSegmentSizes", "tile", "origin", "layout", "pad"))
        kind = self.operands[0].type
        rank = len(static_shape(kind, "source"))
        check_index_operands(self.indices)
        tile = required_attribute(self, "tile", TileAttr, "#rtile.tile<shape, layer, steps>")
        tile.check()
        packed = tile.layer == CONSTANT
        require(not packed or rank == 2, f"of a constant tile has a source of tiles x elements, but it is {kind}")
        if len(tile.shape) != rank and not packed:
            raise InvalidOpError(f"tile has {len(tile.shape)} dimensions, but the source {kind} has {rank}")
        origin = required_attribute(self, "origin", ir.AffineMapAttr, "an affine map")
        check_map(
            origin,
            "origin",
            dimensions=len(self.indices),
            of="index operand",
            results=1 if packed else rank,
            to="source dimension",
        )
        expected = ir.RankedTensorType.get(tile.shape, element_type(kind))
        if len(self.results) != 1:
            raise InvalidOpError(f"needs 1 result of type {expected}, but has {len(self.results)}")
        if self.results[0].type != expected:
            raise InvalidOpError(f"result must be {expected}, as tile says, but is {self.results[0].type}")
        layout = optional_attribute(self, "layout", LayoutAttr, "#rtile.layout<{...}>")
        if layout is not None:
            layout.check(len(tile.shape))
        staged = tile.layer in (WORKGROUP, CONSTANT)
        require(layout is not None or not staged, f"of a {tile.layer} tile requires attribute 'layout'")
        if "pad" in self.attributes:
            pad = self.attributes["pad"]
            numbers = (ir.FloatAttr, ir.IntegerAttr, ir.BoolAttr)
            if not isinstance(pad, numbers):
                raise InvalidOpError(f"attribute 'pad' must be a number, but is {pad}")
            if pad.type != element_type(kind):
                raise InvalidOpError(f"pad must be of the element type {element_type(kind)}, but is {pad.type}")


class LoadOp(TileLoad, name="load", traits=[ReadsMemrefs, Speculatable]):
    """Reads a tile. See the module's description."""


class MapLoadOp(TileLoad, name="map_load", traits=[ReadsMemrefs, Speculatable]):
    """Reads a tile through a body. See the module's description."""

    body: ext.Region

    @property
    def entry(self) -> Any:
        """The block that makes one element."""
        return self.regions[0].blocks[0]

    @hook_inside
    def verify_region_invariants(self) -> None:
        """Check the region."""
        block, element = single_block(self), element_type(self.results[0].type)
        check_types([argument.type for argument in block.arguments], [element], "region arguments", "tile element")
        check_yield(block, [element], "tile element")


def load_tile(
    source: Any,
    indices: Sequence[Any],
    *,
    tile: TileAttr,
    origin: Any,
    layout: LayoutAttr | None = None,
    pad_value: float | int | None = None,
    mapped: bool = False,
) -> TileLoad:
    """Build an `rtile.load`, or an `rtile.map_load` with an empty `entry`, which the caller fills and ends.

    Args:
        source: Ranked tensor or memref value.
        indices: Index values: the arguments of `origin`.
        tile: Shape, layer and steps.
        origin: ir.AffineMap from the indices to the tile's first element.
        layout: Layout in workgroup memory; needed by workgroup tiles.
        pad_value: What elements outside the source read as.
        mapped: Whether it is a map_load.
    """
    element = element_type(source.type)
    attributes: dict[str, Any] = {"tile": tile, "origin": ir.AffineMapAttr.get(origin)}
    if layout is not None:
        attributes["layout"] = layout
    if pad_value is not None:
        attributes["pad"] = number_attribute(element, pad_value)
    op = ir.Operation.create(
        "rtile.map_load" if mapped else "rtile.load",
        results=[ir.RankedTensorType.get(tile.shape, element)],
        operands=[source, *indices],
        attributes=attributes,
        regions=int(mapped),
    )
    if mapped:
        op.regions[0].blocks.append(element, arg_locs=[op.location])
    return op.opview
