# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs on GPUs ask of a vendor's driver, in plain integers; CUDA and HIP implement it, and tests imitate it.

Addresses and streams are integers, modules and functions whatever the vendor's bindings make of them. Every call runs
in the device's context, which `current` makes current. All calls raise `BackendError` with the driver's own word.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from typing import Any, ClassVar, Protocol

from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.runtime.errors import BackendError

Triple = tuple[int, int, int]

# The same numbers in both (CUresult and hipError_t; CUevent_flags and hip_runtime_api.h).
_OUT_OF_MEMORY = 2
_UNTIMED = 2


@dataclass(frozen=True, kw_only=True)
class DeviceFacts:
    """What a device can do, as its driver says.

    Attributes:
        architecture: "sm_90", "gfx942:sramecc+:xnack-".
        units: Streaming multiprocessors or compute units.
        most_threads: Threads of a block.
        most_block: Threads of a block in x, y, z.
        most_grid: Blocks of a grid in x, y, z.
        most_shared_bytes: Workgroup memory of a block, where asked for.
        cooperative: Whether it starts grids whose blocks all run at the same time.
        clusters: Whether blocks can share workgroup memory.
    """

    architecture: str
    units: int
    most_threads: int
    most_block: Triple
    most_grid: Triple
    most_shared_bytes: int
    cooperative: bool
    clusters: bool


@dataclass(frozen=True, kw_only=True)
class DeviceDescription:
    """What else a driver says of its device and of itself, for records of what was measured where.

    Attributes:
        name: "NVIDIA H200".
        driver: The driver's version ("13.0").
        memory_bytes: The device's memory.
        l2_bytes: Cache that all units share; None: the driver does not say.
        more: Clocks, widths and sizes by name, units in their names; what the driver does not say is left out.
    """

    name: str
    driver: str
    memory_bytes: int
    l2_bytes: int | None = None
    more: dict[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, kw_only=True)
class Setup:
    """How a kernel starts.

    Attributes:
        function: The driver's handle.
        grid: Blocks in x, y, z.
        block: Threads in x, y, z.
        shared_bytes: Dynamic workgroup memory.
        cooperative: Whether all blocks must run at the same time.
        dependent: Whether the kernel waits itself for launches before it, and may start before they have ended.
        cluster: Blocks in x, y, z that share workgroup memory.
    """

    function: Any
    grid: Triple
    block: Triple
    shared_bytes: int
    cooperative: bool
    dependent: bool = False
    cluster: Triple = (1, 1, 1)


@dataclass(frozen=True, kw_only=True)
class Bindings:
    """A vendor's driver as its bindings give it: functions that return a status and what they found.

    Attributes:
        api: The module of the functions.
        prefix: What their names begin with ("cu").
        word: Says what a status means.
        stream: Makes of a stream's number what the functions take.
        attributes: The enumeration of a device's attributes.
        attribute: What their names begin with ("CU_DEVICE_ATTRIBUTE_").
        names: Functions of the other vendor's kind, as CUDA calls them, without the prefix, and their names here.
    """

    api: Any
    prefix: str
    word: Callable[[Any], str]
    stream: Callable[[int], Any]
    attributes: Any
    attribute: str
    names: dict[str, str] = field(default_factory=dict[str, str])

    def name(self, function: str) -> str:
        """Return the name of a function, given as CUDA calls it, without the prefix."""
        return self.prefix + self.names.get(function, function)

    def status(self, function: str, *arguments: Any) -> tuple[Any, ...]:
        """Call a function; return its status, and what it found."""
        return getattr(self.api, self.name(function))(*arguments)


class Graph(Protocol):
    """Launches and copies, each behind those that it names; queued at once, and as often as is wanted."""

    def add_kernel(self, setup: Setup, parameters: int, after: Sequence[Any]) -> Any:
        """Add the launch of a kernel, whose parameters are copied, behind other nodes; return its node."""
        ...

    def add_copy(self, target: int, source: int, size_bytes: int, after: Sequence[Any]) -> Any:
        """Add a copy within the device, behind other nodes; return its node."""
        ...

    def finish(self) -> None:
        """Make it ready to be launched; no node can be added then."""
        ...

    def launch(self, stream: int) -> None:
        """Queue it."""
        ...

    def free(self) -> None:
        """Give it back; what was queued of it still runs."""
        ...


class Driver(ABC):
    """One device through its vendor's driver.

    Attributes:
        label: The driver's name ("CUDA").
        legacy_stream: The number of the default stream in DLPack's numbering; 0 where it is numbered as the driver
            does.
        query_tool: The vendor's tool that says more of a device, called as nvidia-smi is; "" where there is none.
        memory_kinds: DLPack's device types of memory that kernels here may use; the first is the device's own.
        ordinal: The device's number.
        facts: What the device can do.
        bindings: The vendor's functions.
        handle: What the driver's questions about the device take.
        context: What is current while the device is used.
    """

    label: ClassVar[str]
    legacy_stream: ClassVar[int]
    query_tool: ClassVar[str]
    memory_kinds: ClassVar[tuple[int, ...]]
    facts: DeviceFacts
    handle: Any
    context: Any

    def __init__(self, bindings: Bindings, ordinal: int, library: str) -> None:
        """Begin to use a driver.

        Args:
            bindings: Its functions.
            ordinal: The device's number.
            library: What has to be installed beside the bindings, for the error.

        Raises:
            BackendError: There is no driver, or no such device.
        """
        self.bindings, self.ordinal = bindings, ordinal
        subject = f"back end '{self.back_end}'"
        try:
            self.call("Init", 0)
        except BackendError:
            raise
        except Exception as error:  # the bindings' own, of several types, where there is no library
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise BackendError(f"{subject} needs {library}, which is not here: {reason}") from error
        count = int(self.call("DeviceGetCount"))
        if not 0 <= ordinal < count:
            raise BackendError(f"{subject}: device {ordinal} is not one of the {count} here")

    @property
    def back_end(self) -> str:
        """The name under which its back end is registered."""
        return self.label.lower()

    def call(self, function: str, *arguments: Any) -> Any:
        """Call a function of the driver, named as CUDA does, without the prefix; return the first thing it found.

        Raises:
            BackendError: It failed.
        """
        status, *values = self.bindings.status(function, *arguments)
        if int(status):
            raise BackendError(f"{self.label}: {self.bindings.name(function)} failed: {self.bindings.word(status)}")
        return values[0] if values else None

    def ask(self, name: str) -> int:
        """Return an attribute of the device, as the vendor calls it."""
        attribute = getattr(self.bindings.attributes, f"{self.bindings.attribute}{name}")
        return int(self.call("DeviceGetAttribute", attribute, self.handle))

    def ask_axes(self, name: str) -> Triple:
        """Return an attribute that the device has for x, y and z."""
        x, y, z = (self.ask(f"{name}{axis}") for axis in "XYZ")
        return x, y, z

    def ask_if_known(self, name: str) -> int | None:
        """Return an attribute; None where these bindings or this driver do not know it."""
        try:
            return self.ask(name)
        except (AttributeError, BackendError):
            return None

    def known(self, names: dict[str, str]) -> dict[str, int]:
        """Return those attributes that are known, by our names for the vendor's."""
        return {name: value for name, theirs in names.items() if (value := self.ask_if_known(theirs)) is not None}

    @abstractmethod
    def describe(self) -> DeviceDescription:
        """Return what the driver says of the device and of itself."""

    @contextmanager
    def current(self) -> Generator[None]:
        """Make the device's context current, and afterwards what was current before."""
        before = self.call("CtxGetCurrent")
        if int(before) == int(self.context):
            yield
            return
        self.call("CtxSetCurrent", self.context)
        try:
            yield
        finally:
            self.call("CtxSetCurrent", before)

    @abstractmethod
    def image_kinds(self, architecture: str) -> tuple[str, ...]:
        """Return the kinds of binaries ("cubin", ...) for an architecture that run on this device, the best first."""

    @abstractmethod
    def load_image(self, name: str, image: bytes) -> Any:
        """Load a binary; `name` is for errors."""

    def find_function(self, module: Any, name: str) -> Any:
        """Return a kernel of a module."""
        return self.call("ModuleGetFunction", module, name.encode())

    @abstractmethod
    def allow_shared(self, function: Any, size_bytes: int) -> None:
        """Allow a kernel so much dynamic workgroup memory."""

    def resident_blocks(self, setup: Setup) -> int:
        """Return the blocks of a kernel that run on the device at the same time."""
        name = "OccupancyMaxActiveBlocksPerMultiprocessor"
        return self.facts.units * int(self.call(name, setup.function, prod(setup.block), setup.shared_bytes))

    @abstractmethod
    def launch(self, setup: Setup, parameters: int, stream: int) -> None:
        """Start a kernel; `parameters` is the address of a table with the address of each parameter."""

    def make_graph(self) -> Graph:
        """Return an empty graph of launches.

        Raises:
            BackendError: None can be made here.
        """
        raise BackendError(f"{self.label}: graphs of launches are made of CUDA's only; queue the launches one by one")

    @abstractmethod
    def encode_map(self, record: int, described: TensorMap, address: int) -> None:
        """Write 128 bytes at `record`: a tensor map of the array at `address`."""

    def allocate(self, size_bytes: int) -> int | None:
        """Return the address of new memory, aligned to at least 256 B; None: there is none left."""
        status, address = self.bindings.status("MemAlloc", size_bytes)
        if int(status) == _OUT_OF_MEMORY:
            return None
        if int(status):
            name = self.bindings.name("MemAlloc")
            raise BackendError(f"{self.label}: {name} of {size_bytes} B failed: {self.bindings.word(status)}")
        return int(address)

    def free(self, address: int) -> None:
        """Give memory back, after all that uses it has ended."""
        self.call("MemFree", address)

    def upload(self, target: int, source: int, size_bytes: int, stream: int) -> None:
        """Copy pageable memory of the host, which is the caller's again on return."""
        self.transfer("HtoD", target, source, size_bytes, stream)

    def download(self, target: int, source: int, size_bytes: int, stream: int) -> None:
        """Copy to the host; the bytes are there after `synchronize`."""
        self.transfer("DtoH", target, source, size_bytes, stream)

    def copy(self, target: int, source: int, size_bytes: int, stream: int) -> None:
        """Copy within the device."""
        self.transfer("DtoD", target, source, size_bytes, stream)

    @abstractmethod
    def transfer(self, way: str, target: int, source: int, size_bytes: int, stream: int) -> None:
        """Copy from the host ("HtoD"), to it ("DtoH"), or within the device ("DtoD")."""

    def fill(self, address: int, value: int, size_bytes: int, stream: int) -> None:
        """Queue writing a byte all over a part of the device's memory."""
        self.call("MemsetD8Async", address, value, size_bytes, self.bindings.stream(stream))

    @abstractmethod
    def place_of(self, address: int) -> int | None:
        """Return the number of the device whose memory an address is in; None: the driver does not know it."""

    def is_capturing(self, stream: int) -> bool:
        """Return whether a stream records a graph."""
        return bool(int(self.call("StreamIsCapturing", self.bindings.stream(stream))))

    def wait(self, stream: int, other: int) -> None:
        """Let a stream wait for all that another has been given so far."""
        event = self.make_event(timed=False)
        try:
            self.record_event(event, other)
            self.call("StreamWaitEvent", self.bindings.stream(stream), event, 0)
        finally:
            self.free_event(event)

    def synchronize(self, stream: int) -> None:
        """Wait for a stream."""
        self.call("StreamSynchronize", self.bindings.stream(stream))

    def make_event(self, *, timed: bool = True) -> Any:
        """Return a new event; one that is timed notes when it was reached."""
        return self.call("EventCreate", 0 if timed else _UNTIMED)

    def record_event(self, event: Any, stream: int) -> None:
        """Let an event note when the device has done all that a stream has been given so far."""
        self.call("EventRecord", event, self.bindings.stream(stream))

    def elapsed_s(self, start: Any, stop: Any) -> float:
        """Wait for `stop`, and return the device's seconds from one event to the other."""
        self.call("EventSynchronize", stop)
        return float(self.call("EventElapsedTime", start, stop)) * 1e-3

    def timed_s(self, stream: int, work: Callable[[], object]) -> float:
        """Run what queues work on a stream, wait for that, and return the device's seconds for it."""
        begin, end = self.make_event(), self.make_event()
        try:
            self.record_event(begin, stream)
            work()
            self.record_event(end, stream)
            return self.elapsed_s(begin, end)
        finally:
            self.free_event(begin)
            self.free_event(end)

    def free_event(self, event: Any) -> None:
        """Give an event back."""
        self.call("EventDestroy", event)
