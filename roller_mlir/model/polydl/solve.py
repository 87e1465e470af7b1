# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lexicographically first integer point of a few linear constraints, by depth-first search with interval bounds.

The systems are those of one group of loops that share a dimension of a tensor: a handful of unknowns, and rows that the
bounds nearly always narrow to the answer without a step back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd


@dataclass(frozen=True, slots=True)
class Constraint:
    """low <= sum(coefficient * x) <= high."""

    coefficients: tuple[int, ...]
    low: int
    high: int


def first_point(
    ranges: Sequence[tuple[int, int]], rows: Sequence[Constraint], *, largest: bool = False
) -> tuple[int, ...] | None:
    """Return the first point of a box, in lexicographic order, that all rows admit; None where there is none.

    Args:
        ranges: First and last value of each unknown, the one that counts most first.
        rows: The constraints.
        largest: Whether to return the last point instead.

    2 x + 3 y = 12 with both in 0 to 5:

    >>> equal = [Constraint((2, 3), 12, 12)]
    >>> first_point([(0, 5)] * 2, equal), first_point([(0, 5)] * 2, equal, largest=True)
    ((0, 4), (3, 2))
    """
    count = len(ranges)
    rests: list[tuple[list[tuple[int, int]], list[int]]] = []
    for row in rows:
        bounds, common = [(0, 0)], [0]
        for coefficient, (first, last) in zip(reversed(row.coefficients), reversed(ranges), strict=True):
            ends = (coefficient * first, coefficient * last)
            bounds.append((bounds[-1][0] + min(ends), bounds[-1][1] + max(ends)))
            common.append(gcd(common[-1], coefficient))
        rests.append((bounds[::-1], common[::-1]))
    if any(row.low > rest[0][0][1] or row.high < rest[0][0][0] for row, rest in zip(rows, rests, strict=True)):
        return None
    point = [0] * count

    def search(place: int, sums: tuple[int, ...]) -> bool:
        if place == count:
            return True
        first, last = ranges[place]
        for row, (bounds, _), done in zip(rows, rests, sums, strict=True):
            coefficient = row.coefficients[place]
            low, high = row.low - done - bounds[place + 1][1], row.high - done - bounds[place + 1][0]
            if coefficient < 0:
                coefficient, low, high = -coefficient, -high, -low
            if coefficient:
                first, last = max(first, -(-low // coefficient)), min(last, high // coefficient)
            elif low > 0 or high < 0:
                return False
        for value in range(last, first - 1, -1) if largest else range(first, last + 1):
            added = tuple([done + row.coefficients[place] * value for row, done in zip(rows, sums, strict=True)])
            if any(
                row.low == row.high and _misses(row.low - done, common[place + 1])
                for row, (_, common), done in zip(rows, rests, added, strict=True)
            ):
                continue
            point[place] = value
            if search(place + 1, added):
                return True
        return False

    return tuple(point) if search(0, (0,) * len(rows)) else None


def _misses(needed: int, step: int) -> bool:
    return needed % step != 0 if step else needed != 0
