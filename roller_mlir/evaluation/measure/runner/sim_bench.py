# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dry runs: the simulator in the place of a device, to try a kit and its runner. Its times are of no device."""

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from roller_mlir.evaluation.measure.records import MeasuredMachine
from roller_mlir.evaluation.measure.runner.machine import versions
from roller_mlir.plan.manifest import Manifest
from roller_mlir.runtime.arguments.checks import as_bits
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES
from roller_mlir.runtime.artifact import Artifact
from roller_mlir.runtime.registry import find_backend
from roller_mlir.runtime.sequence import LoadedSequence
from roller_mlir.runtime.timing import Samples

DRY_RUN = "dry run: wall time of the simulator"
"""What every timing of a dry run says of itself."""
_MOST_SAMPLES = 3


class SimLoaded:
    """An artifact in the simulator; implements `devices.Loaded`.

    Launches run one after the other. Where kernels may start before others have ended, the sanitizer finds what they do
    before they have waited.
    """

    def __init__(self, artifact: Artifact) -> None:
        """Take it; its memory is poisoned by the simulator at each run."""
        self._artifact = artifact
        self._ready: LoadedSequence[Any] | None = None
        buffers = [artifact.manifest.buffer(name) for name in artifact.manifest.outputs]
        self._outputs = [np.empty(one.static_shape, NUMPY_TYPES[one.element_type]) for one in buffers]

    @property
    def manifest(self) -> Manifest:
        """Its record."""
        return self._artifact.manifest

    @property
    def notes(self) -> Sequence[str]:
        """Return nothing: it has no binaries."""
        return ()

    def prepare(self, inputs: Sequence[Any], *, graph: bool = False, in_line: bool = False) -> Callable[[], None]:
        """Return what runs it."""

        def run() -> None:
            if self._ready is None:  # loaded once, as state is kept from run to run
                sanitize = any(launch.dependent for launch in self.manifest.launches)
                backend = find_backend("sim", {"sanitize": sanitize})
                self._ready = LoadedSequence(self.manifest, self._artifact.files, backend)
            arrays, _ = as_bits(self.manifest, inputs)
            for output, value in zip(self._outputs, self._ready.run(arrays).outputs, strict=True):
                output[...] = value

        return run

    def outputs(self) -> list[Any]:
        """Return its outputs."""
        return list(self._outputs)

    def poison(self, value: int) -> None:
        """Fill the outputs with a byte."""
        for output in self._outputs:
            output.reshape(-1).view(np.uint8).fill(value)


class SimBench:
    """The simulator; implements `devices.Bench`."""

    back_end = "sim"
    driver = None
    clears_caches = False

    def __init__(self) -> None:
        """Find the simulator.

        Raises:
            BackendError: This package is not installed, as beside a kit.
        """
        find_backend("sim")

    def machine(self) -> MeasuredMachine:
        """Say that it is no device."""
        return MeasuredMachine(back_end="sim", device="simulator (dry run)", versions=versions())

    def load(self, artifact: Artifact) -> SimLoaded:
        """Load an artifact."""
        return SimLoaded(artifact)

    def place(self, array: Any) -> Any:
        """Return the array, which is in the one memory that there is."""
        return array

    def host(self, array: Any) -> np.ndarray[Any, Any]:
        """Return a copy of an array's bytes."""
        return np.array(array, order="C").reshape(-1).view(np.uint8)

    def time(
        self, calls: Mapping[str, Callable[[], object]], *, samples: int, limit_s: float | None, flush: bool = True
    ) -> dict[str, Samples]:
        """Take wall times, of a few rounds at most; there are no caches to clear."""
        began = perf_counter()
        taken: dict[str, list[float]] = {name: [] for name in calls}
        for number in range(min(samples, _MOST_SAMPLES)):
            if number and limit_s is not None and perf_counter() - began > limit_s:
                break
            for name, call in calls.items():
                start = perf_counter()
                call()
                taken[name].append(perf_counter() - start)
        return {name: Samples(tuple(seconds)) for name, seconds in taken.items()}

    def synchronize(self) -> None:
        """Return; a run ends before its call does."""

    def trim(self) -> None:
        """Return; memory is numpy's."""
