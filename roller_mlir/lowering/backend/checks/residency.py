# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether all blocks of a launch run at once with the registers and memory that assemblers gave them.

A block of a cooperative launch that has not started would be waited for for ever: what was planned with estimates is
looked at again here. Other launches lose nothing by more registers as long as all of their blocks run at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from roller_mlir.hal import Device
from roller_mlir.lowering.backend.checks.statistics import KernelStatistics
from roller_mlir.lowering.backend.errors import CompileError
from roller_mlir.lowering.loops.attributes import COOPERATIVE
from roller_mlir.mapping.resources import tasks_per_unit
from roller_mlir.support.values import constant_of


@dataclass(frozen=True, kw_only=True)
class Residency:
    """The blocks of a launch that all run at once where the device holds as many.

    Attributes:
        device: Where.
        blocks: How many.
        threads: Threads of each.
        required: Whether they must, because they wait for each other.
    """

    device: Device
    blocks: int
    threads: int
    required: bool = True

    @staticmethod
    def of(launches: Sequence[Any], device: Device) -> "Residency | None":
        """Return the largest launch of a kernel, of its cooperative ones if there are some; None if sizes vary."""
        found: Residency | None = None
        required = [launch for launch in launches if COOPERATIVE in launch.attributes]
        for launch in required or launches:
            names = (f"{of}Size{axis}" for of in ("grid", "block") for axis in "XYZ")
            sizes = [constant_of(getattr(launch, name)) for name in names]
            if None in sizes:
                if required:
                    continue
                return None
            blocks, threads = (prod(n for n in part if n is not None) for part in (sizes[:3], sizes[3:]))
            if found is None or blocks > found.blocks:
                found = Residency(device=device, blocks=blocks, threads=threads, required=bool(required))
        return found

    def held(self, statistics: KernelStatistics) -> int:
        """Return how many of the blocks the device holds at a time."""
        registers, memory = statistics.registers or 0, statistics.shared_bytes or 0
        return tasks_per_unit(self.device, self.threads, registers, memory) * self.device.units

    def check(self, kernel: str, statistics: KernelStatistics) -> None:
        """Raise a CompileError where the device holds fewer blocks than wait for each other."""
        if not self.required or statistics.registers is None or (held := self.held(statistics)) >= self.blocks:
            return
        what = f"{self.threads} threads, {statistics.registers} registers and {statistics.shared_bytes or 0} B"
        raise CompileError(
            kernel,
            f"needs {self.blocks} blocks at a time, but of {what} of workgroup memory {self.device.name} holds {held}; "
            f"schedule fewer (rammer-schedule{{blocks={held}}}), or lower block-registers",
        )
