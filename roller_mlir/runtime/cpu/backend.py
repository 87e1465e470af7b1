# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""This machine as a back end: `Artifact.run(..., on="cpu")`. Arrays are read and written where they lie."""

import ctypes
import os
import time
from _ctypes import dlclose
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from roller_mlir.plan.manifest import MEMORY_ALIGNMENT_BYTES, PREPARE, Buffer, BufferView, Launch, Manifest
from roller_mlir.plan.team import BODY
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES
from roller_mlir.runtime.cpu.features import missing_feature
from roller_mlir.runtime.cpu.program import HostProgram
from roller_mlir.runtime.cpu.threads import Job, Pointers, Team, function_of, thread_count
from roller_mlir.runtime.errors import BackendError
from roller_mlir.runtime.registry import check_vendor
from roller_mlir.runtime.sequence import LaunchReport


@dataclass(frozen=True)
class HostMemory:
    """A part of an array of this process; what keeps it alive comes with it."""

    address: int
    size_bytes: int
    owner: np.ndarray[Any, Any]


class CpuBackend:
    """Runs artifacts on this machine; implements `sequence.Backend`.

    Attributes:
        threads: How many run tasks at a time.
    """

    def __init__(self, *, threads: int | None = None) -> None:
        """Decide how many threads there are; they start with the first kernel that they share.

        Args:
            threads: How many run tasks at a time; None leaves it to ROLLER_NUM_THREADS, or to the process's cores.

        Raises:
            BackendError: The number is none.
        """
        self.threads = thread_count(threads)
        self._library: ctypes.CDLL | None = None
        self._team: Team | None = None
        self._bodies: dict[str, Any] = {}

    def __del__(self) -> None:
        """End the threads, and give the library back."""
        if hasattr(self, "_library"):
            self._unload()

    def load(self, manifest: Manifest, files: Mapping[str, bytes]) -> HostProgram:
        """Load an artifact for many calls.

        Raises:
            BackendError: It does not run on this machine.
        """
        return HostProgram(self, manifest, files)

    def _unload(self) -> None:
        """End the threads and give the library back, whose functions nobody calls any more."""
        team, library = self._team, self._library
        self._team = self._library = None
        self._bodies.clear()
        if (team is None or team.close()) and library is not None:
            dlclose(library._handle)  # noqa: SLF001 - ctypes has no other name for it

    def open(self, manifest: Manifest, files: Mapping[str, bytes]) -> None:
        """Load the shared library of an artifact.

        Raises:
            BackendError: It is for other devices, this machine lacks an instruction set, or the library is missing
                or cannot be loaded.
        """
        check_vendor("cpu", manifest)
        record = manifest.device
        problem = missing_feature(record.architecture)
        if problem:
            raise BackendError(f"{manifest.function!r} was compiled for {record.name}: {problem}; compile for 'host'")
        file = manifest.file("library")
        if file is None and manifest.kernels:
            raise BackendError(f"{manifest.function!r} has no shared library; compile it with binaries")
        self._unload()
        if file is not None:
            self._library = _library(manifest.function, files[file.name])
            _prepare(self._library, manifest)
            self._bodies = {one.name: function_of(self._library, one.name + BODY) for one in manifest.kernels}
            self._team = Team(self.threads, self._library)
            size = max((launch.dynamic_workgroup_bytes for launch in manifest.launches), default=0)
            self._scratch = [self.allocate(size, MEMORY_ALIGNMENT_BYTES) for _ in range(self.threads)]
            self._scratches = _pointers([one.address for one in self._scratch])

    def allocate(self, size_bytes: int, alignment_bytes: int) -> HostMemory:
        """Return uninitialised memory."""
        alignment = max(alignment_bytes, 64)
        owner = np.empty(size_bytes + alignment, np.uint8)
        start = int(owner.ctypes.data)
        return HostMemory(-(-start // alignment) * alignment, size_bytes, owner)

    def upload(self, data: np.ndarray[Any, Any], alignment_bytes: int) -> HostMemory:
        """Return the memory of an array, which is not copied where it is aligned."""
        start = int(data.ctypes.data)
        if start % alignment_bytes == 0 or not data.nbytes:
            return HostMemory(start, data.nbytes, data)
        memory = self.allocate(data.nbytes, alignment_bytes)
        ctypes.memmove(memory.address, start, data.nbytes)
        return memory

    def adopt(self, data: np.ndarray[Any, Any], alignment_bytes: int) -> HostMemory | None:
        """Return the memory of an array, which kernels write where it lies."""
        start = int(data.ctypes.data)
        aligned = start % alignment_bytes == 0 or not data.nbytes
        return HostMemory(start, data.nbytes, data) if aligned else None

    def download(self, memory: HostMemory, buffer: Buffer) -> np.ndarray[Any, Any]:
        """Return a buffer's content as an array, which is the memory itself where nothing else lies there."""
        offset = memory.address - int(memory.owner.ctypes.data)
        size = prod(buffer.static_shape) * np.dtype(NUMPY_TYPES[buffer.element_type]).itemsize
        whole = memory.owner.reshape(-1).view(np.uint8)
        found = whole[offset : offset + size].view(NUMPY_TYPES[buffer.element_type]).reshape(buffer.static_shape)
        return found if buffer.role == "output" else found.copy()

    def slice(self, memory: HostMemory, offset_bytes: int, size_bytes: int) -> HostMemory:
        """Return a part of memory."""
        return HostMemory(memory.address + offset_bytes, size_bytes, memory.owner)

    def copy(self, source: HostMemory, target: HostMemory) -> None:
        """Copy all bytes of `source` into `target`."""
        ctypes.memmove(target.address, source.address, source.size_bytes)

    def launch(self, launch: Launch, arguments: Sequence[tuple[BufferView, HostMemory]]) -> LaunchReport:
        """Run all tasks of a kernel."""
        run, started = self.bind([(launch, arguments)]), time.perf_counter()
        run()
        return LaunchReport(kernel=launch.kernel, seconds=time.perf_counter() - started)

    def bind(self, launches: Sequence[tuple[Launch, Sequence[tuple[BufferView, HostMemory]]]]) -> Callable[[], None]:
        """Return what runs kernels in order on the same memory each time, which the caller keeps."""
        assert self._team is not None
        team, scratches = self._team, self._scratches
        given = [_pointers([memory.address for _, memory in arguments]) for _, arguments in launches]
        jobs = [
            team.job(self._bodies[launch.kernel], arrays, prod(launch.static_grid))
            for (launch, _), arrays in zip(launches, given, strict=True)
        ]
        listed = (Job * len(jobs))(*jobs)
        listed.keeps = given  # pyrefly: ignore[missing-attribute] - an array takes attributes; `given` lives with it
        return partial(team.run, listed, scratches, shared=any(job.ranks > 1 for job in jobs))


def _pointers(addresses: Sequence[int]) -> Pointers:
    """Return an array of addresses."""
    return (ctypes.c_void_p * len(addresses))(*addresses)


def _library(function: str, content: bytes) -> ctypes.CDLL:
    """Load a shared library, which stays when its file is gone."""
    try:
        # Functions such as expf are those of the process.
        ctypes.CDLL("libm.so.6", mode=ctypes.RTLD_GLOBAL)
        with TemporaryDirectory(prefix="roller-") as folder:
            path = Path(folder, "function.so")
            path.write_bytes(content)
            return ctypes.CDLL(str(path))
    except OSError as error:
        raise BackendError(f"the shared library of {function!r} cannot be loaded: {error}") from error


def _prepare(library: ctypes.CDLL, manifest: Manifest) -> None:
    """Ask the system for registers beyond the usual ones, where a library has some; see its header."""
    prepare = getattr(library, manifest.symbol + PREPARE, None)
    problem = 0 if prepare is None else int(prepare())
    if problem:
        raise BackendError(
            f"{manifest.function!r} needs tile registers (AMX), which the system does not give: {os.strerror(problem)}"
        )
