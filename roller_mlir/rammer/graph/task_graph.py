# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators as tasks (RAMMER's rTasks), what each task touches of each buffer, and which task must come before which.

Paper: RAMMER, section 3.1.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roller_mlir.rammer.graph.boxes import TaskBoxes, clipped, writers_in
from roller_mlir.rammer.graph.whole_views import WholeViews, distinct
from roller_mlir.rammer.parts import Ints, Parts, run_begins, spread

NONE: Ints = np.zeros(0, np.int32)

_ORDER = (
    *("first", "operator_of", "_tracked", "producer_sets", "producer_runs", "_operator_runs", "_operator_pairs"),
    *("operator_producers", "_direct_pairs", "direct_producers"),
)
"""What is remembered of a graph that neither times nor slots change."""

MOST_KNOWN_CELLS = 1 << 13
"""Cells of an access up to which it is remembered who had written them: of more, that would take too much memory."""


class ConflictError(ValueError):
    """Two tasks of one operator touch common bytes, one of them writing: no order of operators is between them."""


@dataclass(frozen=True)
class TaskAccess:
    """What the tasks of an operator read or write of a buffer.

    Attributes:
        buffer: Number of the buffer.
        offset_bytes: Where the view of `boxes` starts in it.
        boxes: The part of the view that each task touches.
        early: Whether tasks may read it before their waits are over.
        slot_bytes: Workgroup memory in which a task keeps what it reads of it, for those behind it; 0: it does not.
        slot_form: How a slice lies there: the extents of a tile, and what stands outside of the tensor.
    """

    buffer: int
    offset_bytes: int
    boxes: TaskBoxes
    early: bool = False
    slot_bytes: int = 0
    slot_form: tuple[object, ...] = ()

    @cached_property
    def span(self) -> tuple[int, int]:
        """The bytes of the buffer between which the view lies."""
        return self.offset_bytes, self.offset_bytes + self.boxes.size_bytes

    def meets(self, other: "TaskAccess") -> bool:
        """Return whether both views have bytes in common."""
        return self.buffer == other.buffer and self.span[0] < other.span[1] and other.span[0] < self.span[1]


@dataclass(frozen=True, eq=False)
class TaskOperator:
    """An operator as tasks.

    Attributes:
        name: What messages call it.
        tasks: How many tasks it has.
        seconds: Predicted time of one task, without waits.
        reads: What its tasks read.
        writes: What its tasks write.
        units: Units of the device that they share, beside operators of the same wave; None for all.
        together: How many of them its time is predicted for, at the same time; None where it is not known.
        early_s: What of a task's time may pass before its waits are over.
        brought: Both times of a task that keeps nothing in workgroup memory, where others find slices there; None
            where none does.
    """

    name: str
    tasks: int
    seconds: float
    reads: tuple[TaskAccess, ...]
    writes: tuple[TaskAccess, ...]
    units: int | None = None
    together: int | None = None
    early_s: float = 0.0
    brought: tuple[float, float] | None = None

    @cached_property
    def resident(self) -> tuple[TaskAccess, ...]:
        """What its tasks keep in workgroup memory."""
        return tuple(one for one in self.reads if one.slot_bytes)

    @property
    def fill_s(self) -> float:
        """How much longer a task takes that brings all of that, before its waits are over."""
        return 0.0 if self.brought is None else max(0.0, self.brought[0] - self.seconds)

    def without_resident(self) -> "TaskOperator":
        """Return the operator whose tasks keep nothing in workgroup memory."""
        if not self.resident:
            return self
        seconds, early_s = self.brought or (self.seconds, self.early_s)
        reads = tuple(replace(one, slot_bytes=0, slot_form=()) for one in self.reads)
        return replace(self, seconds=seconds, early_s=early_s, reads=reads, brought=None)


@dataclass(frozen=True, eq=False)
class TaskDependences:
    """Pairs of tasks of which the first must be done before the second starts, each once, by consumer and producer.

    Attributes:
        producers: The tasks that come first.
        consumers: The tasks that come behind them, in rising order.
    """

    producers: Ints
    consumers: Ints

    def producers_of(self, tasks: int) -> Parts:
        """Return of each of so many tasks what must be done before it starts."""
        return Parts(self.producers, np.searchsorted(self.consumers, np.arange(tasks + 1)))


@dataclass(frozen=True, eq=False)
class TaskGraph:
    """Operators in an order in which they may run one after the other; their tasks are numbered through.

    Raises:
        ConflictError: Two tasks of one operator write the same bytes, or one reads what another writes.
    """

    operators: tuple[TaskOperator, ...]

    @cached_property
    def first(self) -> tuple[int, ...]:
        """Number of the first task of each operator, and behind them the number of all tasks."""
        return (0, *accumulate(op.tasks for op in self.operators))

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return self.first[-1]

    @cached_property
    def operator_of(self) -> Ints:
        """The operator of each task."""
        return np.repeat(np.arange(len(self.operators), dtype=np.int32), [op.tasks for op in self.operators])

    @cached_property
    def seconds(self) -> NDArray[np.float64]:
        """Predicted time of each task."""
        return np.repeat([op.seconds for op in self.operators], [op.tasks for op in self.operators])

    @cached_property
    def early_seconds(self) -> NDArray[np.float64]:
        """What of each task's predicted time may pass before its waits are over."""
        return np.repeat([op.early_s for op in self.operators], [op.tasks for op in self.operators])

    def without_early(self) -> "TaskGraph":
        """Return the same tasks with all their waits in front of them."""
        return TaskGraph(
            tuple(
                replace(one, early_s=0.0, reads=tuple(replace(read, early=False) for read in one.reads))
                for one in self.operators
            )
        )

    def without_resident(self) -> "TaskGraph":
        """Return the same tasks, each of which brings all that it reads."""
        return self.keeping(frozenset())

    def keeping(self, operators: Collection[int]) -> "TaskGraph":
        """Return the same tasks, of which only those of some operators keep slices in workgroup memory.

        What comes before what is as it was, and is not looked for again.
        """
        chosen = [one if number in operators else one.without_resident() for number, one in enumerate(self.operators)]
        graph = TaskGraph(tuple(chosen))
        graph.__dict__.update({name: self.__dict__[name] for name in _ORDER if name in self.__dict__})
        return graph

    @cached_property
    def dependences(self) -> TaskDependences:
        """Pairs of tasks of different operators that touch common bytes, one of them writing.

        Behind a write stand no pairs with what touched the bytes before it: other pairs imply them.
        """
        return self._tracked[0]

    @property
    def early_dependences(self) -> TaskDependences:
        """Those of them in which the second task may read what the first one writes before its waits are over."""
        return self._tracked[1]

    @cached_property
    def _tracked(self) -> tuple[TaskDependences, TaskDependences]:
        return _Tracker(self).dependences()

    @cached_property
    def operator_producers(self) -> list[list[int]]:
        """Of each operator those of whose tasks its own need some."""
        found: list[list[int]] = [[] for _ in self.operators]
        for producer, consumer in self._operator_pairs:
            found[consumer].append(producer)
        return found

    @cached_property
    def producer_sets(self) -> tuple[Ints, Parts]:
        """Of each task the number of the set of tasks that must be done before it, and these: many tasks have one."""
        return self.dependences.producers_of(self.tasks).distinct()

    @cached_property
    def producer_runs(self) -> tuple[Parts, Parts]:
        """Of each set of producers the runs that it is of, and these: tasks of one operator, which many sets have."""
        _, sets = self.producer_sets
        begins = np.flatnonzero(run_begins(sets.owners) | run_begins(self.operator_of[sets.numbers]))
        all_runs = Parts(sets.numbers, np.append(begins, len(sets.numbers)))
        first, size = sets.numbers[begins], all_runs.sizes
        if (sets.numbers[all_runs.starts[1:] - 1] - first == size - 1).all():  # then these two say which tasks they are
            keys = first.astype(np.int64) * (self.tasks + 1) + size
            _, number, of = np.unique(keys, return_index=True, return_inverse=True)
            runs = all_runs.chosen(number)
        else:
            of, runs = all_runs.distinct()
        return Parts(of.astype(np.int32), np.searchsorted(begins, sets.starts)), runs

    @cached_property
    def _operator_runs(self) -> "_OperatorRuns":
        return _OperatorRuns.of(self)

    @cached_property
    def _operator_pairs(self) -> dict[tuple[int, int], tuple[int, int]]:
        """Of each two dependent operators, the pairs of dependent tasks, and tasks of the second one in some pair."""
        runs = self._operator_runs
        keys, number = np.unique(runs.between, return_inverse=True)
        pairs = np.bincount(number, runs.lengths * runs.consumers).astype(np.int64)
        tasks = np.bincount(number, runs.consumers).astype(np.int64)
        consumers, producers = np.divmod(keys, max(1, len(self.operators)))
        between = zip(producers.tolist(), consumers.tolist(), strict=True)
        return dict(zip(between, zip(pairs.tolist(), tasks.tolist(), strict=True), strict=True))

    @cached_property
    def _direct_pairs(self) -> NDArray[np.int64]:
        """The operators between which dependences are that no operator in between implies, as `_OperatorRuns.between`.

        They are implied where each task of that operator needs all tasks of the producers' one, and each task of the
        consumers' one needs some of it.
        """
        pairs, tasks = self._operator_pairs, [one.tasks for one in self.operators]
        givers: dict[int, list[int]] = defaultdict(list)
        for producer, consumer in pairs:
            givers[consumer].append(producer)
        whole = {one for one, (count, _) in pairs.items() if count == tasks[one[0]] * tasks[one[1]]}
        met = {one for one, (_, some) in pairs.items() if some == tasks[one[1]]}
        direct = [
            consumer * len(tasks) + producer
            for producer, consumer in pairs
            if not any((producer, one) in whole and (one, consumer) in met for one in givers[consumer])
        ]
        return np.array(direct, np.int64)

    @cached_property
    def direct_producers(self) -> tuple[Ints, Parts]:
        """What `producer_sets` says, but for dependences that an operator in between implies."""
        runs, (_, sets) = self._operator_runs, self.producer_sets
        direct = np.isin(runs.between, self._direct_pairs)
        # Run by run, and so set by set: the producers that stay.
        counts = np.bincount(runs.user[direct], runs.lengths[direct], len(runs.sets)).astype(np.int64)
        numbers = sets.numbers[spread(runs.begins[direct], runs.lengths[direct])]
        of, found = Parts(numbers, np.append(0, np.cumsum(counts))).distinct()
        return of[runs.users], found

    def describe(self, task: int) -> str:
        """Return how messages call a task: its number in its operator, and the operator."""
        operator = int(self.operator_of[task])
        return f"task {task - self.first[operator]} of '{self.operators[operator].name}'"


@dataclass(frozen=True, eq=False)
class _OperatorRuns:
    """Which operators' tasks stand behind each other in the producers of tasks.

    Tasks of one operator with the same producers are a user of their set: runs are looked at once for each.

    Attributes:
        users: The user that each task is.
        sets: The set of each user.
        user: The user of each run of producers of one operator, in rising order.
        begins: Where it begins in the numbers of all sets.
        lengths: How many tasks it has.
        between: Both operators in one number: that of the user, times how many operators there are, and the run's.
        consumers: How many tasks its user is.
    """

    users: Ints
    sets: Ints
    user: Ints
    begins: NDArray[np.integer[Any]]
    lengths: NDArray[np.integer[Any]]
    between: NDArray[np.integer[Any]]
    consumers: NDArray[np.integer[Any]]

    @classmethod
    def of(cls, graph: TaskGraph) -> "_OperatorRuns":
        """Read the runs of a graph."""
        set_of, sets = graph.producer_sets
        keys = graph.operator_of.astype(np.int64) * len(sets) + set_of
        distinct, users, counts = np.unique(keys, return_inverse=True, return_counts=True)
        operators, used = np.divmod(distinct, max(1, len(sets)))
        producer_op = graph.operator_of[sets.numbers]
        begins = np.flatnonzero(run_begins(sets.owners) | run_begins(producer_op))
        lengths = np.diff(begins, append=len(producer_op))
        runs = np.searchsorted(begins, sets.starts)  # of each set
        user = np.repeat(np.arange(len(used), dtype=np.int32), np.diff(runs)[used])
        mine = spread(runs[used], np.diff(runs)[used])
        between = operators[user] * len(graph.operators) + producer_op[begins[mine]]
        return cls(
            users.astype(np.int32), used.astype(np.int32), user, begins[mine], lengths[mine], between, counts[user]
        )


class _Tracker:
    """Walks the operators in order and keeps the last writer of each cell: the largest piece that no access divides.

    Of whole views it is told between operators, which takes less.
    """

    def __init__(self, graph: TaskGraph) -> None:
        self.graph = graph
        self.cell_bytes: dict[int, int] = defaultdict(int)
        ends: dict[int, int] = defaultdict(int)
        for one in distinct(one for operator in graph.operators for one in (*operator.reads, *operator.writes)):
            self.cell_bytes[one.buffer] = gcd(self.cell_bytes[one.buffer], *one.span, one.boxes.element_bytes)
            ends[one.buffer] = max(ends[one.buffer], one.span[1])
        written = {one.buffer for operator in graph.operators for one in operator.writes}
        self.writers = {b: np.full(ends[b] // self.cell_bytes[b], -1, np.int32) for b in written}
        # By buffer and by the bytes that they read: since these were last written as a whole.
        self.readers: dict[int, dict[tuple[int, int], list[tuple[int, TaskAccess]]]] = {b: {} for b in written}
        self.read = {b: np.zeros(len(cells), bool) for b, cells in self.writers.items()}
        self.pairs: list[NDArray[np.int64]] = []  # of one operator
        self.known: dict[tuple[TaskBoxes, int, bytes], tuple[Ints, Ints]] = {}
        self.early: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]  # of all
        self.bits = graph.tasks.bit_length()  # of the second number of a pair: shifts take less than divisions
        tasks = graph.tasks
        self.whole = WholeViews(graph, self.bits, lambda cells, boxes: writers_in(cells, boxes, 0, tasks))

    def dependences(self) -> tuple[TaskDependences, TaskDependences]:
        """Return each pair of which the first writes what the second touches, or touches what the second writes.

        Those of them that early reads make are returned beside.
        """
        pairs = [np.zeros(0, np.int64)]
        for number, operator in enumerate(self.graph.operators):
            first = self.graph.first[number]
            given = [one for one in operator.reads if one.buffer in self.writers]
            reads, writes = self.whole.take(first, given, operator.writes, self._refuse_read)
            for one in (*reads, *writes):
                writers, tasks = self._last_writers(one)
                self._add(writers, tasks + first)
                if one.early and len(writers):
                    self.early.append(self.pairs[-1])
            for one in writes:
                self._write(first, one)
            for one in reads:
                if any(one.meets(other) for other in writes):
                    self._check_own(first, one)
            for one in writes:
                self._overwrite(first, one, [other.span for other in writes if other.buffer == one.buffer])
            for one in reads:
                self.readers[one.buffer].setdefault(one.span, []).append((first, one))
                self.read[one.buffer][self._range(one)] = True
            if self.pairs:  # whose consumers are tasks of this operator
                found = np.sort(np.concatenate(self.pairs))
                pairs.append(found[run_begins(found)])
                self.pairs = []
        return self._joined(pairs, self.whole.pairs()), self._joined(self.early, self.whole.early_pairs())

    def _joined(self, pairs: list[NDArray[np.int64]], whole: tuple[Ints, Ints]) -> TaskDependences:
        """Return pairs by cells and by whole views, each once."""
        producers, consumers = whole
        if any(map(len, pairs)):
            found = np.sort(np.concatenate([*pairs, (consumers.astype(np.int64) << self.bits) + producers]))
            found = found[run_begins(found)]
            producers, consumers = (found & ((1 << self.bits) - 1)).astype(np.int32), found >> self.bits
        return TaskDependences(producers, consumers.astype(np.int32, copy=False))

    def _cells(self, one: TaskAccess) -> Ints:
        """Return the cells of an access's view, its dimensions and one of the cells of an element."""
        rows = one.boxes.element_bytes // self.cell_bytes[one.buffer]
        return self.writers[one.buffer][self._range(one)].reshape(*one.boxes.shape, rows)

    def _range(self, one: TaskAccess) -> slice:
        size = self.cell_bytes[one.buffer]
        return slice(one.span[0] // size, one.span[1] // size)

    def _last_writers(self, one: TaskAccess, least: int = 0, span: tuple[int, int] | None = None) -> tuple[Ints, Ints]:
        """Return the last writers of each box of an access, from a number on, with each task of the box.

        Args:
            one: The access.
            least: The number.
            span: Bytes of its buffer in which all of these have written; None for all.
        """
        cells, boxes = self._cells(one), one.boxes.distinct
        is_large = cells.size > MOST_KNOWN_CELLS
        if is_large and span is not None:
            size = self.cell_bytes[one.buffer]
            ends = ((max(one.span[0], min(at, one.span[1])) - one.span[0]) // size for at in span)
            cells, boxes = clipped(cells, boxes, *ends)
        low, high = (int(cells.min()), int(cells.max())) if cells.size else (-1, -1)
        if high < least:
            return NONE, NONE
        if low == high:
            return np.full(len(boxes.tasks), high, np.int32), boxes.tasks
        if is_large:
            return writers_in(cells, boxes, least, self.graph.tasks)
        # Cells of operators of one type are mostly written alike, but for the number of the first writer.
        key = one.boxes, max(least - low, 0), (cells - low).tobytes()
        if key not in self.known:
            writers, tasks = writers_in(cells, boxes, least, self.graph.tasks)
            self.known[key] = writers - low, tasks
        writers, tasks = self.known[key]
        return writers + low, tasks

    def _add(self, producers: Ints, consumers: Ints) -> None:
        if len(producers):
            self.pairs.append((consumers.astype(np.int64) << self.bits) + producers)

    def _write(self, first: int, one: TaskAccess) -> None:
        """The tasks of an access, the first of which is `first` of all, become the last writers of its cells."""
        cells, boxes = self._cells(one), one.boxes.distinct
        owners = (boxes.owners + first).tolist()
        if len(boxes.tasks) == len(owners) and int(cells.max(initial=-1)) < first:
            for box, owner in zip(boxes.slices, owners, strict=True):
                cells[box] = owner
            # No two boxes overlap where they have as many cells as were written.
            if np.count_nonzero(cells >= first) == int(boxes.extents.prod(axis=1).sum()) * cells.shape[-1]:
                return
            cells[cells >= first] = -1
        for number, (box, owner) in enumerate(zip(boxes.slices, owners, strict=True)):
            tasks = boxes.tasks_of(number)
            part = cells[box]
            others = part[(part >= first) & (part != owner)]
            if len(tasks) > 1 or len(others):
                other = int(others[0]) if len(others) else first + int(tasks[1])
                self._refuse(owner, other, "both write", one)
            cells[box] = owner

    def _overwrite(self, first: int, one: TaskAccess, spans: Sequence[tuple[int, int]]) -> None:
        """The tasks of an access, whose cells they have just written, come behind those that read them before.

        Args:
            first: The first of the tasks.
            one: The access.
            spans: Bytes of its buffer in which they have just written, by it or by others.
        """
        if not self.read[one.buffer][self._range(one)].any():
            return
        readers = self.readers[one.buffer]
        written = min(begin for begin, _ in spans), max(end for _, end in spans)
        for span in [span for span in readers if span[0] < one.span[1] and one.span[0] < span[1]]:
            kept = list[tuple[int, TaskAccess]]()
            for reader, read in readers.pop(span):
                writers, tasks = self._last_writers(read, first, written)
                self._add(tasks + reader, writers)
                if int(self._cells(read).min()) < first:
                    kept.append((reader, read))
            if kept:
                readers[span] = kept

    def _check_own(self, first: int, read: TaskAccess) -> None:
        """A task may read what it writes itself, and nothing that another of its operator writes."""
        writers, tasks = self._last_writers(read, first)
        for number in np.flatnonzero(writers != tasks + first)[:1].tolist():
            self._refuse_read(int(tasks[number]) + first, int(writers[number]), read)

    def _refuse_read(self, reader: int, writer: int, read: TaskAccess) -> None:
        self._refuse(reader, writer, "the first reads and the second writes", read)

    def _refuse(self, one: int, other: int, what: str, access: TaskAccess) -> None:
        names = f"{self.graph.describe(one)} and {self.graph.describe(other)}"
        raise ConflictError(f"{names}: {what} the same bytes of buffer {access.buffer}")
