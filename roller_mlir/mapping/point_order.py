# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order in which a thread computes the points of an unrolled step, such that what it reads lives shortly.

A point is a pair of a place in the reduction and a result. Place by place, a window that slides over a thread's results
keeps all of its rows in registers; row by row, each row is read, used by all results that it touches, and forgotten:

    three results, window of two rows    place by place: rows 0 1 2, then 1 2 3    row by row: 0, 1, 2, 3
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import prod
from operator import mul

Point = tuple[int, int]
"""Number of a place in the reduction, number of a result."""

Coordinates = tuple[int, ...]


@dataclass(frozen=True)
class Reads:
    """What points read of one input, in elements from where the thread's part of the tile begins.

    Attributes:
        places: What each place of the reduction adds to the coordinates.
        results: What each result adds.
        lanes: What each lane of a result adds.
        width: Elements of one read, along the last dimension.
        words: Registers of one element.
    """

    places: tuple[Coordinates, ...]
    results: tuple[Coordinates, ...]
    lanes: tuple[Coordinates, ...]
    width: int
    words: int

    def coordinates(self) -> list[list[int]]:
        """Return, of each dimension, where the first lane of each point reads: place by place, result by result."""
        first = self.lanes[0]
        columns: list[list[int]] = []
        for d, at in enumerate(first):
            results = [result[d] for result in self.results]
            columns.append([place[d] + at + more for place in self.places for more in results])
        if columns:
            columns[-1] = [at // self.width for at in columns[-1]]
        return columns

    def vectors(self) -> list[list[int]]:
        """Return, of each lane, the reads of all points: place by place, result by result, each read a number."""
        if not self.lanes[0]:
            return [[0] * (len(self.places) * len(self.results))]
        ways = self.places, self.results, self.lanes
        spans = [sum([max(c) - min(c) for c in d]) + 1 for d in zip(*(zip(*w, strict=True) for w in ways), strict=True)]
        strides = [prod(spans[d + 1 :]) for d in range(len(spans) - 1)]  # of numbers without the last dimension
        places, results, lanes = [[(sum(map(mul, at, strides)), at[-1]) for at in way] for way in ways]
        width = self.width
        return [
            [
                row + more + (place + result) // width
                for row, place in [(head + lane, last + number) for head, last in places]
                for more, result in results
            ]
            for lane, number in lanes
        ]


def point_order(reads: Sequence[Reads], places: int, results: int, *, ordered: bool = False) -> tuple[Point, ...]:
    """Return all points of a step, in an order in which few registers of reads live at a time.

    Args:
        reads: What they read.
        places: Places of the reduction.
        results: Results of the thread.
        ordered: Whether each result must see the places in their order, since nothing says that it may not.

    >>> rows = Reads(((0,), (1,)), ((0,), (1,), (2,)), ((0,),), 1, 1)
    >>> point_order([rows], 2, 3)
    ((0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (1, 2))
    """
    return _point_order(tuple(reads), places, results, ordered)[0]


def live_registers(reads: Sequence[Reads], places: int, results: int, *, ordered: bool = False) -> int:
    """Return the most registers that hold reads at one point, in the order of `point_order`.

    >>> rows = Reads(((0,), (1,)), ((0,), (1,), (2,)), ((0,),), 1, 1)
    >>> live_registers([rows], 2, 3)
    1
    """
    return _point_order(tuple(reads), places, results, ordered)[1]


@lru_cache(maxsize=128)
def _point_order(reads: tuple[Reads, ...], places: int, results: int, ordered: bool) -> tuple[tuple[Point, ...], int]:
    tables = [(one.vectors(), one.width * one.words) for one in reads]
    plain: Sequence[int] = range(places * results)
    best, least = plain, _most_live(tables, plain)
    for one in reads if places > 1 and results > 1 else ():
        orders = _window_orders(one)
        columns = one.coordinates() if orders else []
        for order in orders:
            found = sorted(plain, key=_joined([columns[d] for d in order]).__getitem__)
            if not ordered or _keeps_order(found, results):
                live = _most_live(tables, found)
                if live < least:
                    best, least = found, live
    return tuple([divmod(point, results) for point in best]), least


def _joined(columns: Sequence[Sequence[int]]) -> list[int]:
    """Return one number for each row of columns, in the order of the rows.

    >>> _joined([[0, 0, 1], [5, -1, 3]])
    [6, 0, 11]
    """
    joined = [0] * len(columns[0])
    for column in columns:
        low, span = min(column), max(column) - min(column) + 1
        joined = [before * span + at - low for before, at in zip(joined, column, strict=True)]
    return joined


def _window_orders(one: Reads) -> list[list[int]]:
    """Return orders of the dimensions by which points may be sorted, none where no window slides."""
    places, results = zip(*one.places, strict=True), zip(*one.results, strict=True)
    moves = [(len(set(a)) > 1, len(set(b)) > 1) for a, b in zip(places, results, strict=True)]
    both = [d for d, move in enumerate(moves) if move == (True, True)]
    if not both:
        return []
    inside = [d for d, (reduced, _) in enumerate(moves) if reduced]
    reduced = [d for d in inside if d not in both]
    kept = [d for d, move in enumerate(moves) if move == (False, True)]
    orders = [[*inside, *kept], [*kept, *inside], [*reduced, *both, *kept], [*reduced, *kept, *both]]
    orders += [[*kept, *reduced, *both], [*both, *reduced, *kept]]
    return [order for number, order in enumerate(orders) if order not in orders[:number]]


def _keeps_order(points: Sequence[int], results: int) -> bool:
    last = [-1] * results
    for point in points:
        place, result = divmod(point, results)
        if place < last[result]:
            return False
        last[result] = place
    return True


def _most_live(tables: Sequence[tuple[list[list[int]], int]], points: Sequence[int]) -> int:
    """Return the most registers that hold reads at one point, each from its first to its last use.

    Args:
        tables: Of each input, the reads of all points lane by lane, and the registers of one read.
        points: The points in order.
    """
    changes = [0] * (len(points) + 1)
    for lanes, size in tables:
        used = [lane[point] for point in points for lane in lanes]
        last = dict(zip(used, range(len(used)), strict=True))
        used.reverse()
        first = dict(zip(used, range(len(used) - 1, -1, -1), strict=True))
        several = len(lanes)
        for at in first.values():
            changes[at // several] += size
        for at in last.values():
            changes[at // several + 1] -= size
    return max(accumulate(changes))
