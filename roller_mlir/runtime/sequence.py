# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launch sequence: buffers of a run and the order of launches, the same for every back end.

A back end supplies memory and launches through the protocol `Backend`; its handle type `B` is opaque here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from roller_mlir.plan.extent import as_extent
from roller_mlir.plan.manifest import Buffer, BufferView, Launch, Manifest
from roller_mlir.plan.persistent.stuck_report import REPORT_CELLS, stuck_report
from roller_mlir.plan.persistent.task_times import TaskTime
from roller_mlir.runtime.arguments import check_inputs, check_outputs
from roller_mlir.runtime.errors import BackendError

B = TypeVar("B")
WORKSPACE_ALIGNMENT_BYTES = 256


@dataclass(frozen=True, kw_only=True)
class AccessCount:
    """Memory transactions of one access site of one launch, summed over its threads.

    Attributes:
        site: The site's label in the kernel ("load A").
        kind: "load" or "store".
        space: "global" or "workgroup".
        accesses: Instructions that subgroups issued.
        bytes: Bytes that the threads moved.
        sectors: 32-byte sectors touched (global).
        phases: Bank phases used (workgroup).
        ideal: The least sectors or phases that would move these bytes.
    """

    site: str
    kind: str
    space: str
    accesses: int
    bytes: int
    sectors: int
    phases: int
    ideal: int


@dataclass(frozen=True, kw_only=True)
class LaunchReport:
    """What one launch did.

    Attributes:
        kernel: Name of the kernel; "" for a copy.
        seconds: Wall time of the launch on the back end (a simulator's seconds say nothing about a GPU).
        counts: Transactions per access site, None where they were not counted.
        times: When its tasks ran, None where it does not record that (a simulator's clock is the host's).
        note: Which better binary of the kernel the driver refused, and why; "" where it took the best one.
    """

    kernel: str
    seconds: float
    counts: tuple[AccessCount, ...] | None = None
    times: tuple[TaskTime, ...] | None = None
    note: str = ""


class Backend(Protocol[B]):
    """Memory and launches of one kind of device."""

    def open(self, manifest: Manifest, files: Mapping[str, bytes]) -> None:
        """Load the kernels of an artifact; called once, before anything else."""
        ...

    def allocate(self, size_bytes: int, alignment_bytes: int) -> B:
        """Return uninitialised memory."""
        ...

    def upload(self, data: np.ndarray[Any, Any], alignment_bytes: int) -> B:
        """Return memory that holds the bytes of a dense array."""
        ...

    def adopt(self, data: np.ndarray[Any, Any], alignment_bytes: int) -> B | None:
        """Return the memory of a dense array itself, for launches to write; None where they cannot reach it."""
        ...

    def download(self, memory: B, buffer: Buffer) -> np.ndarray[Any, Any]:
        """Return a buffer's content as a new array, after all launches before it have finished."""
        ...

    def slice(self, memory: B, offset_bytes: int, size_bytes: int) -> B:
        """Return a part of memory."""
        ...

    def copy(self, source: B, target: B) -> None:
        """Copy all bytes of `source` into `target`, in order with the launches."""
        ...

    def launch(self, launch: Launch, arguments: Sequence[tuple[BufferView, B]]) -> LaunchReport:
        """Run a kernel."""
        ...


@dataclass(frozen=True)
class SequenceResult:
    """Outputs and reports of one run."""

    outputs: tuple[np.ndarray[Any, Any], ...]
    launches: tuple[LaunchReport, ...] = field(default=())


class LoadedSequence(Generic[B]):
    """A function on a back end; its state is zeroed once, and kept from run to run."""

    def __init__(self, manifest: Manifest, files: Mapping[str, bytes], backend: Backend[B]) -> None:
        """Load the kernels.

        Args:
            manifest: The artifact's record.
            files: Its files by name.
            backend: Where to run.

        Raises:
            BackendError: They do not run there.
        """
        self._manifest, self._files, self._backend = manifest, files, backend
        backend.open(manifest, files)
        self._state: B | None = None
        if manifest.state_bytes:
            self._state = backend.upload(np.zeros(manifest.state_bytes, np.uint8), WORKSPACE_ALIGNMENT_BYTES)

    def run(self, inputs: Sequence[Any], out: Sequence[Any] | None = None) -> SequenceResult:
        """Run all launches in order; see `run_sequence`."""
        manifest, backend = self._manifest, self._backend
        arrays = check_inputs(manifest, inputs)
        given = None if out is None else check_outputs(manifest, out, arrays)
        adopted = {} if given is None else _adopted(manifest, backend, given)
        memory = _make_buffers(manifest, self._files, backend, arrays, self._state, adopted)
        reports: list[LaunchReport] = []
        for launch in manifest.launches:
            views = [
                (view, backend.slice(memory[view.buffer], view.offset_bytes, view.size_bytes))
                for view in launch.arguments
            ]
            if launch.kernel:
                reports.append(replace(backend.launch(launch, views), times=self._times(launch, memory)))
            else:
                backend.copy(views[0][1], views[1][1])
        for launch in manifest.launches:
            self._check_waits(launch, memory)
        if given is None:
            outputs = tuple(backend.download(memory[name], manifest.buffer(name)) for name in manifest.outputs)
            return SequenceResult(outputs, tuple(reports))
        for name, array in zip(manifest.outputs, given, strict=True):
            if name not in adopted:
                np.copyto(array, backend.download(memory[name], manifest.buffer(name)))
        return SequenceResult(tuple(out or ()), tuple(reports))

    def _check_waits(self, launch: Launch, memory: Mapping[str, B]) -> None:
        """Raise what a launch reports of a wait that was given up; its counters begin again from zero."""
        if launch.report_bytes is None:
            return
        said = stuck_report(launch.kernel, self._cells(launch, memory, launch.report_bytes, len(REPORT_CELLS)))
        if said is not None:
            zeros = np.zeros(self._manifest.state_bytes, np.uint8)
            self._state = self._backend.upload(zeros, WORKSPACE_ALIGNMENT_BYTES)
            raise BackendError(said)

    def _times(self, launch: Launch, memory: Mapping[str, B]) -> tuple[TaskTime, ...] | None:
        """Return when the tasks of a launch ran, where it records that."""
        times = launch.times
        return None if times is None else times.read(self._cells(launch, memory, times.offset_bytes, times.cells))

    def _cells(self, launch: Launch, memory: Mapping[str, B], offset_bytes: int, count: int) -> list[int]:
        """Return i32 of the state, which is a launch's last argument."""
        state = launch.arguments[-1]
        cells = Buffer(name=state.buffer, role="state", element_type="i32", shape=(as_extent(count),))
        place = self._backend.slice(memory[state.buffer], state.offset_bytes + offset_bytes, cells.size_bytes)
        return self._backend.download(place, cells).tolist()


def run_sequence(
    manifest: Manifest,
    files: Mapping[str, bytes],
    backend: Backend[B],
    inputs: Sequence[Any],
    out: Sequence[Any] | None = None,
) -> SequenceResult:
    """Load an artifact and run all of its launches in order, once.

    Args:
        manifest: The artifact's record.
        files: Its files by name.
        backend: Where to run.
        inputs: One array per input, or a number for a tensor of rank 0; they are not written.
        out: One array per output, to be written; None for new arrays.

    Raises:
        ArgumentError: An array does not fit; nothing was launched.
        BackendError: A kernel failed.
    """
    arrays = check_inputs(manifest, inputs)  # before anything is loaded
    if out is not None:
        check_outputs(manifest, out, arrays)
    return LoadedSequence(manifest, files, backend).run(arrays, out)


def _adopted(manifest: Manifest, backend: Backend[B], given: Sequence[np.ndarray[Any, Any]]) -> dict[str, B]:
    """Return the outputs that launches write straight into the caller's arrays."""
    found: dict[str, B] = {}
    for name, array in zip(manifest.outputs, given, strict=True):
        memory = backend.adopt(array, manifest.buffer(name).alignment_bytes)
        if memory is not None:
            found[name] = memory
    return found


def _make_buffers(
    manifest: Manifest,
    files: Mapping[str, bytes],
    backend: Backend[B],
    inputs: Sequence[np.ndarray[Any, Any]],
    state: B | None,
    adopted: Mapping[str, B],
) -> dict[str, B]:
    given = dict(zip(manifest.inputs, inputs, strict=True))
    constants_file = manifest.file("constants")
    constants = files[constants_file.name] if constants_file else b""
    arena: B | None = None
    if manifest.workspace_bytes:
        arena = backend.allocate(manifest.workspace_bytes, WORKSPACE_ALIGNMENT_BYTES)
    memory: dict[str, B] = {}
    for buffer in manifest.buffers:
        if buffer.role == "input":
            memory[buffer.name] = backend.upload(given[buffer.name], buffer.alignment_bytes)
        elif buffer.name in adopted:
            memory[buffer.name] = adopted[buffer.name]
        elif buffer.role == "output":
            memory[buffer.name] = backend.allocate(buffer.size_bytes, buffer.alignment_bytes)
        elif buffer.role == "constant":
            data = np.frombuffer(constants, np.uint8, buffer.size_bytes, buffer.offset_bytes)
            memory[buffer.name] = backend.upload(data, buffer.alignment_bytes)
        else:
            whole = arena if buffer.role == "workspace" else state
            if whole is not None:
                memory[buffer.name] = backend.slice(whole, buffer.offset_bytes, buffer.size_bytes)
    return memory
