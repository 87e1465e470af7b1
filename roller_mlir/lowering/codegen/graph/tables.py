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
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.parts import Ints, Parts, spread
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
    programs, length = Parts.of(schedule.programs), max(map(len, schedule.programs))
    tasks = programs.numbers
    operator, waits = graph.operator_of[tasks], schedule.wait_list.chosen(tasks)
    more = _operands_and_slices(graph, schedule, operands)[tasks]
    body, first = np.array(bodies, np.int32)[operator], np.array(graph.first, np.int32)[operator]
    own = np.zeros((len(tasks), OPERANDS + more.shape[1] + (handed is not None)), np.int32)
    own[:, BODY], own[:, TASK], own[:, SIGNAL] = body, tasks - first, schedule.signals[tasks]
    own[:, WAITS], own[:, NEXT_WAIT] = waits.sizes, waits.starts[1:]
    own[:, SUNK] = np.where(np.array(sinks, bool)[body], waits.sizes, 0)
    own[:, OPERANDS : OPERANDS + more.shape[1]] = more
    if handed is not None:
        own[:, -1] = handed[tasks]
    records = np.zeros((len(programs) * length + 1, own.shape[1]), np.int32)
    records[spread(length * np.arange(len(programs)), programs.sizes)] = own
    spans = np.stack([programs.sizes, waits.starts[programs.starts[:-1]]], axis=1).astype(np.int32)
    ahead = np.tile(np.array([NO_EVENT, 0], np.int32), (threads, 1))
    listed = np.concatenate([np.stack([waits.numbers, schedule.counts[waits.numbers]], axis=1), ahead])
    in_front = bool((own[:, WAITS] > own[:, SUNK]).any())
    waiting = set(own[own[:, SUNK] > 0, BODY].tolist())
    in_body = tuple(body in waiting for body in range(len(sinks)))
    return Tables(records, spans, listed, length, records.shape[1], in_front, in_body)


def _operands_and_slices(graph: TaskGraph, schedule: Schedule, operands: Sequence[Sequence[int]]) -> Ints:
    """Return what records say of the operands of each task, and behind them of its slices, [tasks, words]."""
    kept = [len(one.resident) for one in graph.operators]
    widths = [*map(len, operands)]
    found = np.zeros((len(widths), max((a + b for a, b in zip(widths, kept, strict=True)), default=0)), np.int32)
    for number, words in enumerate(operands):
        found[number, : len(words)] = words
    found = found[graph.operator_of]
    slices = np.array(kept, np.int64)[graph.operator_of]
    columns = spread(np.array(widths, np.int64)[graph.operator_of], slices)
    found[np.repeat(np.arange(graph.tasks), slices), columns] = 2 * schedule.slots + schedule.fills
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
