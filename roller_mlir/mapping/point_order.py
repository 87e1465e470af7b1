# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order in which a thread computes the points of an unrolled step, such that what it reads lives shortly.

A point is a pair of a place in the reduction and a result. Place by place, a window that slides over a thread's results
keeps all of its rows in registers; row by row, each row is read, used by all results that it touches, and forgotten:

    three results, window of two rows    place by place: rows 0 1 2, then 1 2 3    row by row: 0, 1, 2, 3

Of six results that each multiply one of two vectors by one of three factors, those with the same factor follow each
other, so that two vectors and a factor live, and not three factors and a vector.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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

    def coordinates(self) -> "NDArray[np.int64]":
        """Return where each point reads, as [lane, place, result, dimension]; the last dimension counts whole reads."""
        import numpy as np

        places, results, lanes = (np.array(way, np.int64) for way in (self.places, self.results, self.lanes))
        found: NDArray[np.int64] = lanes[:, None, None] + places[:, None] + results
        found[..., -1:] //= self.width
        return found

    def vectors(self) -> "NDArray[np.int64]":
        """Return the reads of all points as [lane, place, result], each read a number."""
        import numpy as np

        found = self.coordinates()
        joined = np.zeros(found.shape[:-1], np.int64)
        for d in range(found.shape[-1]):
            column = found[..., d]
            joined = joined * (np.ptp(column) + 1) + column - column.min()
        return joined


def point_order(
    reads: Sequence[Reads], places: int, results: int, *, ordered: bool = False, by_reads: bool = False
) -> tuple[Point, ...]:
    """Return all points of a step, in an order in which few registers of reads live at a time.

    Args:
        reads: What they read.
        places: Places of the reduction.
        results: Results of the thread.
        ordered: Whether each result must see the places in their order, since nothing says that it may not.
        by_reads: Whether results of a place may follow each other by what they read of an input, too. Who orders what
            it is given by itself, as ptxas does, has no use for that.

    >>> rows = Reads(((0,), (1,)), ((0,), (1,), (2,)), ((0,),), 1, 1)
    >>> point_order([rows], 2, 3)
    ((0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (1, 2))
    >>> vectors = Reads(((0,),), ((0,), (0,), (0,), (1,), (1,), (1,)), ((0,),), 1, 1)
    >>> factors = Reads(((0,),), ((0,), (1,), (2,), (0,), (1,), (2,)), ((0,),), 1, 1)
    >>> [result for _, result in point_order([vectors, factors], 1, 6, by_reads=True)]
    [0, 3, 1, 4, 2, 5]
    """
    return _point_order(tuple(reads), places, results, ordered, by_reads)[0]


def live_registers(reads: Sequence[Reads], places: int, results: int, *, ordered: bool = False) -> int:
    """Return the most registers that hold reads at one point, in the order of `point_order`.

    >>> rows = Reads(((0,), (1,)), ((0,), (1,), (2,)), ((0,),), 1, 1)
    >>> live_registers([rows], 2, 3)
    1
    """
    return _point_order(tuple(reads), places, results, ordered, False)[1]


@lru_cache(maxsize=128)
def _point_order(
    reads: tuple[Reads, ...], places: int, results: int, ordered: bool, by_reads: bool
) -> tuple[tuple[Point, ...], int]:
    import numpy as np

    tables = [(_numbered(one.vectors()), one.width * one.words) for one in reads]
    plain: NDArray[np.int64] = np.arange(places * results)
    best, least = plain, _most_live(tables, plain)
    for numbers, _ in tables if by_reads and results > 1 else ():
        found = np.lexsort([plain, numbers[:, 0], plain // results])
        live = _most_live(tables, found)
        if live < least:
            best, least = found, live
    for one in reads if places > 1 and results > 1 else ():
        orders = _window_orders(one)
        first = one.coordinates()[0].reshape(places * results, -1) if orders else plain
        for order in orders:
            found = np.lexsort([first[:, d] for d in reversed(order)])
            if not ordered or _keeps_order(found.tolist(), results):
                live = _most_live(tables, found)
                if live < least:
                    best, least = found, live
    return tuple([divmod(point, results) for point in best.tolist()]), least


def _numbered(vectors: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return reads as [point, lane], numbered from 0 without gaps."""
    import numpy as np

    numbers = np.unique(vectors, return_inverse=True)[1]
    return numbers.reshape(len(vectors), -1).T


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


def _most_live(tables: "Sequence[tuple[NDArray[np.int64], int]]", points: "NDArray[np.int64]") -> int:
    """Return the most registers that hold reads at one point, each from its first to its last use.

    Args:
        tables: Of each input, the reads of all points, numbered as [point, lane], and the registers of one read.
        points: The points in order.
    """
    import numpy as np

    changes = np.zeros(len(points) + 1, np.int64)
    for reads, size in tables:
        used = reads[points]
        at = np.broadcast_to(np.arange(len(points))[:, None], used.shape)
        first, last = np.full(used.max() + 1, len(points)), np.zeros(used.max() + 1, np.int64)
        np.minimum.at(first, used, at)
        np.maximum.at(last, used, at)
        changes += size * (np.bincount(first, minlength=len(changes)) - np.bincount(last + 1, minlength=len(changes)))
    return int(changes.cumsum().max())
