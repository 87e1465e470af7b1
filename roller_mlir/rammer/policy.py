# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Policies: which vEU runs which tasks in which order. Events and waits are the mechanism's, `add_events`.

Paper: RAMMER, section 3.3: the policy stands apart from the mechanism.
"""

import heapq
from collections import defaultdict
from collections.abc import Sequence
from math import inf
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from roller_mlir.rammer.graph.boxes import Ints
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.options import POLICY_NAMES
from roller_mlir.rammer.parts import Parts
from roller_mlir.rammer.slots import Homes

SOONEST = 0.1
"""Of tasks on vEUs that many must share: how much a second counts by which one could begin sooner, beside one by which
another is more urgent."""


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

    def result(self) -> tuple[Ints, ...]:
        return tuple(np.array(program, np.int32) for program in self.programs)


class _Keeping:
    """Which slices were brought so far."""

    def __init__(self, graph: TaskGraph, homes: Homes) -> None:
        slices = homes.slices
        self.unit: list[int] = homes.unit_of_task.tolist()
        self.slices, self.starts = slices.flat.tolist(), slices.starts.tolist()
        self.seconds: list[float] = slices.fill_seconds(graph).tolist()
        self.brought = [False] * len(slices.bytes)

    def bring(self, task: int) -> float:
        """Bring what a task reads and nobody has brought; return how long that takes."""
        taken = 0.0
        for number in range(self.starts[task], self.starts[task + 1]):
            if not self.brought[self.slices[number]]:
                self.brought[self.slices[number]] = True
                taken += self.seconds[number]
        return taken


def waves_of(producers: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return operators by waves: the fringes of a breadth-first walk over them.

    Paper: RAMMER, Algorithm 1, line 3.

    Args:
        producers: Of each operator the numbers of those whose results it reads, all smaller than its own.
    """
    wave: list[int] = []
    for each in producers:
        wave.append(max((wave[one] + 1 for one in each), default=0))
    found: dict[int, list[int]] = defaultdict(list)
    for operator, number in enumerate(wave):
        found[number].append(operator)
    return [found[number] for number in sorted(found)]


def usual_blocks(graph: TaskGraph, units: int) -> int:
    """Return how many blocks find work at once: all tasks of a wave on units of their own, or as many as are predicted.

    More blocks than units, as many on each, run where times of tasks are predicted so: of one operator alone, or of
    operators that share the device.

    Args:
        graph: The tasks.
        units: Units of the device.
    """
    widest = 1
    for wave in waves_of(graph.operator_producers):
        operators = [graph.operators[number] for number in wave]
        together = [one.tasks if one.together is None else one.together for one in operators]
        shared = sum(together) if sum(one.units or units for one in operators) <= units else 0
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
    placement = _Placement(graph, execution_units, hand_over_s, homes)
    for wave in waves_of(graph.operator_producers):
        for operator in wave:
            for task in range(graph.first[operator], graph.first[operator + 1]):
                placement.append(task)
    return placement.result()


def _urgency_of(graph: TaskGraph, waiting: "_Waiting", hand_over_s: float) -> list[float]:
    """Return of each task how long it takes at least from its start to the end of all, in seconds."""
    urgency: list[float] = graph.seconds.tolist()
    early: list[float] = graph.early_seconds.tolist()
    set_of: list[int] = graph.producer_sets[0].tolist()
    latest = [-inf] * len(waiting.missing)  # of the tasks behind each set, from their waits on
    for task in range(graph.tasks - 1, -1, -1):
        if behind := waiting.sets_with(task):
            urgency[task] += hand_over_s + max([latest[one] for one in behind])
        own = set_of[task]
        latest[own] = max(latest[own], urgency[task] - early[task])
    return urgency


class _Waiting:
    """Tasks that wait for others, by the sets of these: all tasks that wait for one set may run from then on."""

    def __init__(self, graph: TaskGraph) -> None:
        set_of, sets = graph.producer_sets
        self.missing: list[int] = sets.sizes.tolist()
        tasks, inside = Parts.by_number(set_of, len(sets)), sets.turned(graph.tasks)
        self._tasks, self._starts = tasks.numbers.tolist(), tasks.starts.tolist()
        self._inside, self._begins = inside.numbers.tolist(), inside.starts.tolist()

    def sets_with(self, task: int) -> list[int]:
        """Return the sets that a task is in."""
        return self._inside[self._begins[task] : self._begins[task + 1]]

    def tasks_behind(self, one: int) -> list[int]:
        """Return the tasks that wait for a set."""
        return self._tasks[self._starts[one] : self._starts[one + 1]]

    def first(self) -> list[int]:
        """Return the tasks that wait for nobody."""
        return [task for one, count in enumerate(self.missing) if not count for task in self.tasks_behind(one)]


def _soonest_of(graph: TaskGraph, waiting: "_Waiting", hand_over_s: float) -> NDArray[np.float64]:
    """Return of each task when it starts at the soonest, if all that it needs is handed over, in seconds."""
    seconds: list[float] = graph.seconds.tolist()
    early: list[float] = graph.early_seconds.tolist()
    set_of: list[int] = graph.producer_sets[0].tolist()
    ends = [-inf] * len(waiting.missing)  # of the last task of each set
    start = [0.0] * graph.tasks
    for task in range(graph.tasks):
        if (ready := ends[set_of[task]]) > -inf:
            start[task] = ready + hand_over_s - early[task]
        end = start[task] + seconds[task]
        for one in waiting.sets_with(task):
            ends[one] = max(ends[one], end)
    return np.array(start)


def critical_path(
    graph: TaskGraph, execution_units: int, hand_over_s: float, homes: Homes | None = None
) -> tuple[Ints, ...]:
    """Place the most urgent of the tasks whose producers are placed: list scheduling by critical path.

    Where slices say on which vEU many tasks run, each vEU takes one of those that could begin there by then: no other
    would begin it sooner.
    """
    if homes is not None:
        return _as_time_goes(graph, execution_units, hand_over_s, homes)
    placement = _Placement(graph, execution_units, hand_over_s, homes)
    waiting = _Waiting(graph)
    urgency, missing = _urgency_of(graph, waiting, hand_over_s), waiting.missing
    ready = [(-urgency[task], task) for task in waiting.first()]
    heapq.heapify(ready)
    while ready:
        _, task = heapq.heappop(ready)
        placement.append(task)
        for one in waiting.sets_with(task):
            missing[one] -= 1
            if not missing[one]:
                for consumer in waiting.tasks_behind(one):
                    heapq.heappush(ready, (-urgency[consumer], consumer))
    return placement.result()


class _Turns:
    """Whose turn it is on vEUs that many tasks must share: the most urgent's, of about equals who could begin soonest.

    Attributes:
        urgency: As of `_urgency_of`.
        rank: The first is the smallest.
        least_s: What the schedule takes at least: a chain, the work of a vEU at home, or that of all.
    """

    def __init__(
        self, graph: TaskGraph, waiting: "_Waiting", execution_units: int, hand_over_s: float, homes: Homes
    ) -> None:
        self.urgency = _urgency_of(graph, waiting, hand_over_s)
        self.rank: list[float] = (SOONEST * _soonest_of(graph, waiting, hand_over_s) - np.array(self.urgency)).tolist()
        self.seconds: list[float] = graph.seconds.tolist()
        work_s = float(graph.seconds.sum()) / execution_units
        self.least_s = max(homes.busy_s(graph), work_s, *self.urgency)
        self.soon: list[dict[int, float]] = [{} for _ in range(execution_units)]

    def better_waits(self, unit: int, task: int, now: float) -> bool:
        """Return whether a vEU had better wait for one of its own tasks that is about to come than begin another.

        It had where that one comes first, and the other, once begun, would make the schedule longer than it can be.
        """
        end = now + self.seconds[task]
        return any(
            at < end and self.rank[one] < self.rank[task] and end + self.urgency[one] > self.least_s
            for one, at in self.soon[unit].items()
        )


def _as_time_goes(graph: TaskGraph, execution_units: int, hand_over_s: float, homes: Homes) -> tuple[Ints, ...]:
    """Let each vEU that is free take the first task that may begin, of its own and of those that any may run."""
    waiting, home, keeps = _Waiting(graph), homes.unit_of_task.tolist(), _Keeping(graph, homes)
    turns = _Turns(graph, waiting, execution_units, hand_over_s, homes)
    ranked = [(one, task) for task, one in enumerate(turns.rank)]
    missing = waiting.missing
    early: list[float] = graph.early_seconds.tolist()
    late: list[float] = (graph.seconds - graph.early_seconds).tolist()
    ready = [0.0] * graph.tasks
    # Of each set of producers, when the last of them ends, on which vEU, and when the last one of all other vEUs does.
    last, last_on, other = [-inf] * len(missing), [-1] * len(missing), [-inf] * len(missing)
    own: list[list[tuple[float, int]]] = [[] for _ in range(execution_units)]
    others: list[tuple[float, int]] = []
    programs: list[list[int]] = [[] for _ in range(execution_units)]
    free = set(range(execution_units))
    # When a task may begin (0, with its number), or a vEU is free again (1).
    coming = [(0.0, 0, task) for task in waiting.first()]
    heapq.heapify(coming)
    while coming:
        now, able = coming[0][0], list[int]()
        while coming and coming[0][0] <= now:
            _, kind, number = heapq.heappop(coming)
            if kind:
                free.add(number)
                able.append(number)
            elif (unit := home[number]) >= 0:
                heapq.heappush(own[unit], ranked[number])
                turns.soon[unit].pop(number, None)
                able.append(unit)
            else:
                heapq.heappush(others, ranked[number])
        for unit in sorted(free) if others else sorted({*able} & free):
            mine = own[unit]
            able_here = others if not mine or (others and others[0] < mine[0]) else mine
            if not able_here or turns.better_waits(unit, able_here[0][1], now):
                continue
            _, task = heapq.heappop(able_here)
            end = max(now + early[task] + keeps.bring(task), ready[task]) + late[task]
            programs[unit].append(task)
            free.discard(unit)
            heapq.heappush(coming, (end, 1, unit))
            for one in waiting.sets_with(task):
                if end > last[one]:
                    other[one] = last[one] if last_on[one] != unit else other[one]
                    last[one], last_on[one] = end, unit
                elif last_on[one] != unit and end > other[one]:
                    other[one] = end
                missing[one] -= 1
                if missing[one]:
                    continue
                there, near = last[one] + hand_over_s, max(last[one], other[one] + hand_over_s)
                for consumer in waiting.tasks_behind(one):
                    ready[consumer] = near if home[consumer] == last_on[one] else there
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
