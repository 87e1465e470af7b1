# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order in which a thread computes the points of an unrolled step, such that what it reads lives shortly.

A point is a pair of a place in the reduction and a result. Place by place, a window that slides over a thread's results
keeps all of its rows in registers; row by row, each row is read, used by all results that it touches, and forgotten:

    three results, window of two rows    place by place: rows 0 1 2, then 1 2 3    row by row: 0, 1, 2, 3
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

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

    def vectors(self) -> dict[Point, tuple[Coordinates, ...]]:
        """Return the reads of each point, the first lane's first."""
        found: dict[Point, tuple[Coordinates, ...]] = {}
        for (p, place), (r, result) in product(enumerate(self.places), enumerate(self.results)):
            read: dict[Coordinates, None] = {}
            for lane in self.lanes:
                at = [a + b + c for a, b, c in zip(place, result, lane, strict=True)]
                if at:
                    at[-1] //= self.width
                read[tuple(at)] = None
            found[p, r] = tuple(read)
        return found


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
    tables = [one.vectors() for one in reads]
    sizes = [one.width * one.words for one in reads]
    plain = list(product(range(places), range(results)))
    best, least = plain, most_live(tables, sizes, plain)
    if places == 1 or results == 1:
        return tuple(best), least
    for table, one in zip(tables, reads, strict=True):
        for order in _window_orders(one):
            by = [{point: vectors[0][d] for point, vectors in table.items()} for d in order]
            found = sorted(plain, key=lambda point, by=by: [coordinate[point] for coordinate in by])
            if not ordered or _keeps_order(found, results):
                live = most_live(tables, sizes, found)
                if live < least:
                    best, least = found, live
    return tuple(best), least


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


def _keeps_order(points: Sequence[Point], results: int) -> bool:
    last = [-1] * results
    for place, result in points:
        if place < last[result]:
            return False
        last[result] = place
    return True


def most_live(
    tables: Sequence[dict[Point, tuple[Coordinates, ...]]], sizes: Sequence[int], points: Sequence[Point]
) -> int:
    """Return the most registers that hold reads at one point, each from its first to its last use.

    Args:
        tables: Of each input, the reads of each point.
        sizes: Of each input, the registers of one read.
        points: The points in order.
    """
    changes = [0] * (len(points) + 1)
    for table, size in zip(tables, sizes, strict=True):
        last: dict[Coordinates, int] = {}
        for at, point in enumerate(points):
            for vector in table[point]:
                if vector not in last:
                    changes[at] += size
                last[vector] = at
        for at in last.values():
            changes[at + 1] -= size
    live = most = 0
    for change in changes:
        live += change
        most = max(most, live)
    return most
