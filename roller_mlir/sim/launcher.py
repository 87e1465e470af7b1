# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulator as a back end of the runtime: runs an artifact's kernels from the kernel IR that the artifact holds."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from roller_mlir.mapping.bank_phases import Banks
from roller_mlir.plan.manifest import Buffer, DeviceRecord, Launch, Manifest, View
from roller_mlir.runtime.element_types import NUMPY_TYPES
from roller_mlir.runtime.errors import BackendError
from roller_mlir.runtime.sequence import AccessCount, LaunchReport
from roller_mlir.sim.buffers import aligned_empty
from roller_mlir.sim.counting import Counts
from roller_mlir.sim.errors import SimulationError
from roller_mlir.sim.launch import SimulatedKernels

Bytes = np.ndarray[Any, np.dtype[np.uint8]]

# Every bit set: NaN in any float type, -1 in integers. What a kernel forgets to write shows.
_POISON = 0xFF


@lru_cache(maxsize=8)
def _compiled(text: str, subgroup_size: int, banks: Banks, count: bool) -> SimulatedKernels:
    return SimulatedKernels(text, subgroup_size=subgroup_size, count=count, banks=banks)


class SimulatorBackend:
    """Runs kernels in the simulator; memory is bytes of numpy, poisoned until it is written."""

    def __init__(self, *, count: bool = False, seed: int = 0, timeout_s: float = 60.0) -> None:
        """Set how to run.

        Args:
            count: Whether to count memory transactions.
            seed: Of the order of blocks and threads.
            timeout_s: Time after which a launch is given up, in seconds.

        Raises:
            ValueError: The time is not above 0.
        """
        if timeout_s <= 0:
            raise ValueError(f"timeout_s must be above 0, but got {timeout_s}")
        self._count, self._seed, self._timeout_s = count, seed, timeout_s
        self._device: DeviceRecord | None = None
        self._text = ""

    def open(self, manifest: Manifest, files: Mapping[str, bytes]) -> None:
        """Take the kernel IR of an artifact.

        Raises:
            BackendError: The artifact holds none.
        """
        record = manifest.file("kernels")
        if record is None:
            raise BackendError(f"'{manifest.function}' cannot be simulated: its artifact holds no kernel IR")
        self._device, self._text = manifest.device, files[record.name].decode()

    def allocate(self, size_bytes: int, alignment_bytes: int) -> Bytes:
        """Return poisoned memory; it starts at a multiple of 256 B."""
        memory = aligned_empty(size_bytes)
        memory[...] = _POISON
        return memory

    def upload(self, data: np.ndarray[Any, Any], alignment_bytes: int) -> Bytes:
        """Return a copy of the bytes of an array."""
        memory = aligned_empty(data.nbytes)
        memory[...] = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        return memory

    def download(self, memory: Bytes, buffer: Buffer) -> np.ndarray[Any, Any]:
        """Return a copy of a buffer as an array."""
        return memory.view(NUMPY_TYPES[buffer.element_type]).reshape(buffer.shape).copy()

    def slice(self, memory: Bytes, offset_bytes: int, size_bytes: int) -> Bytes:
        """Return a part of memory."""
        return memory[offset_bytes : offset_bytes + size_bytes]

    def copy(self, source: Bytes, target: Bytes) -> None:
        """Copy all bytes of `source` into `target`."""
        target[...] = source

    def launch(self, launch: Launch, arguments: Sequence[tuple[View, Bytes]]) -> LaunchReport:
        """Run a kernel to its end.

        Raises:
            BackendError: The kernel did something wrong or did not end; the message says where its threads stand.
        """
        device = self._device
        if device is None:
            raise ValueError("open must come before launch, but did not")
        banks = Banks(device.workgroup_banks, device.workgroup_bank_bytes, device.workgroup_wide_load_lanes)
        kernels = _compiled(self._text, device.subgroup_size, banks, self._count)
        arrays = [memory.view(NUMPY_TYPES[view.element_type]).reshape(view.shape) for view, memory in arguments]
        try:
            result = kernels.launch(
                launch.kernel,
                launch.grid,
                launch.block,
                launch.dynamic_workgroup_bytes,
                arrays,
                seed=self._seed,
                timeout_s=self._timeout_s,
                resident_blocks=None if launch.cooperative else 1,
            )
        except SimulationError as error:
            raise BackendError(f"simulator: {error}") from error
        counts = _counts(result.counts) if result.counts is not None else None
        return LaunchReport(kernel=launch.kernel, seconds=result.seconds, counts=counts)


def _counts(counts: Counts) -> tuple[AccessCount, ...]:
    return tuple(
        AccessCount(
            site=one.site,
            kind=one.kind,
            space=one.space,
            accesses=one.accesses,
            bytes=one.bytes,
            sectors=one.sectors32,
            phases=one.phases,
            ideal=one.ideal,
        )
        for one in counts.sites
    )
