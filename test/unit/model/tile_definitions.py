# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""F(T) and Q(T) of the paper as they are defined, for whole boxes: what the construction's own sums are held to.

Paper: ROLLER section 3.1. F(T) is the memory that a tile's data occupies, Q(T) what the whole operator moves when it is
executed tile by tile.
"""

from collections.abc import Sequence
from math import prod

from roller_mlir.mapping.layout.data_tile import tile_dimensions
from roller_mlir.model.tile import access_traffic
from roller_mlir.plan import Access, TensorExpression


def tile_counts(expression: TensorExpression, tile: Sequence[int]) -> tuple[int, ...]:
    """Return the number of tiles along each loop."""
    return tuple(-(-bound // size) for bound, size in zip(expression.bounds, tile, strict=True))


def footprint_elements(access: Access, blocks: Sequence[int]) -> int:
    """Return the elements of the data tile (the bounding box of what the loops' box touches)."""
    return prod(dimension.extent for dimension in tile_dimensions(access, blocks))


def footprint_bytes(expression: TensorExpression, tile: Sequence[int], *, output: bool = True) -> int:
    """Return F(T): bytes of all data tiles of a box, halo included.

    Args:
        expression: The operator.
        tile: Points per loop.
        output: Whether the output's tile lies in the same memory.
    """
    total = sum(footprint_elements(access, tile) * access.element_bytes for access in expression.inputs)
    if output:
        total += footprint_elements(expression.output, tile) * expression.output.element_bytes
    return total


def traffic_bytes(
    expression: TensorExpression, tile: Sequence[int], transaction_bytes: int = 1, *, output: bool = True
) -> int:
    """Return Q(T): the bytes that the whole operator moves when it is executed tile by tile.

    Inputs are loaded by every tile, the output is stored once per tile of the parallel loops (and read once, if it is
    accumulated into).
    """
    counts = tile_counts(expression, tile)
    total = sum(
        access_traffic(access, tile, transaction_bytes, expression.bounds) for access in expression.inputs
    ) * prod(counts)
    if output:
        stores = prod(counts[i] for i in expression.parallel())
        times = 2 if expression.accumulates else 1
        total += times * stores * access_traffic(expression.output, tile, transaction_bytes, expression.bounds)
    return total
