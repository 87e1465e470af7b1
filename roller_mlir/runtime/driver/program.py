# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled function on a device: loaded once, called often, on the caller's arrays and stream, without copies.

    program = Artifact.load("matmul.roller").open("cuda")
    c, = program(a, b)                             # arrays of torch, cupy, jax or numpy; c is new memory
    program(a, b, outputs=[c], stream=stream)      # nothing is allocated
    again = program.prepare(a, b, outputs=[c])     # nothing is checked again either

A call queues its launches and returns; nothing waits for the device. So a stream may capture it into a graph; then all
arrays must be on the device, and outputs and workspace (`program.workspace_bytes`) the caller's, as the graph will use
them again. What other streams write into these arrays must be done before the graph runs. Arrays must live until what
was queued has run, as the caller's library sees to. State, which kernels keep from call to call, is the program's own:
a call waits for the one before, whatever stream that was given to; graphs of a program with state must not overlap.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias
from weakref import finalize

import numpy as np

from roller_mlir.plan.manifest import Buffer, Launch, Manifest
from roller_mlir.plan.persistent.stuck_report import REPORT_CELLS, stuck_report
from roller_mlir.plan.persistent.task_times import TaskTime
from roller_mlir.runtime.arguments.arrays import ArrayView, describe, stream_of
from roller_mlir.runtime.dependences import launch_dependences
from roller_mlir.runtime.driver.arguments import Signature, check_overlaps, shares
from roller_mlir.runtime.driver.interface import Driver, Graph
from roller_mlir.runtime.driver.kernels import Parameters, check_buffers, load_kernels
from roller_mlir.runtime.driver.memory import ALIGNMENT_BYTES, CachingAllocator, DeviceArray, DeviceMemory
from roller_mlir.runtime.errors import ArgumentError, BackendError

# A launch, the addresses of its views, and its parameters if it is of a kernel.
_Step: TypeAlias = tuple[Launch, list[int], Parameters | None]


class LoadedProgram:
    """A function that is loaded on a device.

    Attributes:
        workspace_bytes: What a caller's own workspace must have; it begins at a multiple of 256 B.
        notes: Which better binaries the driver refused, and why.
    """

    def __init__(
        self, driver: Driver, manifest: Manifest, files: Mapping[str, bytes], allocator: CachingAllocator
    ) -> None:
        """Load the kernels and the constants.

        Args:
            driver: The device.
            manifest: The artifact's record.
            files: Its files by name.
            allocator: Of the device's memory.

        Raises:
            BackendError: It does not run on this device.
        """
        self._driver, self._manifest, self._allocator = driver, manifest, allocator
        self.workspace_bytes = manifest.workspace_bytes
        record = manifest.file("constants")
        constants = files[record.name] if record else b""
        check_buffers(manifest, len(constants))
        with driver.current():
            self._launches = load_kernels(driver, manifest, files)
            self._constants = self._load(constants)
            self._state = self._load(bytes(manifest.state_bytes))
        self._state_stream: int | None = None
        self.notes = tuple(dict.fromkeys(one.note for one in self._launches.values() if one.note))
        self._inputs, self._outputs = Signature.of(manifest, "input"), Signature.of(manifest, "output")

    def __repr__(self) -> str:
        return f"Program({self._manifest.function!r} on {self._driver.label} device {self._driver.ordinal})"

    def _load(self, data: bytes) -> DeviceMemory | None:
        if not data:
            return None
        piece = self._allocator.allocate(len(data), 0)
        host = np.frombuffer(data, np.uint8)
        self._driver.upload(piece.address, int(host.ctypes.data), len(data), 0)
        self._driver.synchronize(0)
        return piece

    def __call__(
        self, *inputs: Any, outputs: Sequence[Any] | None = None, stream: Any = None, workspace: Any = None
    ) -> tuple[Any, ...]:
        """Queue the function.

        Args:
            *inputs: One dense array per input: of torch, cupy, jax or another library with DLPack or the CUDA array
                interface, on this device; or of numpy, which is copied there.
            outputs: One array of the device per output, to be written; None: new ones.
            stream: Handle or object of the stream; None: the current one of the first array's library (torch, cupy),
                or the default stream.
            workspace: An array of any type, of at least `workspace_bytes`; None: memory of the cache.

        Returns:
            The outputs: those given, or new `DeviceArray`s.

        Raises:
            ArgumentError: An argument does not fit; nothing was launched.
            BackendError: The driver refuses.
        """
        handle = stream_of(stream, (*inputs, *(outputs or ())), self._driver.ordinal)
        with self._driver.current():
            return self._run(inputs, outputs, handle, workspace)

    def prepare(
        self,
        *inputs: Any,
        outputs: Sequence[Any],
        stream: Any = None,
        workspace: Any = None,
        graph: bool = False,
        in_line: bool = False,
    ) -> Callable[[], None]:
        """Check a call once, and return what queues it, as often as it is called, at the least cost to the host.

        Args:
            *inputs: As of a call, but all on the device.
            outputs: As of a call.
            stream: As of a call. What other streams write into the arrays must be done before each call.
            workspace: As of a call; None: memory that the result holds.
            graph: Whether the launches become one CUDA graph, in which those that share no memory that one of them
                writes may run at the same time. Where kernels wait for others themselves (`dependent_launch`), they may
                start before these have ended.
            in_line: Whether each launch of that graph waits for the one before it instead, as on a stream.

        Returns:
            What queues the function on these arrays, which must live, and stay where they are, as long as it does.

        Raises:
            ArgumentError: An argument does not fit.
            BackendError: The driver refuses.
        """
        handle = stream_of(stream, (*inputs, *outputs), self._driver.ordinal)
        with self._driver.current():
            given = self._inputs.describe(inputs, self._driver, handle)
            written = self._outputs.describe(outputs, self._driver, handle)
            hosts = [index for index, view in enumerate(given) if isinstance(view.keep, np.ndarray)]
            if hosts:
                raise ArgumentError(
                    f"{self._manifest.function!r}: input {hosts[0]} is a numpy array, which would have to be copied "
                    "each time; pass one of the device"
                )
            check_overlaps(self._outputs, written, given)
            views = [*given, *written]
            arena = None if workspace is None else self._check_workspace(workspace, handle, views)
            for view in views:
                self._order(handle, view)
            held = None
            if arena is None and self.workspace_bytes:
                held = self._allocator.allocate(self.workspace_bytes, handle)
                arena = held.address
            names = [*self._manifest.inputs, *self._manifest.outputs]
            places = {name: view.address for name, view in zip(names, views, strict=True)}
            self._place_rest(places, arena)
            steps = self._steps(places)
            made = self._graph(steps, in_line=in_line) if graph else None

        def queue(*, keep: Any = (inputs, outputs, workspace, held)) -> None:
            with self._driver.current():
                self._start(steps, handle, made)

        if made is not None:
            finalize(queue, self._free, made)
        return queue

    def times(self) -> tuple[tuple[str, tuple[TaskTime, ...]], ...]:
        """Wait for the last run that was queued here, and return when its tasks ran; those of a graph, when it has run.

        Returns:
            The kernel and the times of each launch that records them, as `plan.persistent.task_times.chrome_trace`
            takes them.

        Raises:
            BackendError: None does, or the driver refuses.
        """
        found: list[tuple[str, tuple[TaskTime, ...]]] = []
        stream = self._state_stream or 0
        with self._driver.current():
            for launch in self._manifest.launches:
                if launch.times is None or self._state is None:
                    continue
                view, cells = launch.arguments[-1], np.zeros(launch.times.cells, np.int32)
                first = self._manifest.buffer(view.buffer).offset_bytes + view.offset_bytes + launch.times.offset_bytes
                self._driver.download(int(cells.ctypes.data), self._state.address + first, cells.nbytes, stream)
                self._driver.synchronize(stream)
                found.append((launch.kernel, launch.times.read(cells.tolist())))
        if not found:
            raise BackendError(f"{self._manifest.function!r} records no times; compile it with --record-times")
        return tuple(found)

    def _graph(self, steps: Sequence[_Step], *, in_line: bool) -> Graph:
        """Return the launches as a graph, each behind those that it must not overtake, or behind the one before."""
        line = tuple((number - 1,) if number else () for number in range(len(steps)))
        order = line if in_line else launch_dependences(self._manifest)
        graph = self._driver.make_graph()
        nodes: list[list[Any]] = []  # an empty copy is no node: behind it is behind what it is behind
        for number, ((launch, addresses, parameters), before) in enumerate(zip(steps, order, strict=True)):
            after = [node for one in before for node in nodes[one]]
            if parameters is not None:
                nodes.append([self._launches[number].add_to(graph, parameters, after)])
            elif size := launch.arguments[0].size_bytes:
                nodes.append([graph.add_copy(addresses[1], addresses[0], size, after)])
            else:
                nodes.append(after)
        graph.finish()
        return graph

    def _free(self, graph: Graph) -> None:
        with self._driver.current():
            graph.free()

    def _run(
        self, inputs: Sequence[Any], outputs: Sequence[Any] | None, stream: int, workspace: Any
    ) -> tuple[Any, ...]:
        manifest, driver = self._manifest, self._driver
        given = self._inputs.describe(inputs, driver, stream)
        written = None if outputs is None else self._outputs.describe(outputs, driver, stream)
        check_overlaps(self._outputs, written or (), given)
        arena = None if workspace is None else self._check_workspace(workspace, stream, [*given, *(written or ())])
        hosts = [index for index, view in enumerate(given) if isinstance(view.keep, np.ndarray)]
        self._check_capture(stream, hosts, outputs, workspace)
        for view in (*given, *(written or ())):
            self._order(stream, view)
        held: list[DeviceMemory] = []
        places = {name: view.address for name, view in zip(manifest.inputs, given, strict=True)}
        for index in hosts:
            places[manifest.inputs[index]] = self._upload(given[index].keep, stream, held)
        results: list[Any] = list(outputs or ())
        if written is None:
            results = [self._new(parameter.buffer, stream) for parameter in self._outputs.parameters]
            places |= {name: one.address for name, one in zip(manifest.outputs, results, strict=True)}
        else:
            places |= {name: view.address for name, view in zip(manifest.outputs, written, strict=True)}
        if arena is None and self.workspace_bytes:
            held.append(self._allocator.allocate(self.workspace_bytes, stream))
            arena = held[-1].address
        self._place_rest(places, arena)
        self._queue(places, stream)
        return tuple(results)

    def _place_rest(self, places: dict[str, int], arena: int | None) -> None:
        for buffer in self._manifest.buffers:
            if buffer.role == "workspace":
                places[buffer.name] = (arena or 0) + buffer.offset_bytes
            elif buffer.role in ("constant", "state"):
                base = self._constants if buffer.role == "constant" else self._state
                places[buffer.name] = (base.address if base else 0) + buffer.offset_bytes

    def _queue(self, places: Mapping[str, int], stream: int) -> None:
        """Prepare all launches, then start them: what the driver refuses beforehand leaves nothing half done."""
        self._start(self._steps(places), stream)

    def _steps(self, places: Mapping[str, int]) -> list[_Step]:
        steps: list[_Step] = []
        for number, launch in enumerate(self._manifest.launches):
            addresses = [places[view.buffer] + view.offset_bytes for view in launch.arguments]
            steps.append((launch, addresses, self._launches[number].prepare(addresses) if launch.kernel else None))
        return steps

    def _start(self, steps: Sequence[_Step], stream: int, graph: Graph | None = None) -> None:
        if self._state is not None:
            self._after(stream, self._state_stream)
            if not self._driver.is_capturing(stream):
                self._state_stream = stream
        if graph is not None:
            graph.launch(stream)
        for number, (launch, addresses, parameters) in enumerate(() if graph is not None else steps):
            if parameters is not None:
                self._launches[number].start(parameters, stream)
            elif launch.arguments[0].size_bytes:
                self._driver.copy(addresses[1], addresses[0], launch.arguments[0].size_bytes, stream)
        if not self._driver.is_capturing(stream):
            for launch, addresses, _ in steps:
                if launch.report_bytes is not None:
                    self._check_waits(launch, addresses[-1] + launch.report_bytes, stream)

    def _check_waits(self, launch: Launch, address: int, stream: int) -> None:
        """Wait for a launch, and raise what it reports of a wait that was given up; its counters begin from zero."""
        cells = np.zeros(len(REPORT_CELLS), np.int32)
        self._driver.download(int(cells.ctypes.data), address, cells.nbytes, stream)
        self._driver.synchronize(stream)
        said = stuck_report(launch.kernel, cells.tolist())
        if said is not None and self._state is not None:
            zeros = np.zeros(self._manifest.state_bytes, np.uint8)
            self._driver.upload(self._state.address, int(zeros.ctypes.data), zeros.nbytes, stream)
            self._driver.synchronize(stream)
            raise BackendError(said)

    def _check_workspace(self, workspace: Any, stream: int, others: Sequence[ArrayView]) -> int:
        subject = f"{self._manifest.function!r}: workspace"
        view = describe(subject, workspace, self._driver, stream)
        if view.device not in [(kind, self._driver.ordinal) for kind in self._driver.memory_kinds]:
            raise ArgumentError(
                f"{subject} must be on {self._driver.label} device {self._driver.ordinal}, but is {view.place}"
            )
        if not view.is_dense or view.read_only:
            raise ArgumentError(f"{subject} must be dense and writable, but is not")
        if view.size_bytes < self.workspace_bytes:
            raise ArgumentError(f"{subject} must have {self.workspace_bytes} B, but has {view.size_bytes} B")
        if view.address % ALIGNMENT_BYTES:
            past = view.address % ALIGNMENT_BYTES
            raise ArgumentError(
                f"{subject} must begin at a multiple of {ALIGNMENT_BYTES} B, but its address is {past} B past one"
            )
        if any(shares(one, view.address, self.workspace_bytes) for one in others):
            raise ArgumentError(f"{subject} must have memory of its own, but shares some with an input or output")
        self._order(stream, view)
        return view.address

    def _order(self, stream: int, view: ArrayView) -> None:
        """Queue the stream behind another that may still write an array.

        A stream that records a graph can wait only for streams of the same recording, and what was queued before is not
        part of it.
        """
        self._after(stream, view.pending)

    def _after(self, stream: int, pending: int | None) -> None:
        if pending is None or pending == stream:
            return
        if self._driver.is_capturing(stream) and not (pending and self._driver.is_capturing(pending)):
            return
        self._driver.wait(stream, pending)

    def _check_capture(self, stream: int, hosts: Sequence[int], outputs: Any, workspace: Any) -> None:
        """Refuse what would copy from the host or allocate while the stream records a graph."""
        wants = hosts or (outputs is None and self._manifest.outputs) or (workspace is None and self.workspace_bytes)
        if not wants or not self._driver.is_capturing(stream):
            return
        name = repr(self._manifest.function)
        if hosts:
            raise ArgumentError(
                f"{name}: input {hosts[0]} is a numpy array, which no graph can hold; pass one of the device"
            )
        what = "outputs" if outputs is None and self._manifest.outputs else "a workspace"
        raise ArgumentError(
            f"{name}: the stream records a graph, which keeps using its memory; pass {what} of your own"
        )

    def _upload(self, array: np.ndarray[Any, Any], stream: int, held: list[DeviceMemory]) -> int:
        piece = self._allocator.allocate(array.nbytes, stream)
        held.append(piece)
        if array.nbytes:
            self._driver.upload(piece.address, int(array.ctypes.data), array.nbytes, stream)
        return piece.address

    def _new(self, buffer: Buffer, stream: int) -> DeviceArray:
        piece = self._allocator.allocate(buffer.size_bytes, stream)
        return DeviceArray(self._driver, piece, buffer.static_shape, buffer.element_type)
