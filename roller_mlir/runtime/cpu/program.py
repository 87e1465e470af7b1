# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled function on this machine: loaded once, called often, on the caller's arrays, without copies.

    program = Artifact.load("matmul.roller").open("cpu", threads=4)
    c, = program(a, b)                           # c is a new array
    program(a, b, outputs=[c])                   # nothing is allocated
    again = program.prepare(a, b, outputs=[c])   # nothing is checked again either

The shared library, the threads, the constants and the workspace are the program's own and live as long as it does. A
call has ended when it returns; calls of several threads take turns.
"""

import ctypes
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from roller_mlir.plan.manifest import Manifest
from roller_mlir.runtime.arguments.checks import as_bits, outputs_as
from roller_mlir.runtime.sequence import LoadedSequence

if TYPE_CHECKING:
    from roller_mlir.runtime.cpu.backend import CpuBackend


class HostProgram:
    """A function that is loaded on this machine.

    Attributes:
        threads: How many run its tasks at a time.
    """

    def __init__(self, backend: "CpuBackend", manifest: Manifest, files: Mapping[str, bytes]) -> None:
        """Load the shared library and the constants.

        Args:
            backend: Whose threads run the tasks; nobody else uses it.
            manifest: The artifact's record.
            files: Its files by name.

        Raises:
            BackendError: It does not run on this machine.
        """
        self._manifest, self.threads = manifest, backend.threads
        self._loaded = LoadedSequence(manifest, files, backend, keeps_workspace=True)
        self._turn = threading.Lock()

    def __repr__(self) -> str:
        return f"Program({self._manifest.function!r} on {self.threads} thread{'s' * (self.threads != 1)})"

    def __call__(self, *inputs: Any, outputs: Sequence[Any] | None = None) -> tuple[Any, ...]:
        """Run the function.

        Args:
            *inputs: One dense array per input, of bf16 as 16-bit integers or of ml_dtypes; for a scalar of the
                function a number.
            outputs: One dense array per output, which shares no memory with others, to be written; None for new ones.

        Returns:
            `outputs`, else one new array per output, of bf16 in the type of the inputs of bf16.

        Raises:
            ArgumentError: An argument does not fit; nothing was run.
        """
        arrays, bfloat16 = as_bits(self._manifest, inputs)
        with self._turn:
            found = self._loaded.run(arrays, outputs, reports=False).outputs
        return found if outputs is not None else outputs_as(self._manifest, found, bfloat16)

    def fill_workspace(self, value: int) -> None:
        """Fill the memory of results in between with a byte: what a kernel reads of it before another wrote it shows.

        Args:
            value: The byte.
        """
        with self._turn:
            memory = self._loaded.workspace
            if memory is not None:
                ctypes.memset(memory.address, value, memory.size_bytes)

    def prepare(self, *inputs: Any, outputs: Sequence[Any]) -> Callable[[], None]:
        """Check a call once, and return what runs it, as often as it is called, at the least cost.

        Args:
            *inputs: As of a call. What is written into them later is read, but of those that begin where the function
                cannot read them: these are copied once.
            outputs: As of a call; each run writes them.

        Raises:
            ArgumentError: An argument does not fit.
        """
        arrays, _ = as_bits(self._manifest, inputs)
        run = self._loaded.bound(arrays, outputs)

        def again() -> None:
            with self._turn:
                run()

        return again
