# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes of the `rammer` dialect.

    #rammer.device<{per_unit = 2, registers = 64, threads = 256, units = 132, workgroup_bytes = 16384}>
    #rammer.schedule<{signals = array<i32: 0, 0, -1>, starts = array<i32: 0, 2, 3>, tasks = array<i32: 0, 2, 1>,
                      wait_starts = array<i32: 0, 0, 0, 1>, waits = array<i32: 0>}>

Tasks are numbered through, `rammer.apply` by `rammer.apply`. vEU v runs tasks[starts[v]:starts[v + 1]] in order. Task t
waits for the events waits[wait_starts[t]:wait_starts[t + 1]] and signals event signals[t] (-1: none).

Where operators have resident operands, `slots` says for each of these of each task, task by task, in which piece of 16
bytes of workgroup memory its slice begins, and `fills` whether the task brings it (1) or finds it there (0).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from roller_mlir.dialects.rammer.dialect import Rammer
from roller_mlir.dialects.rtile_checks import InvalidOpError, require
from roller_mlir.dialects.rtile_fields import read_record, to_attribute
from roller_mlir.rammer.graph.boxes import Ints
from roller_mlir.rammer.parts import Parts
from roller_mlir.rammer.schedule import NO_SLOTS, Schedule, VirtualDevice
from roller_mlir.support.bindings import ir


class DeviceAttr(Rammer.Attribute, name="device"):
    """RAMMER's vDevice: see `roller_mlir.rammer.schedule.VirtualDevice`."""

    fields_parameter: ir.DictAttr

    @classmethod
    def of(cls, device: VirtualDevice) -> "DeviceAttr":
        """Build the attribute."""
        return cls.get(to_attribute(device))

    def read(self) -> VirtualDevice:
        """Return the device.

        Raises:
            InvalidOpError: An entry is missing, unknown, or no value of its field.
        """
        return read_record(VirtualDevice, self.params[0], "device")


class ScheduleAttr(Rammer.Attribute, name="schedule"):
    """Which vEU runs which tasks in which order, what they wait for and signal; see the module's description."""

    fields_parameter: ir.DictAttr

    @classmethod
    def of(cls, schedule: Schedule) -> "ScheduleAttr":
        """Build the attribute of a schedule; its counts stand in `rammer.event` ops."""
        programs, waits = Parts.of(schedule.programs), schedule.wait_list
        parts = {
            "tasks": programs.numbers,
            "starts": programs.starts,
            "signals": schedule.signals,
            "waits": waits.numbers,
            "wait_starts": waits.starts,
        }
        if len(schedule.slots):
            parts |= {"slots": schedule.slots, "fills": schedule.fills}
        arrays: dict[str, Any] = {key: ir.DenseI32ArrayAttr.get(part.tolist()) for key, part in parts.items()}
        return cls.get(ir.DictAttr.get(arrays))

    def read(self, counts: Sequence[int]) -> Schedule:
        """Return the schedule.

        Args:
            counts: How many signals each event waits for.

        Raises:
            InvalidOpError: An array is missing or unknown, or does not divide another.
        """
        parts = {key: _numbers(attribute) for key, attribute in self._arrays().items()}
        for key, by in _DIVIDED:
            _check_divides(len(parts[key]), parts[by], key, by)
        slots, fills = parts.get("slots", NO_SLOTS), parts.get("fills", NO_SLOTS)
        good = len(slots) == len(fills) and bool(((fills == 0) | (fills == 1)).all())
        require(good, f"schedule 'fills' must say 0 or 1 of each of {len(slots)} slots")
        return Schedule(
            (*Parts(parts["tasks"], parts["starts"]),),
            Parts(parts["waits"], parts["wait_starts"]),
            parts["signals"],
            np.array(counts, np.int32),
            slots,
            fills,
        )

    def check(self) -> int:
        """Return how many vEUs the schedule is of.

        Raises:
            InvalidOpError: As of `read`.
        """
        arrays = self._arrays()
        for key, by in _DIVIDED:
            _check_divides(len(arrays[key]), _numbers(arrays[by]), key, by)
        return len(arrays["starts"]) - 1

    def _arrays(self) -> dict[str, Any]:
        """Return the arrays that there must be, by their names."""
        entries = {entry.name: entry.attr for entry in ir.DictAttr(self.params[0])}
        wanted = ("signals", "starts", "tasks", "wait_starts", "waits")
        more = ("fills", "slots") if "slots" in entries or "fills" in entries else ()
        good = tuple(sorted(entries)) == tuple(sorted((*wanted, *more)))
        require(good, f"schedule needs {', '.join((*wanted, *more))}, but has {', '.join(entries)}")
        for key, attribute in entries.items():
            if not isinstance(attribute, ir.DenseI32ArrayAttr):
                raise InvalidOpError(f"schedule '{key}' must be array<i32: ...>, but is {attribute}")
        return entries


_DIVIDED = (("tasks", "starts"), ("waits", "wait_starts"))
"""Arrays of a schedule that others divide."""


def _numbers(attribute: Any) -> Ints:
    """Return the numbers of an array, which the bindings hand out one by one: that is quicker than reading its text."""
    return np.fromiter(attribute, np.int32, len(attribute))


def _check_divides(size: int, starts: Ints, key: str, by: str) -> None:
    good = len(starts) > 0 and starts[0] == 0 and starts[-1] == size and bool((np.diff(starts) >= 0).all())
    if not good:
        raise InvalidOpError(
            f"schedule '{by}' must rise from 0 to the {size} of '{key}', but is {starts.tolist()[:20]}"
        )
