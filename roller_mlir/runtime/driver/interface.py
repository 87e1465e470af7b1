# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs on GPUs ask of a vendor's driver, in plain integers; CUDA and HIP implement it, and tests imitate it.

Addresses and streams are integers, modules and functions whatever the vendor's bindings make of them. Every call runs
in the device's context, which `current` makes current. All calls raise `BackendError` with the driver's own word.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from roller_mlir.plan.tensor_map import TensorMap

Triple = tuple[int, int, int]


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
        cluster: Blocks in x, y, z that share workgroup memory.
    """

    function: Any
    grid: Triple
    block: Triple
    shared_bytes: int
    cooperative: bool
    cluster: Triple = (1, 1, 1)


class Driver(Protocol):
    """One device through its vendor's driver."""

    @property
    def label(self) -> str:
        """The driver's name ("CUDA")."""
        ...

    @property
    def vendor(self) -> str:
        """Whose devices, as manifests spell it."""
        ...

    @property
    def legacy_stream(self) -> int:
        """The number of the default stream in DLPack's numbering; 0 where it is numbered as the driver does."""
        ...

    @property
    def query_tool(self) -> str:
        """The vendor's tool that says more of a device, called as nvidia-smi is; "" where there is none."""
        ...

    @property
    def ordinal(self) -> int:
        """The device's number."""
        ...

    @property
    def facts(self) -> DeviceFacts:
        """What the device can do."""
        ...

    @property
    def memory_kinds(self) -> tuple[int, ...]:
        """DLPack's device types of memory that kernels here may use; the first is the device's own."""
        ...

    def describe(self) -> DeviceDescription:
        """What the driver says of the device and of itself."""
        ...

    def current(self) -> AbstractContextManager[None]:
        """Make the device's context current, and afterwards what was current before."""
        ...

    def image_kinds(self, architecture: str) -> tuple[str, ...]:
        """Kinds of binaries ("cubin", ...) for an architecture that run on this device, the best first."""
        ...

    def load_image(self, name: str, image: bytes) -> Any:
        """Load a binary; `name` is for errors."""
        ...

    def find_function(self, module: Any, name: str) -> Any:
        """Return a kernel of a module."""
        ...

    def allow_shared(self, function: Any, size_bytes: int) -> None:
        """Allow a kernel so much dynamic workgroup memory."""
        ...

    def resident_blocks(self, setup: Setup) -> int:
        """Blocks of a kernel that run on the device at the same time."""
        ...

    def launch(self, setup: Setup, parameters: int, stream: int) -> None:
        """Start a kernel; `parameters` is the address of a table with the address of each parameter."""
        ...

    def encode_map(self, record: int, described: TensorMap, address: int) -> None:
        """Write 128 bytes at `record`: a tensor map of the array at `address`."""
        ...

    def allocate(self, size_bytes: int) -> int | None:
        """Return the address of new memory, aligned to at least 256 B; None: there is none left."""
        ...

    def free(self, address: int) -> None:
        """Give memory back, after all that uses it has ended."""
        ...

    def upload(self, target: int, source: int, size_bytes: int, stream: int) -> None:
        """Copy pageable memory of the host, which is the caller's again on return."""
        ...

    def download(self, target: int, source: int, size_bytes: int, stream: int) -> None:
        """Copy to the host; the bytes are there after `synchronize`."""
        ...

    def copy(self, target: int, source: int, size_bytes: int, stream: int) -> None:
        """Copy within the device."""
        ...

    def fill(self, address: int, value: int, size_bytes: int, stream: int) -> None:
        """Queue writing a byte all over a part of the device's memory."""
        ...

    def place_of(self, address: int) -> int | None:
        """The number of the device whose memory an address is in; None: the driver does not know it."""
        ...

    def is_capturing(self, stream: int) -> bool:
        """Whether a stream records a graph."""
        ...

    def wait(self, stream: int, other: int) -> None:
        """Let a stream wait for all that another has been given so far."""
        ...

    def synchronize(self, stream: int) -> None:
        """Wait for a stream."""
        ...

    def make_event(self) -> Any:
        """Return a new event that notes times."""
        ...

    def record_event(self, event: Any, stream: int) -> None:
        """Let an event note when the device has done all that a stream has been given so far."""
        ...

    def elapsed_s(self, start: Any, stop: Any) -> float:
        """Wait for `stop`, and return the device's seconds from one event to the other."""
        ...

    def free_event(self, event: Any) -> None:
        """Give an event back."""
        ...
