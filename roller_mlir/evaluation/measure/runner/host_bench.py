# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""This machine as the device of a kit that was packed for its processor: wall times of kernels that run right here."""

import os
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from time import perf_counter
from typing import Any

import numpy as np

from roller_mlir.evaluation.measure.records import MeasuredMachine
from roller_mlir.evaluation.measure.runner.expected.inputs import INPUTS
from roller_mlir.evaluation.measure.runner.machine import versions
from roller_mlir.plan.manifest import MEMORY_ALIGNMENT_BYTES, Manifest
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES
from roller_mlir.runtime.artifact import Artifact
from roller_mlir.runtime.cpu.backend import CpuBackend
from roller_mlir.runtime.cpu.program import HostProgram
from roller_mlir.runtime.timing import Samples, rotated
from roller_mlir.support.foreign.cpuinfo import processor_name

LEAST_S = 5e-4
"""Of a sample: the mean of as many runs as fill it, as the clock and the wake-up of threads have their noise."""
_MOST_RUNS = 1000


class HostLoaded:
    """An artifact on this machine; implements `devices.Loaded`."""

    def __init__(self, artifact: Artifact, backend: CpuBackend) -> None:
        """Load it, with outputs of its own.

        Raises:
            BackendError: It does not run here.
        """
        self.manifest: Manifest = artifact.manifest
        self._program = HostProgram(backend, artifact.manifest, artifact.files)
        buffers = [artifact.manifest.buffer(name) for name in artifact.manifest.outputs]
        arrays = [np.empty(one.static_shape, NUMPY_TYPES[one.element_type]) for one in buffers]
        self._outputs = [_placed(backend, one) for one in arrays]

    @property
    def notes(self) -> Sequence[str]:
        """Return nothing: there is one library."""
        return ()

    def prepare(self, inputs: Sequence[Any], *, graph: bool = False, in_line: bool = False) -> Callable[[], None]:
        """Return what runs it; its launches follow each other, in whatever way they are to be queued."""
        return self._program.prepare(*inputs, outputs=self._outputs)

    def outputs(self) -> list[Any]:
        """Return its outputs."""
        return list(self._outputs)

    def poison(self, value: int) -> None:
        """Fill outputs and workspace with a byte."""
        for output in self._outputs:
            output.reshape(-1).view(np.uint8).fill(value)
        self._program.fill_workspace(value)


class HostBench:
    """This machine; implements `devices.Bench`. Caches hold what the run before has left there, in each timing."""

    back_end = "cpu"
    driver = None
    clears_caches = False

    def __init__(self) -> None:
        """Decide how many threads run kernels: ROLLER_NUM_THREADS, or all cores of the process.

        Raises:
            BackendError: The number is none.
        """
        self._memory = CpuBackend()
        self._threads = self._memory.threads

    def machine(self) -> MeasuredMachine:
        """Describe the processor, and the threads that kernels have."""
        facts: dict[str, int | float | str] = {
            "units": len(os.sched_getaffinity(0)),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "threads": self._threads,
            "inputs": INPUTS,
            "caches": "warm",
        }
        system = os.uname()
        driver = f"{system.sysname} {system.release}, {self._threads} thread{'s' * (self._threads != 1)}"
        return MeasuredMachine(
            back_end=self.back_end, device=processor_name(), driver=driver, versions=versions(), facts=facts
        )

    def load(self, artifact: Artifact) -> HostLoaded:
        """Load an artifact, with threads of its own."""
        return HostLoaded(artifact, CpuBackend(threads=self._threads))

    def place(self, array: Any) -> Any:
        """Return an array where kernels read it without a copy."""
        return _placed(self._memory, array) if isinstance(array, np.ndarray) else array

    def host(self, array: Any) -> np.ndarray[Any, Any]:
        """Return a copy of an array's bytes."""
        return np.array(array, order="C").reshape(-1).view(np.uint8)

    def time(
        self, calls: Mapping[str, Callable[[], object]], *, samples: int, limit_s: float | None, flush: bool = True
    ) -> dict[str, Samples]:
        """Take wall times in rounds, in each another call first; of short calls the mean of several runs.

        Caches are as the run before leaves them, whatever `flush` says: in models kernels find what others have just
        written.
        """
        runs: dict[str, int] = {}
        for name, call in calls.items():
            call()  # brings memory and code
            runs[name] = min(_MOST_RUNS, ceil(LEAST_S / max(_seconds(call, 1), 1e-9)))
        began = perf_counter()
        taken: dict[str, list[float]] = {name: [] for name in calls}
        for number in range(samples):
            if number and limit_s is not None and perf_counter() - began > limit_s:
                break
            for name in rotated(list(calls), number):
                calls[name]()
                taken[name].append(_seconds(calls[name], runs[name]) / runs[name])
        return {name: Samples(tuple(seconds)) for name, seconds in taken.items()}

    def synchronize(self) -> None:
        """Return; a run ends before its call does."""

    def trim(self) -> None:
        """Return; memory is numpy's."""


def _placed(backend: CpuBackend, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array that begins where kernels want it, a copy where it does not."""
    dense = np.ascontiguousarray(array).reshape(array.shape)
    if not dense.nbytes or dense.ctypes.data % MEMORY_ALIGNMENT_BYTES == 0:
        return dense
    memory = backend.upload(dense, MEMORY_ALIGNMENT_BYTES)
    offset = memory.address - int(memory.owner.ctypes.data)
    return memory.owner[offset : offset + dense.nbytes].view(dense.dtype).reshape(dense.shape)


def _seconds(call: Callable[[], object], times: int) -> float:
    start = perf_counter()
    for _ in range(times):
        call()
    return perf_counter() - start
