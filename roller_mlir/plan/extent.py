# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Extents: how many points a loop has, how large a dimension is, how many blocks a grid has."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import mul
from typing import TypeAlias

Size: TypeAlias = "Extent | int"
"""An extent, or a number that stands for the extent that is exactly it."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Extent:
    """A problem size. Today each is a number that is known when a program is compiled: it is static.

    It is no number, as it is read in two ways, which differ once it is no longer static. Each use says which it means:

    - `bound`, the largest value it takes: what planning, workspaces and residency ask;
    - `static`, the one value it has: what code that folds it into a constant asks, which refuses any other extent.

    Some questions need neither, since their answers hold at each value: `extent == 1`, `extent <= size`, and what its
    `divisor` is. Tile sizes, threads and stages are decisions, so they are numbers, not extents.

    Bounded symbols ("n, at most 4096") would need, beside the name that `symbol` holds:

    - where a value comes from at a launch: which dimension of which argument gives a symbol, a check that every other
      dimension that names it agrees and that no value exceeds its bound, and its place among a kernel's arguments;
    - guards: where code asks `static`, such as for the edge of a partial tile, for strides or for trip counts, an
      operand of the kernel takes the place of a constant; ranges of indices come from `bound` already;
    - divisibility, such as "a multiple of 16", in `divisor`: without it symbols cost wide accesses, and each tile asks
      for its guard;
    - grids that the host computes from the symbols before each launch, as `tiles` and the product of extents spell
      them; workspaces are laid out once, for the bounds;
    - manifests, of another schema version: a dimension or a part of a grid is then a string such as
      "(n + 127) floordiv 128" in the place of the number, and the codec reads and writes both.

    Attributes:
        bound: The largest value.
        symbol: What gives the value at a launch, an affine expression over symbols; empty where `bound` is the value.
    """

    bound: int
    symbol: str = ""

    @property
    def static(self) -> int:
        """The value.

        Raises:
            ValueError: The extent is not static.

        >>> Extent(128).static
        128
        >>> Extent(128, "n").static
        Traceback (most recent call last):
        ValueError: code is generated for static extents only, but got n (at most 128); give its size
        """
        if self.symbol:
            raise ValueError(f"code is generated for static extents only, but got {self}; give its size")
        return self.bound

    def tiles(self, size: int) -> "Extent":
        """Return how many tiles of a size cover it; their number is the bound's at most.

        >>> str(Extent(1000).tiles(128)), str(Extent(1000, "n").tiles(128))
        ('8', '(n + 127) floordiv 128 (at most 8)')
        """
        return Extent(self.most_tiles(size), self.symbol and f"({self.symbol} + {size - 1}) floordiv {size}")

    def most_tiles(self, size: int) -> int:
        """Return how many tiles of a size cover it, at most: the bound of `tiles`, where no text is asked for."""
        return -(-self.bound // size)

    @property
    def divisor(self) -> int:
        """The largest number that surely divides it."""
        return 1 if self.symbol else self.bound

    def __mul__(self, other: "Extent") -> "Extent":
        """Return how many points two loops have together."""
        texts = [f"({one.symbol})" if one.symbol else str(one.bound) for one in (self, other)]
        return Extent(self.bound * other.bound, " * ".join(texts) if self.symbol or other.symbol else "")

    def __le__(self, size: int) -> bool:
        """Return whether no value is larger than a number."""
        return self.bound <= size

    def __eq__(self, other: object) -> bool:
        """Return whether it is the same extent, or surely the number."""
        if isinstance(other, Extent):
            return self.bound == other.bound and self.symbol == other.symbol
        return not self.symbol and self.bound == other

    def __hash__(self) -> int:
        """Return the hash of the number."""
        return hash(self.bound)

    def __repr__(self) -> str:
        """Spell it for reports and messages."""
        return f"{self.symbol} (at most {self.bound})" if self.symbol else str(self.bound)


_static = lru_cache(maxsize=1 << 12)(Extent)  # one object a number, so that equal shapes are soon found equal


def as_extent(size: Size) -> Extent:
    """Return a size as an extent: a number is a static one."""
    return size if isinstance(size, Extent) else _static(size)


def as_extents(sizes: Iterable[Size]) -> tuple[Extent, ...]:
    """Return sizes as extents."""
    return tuple([as_extent(size) for size in sizes])


def static_sizes(of: Iterable[Extent]) -> tuple[int, ...]:
    """Return the values of extents, which must be static."""
    return tuple([extent.static for extent in of])


def product(of: Iterable[Extent]) -> Extent:
    """Return the number of points of a box."""
    return reduce(mul, of, Extent(1))
