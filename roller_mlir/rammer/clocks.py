# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is done before each task starts, whatever the blocks' speed: vector clocks over the vEUs of a schedule.

`clock[task][v]` tasks of vEU `v` are done before `task` starts: by the order on its own vEU, by the waits of those
tasks, and by its own waits. A task is before another exactly if the other's clock counts it.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roller_mlir.rammer.schedule import NO_EVENT, Schedule


@dataclass(frozen=True, eq=False)
class Clocks:
    """The clocks of a schedule.

    Attributes:
        before: How many tasks of each vEU are done before each task starts, [tasks, vEUs]; of stuck tasks, nothing.
            Numbers have 16 bits where the longest program allows it: what reads all of them is bound by memory.
        stuck: Tasks that never start: the first of each vEU that waits for ever.
    """

    before: NDArray[np.integer[Any]]
    stuck: tuple[int, ...]


def clocks_of(schedule: Schedule) -> Clocks:
    """Walk a schedule, whose tasks stand on one vEU each, in an order in which no task is before what it waits for.

    Round by round each vEU whose next task's waits are over runs it.
    """
    units, (set_of, sets) = len(schedule.programs), schedule.wait_sets
    order = np.concatenate([*schedule.programs, np.zeros(0, np.int32)])
    ends = np.cumsum([len(program) for program in schedule.programs])
    starts = ends - [len(program) for program in schedule.programs]
    kind = np.result_type(np.uint16, np.min_scalar_type(max(map(len, schedule.programs), default=0)))
    before = np.zeros((len(schedule.signals), units), kind)
    last = np.zeros((units, units), kind)  # the clock of the last task of each vEU
    events = np.zeros((len(schedule.counts), units), kind)
    missing = schedule.counts.copy()
    open_events = np.bincount(sets.owners, missing[sets.numbers] != 0, len(sets)).astype(np.int32)
    over = np.zeros((len(sets), units), kind)  # what is done where the waits of a set are over
    waiting: dict[int, list[int]] = defaultdict(list)
    for number, waits in enumerate(sets):
        for event in waits.tolist():
            waiting[event].append(number)
    at, left = starts.copy(), np.flatnonzero(starts < ends)
    while len(now := left[open_events[set_of[order[at[left]]]] == 0]):
        tasks, position = order[at[now]], (at - starts)[now]
        clock = np.maximum(last[now], over[set_of[tasks]])
        clock[np.arange(len(now)), now] = position
        before[tasks] = last[now] = clock
        clock[np.arange(len(now)), now] = position + 1
        signals = schedule.signals[tasks]
        by_event = np.argsort(signals, kind="stable")[np.count_nonzero(signals == NO_EVENT) :]
        if len(by_event):
            done, first, count = np.unique(signals[by_event], return_index=True, return_counts=True)
            events[done] = np.maximum(events[done], np.maximum.reduceat(clock[by_event], first))
            missing[done] -= count.astype(np.int32)
            for event in done[missing[done] == 0].tolist():
                for number in waiting[event]:
                    open_events[number] -= 1
                    if not open_events[number]:
                        over[number] = events[sets[number]].max(axis=0)
        at[now] += 1
        left = left[at[left] < ends[left]]
    return Clocks(before, tuple(order[at[left]].tolist()))
