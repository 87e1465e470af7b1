# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An artifact: a compiled function as a manifest and its files, in memory or as a directory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from roller_mlir.plan.manifest import MEMORY_ALIGNMENT_BYTES, Kernel, Manifest
from roller_mlir.runtime.arguments.checks import as_bits, outputs_as
from roller_mlir.runtime.errors import BackendError
from roller_mlir.runtime.registry import backend_here, backend_of_vendor, find_backend
from roller_mlir.runtime.sequence import SequenceResult as RunResult
from roller_mlir.runtime.sequence import run_sequence
from roller_mlir.runtime.store import MAX_ARTIFACT_BYTES, read_artifact, write_artifact

if TYPE_CHECKING:
    from roller_mlir.runtime.cpu.program import HostProgram
    from roller_mlir.runtime.driver.program import LoadedProgram


@dataclass(frozen=True)
class Artifact:
    """A compiled function.

    Attributes:
        manifest: What it is and how to run it.
        files: Content of every file that the manifest lists, by name.
    """

    manifest: Manifest
    files: Mapping[str, bytes]

    def __repr__(self) -> str:
        """Name it in one line; manifest and files are far too long for one."""
        kernels, files = len(self.kernels), len(self.files)
        return (
            f"Artifact({self.manifest.function!r} for {self.manifest.device.name}, "
            f"{kernels} kernel{'s' * (kernels != 1)}, {files} files)"
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the artifact as a directory, whole or not at all.

        Args:
            path: The directory. An older artifact or an empty directory there is replaced, anything else is kept.

        Raises:
            ArtifactError: It cannot be written; what was there before is unchanged.
        """
        write_artifact(path, self.manifest, self.files)

    @classmethod
    def load(cls, path: str | PathLike[str], *, most_bytes: int = MAX_ARTIFACT_BYTES) -> "Artifact":
        """Read an artifact and verify every file against its SHA-256; it may be a stranger's.

        Args:
            path: The directory.
            most_bytes: What its files may have in all.

        Raises:
            ArtifactError: It is missing, damaged, too large, or of another schema version.
        """
        manifest, files = read_artifact(path, most_bytes)
        return cls(manifest, files)

    def run(
        self,
        *inputs: "np.ndarray[Any, Any] | float",
        on: str | None = None,
        out: Sequence["np.ndarray[Any, Any]"] | None = None,
        **options: Any,
    ) -> tuple[np.ndarray[Any, Any], ...]:
        """Run the function.

        Args:
            *inputs: One dense array per input, of bf16 as 16-bit integers or of ml_dtypes; for a scalar of the
                function a number.
            on: Name of the back end; by default "cpu" for an artifact of a CPU with its library, "sim" for others.
            out: One dense array per output, which shares no memory with others, to be written; None for new arrays.
            **options: Options of the back end ("sim": count, seed, timeout_s, level, sanitize; "cuda", "hip": device,
                cache_bytes; "cpu": threads).

        Returns:
            `out`, else one new array per output, of bf16 in the type of the inputs of bf16.

        Raises:
            ArgumentError: An array does not fit the signature.
            BackendError: The back end is unknown or a kernel failed.
            SanitizedRunError: The run is sanitized, and kernels do what they must not.
        """
        return self.run_reported(*inputs, on=on, out=out, **options).outputs

    def run_reported(
        self,
        *inputs: "np.ndarray[Any, Any] | float",
        on: str | None = None,
        out: Sequence["np.ndarray[Any, Any]"] | None = None,
        **options: Any,
    ) -> RunResult:
        """Run the function like `run`, and return what each launch did beside the outputs."""
        arrays, bfloat16 = as_bits(self.manifest, inputs)
        if on is None:
            here = backend_here(self.manifest.device.vendor)
            on = here if here and (self.manifest.file("library") or not self.manifest.kernels) else "sim"
        result = run_sequence(self.manifest, self._files_on(on), find_backend(on, options), arrays, out)
        if out is not None:
            return result
        return RunResult(outputs_as(self.manifest, result.outputs, bfloat16), result.launches)

    def open(self, on: str | None = None, **options: Any) -> "LoadedProgram | HostProgram":
        """Load the function on a device, to be called on arrays that are there.

        Args:
            on: "cuda", "hip" or "cpu"; by default what runs the artifact's device.
            **options: Of the back end: device (its number, 0), cache_bytes (unused memory that is kept at most); of
                "cpu" threads.

        Returns:
            What is called like the function: `outputs = program(*inputs)`.

        Raises:
            BackendError: The back end is unknown or not available here, loads no programs, or its device does not run
                this artifact.
        """
        on = on or backend_of_vendor(self.manifest.device.vendor) or "sim"
        load = getattr(find_backend(on, options), "load", None)
        if load is None:
            raise BackendError(f"back end {on!r} runs whole functions on numpy arrays only; call run(..., on={on!r})")
        return load(self.manifest, self._files_on(on))

    def _files_on(self, back_end: str) -> Mapping[str, bytes]:
        """Return the files as a back end reads them."""
        return self._files_in_lines if back_end == "cpu" else self.files

    @cached_property
    def _files_in_lines(self) -> Mapping[str, Any]:
        """The files, of which constants begin at a whole line of a cache: copied once, not in each run."""
        constants = self.manifest.file("constants")
        if constants is None:
            return self.files
        content = self.files[constants.name]
        memory = np.empty(len(content) + MEMORY_ALIGNMENT_BYTES, np.uint8)
        start = -int(memory.ctypes.data) % MEMORY_ALIGNMENT_BYTES
        placed = memory[start : start + len(content)]
        placed[:] = np.frombuffer(content, np.uint8)
        return {**self.files, constants.name: placed}

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels, in the order of their first launch."""
        return self.manifest.kernels

    def text(self, role: str) -> str:
        """Return the first file of a role ("input", "kernels", "ptx", ...) as text.

        Raises:
            KeyError: The artifact has none.
        """
        for file in self.manifest.files:
            if file.role == role:
                return self.files[file.name].decode()
        raise KeyError(role)
