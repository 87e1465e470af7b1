# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Homes of slices: which vEU keeps each, so that tasks that come at the same time find vEUs of their own.

Where vEUs have time to spare, a schedule is longer than its longest chain because tasks of that chain come while their
vEU works for others. When tasks come is known, if nothing is in their way: rows of slices lie above each other whose
tasks come at other times.

Paper: none of RAMMER; see `slots`. Operations that share a resource in a loop are placed so by modulo scheduling, too
(Rau, Iterative Modulo Scheduling, 1994).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from roller_mlir.rammer.chains import soonest_of, tasks_in_waves
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.parts import Ints
from roller_mlir.rammer.resident.slots import SLOT_BYTES, Slices
from roller_mlir.rammer.schedule import Schedule

Floats = NDArray[np.float64]

LEVEL = 1.1
"""By how much longer the vEU may be busy that has most to do, so that slices of operators lie side by side."""

DIGITS = 12
"""Of a time in seconds: times that differ by less are equal."""


@dataclass(frozen=True, eq=False)
class Homes:
    """Where slices stay.

    Attributes:
        slices: The slices.
        unit: The vEU of each.
        slot: Where it begins there, in pieces of `SLOT_BYTES`.
    """

    slices: Slices
    unit: Ints
    slot: Ints

    @property
    def end_bytes(self) -> int:
        """Where the last slot of any vEU ends."""
        return int((self.slot.astype(np.int64) * SLOT_BYTES + self.slices.bytes).max(initial=0))

    @cached_property
    def unit_of_task(self) -> Ints:
        """The vEU of each task that keeps some; -1 of others."""
        found = np.full(len(self.slices.starts) - 1, -1, np.int32)
        found[self.slices.tasks] = self.unit[self.slices.flat]
        return found

    def busy_s(self, graph: TaskGraph) -> float:
        """Return for how long the vEU that has most to do at home is busy with that."""
        kept = self.unit_of_task >= 0
        return float(np.bincount(self.unit_of_task[kept], graph.seconds[kept]).max(initial=0.0))

    def scheduled(self, schedule: Schedule) -> Schedule:
        """Return a schedule that says what each task brings, and finds: the first one on a vEU that reads it brings it.

        Args:
            schedule: Each task stands on its vEU.
        """
        flat = self.slices.flat
        order = np.lexsort((schedule.place[1][self.slices.tasks], flat))
        fills = np.zeros(len(flat), np.int32)
        fills[order[np.flatnonzero(np.diff(flat[order], prepend=-1))]] = 1
        return replace(schedule, slots=self.slot[flat], fills=fills)


def homes_of(graph: TaskGraph, slices: Slices, units: int, room: range, hand_over_s: float) -> Homes | None:
    """Give each slice a vEU and a slot; None where they do not fit.

    Slices that some task reads together stay together. Those of an operator's tasks lie side by side, on as many vEUs
    as there are tasks, and those of other operators on the same vEUs or on others: tasks that become ready together
    then find their vEUs free together, and none makes those wait that need all of them. What keeps vEUs busy for
    longest chooses first. Of the places where no vEU has much more to do than if each slice lay by itself, it takes
    those that leave room for most other slices, of these those where tasks of others are in its way for the shortest
    time, of these those that have least to do; of equals the first ones. Where a vEU has much more to do after all,
    what is in the way does not count, and where that does not help, each slice lies by itself.

    Args:
        graph: The tasks.
        slices: Theirs.
        units: How many vEUs there are.
        room: The bytes of a vEU's workgroup memory that slots may take.
        hand_over_s: How long a task's result takes to another vEU.
    """
    group = groups_of(slices)
    groups = int(group.max(initial=-1)) + 1
    sizes = -(-slices.bytes // SLOT_BYTES)
    size, load = np.bincount(group, sizes, groups).astype(np.int64), np.zeros(groups)
    rows = _rows_of(graph, slices, group, hand_over_s)
    for row in rows:
        load += row.seconds * np.bincount(row.groups, minlength=groups)
    rows.sort(key=lambda row: -round(float(load[row.groups].max()), DIGITS))
    alone = [_Row(np.array([one])) for one in np.lexsort((np.arange(groups), -np.round(load, DIGITS))).tolist()]
    level = _placed(alone, size, load, units, room, 0.0) or _placed(alone, size, load, units, room)
    most_s = max(float(graph.seconds.sum()) / units, np.inf if level is None else level.busy_s)
    in_rows = (
        _placed(order, size, load, units, room, LEVEL * most_s) for order in (rows, [_Row(row.groups) for row in rows])
    )
    best = next((one for one in in_rows if one is not None and one.busy_s <= LEVEL * most_s), level)
    if best is None:
        return None
    order = np.argsort(group, kind="stable")
    before = np.cumsum(sizes[order]) - sizes[order]
    within = np.zeros(len(group), np.int64)
    begins = np.searchsorted(group[order], np.arange(groups))
    within[order] = before - before[begins][group[order]] if groups else before
    return Homes(slices, best.unit[group], (best.slot[group] + within).astype(np.int32))


@dataclass(frozen=True, eq=False)
class _Row:
    """Groups of slices that tasks of an operator read, and when the tasks of all such operators come.

    Attributes:
        groups: The group of each task.
        begins: When the tasks of each operator come at the soonest, in seconds, in rising order; none: nobody asks.
        ends: When these would end, in rising order.
    """

    groups: Ints
    begins: Floats = field(default_factory=lambda: np.zeros(0))
    ends: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def seconds(self) -> float:
        """How long a task of each operator takes, together."""
        return float((self.ends - self.begins).sum())

    def ran_until(self, at: Floats) -> Floats:
        """Return for how long tasks had run at some times, if each began at the soonest."""
        return _since(self.begins, at) - _since(self.ends, at)


def _since(times: Floats, at: Floats) -> Floats:
    """Return the sum of the times that passed since each of those that had come."""
    number = np.searchsorted(times, at)
    return number * at - np.append(0.0, np.cumsum(times))[number]


def _rows_of(graph: TaskGraph, slices: Slices, group: Ints, hand_over_s: float) -> list[_Row]:
    """Return the rows of groups of a graph, in the order of their first operators."""
    soonest = soonest_of(graph, tasks_in_waves(graph), hand_over_s)
    times: defaultdict[tuple[int, ...], list[tuple[float, float]]] = defaultdict(list)
    for number, (operator, own) in enumerate(zip(graph.operators, slices.of, strict=True)):
        if own.size:
            begin = float(soonest[graph.first[number] : graph.first[number + 1]].min())
            times[tuple(group[own[:, 0]].tolist())].append((begin, begin + operator.seconds))
    return [_Row(np.array(groups), *np.sort(np.array(both), axis=0).T) for groups, both in times.items()]


@dataclass(frozen=True, eq=False)
class _Placed:
    """Where groups of slices stay: the vEU and the slot of each; and for how long the vEU with most to do is busy."""

    unit: Ints
    slot: NDArray[np.int64]
    busy_s: float


def _placed(
    rows: Sequence[_Row], size: NDArray[np.int64], load: Floats, units: int, room: range, most_s: float = np.inf
) -> _Placed | None:
    """Place rows of groups in their order, each on vEUs side by side, where `homes_of` says.

    A row that finds no room so is placed one by one; None where one finds none.

    Args:
        rows: What stays together; when tasks come, where it counts.
        size: Of each group, in pieces of `SLOT_BYTES`.
        load: For how long it keeps a vEU busy.
        units: How many vEUs there are.
        room: As of `homes_of`.
        most_s: For how long a vEU may be busy, where there are others; beyond that each row takes those that are so for
            the shortest time.
    """
    start, stop = -(-room.start // SLOT_BYTES), room.stop // SLOT_BYTES
    used, busy = np.full(units, start, np.int64), np.zeros(units)
    home, slot = np.full(len(size), -1, np.int32), np.zeros(len(size), np.int64)
    crowd = _Crowd(rows, units)
    least = int(size.min(initial=np.iinfo(np.int64).max))
    todo = [(number, row.groups) for number, row in enumerate(rows)][::-1]
    while todo:
        number, groups = todo.pop()
        row = np.array([*dict.fromkeys(groups.tolist())], np.int64)
        row = row[home[row] < 0]
        if len(row) > units:
            todo += [(number, row[units:]), (number, row[:units])]
            continue
        if not len(row):
            continue
        ends = sliding_window_view(used, len(row)) + size[row]
        able = np.flatnonzero((ends <= stop).all(axis=1))
        if not len(able):
            if len(row) == 1:
                return None
            todo += [(number, row[one : one + 1]) for one in reversed(range(len(row)))]
            continue
        longest = (sliding_window_view(busy, len(row))[able] + load[row]).max(axis=1)
        in_the_way = crowd.in_the_way(number, len(row))[able]
        left = stop - sliding_window_view(used, len(row))[able]
        lost = (left // least - size[row] // least - (left - size[row]) // least).sum(axis=1)
        beyond = np.maximum(0.0, np.round(longest - most_s, DIGITS))
        keys = [np.round(longest, DIGITS), np.round(in_the_way, DIGITS), lost, beyond]
        best = np.lexsort(np.array(keys))[0]
        on = able[best] + np.arange(len(row))
        home[row], slot[row] = on, used[on]
        used[on] += size[row]
        busy[on] += load[row]
        crowd.add(number, on)
    return _Placed(home, slot, float(busy.max()))


class _Crowd:
    """For how long tasks of the rows that are placed on each vEU would run while those of another row do."""

    def __init__(self, rows: Sequence[_Row], units: int) -> None:
        self.rows, self.seconds = rows, np.zeros((len(rows), units))
        self.of = np.repeat(np.arange(len(rows)), [len(row.begins) for row in rows])
        self.begins = np.concatenate([np.zeros(0), *(row.begins for row in rows)])
        self.ends = np.concatenate([np.zeros(0), *(row.ends for row in rows)])

    def in_the_way(self, row: int, length: int) -> Floats:
        """Return how long that is for a row of some length on vEUs side by side, by the first of these: the longest."""
        return sliding_window_view(self.seconds[row], length).max(axis=1)

    def add(self, row: int, on: NDArray[np.int64]) -> None:
        """Take in a row that is placed on some vEUs."""
        if len(self.of):
            while_it_runs = self.rows[row].ran_until(self.ends) - self.rows[row].ran_until(self.begins)
            others = np.bincount(self.of, while_it_runs, len(self.rows))
            self.seconds[:, on] += others[:, None]


def groups_of(slices: Slices) -> Ints:
    """Return the group of each slice: those that some task reads together; numbered by their first slices."""
    tables = {id(each): each for each in slices.of if each.shape[1] > 1}.values()
    return unions(len(slices.bytes), (row for own in tables for row in own.tolist()))


def unions(count: int, together: Iterable[Sequence[int]]) -> Ints:
    """Return the set of each of so many things, some of which go together; sets are numbered by their first things."""
    parent = list(range(count))

    def root(one: int) -> int:
        while parent[one] != one:
            parent[one] = one = parent[parent[one]]
        return one

    for first, *others in together:
        for other in others:
            low, high = sorted((root(first), root(other)))
            parent[high] = low
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(root(one), len(numbers)) for one in range(count)], np.int32)
