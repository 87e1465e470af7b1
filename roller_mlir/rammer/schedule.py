# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A schedule: which vEU runs which tasks in which order, what each task waits for and what it signals.

Paper: RAMMER, sections 3.2 and 3.3.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from roller_mlir.rammer.parts import Ints, Parts

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
        slots: Where in workgroup memory each slice lies that a task keeps there (`rammer.resident.slots`), in pieces of
            16 bytes: one for each of its resident operands, by the task's number and in their order.
        fills: Of each of them 1 where the task brings the slice, 0 where it finds it there.
    """

    programs: Sequence[Ints]
    waits: Sequence[Ints]
    signals: Ints
    counts: Ints
    slots: Ints = field(default_factory=lambda: NO_SLOTS)
    fills: Ints = field(default_factory=lambda: NO_SLOTS)

    @property
    def wait_count(self) -> int:
        """How many waits there are."""
        return len(self.wait_list.numbers)

    @cached_property
    def wait_list(self) -> Parts:
        """The waits of all tasks behind each other."""
        return Parts.of(self.waits)

    @cached_property
    def wait_sets(self) -> tuple[Ints, Parts]:
        """Of each task the number of the set of events that it waits for, and these: tasks of an operator have one."""
        return self.wait_list.distinct()

    @cached_property
    def place(self) -> tuple[Ints, Ints]:
        """The vEU of each task, and its position there; -1 of tasks that no vEU runs."""
        unit, position = (np.full(len(self.signals), -1, np.int32) for _ in range(2))
        for number, program in enumerate(self.programs):
            unit[program] = number
            position[program] = np.arange(len(program), dtype=np.int32)
        return unit, position

    @cached_property
    def members(self) -> Parts:
        """The tasks that signal each event, in rising order."""
        return Parts.by_number(self.signals, len(self.counts))
