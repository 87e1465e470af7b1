# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is done before each task starts, whatever the blocks' speed: vector clocks over the vEUs of a schedule.

`clock[task][v]` tasks of vEU `v` are done before `task` starts: by the order on its own vEU, by the waits of those
tasks, and by its own waits. A task is before another exactly if the other's clock counts it.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roller_mlir.rammer.schedule import NO_EVENT, Schedule


@dataclass(frozen=True, eq=False)
class Clocks:
    """The clocks of a schedule.

    Attributes:
        before: How many tasks of each vEU are done before each task starts, [tasks, vEUs]; of stuck tasks, nothing.
        stuck: Tasks that never start: the first of each vEU that waits for ever.
    """

    before: NDArray[np.int32]
    stuck: tuple[int, ...]


def clocks_of(schedule: Schedule) -> Clocks:
    """Walk a schedule, whose tasks stand on one vEU each, in an order in which no task is before what it waits for."""
    units = len(schedule.programs)
    before = np.zeros((len(schedule.signals), units), np.int32)
    events = np.zeros((len(schedule.counts), units), np.int32)
    missing = schedule.counts.copy()
    signals: list[int] = schedule.signals.tolist()
    programs: list[list[int]] = [program.tolist() for program in schedule.programs]
    known: dict[bytes, NDArray[np.int32]] = {}  # by waits that are over: tasks of one operator wait for the same
    next_of = [0] * units
    waiting: dict[int, list[int]] = defaultdict(list)
    ready = list(range(units - 1, -1, -1))
    while ready:
        unit = ready.pop()
        program = programs[unit]
        for position in range(next_of[unit], len(program)):
            task = program[position]
            clock, waits = before[task], schedule.waits[task]
            if len(waits) and (key := waits.tobytes()) not in known:
                signalled = missing[waits] == 0
                if not signalled.all():
                    waiting[int(waits[signalled.argmin()])].append(unit)
                    break
                known[key] = events[waits].max(axis=0)
            if position:
                np.maximum(clock, before[program[position - 1]], out=clock)
                clock[unit] = position
            if len(waits):
                np.maximum(clock, known[waits.tobytes()], out=clock)
            event = signals[task]
            if event != NO_EVENT:
                of_event = events[event]
                np.maximum(of_event, clock, out=of_event)
                of_event[unit] = max(of_event[unit], position + 1)
                missing[event] -= 1
                if missing[event] == 0:
                    ready += waiting.pop(event, ())
            next_of[unit] += 1
    stuck = tuple(p[n] for p, n in zip(programs, next_of, strict=True) if n < len(p))
    return Clocks(before, stuck)
