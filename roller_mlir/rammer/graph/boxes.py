# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Boxes of views: the part of a buffer that each task of an operator touches, and what stands in them."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from roller_mlir.rammer.parts import Ints, spread

CELLS_TOGETHER = 1 << 18
"""Cells of boxes that are looked at together, so that they stay in the processor's cache."""

FEW_BOXES = 4
"""Boxes of an access up to which they are looked at one by one: beyond, together takes less time."""


@dataclass(frozen=True, eq=False)
class DistinctBoxes:
    """Boxes of a view, each once, with the tasks that have it.

    Attributes:
        low: First index of each box, [boxes, rank].
        extents: Elements of each box along each dimension, [boxes, rank].
        steps: Distance of the indices of a box, for each dimension.
        tasks: The tasks that have a box, box by box.
        starts: Where the tasks of each box start in them, and behind them how many there are.
    """

    low: Ints
    extents: Ints
    steps: tuple[int, ...]
    tasks: Ints
    starts: NDArray[np.int64]

    @cached_property
    def owners(self) -> Ints:
        """The first task of each box."""
        return self.tasks[self.starts[:-1]]

    def tasks_of(self, box: int) -> Ints:
        """Return the tasks that have a box."""
        return self.tasks[self.starts[box] : self.starts[box + 1]]

    @cached_property
    def alike(self) -> tuple[tuple[tuple[int, ...], NDArray[np.int64]], ...]:
        """The different extents, each with the boxes that have it."""
        numbers: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for number, extents in enumerate(self.extents.tolist()):
            numbers[tuple(extents)].append(number)
        return tuple((extents, np.array(found, np.int64)) for extents, found in numbers.items())

    @cached_property
    def slices(self) -> list[tuple[slice, ...]]:
        """What selects each box of its view."""
        return [
            tuple(
                slice(at, at + (n - 1) * step + 1, step) for at, n, step in zip(low, extents, self.steps, strict=True)
            )
            for low, extents in zip(self.low.tolist(), self.extents.tolist(), strict=True)
        ]

    def each_task(self, boxes: NDArray[np.int64], values: Ints) -> tuple[Ints, Ints]:
        """Return values of boxes, each as often as its box has tasks, and the tasks."""
        counts = np.diff(self.starts)[boxes]
        behind = np.cumsum(counts)
        within = np.arange(counts.sum()) - np.repeat(behind - counts, counts)
        return np.repeat(values, counts), self.tasks[np.repeat(self.starts[:-1][boxes], counts) + within]


@dataclass(frozen=True, eq=False)
class TaskBoxes:
    """The part of a view that each task of an operator touches: a box. Operators of one type share it.

    Attributes:
        shape: Extents of the view, row-major, in elements.
        element_bytes: Size of an element.
        low: First index of each task's box, [tasks, rank].
        high: Index behind the last of each task's box, [tasks, rank]; a box is empty where it is not above `low`.
        steps: Distance of the indices of a box, for each dimension.
    """

    shape: tuple[int, ...]
    element_bytes: int
    low: Ints
    high: Ints
    steps: tuple[int, ...]

    @cached_property
    def filled(self) -> Ints:
        """The tasks whose box is not empty."""
        return np.flatnonzero(np.all(self.low < self.high, axis=1)).astype(np.int32)

    @cached_property
    def size_bytes(self) -> int:
        """The bytes of the view."""
        return prod(self.shape) * self.element_bytes

    @cached_property
    def partition(self) -> bool:
        """Whether each element of the view is in the box of one task alone."""
        boxes = self.distinct
        if len(boxes.tasks) > len(boxes.slices) or int(boxes.extents.prod(axis=1).sum()) != prod(self.shape):
            return False
        covered = np.zeros(self.shape, bool)
        for box in boxes.slices:
            covered[box] = True
        return bool(covered.all())

    @cached_property
    def distinct(self) -> DistinctBoxes:
        """Each box that is not empty once, with the tasks that have it."""
        tasks_of: dict[tuple[int, ...], list[int]] = defaultdict(list)
        both = np.concatenate([self.low, self.high], axis=1)[self.filled]
        for task, box in zip(self.filled.tolist(), both.tolist(), strict=True):
            tasks_of[tuple(box)].append(task)
        rank = len(self.shape)
        found = np.array(list(tasks_of), np.int32).reshape(len(tasks_of), 2 * rank)
        low, high = found[:, :rank], found[:, rank:]
        return DistinctBoxes(
            low,
            -((low - high) // np.array(self.steps, np.int32)),
            self.steps,
            np.array([task for tasks in tasks_of.values() for task in tasks], np.int32),
            np.cumsum([0, *map(len, tasks_of.values())]),
        )


def clipped(cells: Ints, boxes: DistinctBoxes, begin: int, end: int) -> tuple[Ints, DistinctBoxes]:
    """Return a part of a view that has some cells, and what of boxes lies there: of those that lie there at all.

    Args:
        cells: What stands in the cells of a view: its dimensions, and the cells of an element.
        boxes: Boxes of it.
        begin: The first of these cells, counted as they lie one behind the other.
        end: The one behind the last.
    """
    rank, size = len(boxes.steps), cells.size
    least, most = np.zeros(rank, np.int32), np.array(cells.shape[:rank], np.int32)
    for axis, extent in enumerate(cells.shape[:rank]):
        size //= extent
        if boxes.steps[axis] > 1:
            break
        least[axis], most[axis] = begin // size, -(-end // size)
        if most[axis] - least[axis] > 1:
            break
        begin, end = begin - least[axis] * size, end - least[axis] * size
    low, high = np.maximum(boxes.low, least), np.minimum(boxes.low + boxes.extents, most)
    there = np.flatnonzero((low < high).all(axis=1))
    counts = np.diff(boxes.starts)[there]
    part = cells[tuple(slice(*ends) for ends in zip(least.tolist(), most.tolist(), strict=True))]
    tasks, starts = boxes.tasks[spread(boxes.starts[there], counts)], np.cumsum(np.append(0, counts))
    return part, DistinctBoxes((low - least)[there], (high - low)[there], boxes.steps, tasks, starts)


def contents(cells: Ints, boxes: DistinctBoxes) -> Iterator[tuple[NDArray[np.int64], Ints]]:
    """Yield the numbers of some boxes of one size, and what stands in their cells, [boxes, cells], until all were."""
    rank = len(boxes.steps)
    for extents, numbers in boxes.alike:
        spans = [(n - 1) * step + 1 for n, step in zip(extents, boxes.steps, strict=True)]
        windows = sliding_window_view(cells, spans, axis=tuple(range(rank)))
        windows = windows[(..., *(slice(None, None, step) for step in boxes.steps))]
        together = max(1, CELLS_TOGETHER // max(1, prod(extents) * cells.shape[-1]))
        for start in range(0, len(numbers), together):
            part = numbers[start : start + together]
            yield part, windows[tuple(boxes.low[part].T)].reshape(len(part), -1)


def writers_in(cells: Ints, boxes: DistinctBoxes, least: int, tasks_in_all: int) -> tuple[Ints, Ints]:
    """Return the writers of the cells of each box, from a number on, with each task of the box.

    Args:
        cells: The writers of the cells of a view: its dimensions, and the cells of an element.
        boxes: Boxes of it.
        least: The number.
        tasks_in_all: Writers are below that.
    """
    none = np.zeros(0, np.int32)
    if len(boxes.slices) <= FEW_BOXES:
        pairs = [(none, none)]
        for number, box in enumerate(boxes.slices):
            found = np.unique(cells[box])
            found, tasks = found[found >= least], boxes.tasks_of(number)
            pairs.append((found.repeat(len(tasks)), np.tile(tasks, len(found))))
        writers, tasks = zip(*pairs, strict=True)
        return np.concatenate(writers), np.concatenate(tasks)
    keys = [np.zeros(0, np.int64)]
    for part, values in contents(cells, boxes):
        # Neighbours are mostly written by one task: the first of each run is enough.
        begins = np.ones(values.shape, bool)
        np.not_equal(values[:, 1:], values[:, :-1], out=begins[:, 1:])
        begins &= values >= least
        keys.append(np.repeat(part, np.count_nonzero(begins, axis=1)) * tasks_in_all + values[begins])
    box, writers = np.divmod(np.unique(np.concatenate(keys)), tasks_in_all)
    return boxes.each_task(box, writers.astype(np.int32))
