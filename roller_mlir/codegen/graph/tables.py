# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A schedule as data: a record for each task of each vEU, and the waits of all tasks.

    record: body, task, first wait, waits, event to signal (-1: none), 0, then where each workspace operand starts;
            at the end, in blocks with roles, what is handed over inside of the block: AWAITS and TELLS
    wait:   event, signals that it counts

Starts are in pieces of 16 bytes. The field that is always 0 is added to the number of the thread: nobody can then move
what a body computes of it out of the loop over tasks, where it would hold registers for all bodies at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roller_mlir.rammer.schedule import NO_EVENT, Schedule
from roller_mlir.rammer.task_graph import Ints, TaskGraph

PIECE_BYTES = 16
"""What operands in the workspace are aligned to."""

BODY, TASK, FIRST_WAIT, WAITS, SIGNAL, ZERO, OPERANDS = range(7)
"""Fields of a record."""

AWAITS, TELLS = 1, 2
"""What is handed over in a block: copies of this task wait until it is told, behind this task, that its results are
there."""


@dataclass(frozen=True, eq=False)
class Tables:
    """A schedule as data.

    Attributes:
        records: The fields of each task of each vEU, those of the longest program for all, [vEUs, tasks, fields].
        lengths: Tasks of each vEU.
        waits: Event and count of each wait, [waits, 2]; one that nobody reads where there are none.
    """

    records: Ints
    lengths: Ints
    waits: Ints


def tables_of(
    graph: TaskGraph,
    schedule: Schedule,
    bodies: Sequence[int],
    operands: Sequence[Sequence[int]],
    copied: Sequence[bool] | None = None,
) -> Tables:
    """Return a schedule as data.

    Args:
        graph: The tasks.
        schedule: Where they run.
        bodies: The body of each operator.
        operands: The bytes at which the operands of each operator in the workspace start.
        copied: Of each operator, whether a thread that runs ahead copies what its tasks read; None without roles.
    """
    handed = None if copied is None else hand_overs(graph, schedule, copied)
    fields = OPERANDS + max((len(one) for one in operands), default=0) + (handed is not None)
    length = max(map(len, schedule.programs))
    records = np.zeros((len(schedule.programs), length, fields), np.int32)
    waits = list[tuple[int, int]]()
    for unit, program in enumerate(schedule.programs):
        for position, task in enumerate(program.tolist()):
            operator = int(graph.operator_of[task])
            events = schedule.waits[task].tolist()
            signal = int(schedule.signals[task])
            record = [bodies[operator], task - graph.first[operator], len(waits), len(events), signal, 0]
            record += [start // PIECE_BYTES for start in operands[operator]]
            records[unit, position, : len(record)] = record
            if handed is not None:
                records[unit, position, -1] = handed[task]
            waits += [(event, int(schedule.counts[event])) for event in events]
    lengths = np.array([len(program) for program in schedule.programs], np.int32)
    return Tables(records, lengths, np.array(waits or [(NO_EVENT, 0)], np.int32))


def hand_overs(graph: TaskGraph, schedule: Schedule, copied: Sequence[bool]) -> Ints:
    """Return what each task hands over to the thread of its own block that copies, and that waits for events alone.

    That thread listens before a task that reads what a task before it on the same vEU wrote, unless it has heard of it
    before. Nobody tells it a second time before it has listened once: what it would be told by then, it waits for.

    Args:
        graph: The tasks.
        schedule: Where they run.
        copied: Of each operator, whether that thread copies what its tasks read.
    """
    unit, position = schedule.place
    producers, consumers = graph.dependences.producers, graph.dependences.consumers
    own = (unit[producers] == unit[consumers]) & np.array(copied, bool)[graph.operator_of[consumers]]
    needed = np.full(graph.tasks, -1, np.int32)
    np.maximum.at(needed, consumers[own], position[producers[own]])
    found = np.zeros(graph.tasks, np.int32)
    for program in schedule.programs:
        heard = -1
        for at in np.flatnonzero(needed[program] >= 0).tolist():
            if needed[program[at]] > heard:
                later = needed[program[at:]]
                heard = int(later[later < at].max())
                found[program[at]] |= AWAITS
                found[program[heard]] |= TELLS
    return found
