# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How large experiments are: for the device itself, or so small that the simulator runs them in a moment."""

from dataclasses import dataclass

from roller_mlir.hal import Device
from roller_mlir.lowering.targets import family_of

MIB = 1 << 20
_CYCLES = 2_000_000


@dataclass(frozen=True, kw_only=True)
class Scale:
    """Sizes of experiments.

    Attributes:
        device: The device.
        small: Whether everything is as small as it can be and still be right: for dry runs and tests.
    """

    device: Device
    small: bool = False

    @property
    def units(self) -> int:
        """Units that are used."""
        return 2 if self.small else self.device.units

    @property
    def has_grid_barrier(self) -> bool:
        """Whether all blocks of a grid can wait for each other."""
        return family_of(self.device).has_grid_barrier(self.device)

    def steps(self, wanted: float, multiple: int = 2) -> int:
        """Return a number of steps, a multiple of some number; the half of it is one too, where it is even.

        Args:
            wanted: For the device.
            multiple: What it is a multiple of.
        """
        return multiple * (2 if self.small else max(2, round(wanted / multiple)))

    def steps_for(self, cycles_a_step: float, multiple: int = 2) -> int:
        """Return how many steps take about a millisecond at two billion cycles a second."""
        return self.steps(_CYCLES / cycles_a_step, multiple)

    def bytes(self, wanted: int) -> int:
        """Return the size of a working set."""
        return max(wanted // 4096, 64 << 10) if self.small else wanted


def size_name(size_bytes: int) -> str:
    """Return a size for names: "16MiB", "1GiB", "24KiB".

    >>> [size_name(size) for size in (24576, 1 << 24, 1 << 30, 100)]
    ['24KiB', '16MiB', '1GiB', '100B']
    """
    for unit, name in ((1 << 30, "GiB"), (MIB, "MiB"), (1 << 10, "KiB")):
        if size_bytes >= unit and size_bytes % unit == 0:
            return f"{size_bytes // unit}{name}"
    return f"{size_bytes}B"
