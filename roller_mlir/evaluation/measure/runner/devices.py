# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What runs a kit's artifacts and times them: a device through its driver, this machine, for dry runs the simulator."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from roller_mlir.evaluation.measure.records import MeasuredMachine
from roller_mlir.evaluation.measure.runner.machine import machine_of_driver
from roller_mlir.plan.manifest import Buffer, Manifest
from roller_mlir.runtime.arguments.arrays import describe
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES
from roller_mlir.runtime.artifact import Artifact
from roller_mlir.runtime.driver.backend import DriverBackend
from roller_mlir.runtime.driver.interface import Driver
from roller_mlir.runtime.driver.memory import CachingAllocator, DeviceArray
from roller_mlir.runtime.driver.program import LoadedProgram
from roller_mlir.runtime.errors import BackendError
from roller_mlir.runtime.registry import find_backend, host_backends
from roller_mlir.runtime.timing import Samples, flush_bytes_of, time_interleaved

STREAM = 0
"""The default stream, which torch works on too unless it is told otherwise."""


class Loaded(Protocol):
    """An artifact that is ready to run."""

    @property
    def manifest(self) -> Manifest:
        """Its record."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """Which better binaries of its kernels the driver refused, and why."""
        ...

    def prepare(self, inputs: Sequence[Any], *, graph: bool = False, in_line: bool = False) -> Callable[[], None]:
        """Return what queues it on these inputs, which live as long as it does.

        Args:
            inputs: What `Bench.place` returned, or arrays of other libraries on the device.
            graph: Whether its launches are queued as one graph; a simulator has none, and queues them one by one.
            in_line: Whether each launch of that graph waits for the one before it.

        Raises:
            ArgumentError: They do not fit.
        """
        ...

    def outputs(self) -> list[Any]:
        """Return its outputs, the same arrays after each run."""
        ...

    def poison(self, value: int) -> None:
        """Fill outputs and workspace with a byte, so that what a kernel does not write, or reads too early, shows."""
        ...


class Bench(Protocol):
    """One device for one process."""

    @property
    def back_end(self) -> str:
        """Its name."""
        ...

    @property
    def driver(self) -> Driver | None:
        """The driver; None of the simulator."""
        ...

    @property
    def clears_caches(self) -> bool:
        """Whether caches are cleared before what is timed, unless warm times are asked for."""
        ...

    def machine(self) -> MeasuredMachine:
        """Describe device, driver and libraries, without start and command."""
        ...

    def load(self, artifact: Artifact) -> Loaded:
        """Load an artifact.

        Raises:
            BackendError: It does not run here.
        """
        ...

    def place(self, array: Any) -> Any:
        """Return an array on the device; what is not numpy's is there already."""
        ...

    def host(self, array: Any) -> np.ndarray[Any, Any]:
        """Return an array's bytes on the host, after all that was queued."""
        ...

    def time(
        self, calls: Mapping[str, Callable[[], object]], *, samples: int, limit_s: float | None, flush: bool = True
    ) -> dict[str, Samples]:
        """Time calls in rounds.

        Args:
            calls: What to time, by name.
            samples: Rounds.
            limit_s: After so many seconds no further round begins.
            flush: Whether caches are cleared before each call, where `clears_caches` says that they are.
        """
        ...

    def synchronize(self) -> None:
        """Wait for the device.

        Raises:
            BackendError: What was queued has failed.
        """
        ...

    def trim(self) -> None:
        """Give unused memory back."""
        ...


class DriverLoaded:
    """An artifact on a device; implements `Loaded`."""

    def __init__(self, bench: "DriverBench", artifact: Artifact) -> None:
        """Load it, with outputs and workspace of its own."""
        self.manifest, self._bench = artifact.manifest, bench
        self._program = LoadedProgram(bench.driver, artifact.manifest, artifact.files, bench.allocator)
        self._outputs = [bench.empty(artifact.manifest.buffer(name)) for name in artifact.manifest.outputs]
        size = self._program.workspace_bytes
        self._workspace = bench.array(size, (size,), "i8") if size else None

    @property
    def notes(self) -> Sequence[str]:
        """Which better binaries of its kernels the driver refused, and why."""
        return self._program.notes

    def prepare(self, inputs: Sequence[Any], *, graph: bool = False, in_line: bool = False) -> Callable[[], None]:
        """Check once, and return what queues it."""
        made, space = self._program.prepare, self._workspace
        return made(*inputs, outputs=self._outputs, stream=STREAM, workspace=space, graph=graph, in_line=in_line)

    def outputs(self) -> list[Any]:
        """Return its outputs."""
        return list(self._outputs)

    def poison(self, value: int) -> None:
        """Fill outputs and workspace with a byte."""
        workspace = [(self._workspace, self._program.workspace_bytes)] if self._workspace is not None else []
        sizes = [self.manifest.buffer(name).size_bytes for name in self.manifest.outputs]
        with self._bench.driver.current():
            for array, size in [*zip(self._outputs, sizes, strict=True), *workspace]:
                if size:
                    self._bench.driver.fill(array.address, value, size, STREAM)


class DriverBench:
    """A device through its vendor's driver; implements `Bench`."""

    clears_caches = True

    def __init__(self, driver: Driver) -> None:
        """Take a device."""
        self.driver, self.back_end = driver, driver.back_end
        self.allocator = CachingAllocator(driver)
        self._flush_bytes = flush_bytes_of(driver)

    def machine(self) -> MeasuredMachine:
        """Describe device, driver and libraries."""
        return machine_of_driver(self.driver)

    def load(self, artifact: Artifact) -> Loaded:
        """Load an artifact."""
        return DriverLoaded(self, artifact)

    def array(self, size_bytes: int, shape: tuple[int, ...], element_type: str) -> DeviceArray:
        """Return uninitialised memory as an array."""
        with self.driver.current():
            return DeviceArray(self.driver, self.allocator.allocate(size_bytes, STREAM), shape, element_type)

    def empty(self, buffer: Buffer) -> DeviceArray:
        """Return an uninitialised array for a buffer."""
        return self.array(buffer.size_bytes, buffer.static_shape, buffer.element_type)

    def place(self, array: Any) -> Any:
        """Copy numpy's arrays to the device."""
        if not isinstance(array, np.ndarray):
            return array
        host: np.ndarray[Any, Any] = np.ascontiguousarray(array).reshape(array.shape)
        name = next((name for name, dtype in NUMPY_TYPES.items() if dtype == host.dtype), None)
        if name is None:
            raise BackendError(f"no element type of kernels is numpy's {host.dtype}")
        name = "bf16" if host.dtype == np.uint16 else name
        made = self.array(host.nbytes, host.shape, name)
        if host.nbytes:
            with self.driver.current():
                self.driver.upload(made.address, int(host.ctypes.data), host.nbytes, STREAM)
                self.driver.synchronize(STREAM)
        return made

    def host(self, array: Any) -> np.ndarray[Any, Any]:
        """Copy an array's bytes to the host."""
        if isinstance(array, np.ndarray):
            return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        view = describe("an array", array, self.driver, STREAM)
        if not view.is_dense:
            raise BackendError(f"an array must be dense, but has strides {view.strides}")
        bytes_ = np.empty(view.size_bytes, np.uint8)
        with self.driver.current():
            if view.size_bytes:
                self.driver.download(int(bytes_.ctypes.data), view.address, view.size_bytes, STREAM)
            self.driver.synchronize(STREAM)
        return bytes_

    def time(
        self, calls: Mapping[str, Callable[[], object]], *, samples: int, limit_s: float | None, flush: bool = True
    ) -> dict[str, Samples]:
        """Time calls by the device's events."""
        size = self._flush_bytes if flush else 0
        return time_interleaved(self.driver, STREAM, calls, samples=samples, flush_bytes=size, limit_s=limit_s)

    def synchronize(self) -> None:
        """Wait for the device."""
        with self.driver.current():
            self.driver.synchronize(STREAM)

    def trim(self) -> None:
        """Give unused memory back."""
        with self.driver.current():
            self.allocator.trim()


def open_device(on: str, device: int = 0) -> Bench:
    """Open a device.

    Args:
        on: One of `back_ends()`; the simulator is there where this compiler is installed.
        device: Its number.

    Raises:
        BackendError: It is not available here.
    """
    if on == "sim":
        from roller_mlir.evaluation.measure.runner.sim_bench import SimBench

        return SimBench()
    if on in host_backends():
        if device:
            raise BackendError(f"back end '{on}' is this machine, of which there is one; leave out --device {device}")
        from roller_mlir.evaluation.measure.runner.host_bench import HostBench

        return HostBench()
    backend = find_backend(on, {"device": device})
    if not isinstance(backend, DriverBackend):
        raise BackendError(f"back end '{on}' has no driver, whose events time kernels")
    return DriverBench(backend.driver)
