# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A schedule: which vEU runs which tasks in which order, what each task waits for and what it signals.

Paper: RAMMER, sections 3.2 and 3.3.
"""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roller_mlir.rammer.boxes import Ints

NO_EVENT = -1
"""The signal of a task that nobody waits for."""

NO_WAITS: Ints = np.zeros(0, np.int32)

NO_SLOTS: Ints = np.zeros(0, np.int32)


@dataclass(frozen=True, kw_only=True)
class VirtualDevice:
    """RAMMER's vDevice: how many blocks walk a schedule at once, and what each may use (section 3.2).

    Attributes:
        units: Units of the device.
        per_unit: vEUs of a unit, each a resident block.
        threads: Threads of a block.
        registers: Registers of a thread.
        workgroup_bytes: Workgroup memory of a block.
    """

    units: int
    per_unit: int
    threads: int
    registers: int
    workgroup_bytes: int

    @property
    def execution_units(self) -> int:
        """How many vEUs there are: all blocks."""
        return self.units * self.per_unit


@dataclass(frozen=True, eq=False)
class Schedule:
    """Tasks on vEUs.

    Attributes:
        programs: The tasks of each vEU, in order.
        waits: The events that each task waits for, by the task's number.
        signals: The event that each task signals when it is done, or `NO_EVENT`, by the task's number.
        counts: How many signals each event waits for.
        slots: Where in workgroup memory each slice lies that a task keeps there (`rammer.slots`), in pieces of
            16 bytes: one for each of its resident operands, by the task's number and in their order.
        fills: Of each of them 1 where the task brings the slice, 0 where it finds it there.
    """

    programs: tuple[Ints, ...]
    waits: tuple[Ints, ...]
    signals: Ints
    counts: Ints
    slots: Ints = field(default_factory=lambda: NO_SLOTS)
    fills: Ints = field(default_factory=lambda: NO_SLOTS)

    @property
    def wait_count(self) -> int:
        """How many waits there are."""
        return sum(map(len, self.waits))

    @cached_property
    def wait_list(self) -> tuple[Ints, NDArray[np.int64]]:
        """The waits of all tasks behind each other, and where those of each task begin, and behind them how many."""
        return np.concatenate([*self.waits, NO_WAITS]), np.cumsum([0, *map(len, self.waits)])

    @cached_property
    def wait_sets(self) -> tuple[Ints, tuple[Ints, ...]]:
        """Of each task the number of the set of events that it waits for, and these: tasks of an operator have one."""
        said = [waits.tobytes() for waits in self.waits]
        numbers = {one: number for number, one in enumerate(dict.fromkeys(said))}
        of = np.fromiter(map(numbers.__getitem__, said), np.int32, len(said))
        return of, tuple(np.frombuffer(one, np.int32) for one in numbers)

    @cached_property
    def waiters(self) -> tuple[Ints, ...]:
        """The tasks that wait for each of `wait_sets`, in rising order."""
        set_of, sets = self.wait_sets
        order = np.argsort(set_of, kind="stable").astype(np.int32)
        return in_parts(order, np.searchsorted(set_of[order], np.arange(len(sets) + 1)))

    @cached_property
    def place(self) -> tuple[Ints, Ints]:
        """The vEU of each task, and its position there; -1 of tasks that no vEU runs."""
        unit, position = (np.full(len(self.signals), -1, np.int32) for _ in range(2))
        for number, program in enumerate(self.programs):
            unit[program] = number
            position[program] = np.arange(len(program), dtype=np.int32)
        return unit, position

    @cached_property
    def members(self) -> tuple[Ints, ...]:
        """The tasks that signal each event, in rising order."""
        order = np.argsort(self.signals, kind="stable").astype(np.int32)
        starts = np.searchsorted(self.signals[order], np.arange(len(self.counts) + 1))
        return in_parts(order, starts)


def in_parts(numbers: Ints, starts: NDArray[np.integer[Any]]) -> tuple[Ints, ...]:
    """Return numbers cut into parts, one from each start to the next."""
    return tuple(numbers[a:b] for a, b in pairwise(starts.tolist()))


def spread(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return so many numbers from each start on, one after the other.

    >>> spread(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    behind = np.cumsum(counts)
    return np.repeat(starts - behind + counts, counts) + np.arange(counts.sum())
