# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Waits between tasks that a placement needs: events that producers signal and consumers wait for, and fewer of them.

Paper: RAMMER, section 3.3 (`Wait`), where one wait for the last of consecutive tasks of a vEU is the only reduction.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from roller_mlir.rammer.boxes import Ints
from roller_mlir.rammer.clocks import Clocks, clocks_of
from roller_mlir.rammer.options import HAND_OVER_NAMES
from roller_mlir.rammer.policy import waves_of
from roller_mlir.rammer.schedule import NO_EVENT, NO_WAITS, Schedule, in_parts, spread
from roller_mlir.rammer.task_graph import TaskDependences, TaskGraph

PAIRS_TOGETHER = 1 << 21
"""Pairs of tasks that are looked at together."""


def add_events(graph: TaskGraph, programs: Sequence[Ints]) -> Schedule:
    """Return a placement with waits for the dependences between vEUs. The order on one vEU needs none.

    Nor do dependences that an operator in between implies, as in chains of cells that all read the first one's result.
    Producers of the same consumers signal one event, those too that run on a consumer's own vEU: whoever waits for it
    comes behind all of them as it is.

    Args:
        graph: The tasks.
        programs: The tasks of each vEU, in order.
    """
    pairs = TaskDependences(graph.dependences.producers[graph.direct], graph.dependences.consumers[graph.direct])
    placed = Schedule(
        tuple(programs), (NO_WAITS,) * graph.tasks, np.full(graph.tasks, NO_EVENT, np.int32), np.zeros(0, np.int32)
    )
    unit, position = placed.place
    across = (unit[pairs.producers] != unit[pairs.consumers]) | (position[pairs.producers] > position[pairs.consumers])
    event = _events_of(pairs, graph.tasks)
    awaited = event[pairs.producers[across]].astype(np.int64)
    keys = np.unique(pairs.consumers[across] * np.int64(graph.tasks) + awaited)
    consumers, events = np.divmod(keys, max(1, graph.tasks))
    starts = np.searchsorted(consumers, np.arange(graph.tasks + 1))
    return _numbered(replace(placed, waits=in_parts(events.astype(np.int32), starts), signals=event))


def _events_of(pairs: TaskDependences, tasks: int) -> Ints:
    """Return of each task the event that it signals, one for all tasks with the same consumers; those of no task none.

    Events are numbered by their first tasks.
    """
    order = np.argsort(pairs.producers, kind="stable")  # of each, its consumers rise as they do in the pairs
    consumers = pairs.consumers[order]
    starts = np.searchsorted(pairs.producers[order], np.arange(tasks + 1)).tolist()
    known: dict[bytes, int] = {b"": NO_EVENT}
    return np.array([known.setdefault(consumers[a:b].tobytes(), len(known) - 1) for a, b in pairwise(starts)], np.int32)


def add_barriers(graph: TaskGraph, programs: Sequence[Ints]) -> Schedule:
    """Return a placement with a barrier of all vEUs between waves of operators: the baseline of finer waits.

    Each vEU runs its tasks wave by wave. Behind its last task of a wave it signals the wave's event, for which its
    first task of a later wave waits: that of the wave before, whose tasks have waited for all earlier ones.
    """
    waves = waves_of(graph.operator_producers)
    of_operator = np.zeros(len(graph.operators), np.int32)
    for number, operators in enumerate(waves):
        of_operator[operators] = number
    wave = of_operator[graph.operator_of]
    ordered = tuple(program[np.argsort(wave[program], kind="stable")] for program in programs)
    signals = np.full(graph.tasks, NO_EVENT, np.int32)
    waits = [NO_WAITS] * graph.tasks
    for program in ordered:
        passed = np.flatnonzero(np.diff(wave[program])).tolist()  # the last tasks of waves, but of the last wave
        for last in [*passed, *([len(program) - 1] if len(program) else [])]:
            if wave[program[last]] < len(waves) - 1:
                signals[program[last]] = wave[program[last]]
        for first in [*([0] if len(program) else []), *(last + 1 for last in passed)]:
            if wave[program[first]]:
                waits[program[first]] = np.array([wave[program[first]] - 1], np.int32)
    counts = np.bincount(signals[signals != NO_EVENT], minlength=max(0, len(waves) - 1)).astype(np.int32)
    return Schedule(ordered, tuple(waits), signals, counts)


HAND_OVERS: dict[str, Callable[[TaskGraph, Sequence[Ints]], Schedule]] = dict(
    zip(HAND_OVER_NAMES, (add_events, add_barriers), strict=True)
)
"""What tasks wait for, by the name that `rammer-schedule{hand-over=...}` gives."""


def reduce_waits(schedule: Schedule) -> Schedule:
    """Return the schedule with as few waits as its order needs. What is before what stays as it is.

    Waits that the order on the vEUs and the other waits imply are dropped. Events that one task waits for become one
    where each task that waits for one of them comes behind the signals of both. A schedule with stuck tasks is returned
    as it is.
    """
    clocks = clocks_of(schedule)
    if clocks.stuck:
        return schedule
    unit, position = schedule.place
    set_of, sets = schedule.wait_sets
    events = np.concatenate([*sets, NO_WAITS])
    signals = schedule.signals
    order = np.argsort(signals, kind="stable").astype(np.int32)
    begin, end = (np.searchsorted(signals[order], events, side) for side in ("left", "right"))
    of = np.repeat(np.arange(len(sets)), list(map(len, sets)))  # the set of each of the events, then of their members
    members, of = order[spread(begin, end - begin)], np.repeat(of, end - begin)
    starts = np.searchsorted(of, np.arange(len(sets) + 1))
    implied = np.zeros(len(members), bool)
    sizes = np.diff(starts)
    for part in _in_turn(sizes * len(schedule.programs)):  # those that another member of their set has waited for
        part = part[sizes[part] > 0]
        own = spread(starts[part], sizes[part])
        waited = np.maximum.reduceat(clocks.before[members[own]], np.cumsum(sizes[part]) - sizes[part])
        each = np.repeat(np.arange(len(part)), sizes[part])
        implied[own] = waited[each, unit[members[own]]] > position[members[own]]
    members, of = members[~implied], of[~implied]
    starts = np.searchsorted(of, np.arange(len(sets) + 1))
    previous = np.full(len(unit), -1, np.int32)
    for program in schedule.programs:
        previous[program[1:]] = program[:-1]
    keys = [np.zeros(0, np.int64)]
    for part in _in_turn(np.diff(starts)[set_of]):  # tasks, and what they wait for beyond the order on their vEUs
        task = np.repeat(part, np.diff(starts)[set_of[part]])
        member = members[spread(starts[set_of[part]], np.diff(starts)[set_of[part]])]
        done = np.where(previous[task] < 0, 0, clocks.before[previous[task], unit[member]])
        done = np.where(unit[member] == unit[task], position[task], done)
        missing = done <= position[member]
        keys.append(np.unique(task[missing] * np.int64(len(schedule.counts)) + signals[member[missing]]))
    task, event = np.divmod(np.concatenate(keys), max(1, len(schedule.counts)))
    left = in_parts(event.astype(np.int32), np.searchsorted(task, np.arange(len(unit) + 1)))
    return _joined(_numbered(replace(schedule, waits=left)), clocks)


def _in_turn(sizes: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield the numbers of things of these sizes, together those that have so many in all that memory holds them."""
    behind = np.cumsum(sizes)
    for start in range(0, int(behind[-1]) if len(behind) else 0, PAIRS_TOGETHER):
        part = np.flatnonzero((behind > start) & (behind <= start + PAIRS_TOGETHER))
        if len(part):
            yield part


def _joined(schedule: Schedule, clocks: Clocks) -> Schedule:
    """Return a schedule whose events are joined where one task waits for several and no task comes to wait longer.

    Two events become one where each task that waits for either comes behind the signals of both: where what is done
    before all that wait for one (`known`) holds what the other's signals ask for (`asked`).
    """
    unit, position = schedule.place
    asked = np.zeros((len(schedule.counts), len(schedule.programs)), np.int32)
    signal = np.flatnonzero(schedule.signals != NO_EVENT)
    np.maximum.at(asked, (schedule.signals[signal], unit[signal]), position[signal] + 1)
    known = np.full(asked.shape, np.iinfo(np.int32).max, np.int32)
    set_of, sets = schedule.wait_sets
    for waits, tasks in zip(sets, schedule.waiters, strict=True):
        if len(waits):
            known[waits] = np.minimum(known[waits], clocks.before[tasks].min(axis=0))
    joined = list(range(len(asked)))
    for waits in sets:
        found = dict.fromkeys(_root(joined, event) for event in waits.tolist())
        chosen = np.empty(len(found), np.int32)
        count = 0
        for event in found if len(found) > 1 else ():
            others = chosen[:count]
            fits = (known[event] >= asked[others]).all(axis=1) & (known[others] >= asked[event]).all(axis=1)
            if fits.any():
                other = joined[event] = int(others[fits.argmax()])
                np.maximum(asked[other], asked[event], out=asked[other])
                np.minimum(known[other], known[event], out=known[other])
            else:
                chosen[count] = event
                count += 1
    became = np.array([_root(joined, event) for event in range(len(joined))], np.int32)
    signals = np.where(schedule.signals == NO_EVENT, NO_EVENT, became[schedule.signals]) if joined else schedule.signals
    made = [np.unique(became[waits]) for waits in sets]
    return _numbered(replace(schedule, waits=tuple(made[number] for number in set_of.tolist()), signals=signals))


def _root(joined: list[int], event: int) -> int:
    """Return the event that an event became part of."""
    while joined[event] != event:
        joined[event] = event = joined[joined[event]]
    return event


def _numbered(schedule: Schedule) -> Schedule:
    """Return a schedule whose events are those that tasks wait for, numbered through in their order, and counted."""
    waits, starts = schedule.wait_list
    awaited = np.zeros(int(schedule.signals.max(initial=NO_EVENT)) + 1, bool)
    awaited[waits] = True
    number = np.where(awaited, np.cumsum(awaited) - 1, NO_EVENT).astype(np.int32)
    signals = schedule.signals.copy()
    signals[signals != NO_EVENT] = number[signals[signals != NO_EVENT]]
    counts = np.bincount(signals[signals != NO_EVENT], minlength=int(awaited.sum())).astype(np.int32)
    return replace(schedule, waits=in_parts(number[waits], starts), signals=signals, counts=counts)
