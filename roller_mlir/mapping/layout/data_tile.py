# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data tiles: the box of a tensor that a box of the loops touches, halo included.

A data tile is the affine image of the loops' box under the access's indices. Paper: ROLLER section 3.1, Figure 5.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd, prod

from roller_mlir.mapping.index import power_of_two_divisor
from roller_mlir.plan import Access, LinearIndex, OperandPlan


@dataclass(frozen=True)
class TileDimension:
    """One dimension of a data tile.

    Attributes:
        coefficients: {loop: tile elements per point of the loop}, loops with a block of 1 left out; negative along a
            loop that runs through the tensor backwards.
        step: Tensor elements between neighbouring tile elements.
        extent: Tile elements.
        offset: Tile element of the box's first point: 0, but for loops that run backwards.
    """

    coefficients: dict[int, int]
    step: int
    extent: int
    offset: int = 0


def tile_dimensions(access: Access, blocks: Sequence[int]) -> tuple[TileDimension, ...]:
    """Return the data tile of an access for a box of `blocks` points per loop.

    >>> from roller_mlir.plan import LinearIndex
    >>> row = Access("x", (30,), "f32", (LinearIndex((2, 1)),))       # x[2 * i + w]
    >>> [(d.step, d.extent) for d in tile_dimensions(row, (8, 3))]
    [(1, 17)]
    >>> back = Access("x", (30,), "f32", (LinearIndex((-1,), 29),))   # x[29 - i]
    >>> [(d.coefficients, d.extent, d.offset) for d in tile_dimensions(back, (8,))]
    [({0: -1}, 8, 7)]
    """
    return _tile_dimensions(access.indices, tuple(blocks))


@lru_cache(maxsize=4096)
def _tile_dimensions(indices: tuple[LinearIndex, ...], blocks: tuple[int, ...]) -> tuple[TileDimension, ...]:
    dimensions: list[TileDimension] = []
    for index in indices:
        terms = {loop: k for loop, k in index.terms().items() if blocks[loop] > 1}
        step = gcd(*terms.values()) or 1
        extent = sum(abs(k) * (blocks[loop] - 1) for loop, k in terms.items()) // step + 1
        offset = _reach_back(index, blocks) // step
        dimensions.append(TileDimension({loop: k // step for loop, k in terms.items()}, step, extent, offset))
    return tuple(dimensions)


def _reach_back(index: LinearIndex, blocks: Sequence[int]) -> int:
    """Return how many elements before that of a box's first point the box reaches, along loops that run backwards."""
    return sum(-k * (blocks[loop] - 1) for loop, k in index.terms().items() if k < 0)


def first_elements(access: Access, blocks: Sequence[int]) -> tuple[LinearIndex, ...]:
    """Return where the data tile of a box begins, as functions of the box's first point.

    >>> back = Access("x", (30,), "f32", (LinearIndex((-1,), 29),))   # x[29 - i]
    >>> first_elements(back, (8,))
    (LinearIndex(coefficients=(-1,), constant=22),)
    """
    return tuple(
        LinearIndex(index.coefficients, index.constant - _reach_back(index, blocks)) for index in access.indices
    )


def walked_alone(terms: Sequence[Mapping[int, int]], d: int) -> int | None:
    """Return the loop that alone walks one dimension of a tile, element by element, and no other dimension.

    Args:
        terms: Per dimension, {loop: tile elements per point of the loop}.
        d: The dimension.

    Returns:
        None where there is no such loop: of x[m + k, k] elements of neighbouring k lie a row and an element apart.

    >>> walked_alone([{0: 1}, {1: 1}], 1), walked_alone([{0: 1, 1: 1}, {1: 1}], 1), walked_alone([{1: -1}], 0)
    (1, None, None)
    """
    if list(terms[d].values()) != [1]:
        return None
    (loop,) = terms[d]
    return None if any(loop in other for number, other in enumerate(terms) if number != d) else loop


@dataclass(frozen=True)
class CopyMap:
    """How the threads of a task share the copy of one tile from global to workgroup memory.

    The tile is cut into vectors along its innermost tensor dimension; vectors are numbered with that dimension fastest;
    thread t copies vectors t, t + threads, t + 2 * threads and so on.

    Attributes:
        sizes: Vectors per dimension, innermost tensor dimension first.
        vector: Elements of a vector.
        threads: Threads that share the copy.
        across: Dimension, counted as in `sizes`, along which a thread takes `depth` neighbouring vectors together and
            writes what it transposed in registers; -1 for none.
        depth: See `across`; `sizes` and `rounds` count blocks of so many vectors.
    """

    sizes: tuple[int, ...]
    vector: int
    threads: int
    across: int = -1
    depth: int = 1

    @property
    def vectors(self) -> int:
        """Vectors of the tile."""
        return prod(self.sizes)

    @property
    def rounds(self) -> int:
        """Vectors that the busiest thread copies."""
        return -(-self.vectors // self.threads)

    @property
    def is_scattered(self) -> bool:
        """Whether a thread's vectors lie at distances that differ from thread to thread: several digits move.

        >>> copy_map((8, 32), 4, 16).is_scattered, copy_map((4, 34), 1, 16).is_scattered
        (False, True)
        """
        fixed, low = 1, 0
        while low < len(self.sizes) and self.threads % (fixed * self.sizes[low]) == 0:
            fixed *= self.sizes[low]
            low += 1
        return len(self.sizes) - low > 1


def copy_map(shape: Sequence[int], vector: int, threads: int) -> CopyMap:
    """Return the copy map of a tile of `shape` whose innermost extent is rounded up to whole vectors."""
    reverse = list(reversed(shape)) or [1]
    return CopyMap((-(-reverse[0] // vector), *reverse[1:]), vector, threads)


def tile_copy(shape: Sequence[int], operand: OperandPlan, threads: int) -> CopyMap:
    """Return the copy map of a staged tile.

    Where rows in workgroup memory run along another dimension than the tensor's, and are written several elements at
    once, a thread reads `store_vector` vectors from neighbouring places of that dimension and transposes them.

    >>> turned = OperandPlan(layer="workgroup", order=(1, 0), vector=8, store_vector=4)
    >>> tile_copy((16, 64), turned, 32)
    CopyMap(sizes=(8, 4), vector=8, threads=32, across=1, depth=4)
    """
    inner = len(shape) - 1
    rows = operand.order[-1] if operand.order else inner
    depth = operand.store_vector if rows != inner else 1
    if depth == 1:
        return copy_map(shape, operand.vector, threads)
    blocks = [-(-extent // depth) if d == rows else extent for d, extent in enumerate(shape)]
    plain = copy_map(blocks, operand.vector, threads)
    return CopyMap(plain.sizes, plain.vector, threads, inner - rows, depth)


def copy_vector(extent: int, step: int, alignment: int, limit: int) -> int:
    """Return the elements of one global access of a copy.

    Args:
        extent: Extent of the tile's innermost tensor dimension.
        step: Its step; only dense rows are copied as vectors.
        alignment: What divides every row start of the tile and the row length of the tensor, in elements.
        limit: Widest access, in elements.
    """
    if step != 1:
        return 1
    width = power_of_two_divisor(alignment, limit)
    while width > 1 and -(-extent // width) * width > 1.34 * extent:
        width //= 2
    return width
