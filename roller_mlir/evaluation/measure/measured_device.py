# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether what was measured is the device that it is wanted for, as far as its units and its memory tell.

An H100 has the units of an H200 and runs its kernels: only the memory shows that its times are those of another device.
"""

from roller_mlir.evaluation.measure.records import MeasuredMachine
from roller_mlir.hal import Device
from roller_mlir.hal.host import NAMES as HOSTS
from roller_mlir.support.foreign.cpuinfo import processor_name

MEMORY_APART = 0.2
"""Share of its memory by which a driver may say another size: it keeps some for itself, and for error codes."""


def other_device(machine: MeasuredMachine, device: Device) -> str:
    """Return what shows that a machine has another device, "" where nothing does.

    Args:
        machine: Where it was measured.
        device: What it is wanted for.

    >>> from roller_mlir.hal import find_device
    >>> other_device(MeasuredMachine(back_end="cuda", device="NVIDIA H100", facts={"units": 114}), find_device("h200"))
    "a device with 114 units ('NVIDIA H100'), but 'h200' has 132"
    """
    if device.name in HOSTS and machine.device != processor_name():
        return f"a machine of other processors ('{machine.device}'), but '{device.name}' has '{processor_name()}'"
    units, memory = (machine.facts.get(name) for name in ("units", "memory_bytes"))
    name = " ".join(machine.device.encode("ascii", "replace").decode().split())
    if units is not None and units != device.units:
        return f"a device with {units} units ('{name}'), but '{device.name}' has {device.units}"
    described = device.layer("global").total_capacity_bytes
    if isinstance(memory, (int, float)) and abs(memory - described) > MEMORY_APART * described:
        sizes = f"{memory / 1e9:.1f} GB of memory ('{name}'), but '{device.name}' has {described / 1e9:.1f} GB"
        return f"a device with {sizes}"
    return ""
