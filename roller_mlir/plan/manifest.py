# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The manifest of an artifact: everything that a runtime must know to run a compiled function, as frozen records.

Schema version 1. Shapes and grids are of extents (`roller_mlir.plan.extent`); in version 1 every extent is static and
is written as a JSON integer, so that a later version may write a string such as "(n + 127) floordiv 128" in the same
place without another field. Sizes and offsets in bytes are decided for the extents' bounds.

A function is an ordered list of launches with a buffer plan:

- `buffers`: each input, output, workspace and constant with its element type, shape and layout (dense, row-major);
- `launches`: kernel, grid, block, dynamic workgroup memory, and per argument a view of a buffer at a byte offset;
- `kernels`: per kernel its binaries, plan, prediction (inside the plan) and what the tools said of it;
- `files`: each file of the artifact with its SHA-256.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from roller_mlir.plan.expression import ELEMENT_BYTES
from roller_mlir.plan.extent import Extent, as_extents, product, static_sizes
from roller_mlir.plan.persistent.stuck_report import REPORT_BYTES
from roller_mlir.plan.persistent.task_times import TaskTimes
from roller_mlir.plan.plan import Plan
from roller_mlir.plan.records.codec import CodecError, JsonValue, Range, from_json, to_json
from roller_mlir.plan.rewrite.split import JOIN_SUFFIX
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.support.foreign.bounded import BoundsError, read_json

SCHEMA_VERSION = 1
MAX_MANIFEST_BYTES = 64 << 20
DEFAULT_ALIGNMENT_BYTES = 16
MEMORY_ALIGNMENT_BYTES = 256
"""Of the memory that buffers in between, constants, state and a CPU's scratch lie in."""
PREPARE = "_prepare"
"""What the name of a library's function ends in that asks the system for registers beyond the usual ones."""
_SHOWN = 20
_ONE = Extent(1)

MOST_RANK = 32
"""Most dimensions of an array; numpy has no more."""

Bytes: TypeAlias = Annotated[int, Range(0, 2**62)]
Dimension: TypeAlias = Annotated[Extent, Range(0, 2**62)]
Blocks: TypeAlias = Annotated[Extent, Range(1, 2**31)]
Positive: TypeAlias = Annotated[int, Range(1, 2**31)]
Alignment: TypeAlias = Annotated[int, Range(1, 2**20)]
ElementType: TypeAlias = Literal["f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "i1"]
Role: TypeAlias = Literal["input", "output", "workspace", "state", "constant"]


@dataclass(frozen=True, kw_only=True)
class DeviceRecord:
    """The device that the artifact was compiled for.

    Attributes:
        name: Name in the device table ("h200").
        vendor: "nvidia" or "amd".
        architecture: What the code generator was told ("sm_90a", "gfx942").
        subgroup_size: Threads that run in step.
        workgroup_banks: Banks of workgroup memory.
        workgroup_bank_bytes: Width of a bank.
        workgroup_wide_load_lanes: Lanes that are served together when each loads 16 bytes; empty: neighbours.
    """

    name: str
    vendor: str
    architecture: str
    subgroup_size: Annotated[int, Range(1, 1024)]
    workgroup_banks: Annotated[int, Range(1, 1024)] = 32
    workgroup_bank_bytes: Annotated[int, Range(1, 1024)] = 4
    workgroup_wide_load_lanes: tuple[tuple[Annotated[int, Range(0)], ...], ...] = ()

    def __post_init__(self) -> None:
        """Check that the groups of lanes share out a subgroup."""
        lanes = [lane for group in self.workgroup_wide_load_lanes for lane in group]
        if lanes and (len(lanes) != self.subgroup_size or set(lanes) != set(range(len(lanes)))):
            raise ValueError(f"workgroup_wide_load_lanes must name each of the {self.subgroup_size} lanes once")


class _DenseArray:
    """What arrays and dense parts of them have in common."""

    if TYPE_CHECKING:  # as fields they would come first in the manifest

        @property
        def element_type(self) -> ElementType:
            """MLIR's spelling."""
            ...

        @property
        def shape(self) -> tuple[Dimension, ...]:
            """Extents, outermost first."""
            ...

    def __post_init__(self) -> None:
        """Take numbers as extents, and check the rank."""
        object.__setattr__(self, "shape", as_extents(self.shape))
        if len(self.shape) > MOST_RANK:
            raise ValueError(f"shape: an array has at most {MOST_RANK} dimensions, but got {len(self.shape)}")

    @cached_property
    def static_shape(self) -> tuple[int, ...]:
        """The extents as they are at every call."""
        return static_sizes(self.shape)

    @cached_property
    def size_bytes(self) -> int:
        """Bytes of the array, at most; a worked number: 1000x1020 f32 is 4 080 000 B."""
        return product(self.shape).bound * ELEMENT_BYTES[self.element_type]


@dataclass(frozen=True, kw_only=True)
class Buffer(_DenseArray):
    """One array of the function.

    Attributes:
        name: Unique in the artifact.
        role: Who owns it: the caller (input, output), the runtime (workspace, of undefined content at each run; state,
            zeroed once when the function is loaded, and kept from run to run) or the artifact (constant).
        element_type: MLIR's spelling.
        shape: Extents, outermost first; numbers stand for static ones.
        layout: "dense": row-major without gaps.
        alignment_bytes: What the address must be a multiple of.
        offset_bytes: Constants: where the data begins in the constants file. Workspaces and state: where the array
            begins in the one allocation that holds all of its role. Otherwise 0.
        weight: Constants: the resource whose elements it holds, where the input only names that; "" otherwise.
    """

    name: str
    role: Role
    element_type: ElementType
    shape: tuple[Dimension, ...]
    layout: Literal["dense"] = "dense"
    alignment_bytes: Alignment = DEFAULT_ALIGNMENT_BYTES
    offset_bytes: Bytes = 0
    weight: str = ""


@dataclass(frozen=True, kw_only=True)
class BufferView(_DenseArray):
    """A dense part of a buffer, as a kernel sees it.

    Attributes:
        buffer: Name of the buffer.
        offset_bytes: Where the view begins.
        element_type: Element type of the view.
        shape: Extents of the view; numbers stand for static ones.
    """

    buffer: str
    offset_bytes: Bytes = 0
    element_type: ElementType
    shape: tuple[Dimension, ...]


@dataclass(frozen=True, kw_only=True)
class Launch:
    """One step of the function: a kernel over its grid, or a copy of whole views when `kernel` is empty.

    Attributes:
        kernel: Name of the kernel; "" copies the first argument into the second.
        grid: Blocks in x, y, z; numbers stand for static extents.
        block: Threads in x, y, z.
        dynamic_workgroup_bytes: Workgroup memory asked for at the launch.
        cooperative: Whether all blocks must run at the same time, as a grid barrier needs.
        dependent: Whether its kernel may start before the launches that it needs have ended, as each of its threads
            waits for these itself (`griddepcontrol.wait`); graphs make use of it, streams need not.
        cluster: Blocks in x, y, z that share their workgroup memory; the grid is whole clusters.
        report_bytes: Where in its last argument the report of a wait that was given up begins
            (`plan.persistent.stuck_report`); None: it makes none.
        times: Where in its last argument the times of its tasks lie, and whose they are; None: it records none.
        arguments: One view per kernel argument, in order.
        written: Which of them the kernel writes, by number; None: any but inputs and constants.
        read: Which of them the kernel reads, by number; None: any.
    """

    kernel: str
    grid: tuple[Blocks, Blocks, Blocks] = (_ONE, _ONE, _ONE)
    block: tuple[Positive, Positive, Positive] = (1, 1, 1)
    dynamic_workgroup_bytes: Bytes = 0
    cooperative: bool = False
    dependent: bool = False
    cluster: tuple[Positive, Positive, Positive] = (1, 1, 1)
    report_bytes: Bytes | None = None
    times: TaskTimes | None = None
    arguments: tuple[BufferView, ...]
    written: tuple[Annotated[int, Range(0)], ...] | None = None
    read: tuple[Annotated[int, Range(0)], ...] | None = None

    def __post_init__(self) -> None:
        """Take numbers as extents, and check that the grid is whole clusters."""
        object.__setattr__(self, "grid", as_extents(self.grid))
        if any(blocks.divisor % part for blocks, part in zip(self.grid, self.cluster, strict=True)):
            raise ValueError(f"a grid must be whole clusters of {self.cluster} blocks, but is {self.static_grid}")
        room = self.arguments[-1].size_bytes if self.arguments else 0
        if self.report_bytes is not None and self.report_bytes + REPORT_BYTES > room:
            raise ValueError(
                f"a report of {REPORT_BYTES} B must lie in the last argument, of {room} B, but begins at "
                f"{self.report_bytes}"
            )
        if self.times is not None and self.times.offset_bytes + 4 * self.times.cells > room:
            raise ValueError(
                f"times of {4 * self.times.cells} B must lie in the last argument, of {room} B, but begin at "
                f"{self.times.offset_bytes}"
            )

    def access(self, number: int) -> Literal["read", "write", "read-write"]:
        """Return what the kernel does with an argument, as far as it is known."""
        if self.written is not None and number not in self.written:
            return "read"
        return "write" if self.read is not None and number not in self.read else "read-write"

    @property
    def static_grid(self) -> tuple[int, int, int]:
        """The blocks as they are at every launch."""
        x, y, z = self.grid
        return x.static, y.static, z.static


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """What the vendor's tools said of a kernel; None where no tool was there to say it.

    Attributes:
        registers: Registers per thread.
        spill_bytes: Bytes of spill stores and loads.
        shared_bytes: Static and dynamic workgroup memory of a block.
        main_loop: Instruction to count, of the innermost hot loop.
        instructions: The same for the whole kernel.
        more: Further figures, by name.
    """

    registers: int | None = None
    spill_bytes: int | None = None
    shared_bytes: int | None = None
    main_loop: dict[str, int] = field(default_factory=dict[str, int])
    instructions: dict[str, int] = field(default_factory=dict[str, int])
    more: dict[str, int | float | str] = field(default_factory=dict[str, int | float | str])


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """One kernel.

    Attributes:
        name: Entry point in its binaries.
        program: The program that it was made of, by which plan files name its plan; "" without a plan.
        files: Kind of file ("llvm", "ptx", "cubin", "hsaco", "assembly") to file name.
        plan: The decision behind it, with its prediction; None for a kernel without a plan.
        join: The plan of the second stage, where blocks of the kernel run it, too; `plan` predicts both then.
        tensor_maps: What it takes after its buffers; runtimes encode them, from the views of a launch.
        made_maps: Tensor maps that it makes itself, in its last argument: each block a record of 128 bytes of each, one
            block behind the other.
        statistics: What the tools said.
        phases_s: Seconds per phase of its code generation.
        notes: Remarks of the code generator.
    """

    name: str
    program: str = ""
    files: dict[str, str] = field(default_factory=dict[str, str])
    plan: Plan | None = None
    join: Plan | None = None
    tensor_maps: tuple[TensorMap, ...] = ()
    made_maps: tuple[TensorMap, ...] = ()
    statistics: Statistics = field(default_factory=Statistics)
    phases_s: dict[str, float] = field(default_factory=dict[str, float])
    notes: tuple[str, ...] = ()

    def plans(self) -> dict[str, Plan]:
        """Return the plans behind it by the names of their programs, as plan files have them."""
        found = {self.program: self.plan, self.program + JOIN_SUFFIX: self.join}
        return {name: plan for name, plan in found.items() if plan is not None}


@dataclass(frozen=True, kw_only=True)
class File:
    """One file of the artifact, beside the manifest."""

    name: str
    role: str
    size_bytes: Bytes
    sha256: str

    def __post_init__(self) -> None:
        """Confine the name to the artifact's own directory."""
        if not self.name or self.name.startswith(".") or "/" in self.name or "\\" in self.name or "\0" in self.name:
            raise ValueError(f"a file name must be a plain name inside the artifact, but got {self.name!r}")


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """The whole record; see the module's header."""

    schema_version: Literal[1] = SCHEMA_VERSION
    function: str
    device: DeviceRecord
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    buffers: tuple[Buffer, ...]
    workspace_bytes: Bytes = 0
    state_bytes: Bytes = 0
    launches: tuple[Launch, ...]
    kernels: tuple[Kernel, ...]
    files: tuple[File, ...] = ()
    phases_s: dict[str, float] = field(default_factory=dict[str, float])
    versions: dict[str, str] = field(default_factory=dict[str, str])
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the cross-references: every name resolves, every view lies inside its buffer."""
        buffers = _unique("buffers", [b.name for b in self.buffers])
        kernels = _unique("kernels", [k.name for k in self.kernels])
        files = _unique("files", [f.name for f in self.files])
        for role, names in (("input", self.inputs), ("output", self.outputs)):
            for name in names:
                _known(f"{role}s", name, buffers)
                if self.buffer(name).role != role:
                    raise ValueError(f"{role}s name buffers of that role, but {name!r} is {self.buffer(name).role!r}")
        sizes = {"workspace": self.workspace_bytes, "state": self.state_bytes}
        for buffer in self.buffers:
            size = sizes.get(buffer.role)
            if size is not None and buffer.offset_bytes + buffer.size_bytes > size:
                raise ValueError(f"{buffer.role} {buffer.name!r} must end within {size} B, but does not")
        for index, launch in enumerate(self.launches):
            self._check_launch(index, launch, kernels, buffers)
        for kernel in self.kernels:
            for name in kernel.files.values():
                _known(f"kernels {kernel.name}: files", name, files)

    def _check_launch(self, index: int, launch: Launch, kernels: set[str], buffers: set[str]) -> None:
        where = f"launches[{index}]"
        if launch.kernel:
            _known(where, launch.kernel, kernels)
        elif len(launch.arguments) != 2 or launch.arguments[0].size_bytes != launch.arguments[1].size_bytes:
            raise ValueError(f"{where}: a copy has two arguments of one size, but this one has not")
        for number, view in enumerate(launch.arguments):
            _known(f"{where}.arguments[{number}]", view.buffer, buffers)
            size = self.buffer(view.buffer).size_bytes
            if view.offset_bytes + view.size_bytes > size:
                end = view.offset_bytes + view.size_bytes
                raise ValueError(
                    f"{where}.arguments[{number}]: a view must lie within its buffer, but ends at {end} B of "
                    f"{view.buffer!r}, which has {size} B"
                )
        if launch.report_bytes is not None or launch.times is not None:
            last = self.buffer(launch.arguments[-1].buffer)
            if last.role != "state":
                raise ValueError(f"{where}: reports and times must lie in the state, but lie in {last.name!r}")

    def buffer(self, name: str) -> Buffer:
        """Return the buffer called `name`."""
        return self._buffers[name]

    def first_use(self, buffer: str) -> tuple[str, int] | None:
        """Return the first kernel that takes a buffer, and as which argument; None where none does."""
        return self._first_uses.get(buffer)

    @cached_property
    def _first_uses(self) -> dict[str, tuple[str, int]]:
        found: dict[str, tuple[str, int]] = {}
        for launch in self.launches:
            for number, view in enumerate(launch.arguments if launch.kernel else ()):
                found.setdefault(view.buffer, (launch.kernel, number))
        return found

    @cached_property
    def _buffers(self) -> dict[str, Buffer]:
        return {buffer.name: buffer for buffer in self.buffers}

    @cached_property
    def _kernels(self) -> dict[str, Kernel]:
        return {kernel.name: kernel for kernel in self.kernels}

    def kernel(self, name: str) -> Kernel:
        """Return the kernel called `name`."""
        return self._kernels[name]

    @property
    def symbol(self) -> str:
        """The function's name in C, which those of its library's other functions begin with."""
        return "roller_" + re.sub(r"\W", "_", self.function, flags=re.ASCII)

    def file(self, role: str) -> File | None:
        """Return the first file of a role, None if there is none."""
        return next((file for file in self.files if file.role == role), None)

    def dumps(self) -> str:
        """Return the manifest as JSON text."""
        return json.dumps(to_json(self), indent=1, allow_nan=False) + "\n"

    @classmethod
    def loads(cls, text: str) -> "Manifest":
        """Read JSON text.

        Raises:
            CodecError: It is not JSON, of another schema version, or breaks a rule.
        """
        try:
            data: JsonValue = read_json(text)
        except BoundsError as error:
            raise CodecError(str(error)) from error
        version = data.get("schema_version") if isinstance(data, dict) else None
        if version != SCHEMA_VERSION:
            raise CodecError(f"schema_version: this release reads version {SCHEMA_VERSION}, but got {version!r}")
        return from_json(cls, data)


def _unique(what: str, names: Iterable[str]) -> set[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{what}: names must be unique, but {name!r} occurs twice")
        seen.add(name)
    return seen


def _known(where: str, name: str, names: set[str]) -> None:
    if name not in names:
        shown = sorted(names)[:_SHOWN]
        more = f", and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        raise ValueError(f"{where}: {name!r} is not one of {shown}{more}")
