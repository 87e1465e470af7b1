# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""This compiler as a peer: the problem's text compiled for a device, run by a back end of the runtime.

What is timed is a run of the whole function on arrays that lie ready and were bound to it, as the libraries' arguments
are; it writes into an array that it is given. Of a convolution the weights are an argument of the function, which a
kernel packs in each call where that pays, or a constant of its module, which the compiler may pack beforehand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.cpu_peers.interface import Array, HostCall, aligned
from roller_mlir.evaluation.measure.cpu_peers.problem import HostProblem
from roller_mlir.evaluation.measure.cpu_peers.texts import (
    CONSTANT,
    LAST,
    UNFUSED,
    arranged,
    has_filter,
    restored,
    text_of,
    with_constant_filter,
)
from roller_mlir.evaluation.measure.runner.peers.peer import PeerError
from roller_mlir.hal import find_device
from roller_mlir.hal.errors import DeviceError
from roller_mlir.runtime.errors import BackendError
from roller_mlir.runtime.registry import find_backend
from roller_mlir.runtime.sequence import LoadedSequence
from roller_mlir.support.diagnostics import DiagnosedError

SIMULATOR = "sim"


class OwnPeer:
    """The compiler and a back end."""

    def __init__(self, threads: int, *, target: str, on: str) -> None:
        """Find both.

        Args:
            threads: How many a run uses.
            target: The device to compile for.
            on: Name of the back end.

        Raises:
            PeerError: There is no such device, or no such back end.
        """
        self._threads, self._target, self._on = threads, target, on
        try:
            self._device = find_device(target)
            self._backend()
        except (DeviceError, BackendError) as error:
            raise PeerError(str(error), library=True) from error

    def _backend(self) -> Any:
        return find_backend(self._on, {} if self._on == SIMULATOR else {"threads": self._threads})

    def facts(self) -> Mapping[str, str]:
        """Return the device that is compiled for."""
        return {"version": f"for {self._target}", "isa": self._device.architecture}

    def threads(self) -> int | None:
        """Return how many the back end was told to use."""
        return self._threads

    def prepare(self, problem: HostProblem, inputs: Sequence[Array], variant: str) -> HostCall | None:
        """Return a problem compiled and loaded.

        Raises:
            PeerError: It is refused.
        """
        layout, unfused = LAST if LAST in variant else "", UNFUSED in variant
        text = text_of(problem, layout)
        if text is None or (unfused and not problem.epilogue):
            return None
        arrays = arranged(problem, inputs, layout)
        if CONSTANT in variant:
            if not has_filter(problem):
                return None
            text = with_constant_filter(text, arrays.pop(1))
        options = replace(CompileOptions(), binaries=self._on != SIMULATOR, fusion=not unfused)
        if find_device(self._target).vector_bytes is not None:
            options = replace(options, max_units=self._threads)
        try:
            artifact = compile_source(Source("-", text), self._target, options)
            loaded = LoadedSequence(artifact.manifest, artifact.files, self._backend())
        except (DiagnosedError, BackendError) as error:
            raise PeerError(str(error).splitlines()[0]) from error
        (name,) = artifact.manifest.outputs
        output = aligned(artifact.manifest.buffer(name).static_shape)

        run = loaded.bound(arrays, [output])
        note = f"kernels {', '.join(kernel.name for kernel in artifact.kernels)}"
        return HostCall(run=run, result=lambda: restored(output, layout), written=(output,), kept=arrays, note=note)
