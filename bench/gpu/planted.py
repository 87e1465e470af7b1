# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The process of a dry run with planted faults: one family of kernels kills it, one hangs, a driver refuses cubins.

python bench/gpu/planted.py KIT --worker PID      as `dry_run.py --faults` starts it
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from roller_mlir.evaluation.measure.kit.families import family_of
from roller_mlir.evaluation.measure.runner.processes.worker import worker_main
from roller_mlir.evaluation.measure.runner.sim_bench import SimBench, SimLoaded
from roller_mlir.runtime import Artifact, BackendError
from roller_mlir.runtime.driver.images import Images
from roller_mlir.runtime.driver.interface import Driver

KILLS, HANGS = "wgmma, tensor store", "mma"
"""The families."""


class OldDriver:
    """Of a driver what chooses binaries; it knows PTX, and no cubin."""

    facts, ordinal = SimpleNamespace(architecture="sm_90"), 0

    def image_kinds(self, _: str) -> tuple[str, ...]:
        """Return what a device of NVIDIA takes."""
        return "cubin", "ptx"

    def load_image(self, name: str, image: bytes) -> bytes:
        """Return PTX, refuse the rest."""
        if image[:4] == b"\x7fELF":
            raise BackendError(f"CUDA cannot load {name}: CUDA_ERROR_INVALID_IMAGE (planted)")
        return image

    def find_function(self, module: bytes, name: str) -> str:
        """Return the name, if the PTX has it."""
        if f".entry {name}(".encode() not in module:
            raise BackendError(f"there is no kernel {name!r}")
        return name

    def allow_shared(self, function: Any, size_bytes: int) -> None:
        """Allow it."""


class PlantedLoaded(SimLoaded):
    """An artifact in the simulator, with the faults of its family."""

    def __init__(self, artifact: Artifact) -> None:
        """Choose its binaries as a device would."""
        super().__init__(artifact)
        self._family = family_of(artifact)
        images = Images(cast(Driver, OldDriver()), artifact.manifest, artifact.files)
        binary = [kernel for kernel in artifact.kernels if "cubin" in kernel.files]
        self._notes = tuple(dict.fromkeys(images.function(kernel)[1] for kernel in binary))

    @property
    def notes(self) -> Sequence[str]:
        """Which cubins were refused."""
        return self._notes

    def prepare(self, inputs: Sequence[Any], *, graph: bool = False, in_line: bool = False) -> Callable[[], None]:
        """Return what runs it, or what does worse."""
        run = super().prepare(inputs, graph=graph, in_line=in_line)

        def faulty() -> None:
            if self._family == KILLS:
                os.kill(os.getpid(), signal.SIGKILL)
            while self._family == HANGS:
                time.sleep(1)
            run()

        return faulty


class PlantedBench(SimBench):
    """The simulator with faults."""

    def load(self, artifact: Artifact) -> SimLoaded:
        """Load an artifact."""
        return PlantedLoaded(artifact)


def open_planted(_: str, __: int) -> PlantedBench:
    """Open it."""
    return PlantedBench()


if __name__ == "__main__":
    sys.exit(worker_main(Path(sys.argv[1]), "sim", 0, 2, int(sys.argv[3]), open_planted))
