# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Policies: which vEU runs which tasks in which order. Events and waits are the mechanism's, `add_events`.

Paper: RAMMER, section 3.3: the policy stands apart from the mechanism.
"""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Protocol

import numpy as np

from roller_mlir.rammer.chains import tasks_in_waves, urgency_of, waves_of
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.options import POLICY_NAMES
from roller_mlir.rammer.parts import Ints, Parts
from roller_mlir.rammer.resident.homes import Homes

NEAR = 1.1
"""Of the time of all work on all vEUs, which no schedule comes below: one that takes more is compared with another."""

WORTH = 0.97
"""Of the time of the most urgent task first, that the order of waves must not exceed: it may wait twice as often."""


class Policy(Protocol):
    """Places the tasks of a graph on so many vEUs."""

    def __call__(
        self, graph: TaskGraph, execution_units: int, hand_over_s: float, homes: Homes | None = None
    ) -> tuple[Ints, ...]:
        """Return the tasks of each vEU, in order.

        Args:
            graph: The tasks.
            execution_units: How many vEUs there are.
            hand_over_s: How long a task's result takes to another vEU.
            homes: Where tasks run that keep slices in workgroup memory; None where none does.
        """
        ...


@dataclass(frozen=True)
class _TimedPrograms:
    """Tasks on vEUs.

    Attributes:
        programs: The tasks of each vEU, in order.
        end_s: When the last one is expected to end.
    """

    programs: tuple[Ints, ...]
    end_s: float


class _Placement:
    """Tasks placed so far, and when the model expects each to end."""

    def __init__(self, graph: TaskGraph, execution_units: int, hand_over_s: float, homes: Homes | None) -> None:
        set_of, self.sets = graph.producer_sets
        self.set_of: list[int] = set_of.tolist()
        self.results: dict[int, tuple[float, int, float]] = {}  # by the set of producers
        self.early: list[float] = graph.early_seconds.tolist()
        self.late: list[float] = (graph.seconds - graph.early_seconds).tolist()
        self.hand_over_s = hand_over_s
        self.end = np.zeros(graph.tasks)
        self.unit = np.full(graph.tasks, -1, np.int32)
        self.programs: list[list[int]] = [[] for _ in range(execution_units)]
        self.free = [(0.0, unit) for unit in range(execution_units)]
        self.free_at = [0.0] * execution_units
        self.keeps = None if homes is None else _Keeping(graph, homes)

    def append(self, task: int) -> float:
        """Put a task on the vEU that can start it first (RAMMER's SelectvEU), and return when it ends.

        That is the vEU that is free first, or the one of the last producer, which needs no hand-over. What of a task
        may pass before its waits are over passes as soon as its vEU is free. A task that keeps slices in workgroup
        memory runs where these are, and brings them there if none before it has.
        """
        ready, own, own_ready = self._results_of(self.set_of[task])
        if self.keeps is not None and (home := self.keeps.unit[task]) >= 0:
            if home != own and own >= 0:
                ready = self._ready_on(self.sets[self.set_of[task]], home)
            early = self.early[task] + self.keeps.bring(task)
            return self._put(task, home, max(self.free_at[home] + early, own_ready if home == own else ready))
        while self.free[0][0] < self.free_at[self.free[0][1]]:  # used meanwhile as a producer's vEU
            heapq.heapreplace(self.free, (self.free_at[self.free[0][1]], self.free[0][1]))
        free, unit = self.free[0]
        early = self.early[task]
        start = max(free + early, ready)
        if own >= 0 and (near := max(self.free_at[own] + early, own_ready)) <= start:
            start, unit = near, own
        return self._put(task, unit, start)

    def _ready_on(self, before: Ints, home: int) -> float:
        """Return when results of tasks are there on a vEU."""
        return float((self.end[before] + np.where(self.unit[before] != home, self.hand_over_s, 0.0)).max())

    def _put(self, task: int, unit: int, start: float) -> float:
        end = start + self.late[task]
        self.end[task], self.unit[task], self.free_at[unit] = end, unit, end
        self.programs[unit].append(task)
        return end

    def _results_of(self, producers: int) -> tuple[float, int, float]:
        """Return when results of a set of tasks are there on any vEU, the last one's vEU, and when they are there.

        All of them are placed, so that nothing changes behind the first question.
        """
        if producers not in self.results:
            before = self.sets[producers]
            self.results[producers] = self._gathered(before) if len(before) else (0.0, -1, 0.0)
        return self.results[producers]

    def _gathered(self, before: Ints) -> tuple[float, int, float]:
        ends, units = self.end[before].tolist(), self.unit[before].tolist()
        end = max(ends)
        own = units[ends.index(end)]
        elsewhere = [at + self.hand_over_s for at, unit in zip(ends, units, strict=True) if unit != own]
        return end + self.hand_over_s, own, max(end, max(elsewhere, default=end))

    def result(self) -> _TimedPrograms:
        programs = tuple(np.array(program, np.int32) for program in self.programs)
        return _TimedPrograms(programs, float(self.end.max(initial=0.0)))


class _Keeping:
    """Which slices were brought so far."""

    def __init__(self, graph: TaskGraph, homes: Homes) -> None:
        slices = homes.slices
        self.unit: list[int] = homes.unit_of_task.tolist()
        self.slices, self.starts = slices.flat, slices.starts
        self.seconds = slices.fill_seconds(graph)
        self.brought = [False] * len(slices.bytes)
        self.left = len(slices.bytes)

    def bring(self, task: int) -> float:
        """Bring what a task reads and nobody has brought; return how long that takes."""
        if not self.left:  # as for most tasks of a model of many steps
            return 0.0
        taken, own = 0.0, slice(self.starts[task], self.starts[task + 1])
        for one, seconds in zip(self.slices[own].tolist(), self.seconds[own].tolist(), strict=True):
            if not self.brought[one]:
                self.brought[one] = True
                self.left -= 1
                taken += seconds
        return taken


def usual_blocks(graph: TaskGraph, units: int) -> int:
    """Return how many blocks find work at once.

    Args:
        graph: The tasks.
        units: Units of the device.
    """
    operators = [(one.tasks if one.together is None else one.together, one.units) for one in graph.operators]
    return blocks_at_once(
        ([operators[number] for number in wave] for wave in waves_of(graph.operator_producers)), units
    )


def blocks_at_once(waves: Iterable[Sequence[tuple[int, int | None]]], units: int) -> int:
    """Return how many blocks find work at once: all tasks of a wave on units of their own, or as many as are predicted.

    More blocks than units, as many on each, run where times of tasks are predicted so: of one operator alone, or of
    operators that share the device.

    Args:
        waves: Of each operator of each wave how many tasks its time is predicted for, and on how many units; None for
            all.
        units: Units of the device.
    """
    widest = 1
    for wave in waves:
        together = [tasks for tasks, _ in wave]
        shared = sum(together) if sum(share or units for _, share in wave) <= units else 0
        widest = max(widest, *together, min(sum(together), units), shared)
    return widest if widest <= units else -(-widest // units) * units


def wavefront(
    graph: TaskGraph, execution_units: int, hand_over_s: float, homes: Homes | None = None
) -> tuple[Ints, ...]:
    """Place wave by wave, operator by operator, each task where it can start first.

    The algorithm begins another program where a wave would end sooner behind all that is placed (lines 4 to 10). None
    does: by then all vEUs are free, and all results are there. So there is one program for the whole graph.

    Paper: RAMMER, Algorithm 1; kernels (line 13) are chosen before, in `selection`.
    """
    return _by_waves(graph, execution_units, hand_over_s, homes).programs


def _by_waves(graph: TaskGraph, execution_units: int, hand_over_s: float, homes: Homes | None) -> _TimedPrograms:
    placement = _Placement(graph, execution_units, hand_over_s, homes)
    for wave in waves_of(graph.operator_producers):
        for operator in wave:
            for task in range(graph.first[operator], graph.first[operator + 1]):
                placement.append(task)
    return placement.result()


class _Waiting:
    """Tasks that wait for others, by the sets of these: all tasks that wait for one set may run from then on.

    Sets are of runs, tasks of one operator, which several of them have: a task is counted in its runs alone.

    Attributes:
        left: Tasks of each run that are not placed.
        missing: Runs of each set that have such tasks.
    """

    def __init__(self, graph: TaskGraph) -> None:
        (set_of, sets), (runs_of, runs) = graph.producer_sets, graph.producer_runs
        self.left: list[int] = runs.sizes.tolist()
        self.missing: list[int] = runs_of.sizes.tolist()
        self._runs, self._sets, self._tasks = (
            _rows(each)
            for each in (runs.turned(graph.tasks), runs_of.turned(len(runs)), Parts.by_number(set_of, len(sets)))
        )

    def runs_with(self, task: int) -> list[int]:
        """Return the runs that a task is in."""
        return self._runs[task]

    def sets_with(self, run: int) -> list[int]:
        """Return the sets that a run is in."""
        return self._sets[run]

    def tasks_behind(self, one: int) -> list[int]:
        """Return the tasks that wait for a set."""
        return self._tasks[one]

    def first(self) -> list[int]:
        """Return the tasks that wait for nobody."""
        return [task for one, count in enumerate(self.missing) if not count for task in self.tasks_behind(one)]

    def place(self, task: int) -> list[int]:
        """Note that a task is placed, and return those that wait for nobody who is not, since then."""
        found: list[int] = []
        for run in self.runs_with(task):
            self.left[run] -= 1
            for one in () if self.left[run] else self.sets_with(run):
                self.missing[one] -= 1
                if not self.missing[one]:
                    found += self.tasks_behind(one)
        return found


def _rows(parts: Parts) -> list[list[int]]:
    """Return the numbers of each row."""
    numbers = parts.numbers.tolist()
    return [numbers[a:b] for a, b in pairwise(parts.starts.tolist())]


def critical_path(
    graph: TaskGraph, execution_units: int, hand_over_s: float, homes: Homes | None = None
) -> tuple[Ints, ...]:
    """Place the most urgent of the tasks whose producers are placed: list scheduling by critical path.

    Where slices say on which vEU many tasks run, each vEU takes one of those that could begin there by then: no other
    would begin it sooner.

    Without slices, where vEUs idle for a tenth of the time, tasks are placed wave by wave, too, which is taken where it
    saves 3 %: the most urgent task keeps a vEU idle until its producers are done, where others could run before.
    """
    if homes is not None:
        return _as_time_goes(graph, execution_units, hand_over_s, homes)
    placed = _by_urgency(graph, execution_units, hand_over_s)
    if placed.end_s > NEAR * float(graph.seconds.sum()) / execution_units:
        other = _by_waves(graph, execution_units, hand_over_s, None)
        placed = other if other.end_s < WORTH * placed.end_s else placed
    return placed.programs


def _by_urgency(graph: TaskGraph, execution_units: int, hand_over_s: float) -> _TimedPrograms:
    placement = _Placement(graph, execution_units, hand_over_s, None)
    waiting = _Waiting(graph)
    urgency: list[float] = urgency_of(graph, tasks_in_waves(graph), hand_over_s).tolist()
    ready = [(-urgency[task], task) for task in waiting.first()]
    heapq.heapify(ready)
    while ready:
        _, task = heapq.heappop(ready)
        placement.append(task)
        for consumer in waiting.place(task):
            heapq.heappush(ready, (-urgency[consumer], consumer))
    return placement.result()


class _Turns:
    """Whose turn it is on vEUs that many tasks must share.

    It is the turn of the task behind whose end most is left to do: on one vEU that order is the best there is, if all
    may begin (Jackson's rule). Of equals it is that of the first one.

    Attributes:
        urgency: As of `urgency_of`.
        rank: The first is the smallest.
        least_s: What the schedule takes at least: a chain, the work of a vEU at home, or that of all.
    """

    def __init__(self, graph: TaskGraph, execution_units: int, hand_over_s: float, homes: Homes) -> None:
        urgency = urgency_of(graph, tasks_in_waves(graph), hand_over_s)
        self.urgency: list[float] = urgency.tolist()
        self.rank: list[float] = (graph.seconds - urgency).tolist()
        self.seconds: list[float] = graph.seconds.tolist()
        work_s = float(graph.seconds.sum()) / execution_units
        self.least_s = max(homes.busy_s(graph), work_s, *self.urgency)
        self.soon: list[dict[int, float]] = [{} for _ in range(execution_units)]

    def better_waits(self, unit: int, task: int, now: float) -> bool:
        """Return whether a vEU had better wait for one of its own tasks that is about to come than begin another.

        It had where that one comes first, and the other, once begun, would make the schedule longer than it can be.
        """
        end, rank = now + self.seconds[task], self.rank[task]
        for one, at in self.soon[unit].items():  # any() of them would take twice as long
            if at < end and self.rank[one] < rank and end + self.urgency[one] > self.least_s:
                return True
        return False


class _Ends:
    """When the last one of many groups of tasks ends, on which vEU, and when the last one of all other vEUs does."""

    def __init__(self, groups: int) -> None:
        self._last, self._unit, self._other = [-inf] * groups, [-1] * groups, [-inf] * groups

    def of(self, group: int) -> tuple[float, int, float]:
        """Return these three of a group."""
        return self._last[group], self._unit[group], self._other[group]

    def add(self, group: int, last: float, unit: int, other: float) -> None:
        """Take in tasks of which the last one ends on a vEU, and that of all others then."""
        if unit == self._unit[group]:
            if last > self._last[group]:
                self._last[group] = last
        elif last > self._last[group]:
            other = max(other, self._last[group])
            self._last[group], self._unit[group] = last, unit
        else:
            other = last
        if other > self._other[group]:
            self._other[group] = other


def _as_time_goes(graph: TaskGraph, execution_units: int, hand_over_s: float, homes: Homes) -> tuple[Ints, ...]:
    """Let each vEU that is free take the first task that may begin, of its own and of those that any may run."""
    waiting, home, keeps = _Waiting(graph), homes.unit_of_task.tolist(), _Keeping(graph, homes)
    turns = _Turns(graph, execution_units, hand_over_s, homes)
    ranked = [(one, task) for task, one in enumerate(turns.rank)]
    left, missing = waiting.left, waiting.missing
    early: list[float] = graph.early_seconds.tolist()
    late: list[float] = (graph.seconds - graph.early_seconds).tolist()
    ready = [0.0] * graph.tasks
    of_run, of_set = _Ends(len(left)), _Ends(len(missing))
    own: list[list[tuple[float, int]]] = [[] for _ in range(execution_units)]
    others: list[tuple[float, int]] = []
    programs: list[list[int]] = [[] for _ in range(execution_units)]
    free = set(range(execution_units))
    # When a task may begin (0, with its number), or a vEU is free again (1).
    coming = [(0.0, 0, task) for task in waiting.first()]
    heapq.heapify(coming)
    while coming:
        now, able = coming[0][0], set[int]()
        while coming and coming[0][0] <= now:
            _, kind, number = heapq.heappop(coming)
            if kind:
                free.add(number)
                able.add(number)
            elif (unit := home[number]) >= 0:
                heapq.heappush(own[unit], ranked[number])
                turns.soon[unit].pop(number, None)
                able.add(unit)
            else:
                heapq.heappush(others, ranked[number])
        # What any may run goes to those first that have nothing of their own to do.
        for unit in sorted(free, key=lambda unit: (bool(own[unit]), unit)) if others else sorted(able & free):
            mine = own[unit]
            able_here = others if not mine or (others and others[0] < mine[0]) else mine
            if not able_here or turns.better_waits(unit, able_here[0][1], now):
                continue
            _, task = heapq.heappop(able_here)
            end = max(now + early[task] + keeps.bring(task), ready[task]) + late[task]
            programs[unit].append(task)
            free.discard(unit)
            heapq.heappush(coming, (end, 1, unit))
            for run in waiting.runs_with(task):
                of_run.add(run, end, unit, -inf)
                left[run] -= 1
                if left[run]:
                    continue
                run_end = of_run.of(run)
                for one in waiting.sets_with(run):
                    of_set.add(one, *run_end)
                    missing[one] -= 1
                    if missing[one]:
                        continue
                    last, last_on, other = of_set.of(one)
                    there, near = last + hand_over_s, max(last, other + hand_over_s)
                    for consumer in waiting.tasks_behind(one):
                        ready[consumer] = near if home[consumer] == last_on else there
                        at = max(end, ready[consumer] - early[consumer])
                        heapq.heappush(coming, (at, 0, consumer))
                        if home[consumer] >= 0:
                            turns.soon[home[consumer]][consumer] = at
    return tuple(np.array(program, np.int32) for program in programs)


def round_robin(
    graph: TaskGraph, execution_units: int, hand_over_s: float, homes: Homes | None = None
) -> tuple[Ints, ...]:
    """Place each task on the next vEU, in their order, or where its slices are: a chain of tasks hands results over."""
    tasks = np.arange(graph.tasks, dtype=np.int32)
    if homes is None:
        return tuple(tasks[unit::execution_units] for unit in range(execution_units))
    units = np.where(homes.unit_of_task < 0, tasks % execution_units, homes.unit_of_task)
    return tuple(tasks[units == unit] for unit in range(execution_units))


POLICIES: dict[str, Policy] = dict(zip(POLICY_NAMES, (wavefront, critical_path, round_robin), strict=True))
"""Policies by the name that `rammer-schedule{policy=...}` gives."""
