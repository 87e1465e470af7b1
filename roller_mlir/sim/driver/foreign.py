# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of other compilers on a simulated device: found by name in the image, run from LLVM IR that is given for it.

IREE's compiler writes it with `--iree-hal-dump-executable-intermediates-to=DIR`, as `*.optimized.ll` beside what that
was made of, `*.linked.ll`. No manifest says how such a kernel is launched, so a launch is held to the device, to what
the LLVM IR promises of blocks and alignment, and to the memory that is allocated where an argument points.
"""

import re
import struct
from collections.abc import Iterable, Mapping
from functools import cached_property
from math import prod

from roller_mlir.hal import Device
from roller_mlir.lowering.backend.translate import to_llvm_22
from roller_mlir.runtime.errors import BackendError
from roller_mlir.runtime.sequence import LaunchReport
from roller_mlir.sim.diagnosis.errors import SimulationError
from roller_mlir.sim.driver.attributes import launch_limits
from roller_mlir.sim.driver.launches import MismatchError, Shape
from roller_mlir.sim.driver.memory import MappedMemory
from roller_mlir.sim.launch import SimulatedKernels
from roller_mlir.sim.llvm.level import LlvmKernel, lower_llvm
from roller_mlir.sim.llvm.text.known import MOST_TEXT_BYTES
from roller_mlir.sim.llvm.text.types import size_bytes
from roller_mlir.support.foreign.bounded import BoundsError, decode, read_bytes
from roller_mlir.support.foreign.reasons import reason_of

_KERNEL = re.compile(r"(?m)^define [^\n@]*\b(?:ptx|amdgpu)_kernel void @\"?([\w$.-]+)\"?\(")
_LINKED, _OPTIMIZED = ".linked.ll", ".optimized.ll"
_FORMATS = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}


class ForeignKernel:
    """A kernel that is known by its LLVM IR alone.

    Attributes:
        source: The file that has it.
    """

    def __init__(
        self,
        name: str,
        text: str,
        source: str,
        sizes: tuple[int, ...] | None,
        *,
        library: str,
        device: Device,
        timeout_s: float,
    ) -> None:
        """Take its LLVM IR, which is read when the kernel is first asked for.

        Args:
            name: In the image, and in the LLVM IR.
            text: A module of LLVM IR that defines it.
            source: The file.
            sizes: Bytes of its parameters as the image says them; None: it does not.
            library: The driver library that launches it.
            device: The simulated device.
            timeout_s: After which a launch is given up.
        """
        self.source, self._sizes = source, sizes
        self._name, self._text, self._timeout_s = name, text, timeout_s
        self._device, self._library = device, library

    @cached_property
    def _lowered(self) -> LlvmKernel:
        text = to_llvm_22(self._text)
        return lower_llvm(self._name, text, subgroup_size=self._device.subgroup_size, file=self.source)

    @cached_property
    def _simulated(self) -> SimulatedKernels:
        return SimulatedKernels(self._lowered, self._device.subgroup_size)

    @property
    def parameter_bytes(self) -> tuple[int, ...]:
        """Size of each parameter.

        Raises:
            DiagnosedError: Its LLVM IR is not valid, or holds what the simulator does not know.
            BackendError: Its image takes others: the LLVM IR is of another kernel of that name.
        """
        found = tuple(size_bytes(one.llvm_type) or 0 for one in self._lowered.entries[self._name].parameters)
        if self._sizes not in (None, found):
            raise BackendError(
                f"{self.source}: kernel '{self._name}' takes parameters of {found} B, but that of the image takes "
                f"{self._sizes} B; give the LLVM IR that the image was made of"
            )
        return found

    def launch(self, shape: Shape, values: bytes, memory: MappedMemory) -> LaunchReport:
        """Run the kernel to its end; see `KnownKernel.launch`.

        Raises:
            MismatchError: The device, or the kernel, cannot be launched so.
            BackendError: The kernel did something wrong, or did not end.
        """
        given: list[int] = []
        for size in self.parameter_bytes:
            given.append(struct.unpack_from(_FORMATS[size], values)[0])
            values = values[size:]
        entry = self._lowered.entries[self._name]
        differences = list(self._differences(shape, entry.static_bytes))
        arguments: list[object] = []
        for number, (parameter, value) in enumerate(zip(entry.parameters, given, strict=True)):
            if parameter.shape is None:
                arguments.append(value)
                continue
            if fault := memory.fault(value, 1):
                differences.append(f"argument {number}: {fault}")
            arguments.append(memory.view(value, memory.left(value)))
        if differences:
            raise MismatchError(f"kernel '{self._name}' cannot be launched: {'; '.join(differences)}")
        try:
            result = self._simulated.launch(
                self._name,
                shape.grid,
                shape.block,
                shape.dynamic_workgroup_bytes,
                arguments,
                timeout_s=self._timeout_s,
                resident_blocks=None if shape.cooperative else 1,
                in_place=True,
            )
        except SimulationError as error:
            raise BackendError(f"simulator: {error}") from error
        except (ValueError, MemoryError) as error:
            raise BackendError(f"simulator: kernel '{self._name}' cannot be launched: {error}") from error
        return LaunchReport(kernel=self._name, seconds=result.seconds)

    def _differences(self, shape: Shape, static_bytes: int) -> list[str]:
        """Say what the device or the kernel does not allow."""
        found: list[str] = []
        grid, block = launch_limits(self._device, self._library)
        for what, extents, limits in (("grid", shape.grid, grid), ("block", shape.block, block)):
            if any(not 1 <= one <= most for one, most in zip(extents, limits, strict=True)):
                found.append(f"{what} is {extents}, but {self._device.name} has 1 to {limits}")
        if (threads := prod(shape.block)) > self._device.max_threads_per_block:
            found.append(f"a block has {threads} threads, but at most {self._device.max_threads_per_block} fit")
        elif refusal := self._lowered.refusal((shape.block[0], shape.block[1], shape.block[2])):
            found.append(refusal)
        most, asked = self._device.max_workgroup_bytes_per_block, static_bytes + shape.dynamic_workgroup_bytes
        if asked > most:
            found.append(f"a block needs {asked} B of workgroup memory, but {self._device.name} has {most} B")
        if shape.cluster != (1, 1, 1):
            found.append(f"its blocks are in clusters of {shape.cluster}, which are not simulated")
        return found


def read_texts(files: Iterable[str]) -> dict[str, str]:
    """Return the text of each file.

    Raises:
        BackendError: One cannot be read, or is no text.
    """
    found: dict[str, str] = {}
    for file in files:
        try:
            found[file] = decode(read_bytes(file, MOST_TEXT_BYTES))
        except (OSError, BoundsError) as error:
            said = reason_of(error)
            raise BackendError(f"{file}: {said}") from None
    return found


class ForeignTexts:
    """Files of LLVM IR, by the kernels that they define."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        """Take files by their names; a `*.linked.ll` whose `*.optimized.ll` is given too does not count."""
        self._files: dict[str, list[tuple[str, str]]] = {}
        for file, text in texts.items():
            if file.endswith(_LINKED) and file.removesuffix(_LINKED) + _OPTIMIZED in texts:
                continue
            for name in _KERNEL.findall(text):
                self._files.setdefault(name, []).append((file, text))

    def find(self, name: str) -> tuple[str, str] | None:
        """Return file and text of a kernel, None where none has it.

        Raises:
            BackendError: Several files define it, each otherwise.
        """
        found = {text: file for file, text in self._files.get(name, [])}
        if len(found) > 1:
            files = ", ".join(sorted(found.values()))
            raise BackendError(f"kernel '{name}' is defined otherwise in each of {files}; give one of them")
        return next(((file, text) for text, file in found.items()), None)
