# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IREE's llvm-cpu as a peer: the problem's MLIR text compiled with this machine's features, run by its own runtime.

Both factors are arguments, so that what it packs, it packs in each call; results are allocated in each call. One thread
is the driver "local-sync"; several are "local-task" with as many groups. Of IREE 3.13's flags, those below gave its
best products; convolutions did not depend on them.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np

from roller_mlir.evaluation.measure.cpu_peers.interface import Array, HostCall
from roller_mlir.evaluation.measure.cpu_peers.problem import HostProblem
from roller_mlir.evaluation.measure.cpu_peers.texts import arranged, restored, text_of
from roller_mlir.evaluation.measure.runner.peers.peer import PeerError, limited, one_line

COMPILE_LIMIT_S = 120.0
_FLAGS = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
    "--iree-opt-level=O3",
    "--iree-dispatch-creation-data-tiling",
)


class IreePeer:
    """The compiler and its runtime."""

    def __init__(self, threads: int) -> None:
        """Import them, and start so many threads.

        Raises:
            PeerError: They are not installed.
        """
        try:
            self._compiler: Any = import_module("iree.compiler")
            self._runtime: Any = import_module("iree.runtime")
        except ImportError as error:
            raise PeerError(f"IREE cannot be imported: {error}", library=True) from error
        driver = "local-sync"
        if threads > 1:
            driver = "local-task"
            self._runtime.flags.parse_flags(f"--task_topology_group_count={threads}")
        self._config = self._runtime.Config(driver)
        self._driver = driver

    def facts(self) -> Mapping[str, str]:
        """Return version and instruction set."""
        return {"version": f"IREE {version('iree-base-compiler')}", "isa": "host", "driver": self._driver}

    def threads(self) -> int | None:
        """Return nothing: the runtime does not say it."""
        return None

    def prepare(self, problem: HostProblem, inputs: Sequence[Array], variant: str) -> HostCall | None:
        """Return a problem compiled and loaded.

        Raises:
            PeerError: It cannot be compiled, or not in time.
        """
        text = text_of(problem, variant)
        if text is None:
            return None
        with limited(COMPILE_LIMIT_S, "its compilation"):
            try:
                program = self._compiler.compile_str(text, extra_args=list(_FLAGS))
            except self._compiler.CompilerToolError as error:
                said = [line for line in str(error).splitlines() if "error:" in line]
                raise PeerError(said[0] if said else one_line(error)) from error
        runtime = self._runtime
        context = runtime.SystemContext(config=self._config)
        context.add_vm_module(runtime.VmModule.copy_buffer(context.instance, program))
        function = context.modules.module["main"]
        arrays = [runtime.asdevicearray(self._config.device, one) for one in arranged(problem, inputs, variant)]
        found: list[Any] = []

        def run() -> None:
            found[:] = [function(*arrays)]

        def result() -> Array:
            return restored(np.asarray(found[0].to_host()), variant)

        note = "packs in each call, allocates its result"
        return HostCall(run=run, result=result, kept=inputs, note=note)
