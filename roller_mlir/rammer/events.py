# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Waits between tasks that a placement needs: events that producers signal and consumers wait for, and fewer of them.

Paper: RAMMER, section 3.3 (`Wait`), where one wait for the last of consecutive tasks of a vEU is the only reduction.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roller_mlir.rammer.chains import waves_of
from roller_mlir.rammer.clocks import Clocks, clocks_of
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.options import HAND_OVER_NAMES
from roller_mlir.rammer.parts import Ints, Parts, in_turn, run_begins, spread
from roller_mlir.rammer.schedule import NO_EVENT, NO_WAITS, Schedule

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
    set_of, sets = graph.direct_producers
    event = _events_of(sets, graph.tasks)
    placed = Schedule(tuple(programs), Parts.of([NO_WAITS] * graph.tasks), event, np.zeros(0, np.int32))
    unit, position = placed.place
    # The members of each event in each set, behind each other.
    order = np.lexsort((event[sets.numbers], sets.owners))
    members, owners = sets.numbers[order], sets.owners
    begins = np.flatnonzero(run_begins(event[members]) | run_begins(owners))
    first = members[begins]
    alone = np.zeros(0, bool)  # whether they are on one vEU, whose tasks need not wait behind the last of them
    last = position[first]
    if len(begins):
        alone = np.minimum.reduceat(unit[members], begins) == np.maximum.reduceat(unit[members], begins)
        last = np.maximum.reduceat(position[members], begins)
    runs = Parts(np.arange(len(begins), dtype=np.int32), np.searchsorted(begins, sets.starts)).chosen(set_of)
    consumers, run = runs.owners, runs.numbers
    across = ~alone[run] | (unit[first[run]] != unit[consumers]) | (last[run] > position[consumers])
    waits = Parts(event[first[run]], runs.starts).kept(across)
    return _numbered(replace(placed, waits=waits))


def _events_of(sets: Parts, tasks: int) -> Ints:
    """Return of each task the event that it signals, one for all tasks with the same consumers; those of no task none.

    Each consumer has one set of producers, so that tasks have the same consumers exactly if they are in the same sets.
    Events are numbered by their first tasks.

    Args:
        sets: The sets of producers, each of some consumer.
        tasks: How many tasks there are.
    """
    of, found = sets.turned(tasks).distinct()
    none = np.flatnonzero(found.sizes == 0)
    for one in none.tolist():
        return np.where(of == one, NO_EVENT, of - (of > one)).astype(np.int32)
    return of


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
    waited = _before_members(schedule, clocks)
    given = schedule.members.chosen(sets.numbers)  # the members of each event of each set
    members = Parts(given.numbers, given.starts[sets.starts])  # of each set
    implied = np.zeros(len(members.numbers), bool)
    for part in in_turn(
        sets.sizes * len(schedule.programs), PAIRS_TOGETHER
    ):  # those that another member of their set has waited for
        some, own = sets.chosen(part), members.chosen(part)
        known = some.reduced(np.maximum, waited[some.numbers], 0)
        at = spread(members.starts[part], members.sizes[part])
        implied[at] = known[own.owners, unit[own.numbers]] > position[own.numbers]
    members = members.kept(~implied)
    previous = np.full(len(unit), -1, np.int32)
    for program in schedule.programs:
        previous[program[1:]] = program[:-1]
    keys = [np.zeros(0, np.int64)]
    for part in in_turn(
        members.sizes[set_of], PAIRS_TOGETHER
    ):  # tasks, and what they wait for beyond the order on their vEUs
        own = members.chosen(set_of[part])
        task, member = part[own.owners], own.numbers
        done = np.where(previous[task] < 0, 0, clocks.before[previous[task], unit[member]])
        done = np.where(unit[member] == unit[task], position[task], done)
        missing = done <= position[member]
        found = task[missing] * np.int64(len(schedule.counts)) + schedule.signals[member[missing]]
        keys.append(np.unique(found[run_begins(found)]))
    task, event = np.divmod(np.concatenate(keys), max(1, len(schedule.counts)))
    left = Parts(event.astype(np.int32), np.searchsorted(task, np.arange(len(unit) + 1)))
    return _joined(_numbered(replace(schedule, waits=left)), clocks)


def _before_members(schedule: Schedule, clocks: Clocks) -> NDArray[np.integer[Any]]:
    """Return of each event what is done before its members start, of all that some member waits for, [events, vEUs]."""
    found = np.zeros((len(schedule.counts), len(schedule.programs)), clocks.before.dtype)
    members = schedule.members
    for part in in_turn(members.sizes * len(schedule.programs), PAIRS_TOGETHER):
        own = members.chosen(part)
        found[part] = own.reduced(np.maximum, clocks.before[own.numbers], 0)
    return found


def _joined(schedule: Schedule, clocks: Clocks) -> Schedule:
    """Return a schedule whose events are joined where one task waits for several and no task comes to wait longer.

    Two events become one where each task that waits for either comes behind the signals of both: where what is done
    before all that wait for one (`known`) holds what the other's signals ask for (`asked`).
    """
    unit, position = schedule.place
    kind = clocks.before.dtype
    asked = np.zeros((len(schedule.counts), len(schedule.programs)), kind)
    signal = np.flatnonzero(schedule.signals != NO_EVENT)
    np.maximum.at(asked, (schedule.signals[signal], unit[signal]), (position[signal] + 1).astype(kind))
    set_of, sets = schedule.wait_sets
    known = _done_before(schedule, clocks)
    joined = list(range(len(asked)))
    # The more are joined, the less fits: what does not fit as it is never does.
    for waits in sets.chosen(_with_fitting(sets, asked, known)):
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
    keys = np.unique(sets.owners * np.int64(max(1, len(joined))) + became[sets.numbers])
    owners, events = np.divmod(keys, max(1, len(joined)))
    made = Parts(events.astype(np.int32), np.searchsorted(owners, np.arange(len(sets) + 1)))
    return _numbered(replace(schedule, waits=made.chosen(set_of), signals=signals))


def _with_fitting(
    sets: Parts, asked: NDArray[np.integer[Any]], known: NDArray[np.integer[Any]]
) -> NDArray[np.integer[Any]]:
    """Return the sets of events two of which may become one, whatever became of others; see `_joined`."""
    behind = np.arange(len(sets.numbers))
    rest = np.repeat(sets.starts[1:], sets.sizes) - 1 - behind  # of its set behind each event
    found = np.zeros(len(sets), bool)
    for part in in_turn(rest * asked.shape[1], PAIRS_TOGETHER):
        first = np.repeat(sets.numbers[part], rest[part])
        second = sets.numbers[spread(part + 1, rest[part])]
        fits = (known[first] >= asked[second]).all(axis=1) & (known[second] >= asked[first]).all(axis=1)
        found[np.repeat(sets.owners[part], rest[part])[fits]] = True
    return np.flatnonzero(found)


def _done_before(schedule: Schedule, clocks: Clocks) -> NDArray[np.integer[Any]]:
    """Return of each event what is done before any task that waits for it starts, [events, vEUs]."""
    set_of, sets = schedule.wait_sets
    most = np.iinfo(clocks.before.dtype).max
    waiters, of_set = (
        Parts.by_number(set_of, len(sets)),
        np.empty((len(sets), len(schedule.programs)), clocks.before.dtype),
    )
    for part in in_turn(waiters.sizes * len(schedule.programs), PAIRS_TOGETHER):
        own = waiters.chosen(part)
        of_set[part] = own.reduced(np.minimum, clocks.before[own.numbers], most)
    users = sets.turned(len(schedule.counts))
    return users.reduced(np.minimum, of_set[users.numbers], most)


def _root(joined: list[int], event: int) -> int:
    """Return the event that an event became part of."""
    while joined[event] != event:
        joined[event] = event = joined[joined[event]]
    return event


def _numbered(schedule: Schedule) -> Schedule:
    """Return a schedule whose events are those that tasks wait for, numbered through in their order, and counted."""
    waits = schedule.wait_list
    awaited = np.zeros(int(schedule.signals.max(initial=NO_EVENT)) + 1, bool)
    awaited[waits.numbers] = True
    number = np.where(awaited, np.cumsum(awaited) - 1, NO_EVENT).astype(np.int32)
    signals = schedule.signals.copy()
    signals[signals != NO_EVENT] = number[signals[signals != NO_EVENT]]
    counts = np.bincount(signals[signals != NO_EVENT], minlength=int(awaited.sum())).astype(np.int32)
    return replace(schedule, waits=Parts(number[waits.numbers], waits.starts), signals=signals, counts=counts)
