# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`linalg.pack` and `linalg.unpack` as element-wise linalg ops: layouts of tiles are index functions like any other.

    %p = linalg.pack %x inner_dims_pos = [1] inner_tiles = [8] into %o : tensor<3x16xf32> -> tensor<3x2x8xf32>
    // is
    %e = tensor.expand_shape %x [[0], [1, 2]] : tensor<3x16xf32> into tensor<3x2x8xf32>
    linalg.generic reads %e at (d0, d1, d2) and writes at (d0, d1, d2): outer and inner dimensions in the op's order

A tensor that does not fill its last tiles is padded and read at outer * tile + inner, so that nothing is copied; what
an unpacked tensor has beyond its shape is cut off. The destination gives the shape alone, its content is never read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from roller_mlir.lowering.linalg.generic import bodiless_generic, empty_like
from roller_mlir.lowering.linalg.pads import pad_tensor
from roller_mlir.lowering.linalg.views import Slice, extract_slice
from roller_mlir.support.bindings import ir, linalg, tensor
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op

PACK = "linalg.pack"
UNPACK = "linalg.unpack"


@dataclass(frozen=True)
class _Layout:
    """How the packed tensor's dimensions come from the plain one's.

    Attributes:
        plain: Extents of the plain tensor.
        outer: Number of tiles along each of its dimensions; of one that is not tiled, its extent.
        tiles: Extent of the tile of each dimension that is tiled.
        order: The packed dimensions: each stands for a position in the plain dimensions, tiles behind their dimension.
    """

    plain: tuple[int, ...]
    outer: tuple[int, ...]
    tiles: dict[int, int]
    order: tuple[int, ...]

    @property
    def groups(self) -> list[list[int]]:
        """Positions of each plain dimension: the number of its tile, and that in the tile where it is tiled."""
        found: list[list[int]] = []
        start = 0
        for d in range(len(self.plain)):
            count = 2 if d in self.tiles else 1
            found.append(list(range(start, start + count)))
            start += count
        return found

    @property
    def expanded(self) -> list[int]:
        """Extents of those positions."""
        return [
            n for d, count in enumerate(self.outer) for n in ([count, self.tiles[d]] if d in self.tiles else [count])
        ]

    @property
    def whole(self) -> list[int]:
        """Extents of the plain tensor with all tiles filled."""
        return [count * self.tiles.get(d, 1) for d, count in enumerate(self.outer)]

    @property
    def missing(self) -> list[int]:
        """How much of the last tile of each plain dimension the plain tensor does not fill."""
        return [whole - n for whole, n in zip(self.whole, self.plain, strict=True)]


def pack(operation: ir.Operation) -> Any:
    """Build what a `linalg.pack` of static shapes gives, at the insertion point."""
    source: Any = operation.operands[0]
    kind, result = ir.RankedTensorType(source.type), ir.RankedTensorType(operation.results[0].type)
    layout = _layout(operation, kind, result)
    high = layout.missing
    identity = [layout.order.index(p) for p in range(len(layout.order))]  # loops run in the order of the result
    if any(high):
        source = pad_tensor(source, [0] * kind.rank, high, _padding_value(operation))
        indices = [_position(layout, d, group, identity) for d, group in enumerate(layout.groups)]
    else:
        expanded = ir.RankedTensorType.get(layout.expanded, kind.element_type)
        if layout.tiles:
            source = tensor.expand_shape(expanded, source, layout.groups, [], layout.expanded)
        indices = [ir.AffineDimExpr.get(loop) for loop in identity]
    return _moved(source, result, indices)


def missing_in_last_tiles(operation: ir.Operation) -> list[int]:
    """Return how much of the last tile of each dimension the source of a `linalg.pack` of static shapes leaves free."""
    source, result = operation.operands[0], operation.results[0]
    return _layout(operation, ir.RankedTensorType(source.type), ir.RankedTensorType(result.type)).missing


def unpack(operation: ir.Operation) -> Any:
    """Build what a `linalg.unpack` of static shapes gives, at the insertion point."""
    source: Any = operation.operands[0]
    kind, result = ir.RankedTensorType(source.type), ir.RankedTensorType(operation.results[0].type)
    layout = _layout(operation, result, kind)
    expanded = ir.RankedTensorType.get(layout.expanded, kind.element_type)
    value = _moved(source, expanded, [ir.AffineDimExpr.get(position) for position in layout.order])
    if layout.tiles:
        value = tensor.collapse_shape(ir.RankedTensorType.get(layout.whole, kind.element_type), value, layout.groups)
    if layout.whole == list(layout.plain):
        return value
    return extract_slice(value, Slice((0,) * result.rank, layout.plain, (1,) * result.rank))


def _layout(operation: ir.Operation, plain: ir.RankedTensorType, packed: ir.RankedTensorType) -> _Layout:
    where = [int(d) for d in ir.DenseI64ArrayAttr(operation.attributes["inner_dims_pos"])]
    sizes = [int(n) for n in ir.DenseI64ArrayAttr(operation.attributes["static_inner_tiles"])]
    outer: list[int] = []
    if "outer_dims_perm" in operation.attributes:
        outer = [int(d) for d in ir.DenseI64ArrayAttr(operation.attributes["outer_dims_perm"])]
    outer = outer or list(range(plain.rank))
    counts = tuple(packed.shape[outer.index(d)] for d in range(plain.rank))
    layout = _Layout(tuple(plain.shape), counts, dict(zip(where, sizes, strict=True)), ())
    groups = layout.groups
    order = (*(groups[d][0] for d in outer), *(groups[d][1] for d in where))
    return _Layout(layout.plain, layout.outer, layout.tiles, order)


def _position(layout: _Layout, dimension: int, group: Sequence[int], loops: Sequence[int]) -> ir.AffineExpr:
    """Return where a dimension of the padded plain tensor is read: outer * tile + inner."""
    outer = ir.AffineDimExpr.get(loops[group[0]])
    if dimension not in layout.tiles:
        return outer
    return outer * layout.tiles[dimension] + ir.AffineDimExpr.get(loops[group[1]])


def _padding_value(operation: ir.Operation) -> Any:
    constant = defining_op(operation.operands[2], "arith.constant") if len(operation.operands) > 2 else None
    if constant is None:
        fail(operation, f"'{PACK}' pads with a value that is no constant; pad with an arith.constant")
    return constant.attributes["value"]


def _moved(source: Any, kind: ir.RankedTensorType, indices: Sequence[ir.AffineExpr]) -> Any:
    """Build the element-wise op that reads a tensor at indices of the result's loops."""
    rank = kind.rank
    maps = [ir.AffineMap.get(rank, 0, list(indices)), ir.AffineMap.get_identity(rank)]
    operation = bodiless_generic([source], [empty_like(kind)], maps, ["parallel"] * rank)
    block = operation.regions[0].blocks.append(kind.element_type, kind.element_type, arg_locs=[operation.location] * 2)
    with ir.InsertionPoint(block):
        linalg.YieldOp([block.arguments[0]])
    return operation.results[0]
