# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulator as a back end of the runtime: runs an artifact's kernels from the kernel IR that the artifact holds."""

import weakref
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from roller_mlir.mapping.layout.bank_phases import Banks
from roller_mlir.plan.manifest import Buffer, BufferView, DeviceRecord, Launch, Manifest
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES
from roller_mlir.runtime.errors import BackendError
from roller_mlir.runtime.findings import SanitizedRunError
from roller_mlir.runtime.sequence import AccessCount, LaunchReport
from roller_mlir.sim.counting import Counts
from roller_mlir.sim.diagnosis.errors import SimulationError
from roller_mlir.sim.diagnosis.findings import SanitizerError, unwritten
from roller_mlir.sim.engine.layout import Before
from roller_mlir.sim.launch import SimulatedKernels
from roller_mlir.sim.llvm.launcher import LlvmKernels, text_of
from roller_mlir.sim.memory.buffers import aligned_empty
from roller_mlir.sim.options import SimulatorOptions

Bytes = np.ndarray[Any, np.dtype[np.uint8]]

# Every bit set: NaN in any float type, -1 in integers. What a kernel forgets to write shows.
_POISON = 0xFF


@lru_cache(maxsize=8)
def _compiled(text: str, file: str, subgroup_size: int, banks: Banks, count: bool, sanitize: bool) -> SimulatedKernels:
    return SimulatedKernels(text, subgroup_size=subgroup_size, count=count, sanitize=sanitize, banks=banks, file=file)


class SimulatorBackend:
    """Runs kernels in the simulator; memory is bytes of numpy, poisoned until it is written."""

    def __init__(
        self,
        *,
        count: bool = False,
        seed: int = 0,
        timeout_s: float = SimulatorOptions.timeout_s,
        level: str = SimulatorOptions.level,
        sanitize: bool = False,
    ) -> None:
        """Set how to run.

        Args:
            level: What is executed, one of `sim.options.LEVELS`.
            count: Whether to count memory transactions.
            seed: Of the order of blocks and threads.
            timeout_s: Time after which a launch is given up, in seconds.
            sanitize: Whether to look for races, reads of what nobody has written and the like; the first launch with
                findings ends the run with a `SanitizedRunError`.

        Raises:
            BackendError: An option breaks its rule, or two do not go together.
        """
        try:
            SimulatorOptions(level=level, timeout_s=timeout_s)
        except ValueError as error:
            raise BackendError(f"the simulator's {error}") from None
        if level == "llvm" and count:
            raise BackendError("transactions are counted at level gpu; level llvm has no access sites of the plan")
        if level == "llvm" and sanitize:
            raise BackendError("kernels are sanitized at level gpu; level llvm has no access sites to name")
        self._level, self._sanitize = level, sanitize
        self._written: dict[int, tuple[int, Bytes]] = {}
        self._used: dict[int, tuple[int, Bytes]] = {}
        self._llvm: LlvmKernels | None = None
        self._count, self._seed, self._timeout_s = count, seed, timeout_s
        self._device: DeviceRecord | None = None
        self._text = self._file = ""

    def open(self, manifest: Manifest, files: Mapping[str, bytes]) -> None:
        """Take the kernel IR of an artifact.

        Raises:
            BackendError: The artifact holds none.
        """
        if self._level == "llvm":
            self._llvm = LlvmKernels(manifest, files)
        record = manifest.file("kernels")
        if record is None:
            raise BackendError(f"'{manifest.function}' cannot be simulated: its artifact holds no kernel IR")
        self._device, self._text, self._file = manifest.device, text_of(files[record.name], record.name), record.name

    def allocate(self, size_bytes: int, alignment_bytes: int) -> Bytes:
        """Return poisoned memory; it starts at a multiple of 256 B."""
        memory = aligned_empty(size_bytes)
        memory[...] = _POISON
        if self._sanitize:
            owner = _owner(memory)
            for table in (self._written, self._used):
                table[id(owner)] = int(memory.ctypes.data), np.zeros(size_bytes, np.uint8)
                weakref.finalize(owner, table.pop, id(owner), None)  # others will have the number, and the addresses
        return memory

    def upload(self, data: np.ndarray[Any, Any], alignment_bytes: int) -> Bytes:
        """Return a copy of the bytes of an array."""
        memory = aligned_empty(data.nbytes)
        memory[...] = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        return memory

    def adopt(self, data: np.ndarray[Any, Any], alignment_bytes: int) -> Bytes | None:
        """Return None: kernels do not reach the host's arrays."""
        del data, alignment_bytes

    def download(self, memory: Bytes, buffer: Buffer) -> np.ndarray[Any, Any]:
        """Return a copy of a buffer as an array.

        Raises:
            SanitizedRunError: The run is sanitized, and no launch has written all of the buffer.
        """
        written = self._content(memory)
        if written is not None and not written.all():
            raise SanitizedRunError((unwritten(buffer, written),))
        return memory.view(NUMPY_TYPES[buffer.element_type]).reshape(buffer.static_shape).copy()

    def slice(self, memory: Bytes, offset_bytes: int, size_bytes: int) -> Bytes:
        """Return a part of memory."""
        return memory[offset_bytes : offset_bytes + size_bytes]

    def copy(self, source: Bytes, target: Bytes) -> None:
        """Copy all bytes of `source` into `target`."""
        target[...] = source
        after, before = self._content(target), self._content(source)
        if after is not None:
            after[...] = 1 if before is None else before

    def _content(self, memory: Bytes) -> Bytes | None:
        """Return which bytes of memory have content; None: all of them, or nobody asks."""
        return _part(self._written, memory)

    def _note_use(self, launch: Launch, arguments: Sequence[tuple[BufferView, Bytes]]) -> None:
        """Note what a launch does to memory that launches write, for those that may begin before it has ended."""
        for number, (_, memory) in enumerate(arguments):
            used, access = _part(self._used, memory), launch.access(number)
            if used is not None:
                used |= (access != "write") * Before.READ | (access != "read") * Before.WRITTEN

    def launch(self, launch: Launch, arguments: Sequence[tuple[BufferView, Bytes]]) -> LaunchReport:
        """Run a kernel to its end.

        Raises:
            SanitizedRunError: The run is sanitized, and the kernel did something wrong or did not end.
            BackendError: The kernel did something wrong or did not end; the message says where its threads stand.
        """
        device = self._device
        if device is None:
            raise ValueError("open must come before launch, but did not")
        if launch.cluster != (1, 1, 1):
            raise BackendError(
                f"simulator: kernel {launch.kernel!r} has clusters of {launch.cluster} blocks; it runs none"
            )
        try:
            banks = Banks(device.workgroup_banks, device.workgroup_bank_bytes, device.workgroup_wide_load_lanes)
            if self._llvm is not None:
                kernels = self._llvm.find(launch)
            else:
                kernels = _compiled(self._text, self._file, device.subgroup_size, banks, self._count, self._sanitize)
            arrays = [
                memory.view(NUMPY_TYPES[view.element_type]).reshape(view.static_shape) for view, memory in arguments
            ]
            result = kernels.launch(
                launch.kernel,
                launch.static_grid,
                launch.block,
                launch.dynamic_workgroup_bytes,
                arrays,
                seed=self._seed,
                timeout_s=self._timeout_s,
                resident_blocks=None if launch.cooperative else 1,
                written=[self._content(memory) for _, memory in arguments] if self._sanitize else None,
                before=[_part(self._used, memory) for _, memory in arguments] if launch.dependent else (),
            )
            self._note_use(launch, arguments)
        except SanitizerError as error:
            raise SanitizedRunError(error.findings, more=error.more) from error
        except SimulationError as error:
            raise BackendError(f"simulator: {error}") from error
        except (ValueError, MemoryError) as error:
            raise BackendError(f"simulator: kernel '{launch.kernel}' cannot be launched: {error}") from error
        counts = _counts(result.counts) if result.counts is not None else None
        return LaunchReport(kernel=launch.kernel, seconds=result.seconds, counts=counts)


def _part(table: Mapping[int, tuple[int, Bytes]], memory: Bytes) -> Bytes | None:
    """Return what a table has of the bytes of memory; None: nothing."""
    start, found = table.get(id(_owner(memory)), (0, None))
    if found is None:
        return None
    first = int(memory.ctypes.data) - start
    return found[first : first + memory.nbytes]


def _owner(memory: Bytes) -> Bytes:
    """Return the array that holds memory, of which all its slices keep hold."""
    return memory if memory.base is None else memory.base


def _counts(counts: Counts) -> tuple[AccessCount, ...]:
    return tuple(
        AccessCount(
            site=one.site,
            kind=one.kind,
            space=one.space,
            accesses=one.accesses,
            bytes=one.bytes,
            sectors=one.sectors32,
            phases=one.phases,
            ideal=one.ideal,
        )
        for one in counts.sites
    )
