# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rtile.store`: a tile into a tensor or memref.

destination[origin(indices) + x * steps] = tile[x]; elements that fall outside the destination are dropped. On a
tensor the result is the updated tensor; on a memref there is none. `copy` says how the tile gets there: "synchronous"
(by the threads that hold it, the default), "staged" (through workgroup memory, by all threads, row by row) or "tensor"
(from there, by copies of whole boxes).

    %o2 = "rtile.store"(%acc, %o1, %i, %j) {origin = affine_map<(d0, d1) -> (d0 * 128, d1 * 128)>,
        steps = array<i64: 1, 1>} : (tensor<128x128xf32>, tensor<1000x1000xf32>, index, index) -> tensor<1000x1000xf32>
"""

from collections.abc import Sequence
from typing import Any

from roller_mlir.dialects.rtile.checks import (
    InvalidOpError,
    check_index_operands,
    check_map,
    check_segments,
    element_type,
    hook_inside,
    integers,
    known_attributes,
    optional_attribute,
    required_attribute,
    static_shape,
    tile_shape,
)
from roller_mlir.dialects.rtile.dialect import RTile, Speculatable, WritesMemrefs
from roller_mlir.plan.plan import STORES, SYNCHRONOUS
from roller_mlir.support.bindings import ext, ir


class StoreOp(RTile.Operation, name="store", traits=[WritesMemrefs, Speculatable]):
    """Writes a tile. See the module's description."""

    tile_operand: ext.Operand[Any]
    destination_operand: ext.Operand[Any]
    index_operands: Sequence[ext.Operand[ir.IndexType]]
    origin: ir.AffineMapAttr
    steps: Any
    updated: Sequence[ext.Result[Any]]  # pyrefly: ignore[bad-specialization] - the stub takes no type

    @property
    def tile(self) -> Any:
        """The value that is written."""
        return self.operands[0]

    @property
    def destination(self) -> Any:
        """The tensor or memref that is updated."""
        return self.operands[1]

    @property
    def indices(self) -> tuple[Any, ...]:
        """Positions of the tile: the arguments of the origin map."""
        return tuple(self.operands)[2:]

    @property
    def origin_map(self) -> Any:
        """The affine map from `indices` to where the tile's first element goes."""
        return self.attributes["origin"].value

    @property
    def tile_steps(self) -> tuple[int, ...]:
        """Distance in the destination between neighbouring elements, per dimension."""
        return integers(self.attributes["steps"], "steps")

    @property
    def copy(self) -> str:
        """How the tile gets to memory: "synchronous" (by its threads), "staged" (row by row) or "tensor" (by boxes)."""
        return self.attributes["copy"].value if "copy" in self.attributes else SYNCHRONOUS

    @hook_inside
    def verify_invariants(self) -> None:
        """Check operands, attributes and results."""
        if len(self.operands) < 2:
            raise InvalidOpError(f"needs a tile and a destination operand, but has {len(self.operands)}")
        check_segments(self, ("tile", "destination", "indices"), (True, True, False), needed=False)
        known_attributes(self, ("operandSegmentSizes", "origin", "steps", "copy"))
        copy = optional_attribute(self, "copy", ir.StringAttr, "a string")
        one_of = " or ".join(repr(way) for way in STORES)
        if copy is not None and copy.value not in STORES:
            raise InvalidOpError(f"attribute 'copy' must be {one_of}, but is {copy}")
        kind, tile = self.operands[1].type, self.operands[0].type
        rank = len(static_shape(kind, "destination"))
        tile_rank = len(tile_shape(tile, "tile"))
        if tile_rank != rank:
            raise InvalidOpError(f"tile {tile} has {tile_rank} dimensions, but the destination {kind} has {rank}")
        if element_type(tile) != element_type(kind):
            raise InvalidOpError(f"element types must be equal, but are {tile} and {kind}")
        check_index_operands(self.indices)
        origin = required_attribute(self, "origin", ir.AffineMapAttr, "an affine map")
        check_map(
            origin, "origin", dimensions=len(self.indices), of="index operand", results=rank, to="destination dimension"
        )
        steps = integers(required_attribute(self, "steps", ir.DenseI64ArrayAttr, "array<i64: ...>"), "steps")
        if len(steps) != rank:
            raise InvalidOpError(f"steps needs {rank} values, one per destination dimension, but has {len(steps)}")
        found = [result.type for result in self.results]
        if isinstance(kind, ir.MemRefType):
            if found:
                raise InvalidOpError(f"into a memref has no result, but here it has {len(found)}")
        else:
            if len(found) != 1:
                raise InvalidOpError(f"into a tensor needs 1 result of type {kind}, but has {len(found)}")
            if found[0] != kind:
                raise InvalidOpError(f"result must have the destination's type {kind}, but is {found[0]}")


def store(
    tile: Any,
    destination: Any,
    indices: Sequence[Any],
    *,
    origin: Any,
    steps: Sequence[int] | None = None,
    copy: str = SYNCHRONOUS,
) -> StoreOp:
    """Build an `rtile.store`; on a tensor its only result is the updated tensor.

    Args:
        tile: The value to write.
        destination: Ranked tensor or memref value.
        indices: Index values: the arguments of `origin`.
        origin: ir.AffineMap from the indices to where the tile's first element goes.
        steps: Distance between neighbouring elements per dimension; 1 where None.
        copy: How the tile gets there.
    """
    kind = destination.type
    steps = [1] * len(origin.results) if steps is None else list(steps)
    attributes: dict[str, ir.Attribute] = {
        "origin": ir.AffineMapAttr.get(origin),
        "steps": ir.DenseI64ArrayAttr.get(steps),
    }
    if copy != SYNCHRONOUS:
        attributes["copy"] = ir.StringAttr.get(copy)
    return ir.Operation.create(
        "rtile.store",
        results=[] if isinstance(kind, ir.MemRefType) else [kind],
        operands=[tile, destination, *indices],
        attributes=attributes,
    ).opview
