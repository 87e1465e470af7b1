# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Waves of operators, and the chains through each task: how long it takes to it, and from it to the end of all.

Paper: RAMMER, Algorithm 1, line 3; critical paths are those of list scheduling.
"""

from collections import defaultdict
from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.parts import Ints, Parts


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


def tasks_in_waves(graph: TaskGraph) -> list[Ints]:
    """Return tasks by waves of their operators: none needs one of its own wave or of a later one."""
    waves = waves_of(graph.operator_producers)
    wave = np.zeros(len(graph.operators), np.int32)
    for number, operators in enumerate(waves):
        wave[operators] = number
    return [*Parts.by_number(wave[graph.operator_of], len(waves))]


def urgency_of(graph: TaskGraph, waves: Sequence[Ints], hand_over_s: float) -> NDArray[np.float64]:
    """Return of each task how long it takes at least from its start to the end of all, in seconds."""
    set_of, (runs_of, runs) = graph.producer_sets[0], graph.producer_runs
    sets_with, runs_with = runs_of.turned(len(runs)), runs.turned(graph.tasks)
    urgency, early = graph.seconds.copy(), graph.early_seconds
    behind = np.full(len(runs_of), -inf)  # the latest of the tasks behind each set, from their waits on
    for tasks in reversed(waves):
        mine = runs_with.chosen(tasks)
        # Each run is looked at once, however many tasks of it there are; what is behind it stands in later waves.
        asked, number = np.unique(mine.numbers, return_inverse=True)
        users = sets_with.chosen(asked)
        found = users.reduced(np.maximum, behind[users.numbers], -inf)
        latest = mine.reduced(np.maximum, found[number], -inf)
        some = latest > -inf
        urgency[tasks[some]] += hand_over_s + latest[some]
        np.maximum.at(behind, set_of[tasks], urgency[tasks] - early[tasks])
    return urgency


def soonest_of(graph: TaskGraph, waves: Sequence[Ints], hand_over_s: float) -> NDArray[np.float64]:
    """Return of each task when it starts at the soonest, if all that it needs is handed over, in seconds."""
    set_of, (runs_of, runs) = graph.producer_sets[0], graph.producer_runs
    ends = np.full(len(runs), -inf)  # of the last task of each run
    start, early = np.zeros(graph.tasks), graph.early_seconds
    runs_with = runs.turned(graph.tasks)
    for tasks in waves:
        asked, number = np.unique(set_of[tasks], return_inverse=True)
        needed = runs_of.chosen(asked)
        ready = needed.reduced(np.maximum, ends[needed.numbers], -inf)[number]
        some = ready > -inf
        start[tasks[some]] = ready[some] + hand_over_s - early[tasks[some]]
        mine = runs_with.chosen(tasks)
        np.maximum.at(ends, mine.numbers, np.repeat(start[tasks] + graph.seconds[tasks], mine.sizes))
    return start
