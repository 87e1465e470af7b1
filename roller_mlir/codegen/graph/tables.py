# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A schedule as data: a record for each task of each vEU, and the waits of all tasks.

    record: body, task, waits, the first wait of the next task, event to signal (-1: none), 0, how many of the waits
            stand in the body, then which argument each operand is or where in the workspace it starts, then the starts
            of the application, then where slices of resident operands lie: twice the piece of workgroup memory, and 1
            more where the task brings it; at the end, in blocks with roles, what is handed over inside of the block:
            AWAITS and TELLS
    span:   tasks of a vEU, its first wait
    wait:   event, signals that it counts

The waits of a vEU stand in the order of its tasks; those of a task stand all in its body, behind what it reads early,
or none of them. Behind records and waits stands what is fetched ahead of their end.
Operands start at so many pieces of 16 bytes, starts are in elements. The field that is always 0 is added to the number
of the thread: nobody can then move what a body computes of it out of the loop over tasks, where it would hold registers
for all bodies at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roller_mlir.mapping.alignment import aligned
from roller_mlir.rammer.graph.boxes import Ints
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.schedule import NO_EVENT, Schedule

PIECE_BYTES = 16
"""What operands in the workspace are aligned to."""

WORD_BYTES = 4

BODY, TASK, WAITS, NEXT_WAIT, SIGNAL, ZERO, SUNK, OPERANDS = range(8)
"""Fields of a record."""

AWAITS, TELLS = 1, 2
"""What is handed over in a block: copies of this task wait until it is told, behind this task, that its results are
there."""


@dataclass(frozen=True, eq=False)
class Tables:
    """A schedule as data.

    Attributes:
        records: The records of each vEU, those of the longest program for all, and one more: i32.
        spans: Tasks and first wait of each vEU, [vEUs, 2].
        waits: Event and count of each wait, and one more for each thread of a block, [waits, 2].
        tasks: Records of a vEU.
        fields: Fields of a record.
        in_front: Whether a wait stands in front of the body of its task.
        in_body: Of each body, whether a wait of a task stands in it.
    """

    records: Ints
    spans: Ints
    waits: Ints
    tasks: int
    fields: int
    in_front: bool
    in_body: tuple[bool, ...]


def ring_bytes(operands: int) -> int:
    """Return the workgroup memory of two records of so many operands, the number of the launch, and a 0.

    >>> ring_bytes(3)
    96
    """
    return aligned((2 * (OPERANDS + operands) + 2) * WORD_BYTES, PIECE_BYTES)


def tables_of(
    graph: TaskGraph,
    schedule: Schedule,
    bodies: Sequence[int],
    operands: Sequence[Sequence[int]],
    threads: int,
    sinks: Sequence[bool],
    copied: Sequence[bool] | None = None,
) -> Tables:
    """Return a schedule as data.

    Args:
        graph: The tasks.
        schedule: Where they run.
        bodies: The body of each operator.
        operands: What records say of the operands of each operator, and its starts.
        threads: Threads of a block.
        sinks: Of each body, whether the waits of its tasks stand in it.
        copied: Of each operator, whether a thread that runs ahead copies what its tasks read; None without roles.
    """
    handed = None if copied is None else hand_overs(graph, schedule, copied)
    kept = kept_words(graph, schedule)
    most = max((len(one) + each.shape[1] for one, each in zip(operands, kept, strict=True)), default=0)
    fields = OPERANDS + most + (handed is not None)
    length = max(map(len, schedule.programs))
    records = np.zeros((len(schedule.programs) * length + 1, fields), np.int32)
    waits = list[tuple[int, int]]()
    spans = list[tuple[int, int]]()
    for unit, program in enumerate(schedule.programs):
        spans.append((len(program), len(waits)))
        for position, task in enumerate(program.tolist()):
            operator = int(graph.operator_of[task])
            events = schedule.waits[task].tolist()
            signal = int(schedule.signals[task])
            behind = len(waits) + len(events)
            body = bodies[operator]
            record = [body, task - graph.first[operator], len(events), behind, signal, 0, len(events) * sinks[body]]
            record += operands[operator]
            record += kept[operator][task - graph.first[operator]].tolist()
            records[unit * length + position, : len(record)] = record
            if handed is not None:
                records[unit * length + position, -1] = handed[task]
            waits += [(event, int(schedule.counts[event])) for event in events]
    waits += [(NO_EVENT, 0)] * threads
    in_front = bool((records[:, WAITS] > records[:, SUNK]).any())
    waiting = set(records[records[:, SUNK] > 0, BODY].tolist())
    in_body = tuple(body in waiting for body in range(len(sinks)))
    return Tables(records, np.array(spans, np.int32), np.array(waits, np.int32), length, fields, in_front, in_body)


def kept_words(graph: TaskGraph, schedule: Schedule) -> list[Ints]:
    """Return what records say of the slices of each operator's tasks, [tasks, slices]."""
    words, found, at = 2 * schedule.slots + schedule.fills, list[Ints](), 0
    for operator in graph.operators:
        count = operator.tasks * len(operator.resident)
        found.append(words[at : at + count].reshape(operator.tasks, len(operator.resident)))
        at += count
    return found


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
