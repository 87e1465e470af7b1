# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which devices may launch a kernel before the one that it needs has ended (programmatic dependent launch)."""

from roller_mlir.hal import Device

_VENDOR = "nvidia"
_FIRST = 90
"""The first architecture that has it (CUDA C++ Programming Guide, chapter 4.5)."""


def has_dependent_launch(device: Device) -> bool:
    """Return whether a device has programmatic dependent launches."""
    return device.vendor == _VENDOR and int("".join(filter(str.isdecimal, device.architecture))) >= _FIRST
