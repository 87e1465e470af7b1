# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A schedule walked in predicted times: when each task starts and ends, and what it stood behind.

Paper: RAMMER, section 3.3: a static schedule is made, and judged, from the predicted times of its tasks.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.resident.slots import Slices
from roller_mlir.rammer.schedule import NO_EVENT, Schedule

NO_TASK = -1
"""What a task that starts at once stood behind."""


@dataclass(frozen=True, eq=False)
class PredictedTimes:
    """When the tasks of a schedule run, if each takes as long as the model says.

    Attributes:
        begin_s: When each task begins with what may pass before its waits are over, in seconds from the start of the
            kernel; by the task's number.
        start_s: When its waits are over, and that is done.
        end_s: When it ends.
        behind: The task whose end was the last thing that it stood behind, or `NO_TASK`.
        work_s: The work of all tasks, divided over all vEUs.
    """

    begin_s: NDArray[np.float64]
    start_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    behind: NDArray[np.int32]
    work_s: float

    @cached_property
    def makespan_s(self) -> float:
        """When the last task ends."""
        return float(self.end_s.max(initial=0.0))

    @property
    def utilisation(self) -> float:
        """The share of the makespan in which a vEU works, on average; 1 where there is nothing to do."""
        return self.work_s / self.makespan_s if self.makespan_s else 1.0

    @cached_property
    def critical_path(self) -> tuple[int, ...]:
        """The tasks that the last one to end stood behind, the first one first, and itself."""
        found: list[int] = []
        task = int(self.end_s.argmax()) if len(self.end_s) else NO_TASK
        while task != NO_TASK:
            found.append(task)
            task = int(self.behind[task])
        return tuple(reversed(found))


@dataclass(eq=False)
class _Event:
    """The signals that an event has so far: the last of all, and the last of other vEUs than that one's."""

    missing: int
    last: float = -1.0
    task: int = NO_TASK
    unit: int = -1
    other_last: float = -1.0
    other_task: int = NO_TASK

    def signal(self, end: float, task: int, unit: int) -> None:
        self.missing -= 1
        if end >= self.last:
            if unit != self.unit:
                self.other_last, self.other_task = self.last, self.task
            self.last, self.task, self.unit = end, task, unit
        elif unit != self.unit and end > self.other_last:
            self.other_last, self.other_task = end, task

    def elsewhere(self, unit: int) -> tuple[float, int]:
        """Return end and number of the last task that signals on another vEU than this; a negative end: none does."""
        return (self.other_last, self.other_task) if unit == self.unit else (self.last, self.task)


def replay(graph: TaskGraph, schedule: Schedule, hand_over_s: float) -> PredictedTimes:
    """Return when each task of a schedule runs.

    Args:
        graph: The tasks, with their predicted times.
        schedule: Where they run, and what they wait for.
        hand_over_s: How long it takes from a task's end to the start of one on another vEU that waits for it.

    Raises:
        ValueError: Some tasks wait for ever.
    """
    filling = fill_seconds(graph, schedule)
    early, signals = (graph.early_seconds + filling).tolist(), schedule.signals.tolist()
    late = (graph.seconds - graph.early_seconds).tolist()
    programs = [program.tolist() for program in schedule.programs]
    waits = [wait.tolist() for wait in schedule.waits]
    events = [_Event(count) for count in schedule.counts.tolist()]
    begin_s, start_s, end_s = (np.zeros(graph.tasks) for _ in range(3))
    behind = np.full(graph.tasks, NO_TASK, np.int32)
    free, position = [0.0] * len(programs), [0] * len(programs)
    stuck: defaultdict[int, list[int]] = defaultdict(list)
    able, done = list(range(len(programs))), 0
    while able:
        unit = able.pop()
        program = programs[unit]
        while position[unit] < len(program):
            task = program[position[unit]]
            missing = next((event for event in waits[task] if events[event].missing > 0), None)
            if missing is not None:
                stuck[missing].append(unit)
                break
            begin_s[task] = free[unit]
            start, last = free[unit] + early[task], program[position[unit] - 1] if position[unit] else NO_TASK
            for event in waits[task]:
                signalled, by = events[event].elsewhere(unit)
                if by != NO_TASK and signalled + hand_over_s > start:
                    start, last = signalled + hand_over_s, by
            start_s[task], behind[task] = start, last
            end_s[task] = free[unit] = start + late[task]
            position[unit] += 1
            done += 1
            if (signal := signals[task]) != NO_EVENT:
                events[signal].signal(free[unit], task, unit)
                if events[signal].missing == 0:
                    able += stuck.pop(signal, [])
    if done < sum(map(len, programs)):
        raise ValueError(f"{sum(map(len, programs)) - done} tasks of the schedule wait for ever")
    work_s = float((graph.seconds + filling).sum()) / max(1, len(programs))
    return PredictedTimes(begin_s, start_s, end_s, behind, work_s)


def path_of_run(schedule: Schedule, ends: Sequence[float]) -> tuple[int, ...]:
    """Return the tasks that the last one to end stood behind in a run, the first one first, and itself.

    A task stood behind that which ended last of the one before it on its vEU and those that signal what it waits for.

    Args:
        schedule: What ran.
        ends: When each task ended, by its number.
    """
    unit, position = (one.tolist() for one in schedule.place)
    found: list[int] = []
    task = max(range(len(ends)), key=lambda one: ends[one], default=NO_TASK)
    while task != NO_TASK:
        found.append(task)
        before = schedule.programs[unit[task]][: position[task]][-1:].tolist()
        before += [one for event in schedule.waits[task].tolist() for one in schedule.members[event].tolist()]
        task = max(before, key=lambda one: ends[one], default=NO_TASK)
    return tuple(reversed(found))


def fill_seconds(graph: TaskGraph, schedule: Schedule) -> NDArray[np.float64]:
    """Return how much longer each task takes, before its waits are over, for what it brings to slots."""
    if not len(schedule.slots):
        return np.zeros(graph.tasks)
    slices = Slices.read(graph)
    return np.bincount(slices.tasks, slices.fill_seconds(graph) * schedule.fills, graph.tasks).astype(np.float64)
