# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many short rows of numbers as one array: the waits of each task, what comes before it, the tasks of each event."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Parts(Sequence[Ints]):
    """Rows of numbers, one behind the other.

    Attributes:
        numbers: The numbers of all rows.
        starts: Where each row begins in them, and behind these how many there are.
    """

    numbers: Ints
    starts: NDArray[np.integer[Any]]

    @classmethod
    def of(cls, rows: Sequence[Ints]) -> "Parts":
        """Return rows as one array, which they may be already."""
        if isinstance(rows, Parts):
            return rows
        return cls(np.concatenate([*rows, np.zeros(0, np.int32)]), np.cumsum([0, *map(len, rows)]))

    @classmethod
    def by_number(cls, number_of: NDArray[np.integer[Any]], count: int) -> "Parts":
        """Return a row for each number from 0 up to a count: the places where it stands, in rising order.

        >>> [one.tolist() for one in Parts.by_number(np.array([1, -1, 0, 1]), 2)]
        [[2], [0, 3]]
        """
        order = np.argsort(number_of, kind="stable").astype(np.int32)
        starts = np.searchsorted(number_of[order], np.arange(count + 1))
        return cls(order[starts[0] : starts[-1]], starts - starts[0])

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.starts) - 1

    @overload
    def __getitem__(self, at: int) -> Ints: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Ints]: ...

    def __getitem__(self, at: int | slice) -> Ints | Sequence[Ints]:
        """Return a row, or some."""
        if isinstance(at, slice):
            return [*self][at]
        row = at if at >= 0 else at + len(self)
        if not 0 <= row < len(self):
            raise IndexError(f"row must be one of {len(self)}, but got {at}")
        return self.numbers[self.starts[row] : self.starts[row + 1]]

    def __iter__(self) -> Iterator[Ints]:
        """Yield each row."""
        return (self.numbers[a:b] for a, b in pairwise(self.starts.tolist()))

    @property
    def sizes(self) -> NDArray[np.integer[Any]]:
        """How many numbers each row has."""
        return np.diff(self.starts)

    @property
    def owners(self) -> Ints:
        """The row of each number."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.sizes)

    def chosen(self, rows: NDArray[np.integer[Any]]) -> "Parts":
        """Return some of the rows, in the order in which they are named, and as often."""
        sizes = self.sizes[rows]
        return Parts(self.numbers[spread(self.starts[rows], sizes)], np.append(0, np.cumsum(sizes)))

    def kept(self, which: NDArray[np.bool_]) -> "Parts":
        """Return the rows with those of their numbers that are chosen."""
        return Parts(self.numbers[which], np.append(0, np.cumsum(which))[self.starts])

    def turned(self, count: int) -> "Parts":
        """Return of each number from 0 up to a count the rows in which it stands, in rising order."""
        order = np.argsort(self.numbers, kind="stable")
        return Parts(self.owners[order], np.searchsorted(self.numbers[order], np.arange(count + 1)))

    def distinct(self) -> tuple[Ints, "Parts"]:
        """Return of each row which one of the different rows it is, numbered by the first of each; and these."""
        whole, size = np.ascontiguousarray(self.numbers).tobytes(), self.numbers.itemsize
        said = [whole[a:b] for a, b in pairwise((self.starts * size).tolist())]
        numbers = {one: number for number, one in enumerate(dict.fromkeys(said))}
        of = np.fromiter(map(numbers.__getitem__, said), np.int32, len(said))
        starts = np.cumsum([0, *(len(one) // size for one in numbers)])
        return of, Parts(np.frombuffer(b"".join(numbers), self.numbers.dtype), starts)

    def reduced(self, by: np.ufunc, values: NDArray[Any], empty: Any) -> NDArray[Any]:
        """Return what an operation makes of the values of each row's numbers.

        Args:
            by: The operation, `np.maximum`, say.
            values: Those of all numbers, one behind the other: the first dimension counts them.
            empty: What stands for rows without numbers.
        """
        found = np.full((len(self), *values.shape[1:]), empty, values.dtype)
        filled = np.flatnonzero(self.sizes)
        if len(filled):
            found[filled] = by.reduceat(values, self.starts[filled])
        return found


def spread(starts: NDArray[np.integer[Any]], counts: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return so many numbers from each start on, one after the other.

    >>> spread(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    behind = np.cumsum(counts)
    return np.repeat(starts - behind + counts, counts) + np.arange(counts.sum())


def in_turn(sizes: NDArray[np.integer[Any]], together: int) -> Iterator[NDArray[np.int64]]:
    """Yield the numbers of things of these sizes: those that have so many in all at a time.

    >>> [part.tolist() for part in in_turn(np.array([3, 1, 2, 2]), 4)]
    [[0, 1], [2, 3]]
    """
    behind = np.cumsum(sizes)
    edges = np.arange(0, (int(behind[-1]) if len(behind) else 0) + together, together)
    for first, last in pairwise(np.searchsorted(behind, edges, side="right").tolist()):
        if first < last:
            yield np.arange(first, last)


def run_begins(values: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Return where runs of equal numbers begin."""
    begins = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return begins
