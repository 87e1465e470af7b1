# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The proof that a schedule neither hangs nor races, whatever the blocks' speed.

A schedule is right exactly if each task runs once, no task waits for ever, all blocks are resident at once, and of each
pair of tasks that touches common bytes, one of them writing, the first in the order of the operators is done before the
other starts: before its waits are over, where it may read what the first one writes before that. Where tasks keep
slices in workgroup memory, each finds its own there (`slots`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from roller_mlir.rammer.clocks import Clocks, clocks_of
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.resident.slots import slot_faults
from roller_mlir.rammer.schedule import NO_EVENT, Schedule

PAIRS_TOGETHER = 1 << 18
"""Pairs of tasks that are looked at together, so that they stay in the processor's cache."""


@dataclass(frozen=True)
class ScheduleFault:
    """A rule that a schedule violates.

    Attributes:
        kind: `programs`, `events`, `deadlock`, `order`, `early` or `slots`.
        tasks: The tasks concerned: of `order` and `early` the one that must be done and the one that may start, or
            read, too early; of `slots` the last one reads what is not there.
        text: What is wrong, for people.
    """

    kind: str
    tasks: tuple[int, ...]
    text: str


def find_faults(graph: TaskGraph, schedule: Schedule, room: range | None = None) -> list[ScheduleFault]:
    """Return what is wrong with a schedule: nothing exactly if it is right.

    Faults of form come alone: no clock can be told behind them. Then stuck tasks, then pairs without an order.

    Args:
        graph: The tasks.
        schedule: Where they run.
        room: The bytes of a vEU's workgroup memory that slots may take; None: nobody asks.
    """
    faults = [*_form_faults(graph, schedule)]
    if faults:
        return faults
    clocks = clocks_of(schedule)
    if clocks.stuck:
        return [_stuck(graph, schedule, clocks.stuck)]
    faults = [
        ScheduleFault(
            "order",
            (producer, consumer),
            f"{_placed(graph, schedule, consumer)} may start before {_placed(graph, schedule, producer)} is done, and "
            "both touch the same bytes: it does not wait for it",
        )
        for producer, consumer in _without_order(graph, schedule, clocks)
    ]
    slots = (
        ScheduleFault("slots", one.tasks, one.text.format(*(_placed(graph, schedule, task) for task in one.tasks)))
        for one in slot_faults(graph, schedule, room)
    )
    return [*faults, *_early_faults(graph, schedule, clocks), *slots]


def _without_order(graph: TaskGraph, schedule: Schedule, clocks: Clocks) -> Iterator[tuple[int, int]]:
    """Yield the dependent tasks the first of which need not be done before the second one starts."""
    unit, position = schedule.place
    pairs = graph.dependences
    for start in range(0, len(pairs.producers), PAIRS_TOGETHER):
        producers, consumers = (one[start : start + PAIRS_TOGETHER] for one in (pairs.producers, pairs.consumers))
        wrong = clocks.before[consumers, unit[producers]] <= position[producers]
        yield from zip(producers[wrong].tolist(), consumers[wrong].tolist(), strict=True)


def _early_faults(graph: TaskGraph, schedule: Schedule, clocks: Clocks) -> Iterator[ScheduleFault]:
    """Yield pairs of which the second reads too early: what is done by then, the tasks before it have waited for."""
    unit, position = schedule.place
    pairs = graph.early_dependences
    for producer, consumer in zip(pairs.producers.tolist(), pairs.consumers.tolist(), strict=True):
        at, of = int(position[consumer]), int(unit[producer])
        done = at if of == unit[consumer] else 0
        if at and of != unit[consumer]:
            done = int(clocks.before[schedule.programs[unit[consumer]][at - 1], of])
        if done <= position[producer]:
            text = f"{_placed(graph, schedule, consumer)} may read before its waits are over, and so before "
            text += (
                f"{_placed(graph, schedule, producer)} is done, which writes the same bytes: sink its waits less far"
            )
            yield ScheduleFault("early", (producer, consumer), text)


def _placed(graph: TaskGraph, schedule: Schedule, task: int) -> str:
    unit, position = schedule.place
    return f"{graph.describe(task)} (vEU {unit[task]}, position {position[task]})"


def _form_faults(graph: TaskGraph, schedule: Schedule) -> Iterator[ScheduleFault]:
    if len(schedule.signals) != graph.tasks or len(schedule.waits) != graph.tasks:
        text = f"the schedule is of {len(schedule.signals)} tasks, the graph has {graph.tasks}"
        yield ScheduleFault("programs", (), text)
        return
    listed = np.concatenate([*schedule.programs, np.zeros(0, np.int32)])
    if len(listed) and (listed.min() < 0 or listed.max() >= graph.tasks):
        yield ScheduleFault("programs", (), f"programs hold tasks that are none of the {graph.tasks} of the graph")
        return
    times = np.bincount(listed, minlength=graph.tasks)
    for task in np.flatnonzero(times != 1).tolist():
        yield ScheduleFault(
            "programs", (task,), f"{graph.describe(task)} stands {times[task]} times in programs, not once"
        )
    events = len(schedule.counts)
    waits = schedule.wait_list
    unknown = (waits.numbers < 0) | (waits.numbers >= events)
    for task in np.unique(waits.owners[unknown]).tolist():
        yield ScheduleFault("events", (task,), f"{graph.describe(task)} waits for an event that is none of {events}")
    out = (schedule.signals < NO_EVENT) | (schedule.signals >= events)
    for task in np.flatnonzero(out).tolist():
        yield ScheduleFault("events", (task,), f"{graph.describe(task)} signals an event that is none of {events}")
    if not out.any():
        signalled = np.bincount(schedule.signals[schedule.signals != NO_EVENT], minlength=events)
        for event in np.flatnonzero(signalled != schedule.counts).tolist():
            text = f"event {event} counts {schedule.counts[event]} signals, {signalled[event]} tasks signal it"
            yield ScheduleFault("events", tuple(np.flatnonzero(schedule.signals == event).tolist()), text)


def _stuck(graph: TaskGraph, schedule: Schedule, stuck: tuple[int, ...]) -> ScheduleFault:
    """Follow one task's waits to those that stand behind stuck tasks, until one comes again: that is the cycle."""
    unit, position = schedule.place
    first = {int(unit[task]): task for task in stuck}
    path, task = list[int](), stuck[0]
    while task not in path:
        path.append(task)
        missing = next(
            int(member)
            for event in schedule.waits[task]
            for member in schedule.members[event]
            if int(unit[member]) in first and position[member] >= position[first[int(unit[member])]]
        )
        task = first[int(unit[missing])]
    cycle = path[path.index(task) :]
    names = ", ".join(_placed(graph, schedule, one) for one in cycle)
    return ScheduleFault(
        "deadlock", tuple(cycle), f"these tasks wait for each other, or for what is behind them: {names}"
    )
