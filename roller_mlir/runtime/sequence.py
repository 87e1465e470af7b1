# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launch sequence: buffers of a run and the order of launches, the same for every back end.

A back end supplies memory and launches through the protocol `Backend`; its handle type `B` is opaque here.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from roller_mlir.plan.extent import as_extent
from roller_mlir.plan.manifest import MEMORY_ALIGNMENT_BYTES, Buffer, BufferView, Launch, Manifest
from roller_mlir.plan.persistent.stuck_report import REPORT_CELLS, stuck_report
from roller_mlir.plan.persistent.task_times import TaskTime
from roller_mlir.runtime.arguments.checks import check_inputs, check_outputs
from roller_mlir.runtime.errors import BackendError

B = TypeVar("B")

MOST_TOGETHER = 64
"""Launches that are bound together, at most: an interrupt is heard behind them."""


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


@runtime_checkable
class BindingBackend(Protocol[B]):
    """A back end whose launches cost less where their arguments are always the same, and least together."""

    def bind(self, launches: Sequence[tuple[Launch, Sequence[tuple[BufferView, B]]]]) -> Callable[[], object]:
        """Return what runs kernels in order, each with its arguments, whose memory the caller keeps."""
        ...


@dataclass(frozen=True)
class SequenceResult:
    """Outputs and reports of one run."""

    outputs: tuple[np.ndarray[Any, Any], ...]
    launches: tuple[LaunchReport, ...] = field(default=())


class LoadedSequence(Generic[B]):
    """A function on a back end; its constants are uploaded and its state zeroed once, and kept from run to run."""

    def __init__(
        self, manifest: Manifest, files: Mapping[str, bytes], backend: Backend[B], *, keeps_workspace: bool = False
    ) -> None:
        """Load the kernels.

        Args:
            manifest: The artifact's record.
            files: Its files by name.
            backend: Where to run.
            keeps_workspace: Whether all runs have the same workspace, so that no two may overlap.

        Raises:
            BackendError: They do not run there.
        """
        self._manifest, self._backend = manifest, backend
        backend.open(manifest, files)
        self._constants = _uploaded_constants(manifest, files, backend)
        self._waiting = [launch for launch in manifest.launches if launch.report_bytes is not None]
        self._state: B | None = None
        if manifest.state_bytes:
            self._state = backend.upload(np.zeros(manifest.state_bytes, np.uint8), MEMORY_ALIGNMENT_BYTES)
        self._workspace = self._new_workspace() if keeps_workspace else None
        self._inside = self._bound_inside() if keeps_workspace else []

    @property
    def workspace(self) -> B | None:
        """The memory of results in between that all runs have; None where each has its own, or none needs any."""
        return self._workspace

    def run(self, inputs: Sequence[Any], out: Sequence[Any] | None = None, *, reports: bool = True) -> SequenceResult:
        """Run all launches in order; see `run_sequence`.

        Args:
            inputs: One array per input.
            out: One array per output, to be written; None for new arrays.
            reports: Whether to say what each launch did.
        """
        manifest, backend = self._manifest, self._backend
        arrays = check_inputs(manifest, inputs)
        given = None if out is None else check_outputs(manifest, out, arrays)
        adopted = {} if given is None else _adopted(manifest, backend, given)
        memory = {**self._constants, **self._made_buffers(arrays, adopted)}
        said = self._launched(memory) if reports else self._launched_inside(memory)
        if given is None:
            outputs = tuple(backend.download(memory[name], manifest.buffer(name)) for name in manifest.outputs)
            return SequenceResult(outputs, tuple(said))
        self._copy_back(memory, adopted, given)
        return SequenceResult(tuple(out or ()), tuple(said))

    def bound(self, inputs: Sequence[Any], out: Sequence[Any]) -> Callable[[], None]:
        """Return a call that runs all launches on the same arrays each time: they are checked and uploaded once.

        Args:
            inputs: As of `run`. A back end with memory of its own does not see what is written into them later.
            out: Arrays that each call writes.

        Raises:
            ArgumentError: An array does not fit.
        """
        arrays = check_inputs(self._manifest, inputs)
        given = check_outputs(self._manifest, out, arrays)
        if self._waiting:  # a wait that is given up leaves counters behind, which begin again elsewhere

            def again() -> None:
                self.run(arrays, out)

            return again
        adopted = _adopted(self._manifest, self._backend, given)
        memory = {**self._constants, **self._made_buffers(arrays, adopted)}
        launches = [run for _, _, run in self._bound(memory)]
        copies = any(name not in adopted for name in self._manifest.outputs)

        def call() -> None:
            for launch in launches:
                launch()
            if copies:
                self._copy_back(memory, adopted, given)

        return call

    def _bound(self, memory: Mapping[str, B]) -> list[tuple[int, int, Callable[[], object]]]:
        """Return what runs launches all of whose memory is known: the first of them, the one behind the last, the call.

        Those that a back end binds together are one.
        """
        backend, found = self._backend, list[tuple[int, int, Callable[[], object]]]()
        together: list[tuple[Launch, list[tuple[BufferView, B]]]] = []

        def end(number: int) -> None:
            if together and isinstance(backend, BindingBackend):
                found.append((number - len(together), number, backend.bind(together)))
                together.clear()

        for number, launch in enumerate(self._manifest.launches):
            known = all(view.buffer in memory for view in launch.arguments)
            bound = known and bool(launch.kernel) and isinstance(backend, BindingBackend)
            if not bound or len(together) == MOST_TOGETHER:
                end(number)
            if bound:
                together.append((launch, self._arguments(launch, memory)))
            elif known and launch.kernel:
                run = partial(backend.launch, launch, self._arguments(launch, memory))
                found.append((number, number + 1, run))
            elif known:
                source, target = self._arguments(launch, memory)
                found.append((number, number + 1, partial(backend.copy, source[1], target[1])))
        end(len(self._manifest.launches))
        return found

    def _new_workspace(self) -> B | None:
        size = self._manifest.workspace_bytes
        return self._backend.allocate(size, MEMORY_ALIGNMENT_BYTES) if size else None

    def _made_buffers(self, inputs: Sequence[np.ndarray[Any, Any]], adopted: Mapping[str, B]) -> dict[str, B]:
        """Return the memory of all buffers but the constants."""
        manifest, backend = self._manifest, self._backend
        given = dict(zip(manifest.inputs, inputs, strict=True))
        arena = self._new_workspace() if self._workspace is None else self._workspace
        memory: dict[str, B] = {}
        for buffer in manifest.buffers:
            if buffer.role == "input":
                memory[buffer.name] = backend.upload(given[buffer.name], buffer.alignment_bytes)
            elif buffer.name in adopted:
                memory[buffer.name] = adopted[buffer.name]
            elif buffer.role == "output":
                memory[buffer.name] = backend.allocate(buffer.size_bytes, buffer.alignment_bytes)
            elif buffer.role != "constant":
                whole = arena if buffer.role == "workspace" else self._state
                if whole is not None:
                    memory[buffer.name] = backend.slice(whole, buffer.offset_bytes, buffer.size_bytes)
        return memory

    def _bound_inside(self) -> list[tuple[int, int, Callable[[], object]]]:
        """Return what runs launches whose arguments are the same in all runs: constants, and results between them."""
        memory = dict(self._constants)
        for buffer in self._manifest.buffers:
            if buffer.role == "workspace" and self._workspace is not None:
                memory[buffer.name] = self._backend.slice(self._workspace, buffer.offset_bytes, buffer.size_bytes)
        return self._bound(memory)

    def _arguments(self, launch: Launch, memory: Mapping[str, B]) -> list[tuple[BufferView, B]]:
        """Return the arguments of a launch."""
        return [(v, self._backend.slice(memory[v.buffer], v.offset_bytes, v.size_bytes)) for v in launch.arguments]

    def _launched(self, memory: Mapping[str, B]) -> list[LaunchReport]:
        """Run launches in order."""
        found = [self._launch(launch, memory) for launch in self._manifest.launches]
        for launch in self._waiting:
            self._check_waits(launch, memory)
        return [one for one in found if one is not None]

    def _launch(self, launch: Launch, memory: Mapping[str, B]) -> LaunchReport | None:
        """Run a launch; return what it did, None of a copy."""
        arguments = self._arguments(launch, memory)
        if not launch.kernel:
            self._backend.copy(arguments[0][1], arguments[1][1])
            return None
        report = self._backend.launch(launch, arguments)
        times = self._times(launch, memory)
        return report if times is None else replace(report, times=times)

    def _launched_inside(self, memory: Mapping[str, B]) -> tuple[LaunchReport, ...]:
        """Run launches in order, those together that are bound, and say nothing of them."""
        number, launches = 0, self._manifest.launches
        for first, behind, run in self._inside:
            for launch in launches[number:first]:
                self._launch(launch, memory)
            run()
            number = behind
        for launch in launches[number:]:
            self._launch(launch, memory)
        for launch in self._waiting:
            self._check_waits(launch, memory)
        return ()

    def _copy_back(
        self, memory: Mapping[str, B], adopted: Collection[str], given: Sequence[np.ndarray[Any, Any]]
    ) -> None:
        """Bring outputs into the caller's arrays that launches did not write where these lie."""
        for name, array in zip(self._manifest.outputs, given, strict=True):
            if name not in adopted:
                np.copyto(array, self._backend.download(memory[name], self._manifest.buffer(name)))

    def _check_waits(self, launch: Launch, memory: Mapping[str, B]) -> None:
        """Raise what a launch reports of a wait that was given up; its counters begin again from zero."""
        assert launch.report_bytes is not None
        said = stuck_report(launch.kernel, self._cells(launch, memory, launch.report_bytes, len(REPORT_CELLS)))
        if said is not None:
            zeros = np.zeros(self._manifest.state_bytes, np.uint8)
            self._state = self._backend.upload(zeros, MEMORY_ALIGNMENT_BYTES)
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


def _uploaded_constants(manifest: Manifest, files: Mapping[str, bytes], backend: Backend[B]) -> dict[str, B]:
    """Return the constants of an artifact on a back end, which nothing writes.

    They begin at whole lines of caches: else each vector that is as wide as a line would be read from two.
    """
    file = manifest.file("constants")
    content = b"" if file is None else files[file.name]
    found: dict[str, B] = {}
    for buffer in manifest.buffers:
        if buffer.role == "constant":
            data = np.frombuffer(content, np.uint8, buffer.size_bytes, buffer.offset_bytes)
            found[buffer.name] = backend.upload(data, MEMORY_ALIGNMENT_BYTES)
    return found
