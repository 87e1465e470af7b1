# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dependences by views that are written as a whole: between operators, not between cells.

Operators that hand a view over touch all of it or parts of it, and no view lies across another. Then which task of the
one needs which of the other follows from the boxes of both, which operators of one type share: it is found once for
each two kinds of boxes, however many operators have them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roller_mlir.rammer.graph.boxes import DistinctBoxes, TaskBoxes
from roller_mlir.rammer.parts import Ints, Parts, in_turn, run_begins, spread

if TYPE_CHECKING:
    from roller_mlir.rammer.graph.task_graph import TaskAccess, TaskGraph

PAIRS_TOGETHER = 1 << 18
"""Pairs of tasks that are spelled together, so that they stay in the processor's cache."""

WritersIn = Callable[[Ints, DistinctBoxes], tuple[Ints, Ints]]
"""Returns what stands in the cells of each box of a view, with each task that has it."""

Refuse = Callable[[int, int, "TaskAccess"], None]
"""Refuses a task that reads what another of its operator writes."""


@dataclass(eq=False)
class _View:
    """A view, what writes it last, and what has read it since.

    Attributes:
        boxes: Those of the tasks that wrote it; None where none did.
        first: The first of these tasks.
        readers: The first task of each operator that read it since, and its boxes.
    """

    boxes: TaskBoxes | None = None
    first: int = 0
    readers: list[tuple[int, TaskBoxes]] = field(default_factory=list[tuple[int, TaskBoxes]])


class WholeViews:
    """The views of a graph that no other view overlaps in part, and that each write writes as a whole.

    Args:
        graph: The operators.
        bits: Those of the second task of a pair in one number.
        writers_in: Finds the tasks of boxes.
    """

    def __init__(self, graph: "TaskGraph", bits: int, writers_in: WritersIn) -> None:
        self._bits, self._writers_in = bits, writers_in
        self._between: dict[tuple[TaskBoxes, TaskBoxes], tuple[Ints, Ints]] = {}
        self._uses: dict[tuple[TaskBoxes, TaskBoxes, bool], list[int]] = defaultdict(list)
        self._early: dict[tuple[TaskBoxes, TaskBoxes, bool], list[int]] = defaultdict(list)
        whole: dict[int, dict[tuple[int, int], bool]] = defaultdict(dict)
        for one in distinct(one for operator in graph.operators for one in operator.reads):
            whole[one.buffer][one.span] = True
        for operator in graph.operators:
            written: set[tuple[int, tuple[int, int]]] = set()
            for one in operator.writes:
                twice = (one.buffer, one.span) in written
                written.add((one.buffer, one.span))
                before = whole[one.buffer].get(one.span, True)
                whole[one.buffer][one.span] = before and one.boxes.partition and not twice
        self._views = {
            (buffer, span): _View() for buffer, spans in whole.items() for span in _apart(sorted(spans)) if spans[span]
        }

    def take(
        self, first: int, reads: Sequence["TaskAccess"], writes: Sequence["TaskAccess"], refuse: Refuse
    ) -> tuple[list["TaskAccess"], list["TaskAccess"]]:
        """Note the dependences of an operator by whole views; return what it reads and writes of others.

        Args:
            first: Its first task.
            reads: What it reads of buffers that some operator writes.
            writes: What it writes.
            refuse: Called where a task reads what another of them writes.
        """
        base, left = first << self._bits, (list["TaskAccess"](), list["TaskAccess"]())
        mine: tuple[list[tuple[_View, TaskAccess]], ...] = ([], [])
        for found, others, accesses in zip(mine, left, (reads, writes), strict=True):
            for one in accesses:
                view = self._views.get((one.buffer, one.span))
                if view is None:
                    others.append(one)
                    continue
                found.append((view, one))
                if view.boxes is not None:
                    self._uses[view.boxes, one.boxes, True].append(base + view.first)
                    if one.early:
                        self._early[view.boxes, one.boxes, True].append(base + view.first)
        for view, one in mine[1]:
            for read in (read for other, read in mine[0] if other is view):
                self._check_own(first, one.boxes, read, refuse)
            for reader, boxes in view.readers:
                self._uses[one.boxes, boxes, False].append(base + reader)
            view.boxes, view.first, view.readers = one.boxes, first, []
        for view, one in mine[0]:
            view.readers.append((first, one.boxes))
        return left

    def pairs(self) -> tuple[Ints, Ints]:
        """Return producers and consumers of the dependences so far: by consumer and producer, each pair once."""
        return self._spelled(self._uses)

    def early_pairs(self) -> tuple[Ints, Ints]:
        """Return those of them that early reads make."""
        return self._spelled(self._early)

    def _spelled(self, uses: dict[tuple[TaskBoxes, TaskBoxes, bool], list[int]]) -> tuple[Ints, Ints]:
        """Return the pairs of uses.

        What comes before a task is spelled operator by operator: these are put in order, and not the many pairs.
        """
        keys: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
        sizes: list[NDArray[np.integer[Any]]] = [*keys]
        starts: list[NDArray[np.integer[Any]]] = [*keys]
        before = [np.zeros(0, np.int32)]
        behind = 0
        for of, bases in uses.items():
            consumers, own = self._ordered(*of)
            keys.append((np.array(bases, np.int64)[:, None] + (consumers << self._bits)).reshape(-1))
            sizes.append(np.tile(own.sizes, len(bases)))
            starts.append(np.tile(own.starts[:-1] + behind, len(bases)))
            before.append(own.numbers)
            behind += len(own.numbers)
        key, given = np.concatenate(keys), np.concatenate(before)
        order = np.argsort(key, kind="stable")
        key, size, start = key[order], np.concatenate(sizes)[order], np.concatenate(starts)[order]
        begins = np.append(np.flatnonzero(run_begins(key)), len(key))  # of what a task needs of one operator
        counts = np.diff(np.append(0, np.cumsum(size))[begins])
        found = [(np.zeros(0, np.int32), np.zeros(0, np.int32))]
        for part in in_turn(counts, PAIRS_TOGETHER):
            own = slice(begins[part[0]], begins[part[-1] + 1])
            found.append(self._pairs_of(key[own], size[own], given[spread(start[own], size[own])]))
        producers, consumers = zip(*found, strict=True)
        return np.concatenate(producers), np.concatenate(consumers)

    def _pairs_of(self, key: NDArray[np.int64], size: NDArray[np.integer[Any]], within: Ints) -> tuple[Ints, Ints]:
        """Return pairs of tasks.

        Args:
            key: A task, and the first one of an operator of which it needs some, in rising order.
            size: How many it needs.
            within: Which ones of the operator these are; those of one key are in order.
        """
        least = (1 << self._bits) - 1
        producers = within + np.repeat((key & least).astype(np.int32), size)
        consumers = np.repeat((key >> self._bits).astype(np.int32), size)
        again = ~run_begins(key)  # a task needs something of one operator by several views
        if not again.any():
            return producers, consumers
        again[:-1] |= again[1:]
        several = np.repeat(again, size)
        found = np.sort((consumers[several].astype(np.int64) << self._bits) + producers[several], kind="stable")
        producers[several] = found & least
        once = np.ones(len(producers), bool)
        once[several] = run_begins(found)
        return producers[once], consumers[once]

    def _ordered(self, written: TaskBoxes, touched: TaskBoxes, behind: bool) -> tuple[NDArray[np.int64], Parts]:
        """Return of two operators, whose tasks are numbered from 0 each, which come second, and what before each.

        Args:
            written: What the one writes.
            touched: What the other touches of it.
            behind: Whether those that touch come behind those that write, or before them.
        """
        writers, tasks = self._found(written, touched)
        producers, consumers = (writers, tasks) if behind else (tasks, writers)
        order = np.lexsort((producers, consumers))
        begins = np.flatnonzero(run_begins(consumers[order]))
        return consumers[order][begins].astype(np.int64), Parts(producers[order], np.append(begins, len(order)))

    def _found(self, written: TaskBoxes, touched: TaskBoxes) -> tuple[Ints, Ints]:
        """Return which tasks write what which others touch of one view, numbered from 0 each."""
        key = written, touched
        if key not in self._between:
            size = gcd(written.element_bytes, touched.element_bytes)
            cells = np.empty((*written.shape, written.element_bytes // size), np.int32)
            for box, owner in zip(written.distinct.slices, written.distinct.owners.tolist(), strict=True):
                cells[box] = owner
            seen = cells.reshape(*touched.shape, touched.element_bytes // size)
            self._between[key] = self._writers_in(seen, touched.distinct)
        return self._between[key]

    def _check_own(self, first: int, written: TaskBoxes, read: "TaskAccess", refuse: Refuse) -> None:
        writers, tasks = self._found(written, read.boxes)
        for number in np.flatnonzero(writers != tasks)[:1].tolist():
            refuse(int(tasks[number]) + first, int(writers[number]) + first, read)


def distinct(accesses: Iterable["TaskAccess"]) -> Iterable["TaskAccess"]:
    """Return accesses, each once: operators of one type that touch the same bytes may share them."""
    return {id(one): one for one in accesses}.values()


def _apart(spans: list[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    """Yield those of some spans, in rising order, that none of the others overlaps."""
    end = -1
    for one, after in pairwise((*spans, (spans[-1][1], 0))):
        if one[0] >= end and one[1] <= after[0]:
            yield one
        end = max(end, one[1])
