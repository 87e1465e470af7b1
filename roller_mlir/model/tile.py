# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rTiles: the extents of a box of the loops at one memory layer, the data it needs, and what its size saves.

Paper: ROLLER section 3.1. F(T) is the memory that a tile's data occupies, Q(T) what the whole operator moves when it is
executed tile by tile, and (Q(T) - Q(T')) / (F(T') - F(T)) the reuse score of growing T to T'.

The construction sums F and Q from `problem_context`, where their terms are remembered.
"""

from collections.abc import Sequence
from math import gcd, inf

from roller_mlir.plan import Access, TensorExpression

Tile = tuple[int, ...]
"""Points per loop of the expression."""


def access_traffic(access: Access, tile: Sequence[int], transaction_bytes: int = 1, bounds: Sequence[int] = ()) -> int:
    """Return the bytes that loading one tile of an access moves, in whole transactions.

    Rows of the tile are contiguous along the tensor's last dimension; tensors and tiles are taken to start on a
    transaction.

    Args:
        access: The access.
        tile: Points of a tile along each loop.
        transaction_bytes: Bytes of a transaction.
        bounds: Extents of the loops; of tiles at their ends a part lies outside, and is not loaded: the mean of all
            tiles is returned. None: of a whole tile.
    """
    whole = _whole_traffic(access, tile, transaction_bytes)
    inside = all_of_it = 1
    for loop in access.loops() if bounds else ():
        inside *= bounds[loop]
        all_of_it *= -(-bounds[loop] // tile[loop]) * tile[loop]
    return -(-whole * inside // all_of_it)


def _whole_traffic(access: Access, tile: Sequence[int], transaction_bytes: int) -> int:
    size = access.element_bytes
    if not access.shape:
        return max(size, transaction_bytes)
    rows = 1
    for index in access.indices[:-1]:
        rows *= _extent(index.coefficients, tile)[0]
    extent, step = _extent(access.indices[-1].coefficients, tile)
    if step * size >= transaction_bytes:
        return rows * extent * max(size, transaction_bytes)
    span = ((extent - 1) * step + 1) * size
    return rows * -(-span // transaction_bytes) * transaction_bytes


def reuse_score(saved_bytes: float, added_bytes: float) -> float:
    """Return (Q(T) - Q(T')) / (F(T') - F(T)); traffic saved without any memory added comes first.

    >>> reuse_score(100, 50), reuse_score(1, 0), reuse_score(0, 0)
    (2.0, inf, 0.0)
    """
    if added_bytes <= 0:
        return inf if saved_bytes > 0 else 0.0
    return saved_bytes / added_bytes


def reuse_loops(expression: TensorExpression) -> tuple[int, ...]:
    """Return the parallel loops whose enlargement lets some input's data serve several points.

    A loop reuses an input that it does not index (matmul: both loops), or that it indexes together with another loop,
    so that neighbouring windows overlap.
    """
    found: list[int] = []
    for loop in expression.parallel():
        if expression.loops[loop].extent == 1:
            continue
        for access in expression.inputs:
            if access.gathered:
                continue
            if loop not in access.loops() or access.moves_window(loop):
                found.append(loop)
                break
    return tuple(found)


def has_outer_product(expression: TensorExpression) -> bool:
    """Return whether two inputs each serve a loop that the other does not index: the shape of a matrix product."""
    reused = [
        {loop for loop in expression.parallel() if loop not in access.loops() and expression.loops[loop].extent != 1}
        for access in expression.inputs
        if not access.gathered
    ]
    return bool(expression.reductions()) and any(
        (one - other) and (other - one) for i, one in enumerate(reused) for other in reused[i + 1 :]
    )


def contiguous_loop(access: Access) -> int | None:
    """Return the loop that walks a tensor's neighbouring elements: coefficient 1 in the last dimension only, or None.

    A last dimension of extent 1 says nothing; the dimension before it is then the contiguous one.
    """
    indices = list(zip(access.indices, access.shape, strict=True))
    while indices and indices[-1][1] == 1:
        indices.pop()
    if not indices:
        return None
    terms = indices[-1][0].terms()
    units = [loop for loop, k in terms.items() if k == 1]
    return max(units) if units else None


def _extent(coefficients: Sequence[int], tile: Sequence[int]) -> tuple[int, int]:
    """Return elements and step of one dimension of a data tile."""
    step, span = 0, 0
    for k, size in zip(coefficients, tile, strict=True):
        if k and size > 1:
            step = gcd(step, k)
            span += abs(k) * (size - 1)
    step = step or 1
    return span // step + 1, step
