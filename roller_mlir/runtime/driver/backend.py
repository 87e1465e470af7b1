# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A device as a back end of the runtime: `roller run --on cuda`, `Artifact.run(..., on="hip")`, with numpy arrays.

Each launch is timed by events and waited for; who wants neither opens a `LoadedProgram`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roller_mlir.plan.manifest import Buffer, BufferView, Launch, Manifest
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES
from roller_mlir.runtime.driver.cuda import CudaDriver
from roller_mlir.runtime.driver.hip import HipDriver
from roller_mlir.runtime.driver.interface import Driver
from roller_mlir.runtime.driver.kernels import LoadedLaunch, check_buffers, load_kernels
from roller_mlir.runtime.driver.memory import DEFAULT_CACHE_BYTES, CachingAllocator, DeviceMemory
from roller_mlir.runtime.driver.program import LoadedProgram
from roller_mlir.runtime.sequence import LaunchReport

_STREAM = 0


@dataclass(frozen=True)
class Memory:
    """A part of a piece of the device's memory."""

    piece: DeviceMemory
    offset_bytes: int
    size_bytes: int

    @property
    def address(self) -> int:
        """Where it begins."""
        return self.piece.address + self.offset_bytes


class DriverBackend:
    """Runs artifacts on one device; implements `sequence.Backend`, on the default stream."""

    def __init__(self, driver: Driver, cache_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        """Take a device.

        Args:
            driver: The device.
            cache_bytes: How much unused memory is kept for later runs at most.
        """
        self.driver = driver
        self.allocator = CachingAllocator(driver, cache_bytes)
        self._launches: dict[Launch, LoadedLaunch] = {}

    def load(self, manifest: Manifest, files: Mapping[str, bytes]) -> LoadedProgram:
        """Load an artifact for many calls.

        Raises:
            BackendError: It does not run on this device.
        """
        return LoadedProgram(self.driver, manifest, files, self.allocator)

    def open(self, manifest: Manifest, files: Mapping[str, bytes]) -> None:
        """Load the kernels of an artifact."""
        record = manifest.file("constants")
        check_buffers(manifest, len(files[record.name]) if record else 0)
        with self.driver.current():
            loaded = load_kernels(self.driver, manifest, files)
        self._launches = {manifest.launches[number]: one for number, one in loaded.items()}

    def allocate(self, size_bytes: int, alignment_bytes: int) -> Memory:
        """Return uninitialised memory."""
        with self.driver.current():
            return Memory(self.allocator.allocate(size_bytes, _STREAM), 0, size_bytes)

    def upload(self, data: np.ndarray[Any, Any], alignment_bytes: int) -> Memory:
        """Return memory that holds the bytes of an array."""
        memory = self.allocate(data.nbytes, alignment_bytes)
        if data.nbytes:
            with self.driver.current():
                self.driver.upload(memory.address, int(data.ctypes.data), data.nbytes, _STREAM)
        return memory

    def adopt(self, data: np.ndarray[Any, Any], alignment_bytes: int) -> Memory | None:
        """Return None: kernels do not reach the host's arrays."""
        del data, alignment_bytes

    def download(self, memory: Memory, buffer: Buffer) -> np.ndarray[Any, Any]:
        """Return a buffer's content as a new array."""
        host = np.empty(buffer.static_shape, NUMPY_TYPES[buffer.element_type])
        with self.driver.current():
            if host.nbytes:
                self.driver.download(int(host.ctypes.data), memory.address, host.nbytes, _STREAM)
            self.driver.synchronize(_STREAM)
        return host

    def slice(self, memory: Memory, offset_bytes: int, size_bytes: int) -> Memory:
        """Return a part of memory."""
        return Memory(memory.piece, memory.offset_bytes + offset_bytes, size_bytes)

    def copy(self, source: Memory, target: Memory) -> None:
        """Copy all bytes of `source` into `target`."""
        if source.size_bytes:
            with self.driver.current():
                self.driver.copy(target.address, source.address, source.size_bytes, _STREAM)

    def launch(self, launch: Launch, arguments: Sequence[tuple[BufferView, Memory]]) -> LaunchReport:
        """Run a kernel to its end, and time it."""
        with self.driver.current():
            loaded = self._launches[launch]
            parameters = loaded.prepare([memory.address for _, memory in arguments])
            seconds = self.driver.timed_s(_STREAM, lambda: loaded.start(parameters, _STREAM))
        return LaunchReport(kernel=launch.kernel, seconds=seconds, note=loaded.note)


def cuda_backend(*, device: int = 0, cache_bytes: int = DEFAULT_CACHE_BYTES) -> DriverBackend:
    """Open an NVIDIA device, through cuda-bindings; see `DriverBackend`.

    Raises:
        BackendError: There is no such device, no driver, or no cuda-bindings.
    """
    return DriverBackend(CudaDriver(device), cache_bytes)


def hip_backend(*, device: int = 0, cache_bytes: int = DEFAULT_CACHE_BYTES) -> DriverBackend:
    """Open an AMD device, through hip-python; see `DriverBackend`.

    Raises:
        BackendError: There is no such device, no driver, or no hip-python.
    """
    return DriverBackend(HipDriver(device), cache_bytes)
