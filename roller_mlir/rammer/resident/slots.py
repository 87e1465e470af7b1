# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices of operands that stay in workgroup memory: which tasks read the same one, which vEU keeps it, and where.

A slice is what a task reads of an operand that no task writes, the weights of a recurrent cell, say. The first task on
a vEU that reads it brings it to a slot of workgroup memory; those behind it on that vEU find it there, and load
nothing. Slices that one task reads have one home. Nothing else is ever written to a slot.

Paper: none of RAMMER, whose tasks bring all that they read. Persistent recurrent networks keep weights in registers
(Diamos et al., Persistent RNNs, ICML 2016).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roller_mlir.rammer.graph.task_graph import TaskAccess, TaskGraph
from roller_mlir.rammer.parts import Ints
from roller_mlir.rammer.schedule import Schedule

SLOT_BYTES = 16
"""A slot begins at a multiple of so many bytes, in which records count."""


@dataclass(frozen=True, eq=False)
class Slices:
    """The slices that tasks of a graph keep.

    Attributes:
        of: Of each operator the slices of its tasks, [tasks, resident reads].
        bytes: What a slot of each slice takes.
        moved_bytes: What is read of memory to bring each.
    """

    of: tuple[Ints, ...]
    bytes: Ints
    moved_bytes: NDArray[np.int64]

    @classmethod
    def read(cls, graph: TaskGraph) -> "Slices":
        """Return the slices of a graph, numbered by the first tasks that read them."""
        numbers: dict[tuple[object, ...], int] = {}
        sizes: list[tuple[int, int]] = []
        known: dict[tuple[object, ...], Ints] = {}
        of: list[Ints] = []
        for operator in graph.operators:
            resident = operator.resident
            key = (
                operator.tasks,
                *((one.buffer, one.offset_bytes, one.boxes, one.slot_bytes, one.slot_form) for one in resident),
            )
            if key not in known:
                columns = [_numbered(one, numbers, sizes) for one in resident]
                known[key] = np.array(columns, np.int32).reshape(len(resident), operator.tasks).T
            of.append(known[key])
        both = np.array(sizes, np.int64).reshape(len(sizes), 2)
        return cls(tuple(of), both[:, 0].astype(np.int32), both[:, 1])

    @cached_property
    def flat(self) -> Ints:
        """The slices of all tasks, task by task, in the order of their resident reads."""
        return np.concatenate([np.zeros(0, np.int32), *(one.reshape(-1) for one in self.of)])

    @cached_property
    def tasks(self) -> Ints:
        """The task of each of these."""
        counts = np.concatenate([np.zeros(0, np.int32), *(np.full(len(one), one.shape[1]) for one in self.of)])
        return np.repeat(np.arange(len(counts), dtype=np.int32), counts)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where those of each task begin, and behind them how many there are."""
        counts = np.concatenate([np.zeros(0, np.int64), *(np.full(len(one), one.shape[1]) for one in self.of)])
        return np.cumsum(np.append(0, counts))

    def fill_seconds(self, graph: TaskGraph) -> NDArray[np.float64]:
        """Return how much longer it takes to bring each of `flat`: its part, by its bytes, of what all take."""
        found = [np.zeros(0)]
        known: dict[tuple[object, ...], NDArray[np.float64]] = {}  # operators of one type have the same
        for operator, slices in zip(graph.operators, self.of, strict=True):
            key = operator.fill_s, len(slices), *(one.slot_bytes for one in operator.resident)
            if key not in known:
                sizes = np.array(key[2:], np.float64)
                known[key] = np.tile(operator.fill_s * sizes / max(1.0, sizes.sum()), len(slices))
            found.append(known[key])
        return np.concatenate(found)


def found_bytes(graph: TaskGraph, schedule: Schedule) -> int:
    """Return the bytes that tasks of a schedule find in workgroup memory, and need not read again."""
    if not len(schedule.slots):
        return 0
    slices = Slices.read(graph)
    return int(slices.moved_bytes[slices.flat[schedule.fills == 0]].sum())


def home_of_tasks(graph: TaskGraph, schedule: Schedule) -> Ints:
    """Return the vEU of each task that keeps slices; -1 of others."""
    tasks = Slices.read(graph).tasks
    found = np.full(graph.tasks, -1, np.int32)
    found[tasks] = schedule.place[0][tasks]
    return found


def _numbered(one: TaskAccess, numbers: dict[tuple[object, ...], int], sizes: list[tuple[int, int]]) -> list[int]:
    """Return the slice of each task of an access; new ones get numbers."""
    found: list[int] = []
    boxes = one.boxes
    view = (one.buffer, one.offset_bytes, boxes.shape, boxes.element_bytes, boxes.steps, one.slot_bytes, one.slot_form)
    moved = (np.maximum(0, boxes.high - boxes.low).prod(axis=1, dtype=np.int64) * boxes.element_bytes).tolist()
    for box, read in zip(np.concatenate([boxes.low, boxes.high], axis=1).tolist(), moved, strict=True):
        key = (*view, *box)
        if key not in numbers:
            numbers[key] = len(sizes)
            sizes.append((one.slot_bytes, read))
        found.append(numbers[key])
    return found


@dataclass(frozen=True)
class SlotFault:
    """A slot that does not hold what a task reads.

    Attributes:
        tasks: The tasks concerned, of which the last one reads.
        text: What is wrong, with `{n}` in the place of the n-th of them.
    """

    tasks: tuple[int, ...]
    text: str


def slot_faults(graph: TaskGraph, schedule: Schedule, room: range | None) -> Iterator[SlotFault]:
    """Yield what is wrong with the slots of a schedule, whose tasks stand on one vEU each.

    Each slice that a task does not bring lies whole where it reads it: a task before it on the same vEU has brought it,
    nothing was brought over it since, and no task has written what it was brought from.

    Args:
        graph: The tasks.
        schedule: Where they run.
        room: The bytes of a vEU's workgroup memory that slots may take; None: nobody asks.
    """
    slices = Slices.read(graph)
    if len(slices.flat) != len(schedule.slots) or len(schedule.fills) != len(schedule.slots):
        text = f"the schedule has {len(schedule.slots)} slots, tasks keep {len(slices.flat)} slices"
        yield SlotFault((), text)
        return
    if not len(slices.flat):
        return
    ends = schedule.slots.astype(np.int64) * SLOT_BYTES + slices.bytes[slices.flat]
    if room is not None:
        outside = (schedule.slots.astype(np.int64) * SLOT_BYTES < room.start) | (ends > room.stop)
        for number in np.flatnonzero(outside).tolist():
            begin, end = int(schedule.slots[number]) * SLOT_BYTES, int(ends[number])
            text = f"{{0}} keeps a slice at bytes {begin} to {end} of workgroup memory, slots have {room.start} to "
            yield SlotFault((int(slices.tasks[number]),), text + f"{room.stop}")
    yield from _overwritten(graph)
    if not _each_its_own(schedule, slices, ends):
        yield from _walked(schedule, slices)


def _overwritten(graph: TaskGraph) -> Iterator[SlotFault]:
    """Yield operators that write what slices are of, between others that keep these."""
    spans: dict[tuple[int, tuple[int, int]], tuple[int, int, TaskAccess]] = {}
    for number, operator in enumerate(graph.operators):
        for one in operator.resident:
            first, _, access = spans.get((one.buffer, one.span), (number, number, one))
            spans[one.buffer, one.span] = first, number, access
    kept = {access.buffer for *_, access in spans.values()}
    for number, operator in enumerate(graph.operators):
        for written in (one for one in operator.writes if one.buffer in kept):
            for first, last, access in spans.values():
                if first <= number < last and written.meets(access):
                    text = "{0} writes what {1} finds in a slot since before that"
                    yield SlotFault((graph.first[number], graph.first[last]), text)


def _each_its_own(schedule: Schedule, slices: Slices, ends: NDArray[np.int64]) -> bool:
    """Return whether each slice has bytes of its own on its vEU, and is brought there first: all is well then."""
    unit, position = (one[slices.tasks] for one in schedule.place)
    begins = schedule.slots.astype(np.int64) * SLOT_BYTES
    order = np.lexsort((position, begins, unit))
    unit, begins, ends, flat = unit[order], begins[order], ends[order], slices.flat[order]
    fresh = (np.diff(unit, prepend=-1) != 0) | (np.diff(begins, prepend=-1) != 0)
    behind = np.flatnonzero(~fresh)
    if (flat[behind] != flat[behind - 1]).any() or not schedule.fills[order[fresh]].all():
        return False
    unit, begins, ends = unit[fresh], begins[fresh], ends[fresh]
    return not ((unit[1:] == unit[:-1]) & (begins[1:] < ends[:-1])).any()


def _walked(schedule: Schedule, slices: Slices) -> Iterator[SlotFault]:
    """Walk each vEU and yield tasks that do not find their slices."""
    starts, flat = slices.starts.tolist(), slices.flat.tolist()
    slots, fills = schedule.slots.tolist(), schedule.fills.tolist()
    sizes = slices.bytes.tolist()
    for program in schedule.programs:
        held: list[tuple[int, int, int, int]] = []  # begin, end, slice, and the task that brought it
        for task in program.tolist():
            own = range(starts[task], starts[task + 1])
            for number in (one for one in own if fills[one]):
                begin = slots[number] * SLOT_BYTES
                end = begin + sizes[flat[number]]
                held = [one for one in held if one[1] <= begin or end <= one[0]]
                held.append((begin, end, flat[number], task))
            for number in own:
                begin = slots[number] * SLOT_BYTES
                if any(one[0] == begin and one[2] == flat[number] for one in held):
                    continue
                end = begin + sizes[flat[number]]
                there = next((one for one in held if one[0] < end and begin < one[1]), None)
                text = (
                    f"{{0}} reads a slice at byte {begin} of workgroup memory that no task before it has brought there"
                )
                if there is not None:
                    text = f"{{1}} reads a slice at byte {begin} of workgroup memory, where {{0}} has brought another"
                yield SlotFault((task,) if there is None else (there[3], task), text)
