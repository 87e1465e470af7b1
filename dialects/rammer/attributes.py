# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes of the `rammer` dialect.

    #rammer.device<{per_unit = 2, registers = 64, threads = 256, units = 132, workgroup_bytes = 16384}>
    #rammer.schedule<{counts = dense<2> : tensor<1xi32>, signals = dense<[0, 0, -1]> : tensor<3xi32>,
                      starts = dense<[0, 2, 3]> : tensor<3xi32>, tasks = dense<[0, 2, 1]> : tensor<3xi32>,
                      wait_starts = dense<[0, 0, 0, 1]> : tensor<4xi32>, waits = dense<0> : tensor<1xi32>}>

Tasks are numbered through, `rammer.apply` by `rammer.apply`. vEU v runs tasks[starts[v]:starts[v + 1]] in order. Task t
waits for the events waits[wait_starts[t]:wait_starts[t + 1]] and signals event signals[t] (-1: none). An event is a
counter: event e is over when counts[e] tasks have signalled it.

Where operators have resident operands, `slots` says for each of these of each task, task by task, in which piece of 16
bytes of workgroup memory its slice begins, and `fills` whether the task brings it (1) or finds it there (0).

Schedules are long: they stand in tensors, which the bindings hand out as a whole.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roller_mlir.dialects.rammer.dialect import Rammer
from roller_mlir.dialects.rtile.checks import InvalidOpError, require
from roller_mlir.dialects.rtile.fields import read_record, to_attribute
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
        """Build the attribute of a schedule."""
        programs, waits = Parts.of(schedule.programs), schedule.wait_list
        parts = {
            "counts": schedule.counts,
            "tasks": programs.numbers,
            "starts": programs.starts,
            "signals": schedule.signals,
            "waits": waits.numbers,
            "wait_starts": waits.starts,
        }
        if len(schedule.slots):
            parts |= {"slots": schedule.slots, "fills": schedule.fills}
        return cls.get(ir.DictAttr.get({key: _tensor(part) for key, part in parts.items()}))

    def read(self) -> Schedule:
        """Return the schedule.

        Raises:
            InvalidOpError: An array is missing or unknown, does not divide another, or has wrong numbers.
        """
        parts = self._arrays()
        for key, by in _DIVIDED:
            _check_divides(len(parts[key]), parts[by], key, by)
        least = int(parts["counts"].min(initial=1))
        require(least >= 1, f"schedule 'counts' must be at least 1 each, but one is {least}")
        slots, fills = parts.get("slots", NO_SLOTS), parts.get("fills", NO_SLOTS)
        good = len(slots) == len(fills) and bool(((fills == 0) | (fills == 1)).all())
        require(good, f"schedule 'fills' must say 0 or 1 of each of {len(slots)} slots")
        return Schedule(
            (*Parts(parts["tasks"], parts["starts"]),),
            Parts(parts["waits"], parts["wait_starts"]),
            parts["signals"],
            parts["counts"],
            slots,
            fills,
        )

    def _arrays(self) -> dict[str, Ints]:
        """Return the numbers that there must be, by their names."""
        entries = {entry.name: entry.attr for entry in ir.DictAttr(self.params[0])}
        wanted = ("counts", "signals", "starts", "tasks", "wait_starts", "waits")
        more = ("fills", "slots") if "slots" in entries or "fills" in entries else ()
        good = tuple(sorted(entries)) == tuple(sorted((*wanted, *more)))
        require(good, f"schedule needs {', '.join((*wanted, *more))}, but has {', '.join(entries)}")
        return {key: _numbers(key, attribute) for key, attribute in entries.items()}


_DIVIDED = (("tasks", "starts"), ("waits", "wait_starts"))
"""Arrays of a schedule that others divide."""


def _tensor(numbers: NDArray[np.integer[Any]]) -> ir.Attribute:
    """Return numbers as a tensor of i32."""
    words = np.ascontiguousarray(numbers, np.int32)
    return ir.DenseElementsAttr.get(words)  # pyrefly: ignore[no-matching-overload] - the stub lacks arrays


def _numbers(key: str, attribute: Any) -> Ints:
    """Return the numbers of a tensor."""
    if isinstance(attribute, ir.DenseIntElementsAttr):
        found = np.array(attribute)
        if found.ndim == 1 and found.dtype == np.int32:
            return found
    raise InvalidOpError(f"schedule '{key}' must be dense<...> : tensor<Nxi32>, but is {attribute}")


def _check_divides(size: int, starts: Ints, key: str, by: str) -> None:
    good = len(starts) > 0 and starts[0] == 0 and starts[-1] == size and bool((np.diff(starts) >= 0).all())
    if not good:
        raise InvalidOpError(
            f"schedule '{by}' must rise from 0 to the {size} of '{key}', but is {starts.tolist()[:20]}"
        )
