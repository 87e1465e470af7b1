# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An artifact as operations of IREE: an executable for each kernel, a dispatch for each launch.

Buffers become values: what a launch writes is a result of its dispatch, what it reads an operand, so that IREE places
the workspace itself. Images stand in the text, which needs no other file:

    hal.executable.source private @mlp_matmul_0_image <objects = ...> {
      hal.executable.export public @mlp_matmul_0 ordinal(0) layout(...) count(...) {...} <workgroup_size = [...]>
    }

Executables are in IREE's own syntax, dispatches in MLIR's generic one, which parses without IREE's dialects:

    %v0 = "flow.dispatch"(%a, %b) <{entry_points = [@mlp_matmul_0_image::@mlp_matmul_0], ...}> : (...) -> ...

What a kernel reads and writes is an operand that is a result, too (`tied_operands`). What it keeps from run to run
begins with zeros in each call. Refused is what IREE cannot launch: tensor maps by value, clusters, more than 16
buffers, blocks that wait for each other unless they are said to be resident; and parts of what another kernel wrote.
Where kernels make their tensor maps themselves, the memory that they make them in is a result that nobody uses.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from roller_mlir.downstream.iree.tools import IreeError
from roller_mlir.hal import find_device
from roller_mlir.mapping.resources import tasks_per_unit
from roller_mlir.plan.manifest import Buffer, BufferView, Kernel, Launch
from roller_mlir.runtime import Artifact

MOST_BINDINGS = 16
TARGET = "#target"
"""What executables call the attribute of their target."""

_Place: TypeAlias = tuple[str, int]


@dataclass(frozen=True)
class Calls:
    """The operations of one artifact.

    Attributes:
        executables: Definitions of the module, which name their target `TARGET`.
        lines: Operations of a function.
        results: The values that are the artifact's outputs.
        kinds: Their types.
    """

    executables: tuple[str, ...]
    lines: tuple[str, ...]
    results: tuple[str, ...]
    kinds: tuple[str, ...]


def calls_of(
    artifact: Artifact, image: str, operands: Sequence[str], prefix: str = "", *, assume_resident: bool = False
) -> Calls:
    """Return the operations of an artifact.

    Args:
        artifact: The function, with binaries.
        image: Kind of its binaries.
        operands: The values that are its inputs, of their types.
        prefix: What the names of its executables begin with.
        assume_resident: Whether kernels whose blocks wait for each other are launched as others are; see
            `iree_program`.

    Raises:
        IreeError: IREE cannot run it, or the artifact has no such binaries.
    """
    return _ExecutableWriter(artifact, image, prefix, assume_resident=assume_resident).calls(operands)


def tensor_type(array: Buffer | BufferView) -> str:
    """Return the type of an array, as a value."""
    return f"tensor<{''.join(f'{extent}x' for extent in array.static_shape)}{array.element_type}>"


class _ExecutableWriter:
    """Writes the executables and the dispatches of one artifact."""

    def __init__(self, artifact: Artifact, image: str, prefix: str, *, assume_resident: bool) -> None:
        self._artifact, self._image, self._prefix = artifact, image, prefix
        self._assume_resident = assume_resident
        self._names = 0
        self._lines: list[str] = []
        self._executables: list[str] = []
        self._made: set[str] = set()
        # The value that lies at a place, its type, and its bytes.
        self._values: dict[_Place, tuple[str, str, int]] = {}

    def calls(self, operands: Sequence[str]) -> Calls:
        """Return the operations of the whole artifact."""
        manifest = self._artifact.manifest
        for name, operand in zip(manifest.inputs, operands, strict=True):
            buffer = manifest.buffer(name)
            self._values[name, 0] = operand, tensor_type(buffer), buffer.size_bytes
        for buffer in manifest.buffers:
            if buffer.role == "constant":
                self._constant(buffer)
            elif buffer.role == "state":
                self._zeros(buffer)
        for launch in manifest.launches:
            if launch.kernel:
                self._dispatch(launch)
            else:
                self._copy(*launch.arguments)
        outputs = [manifest.buffer(name) for name in manifest.outputs]
        values = tuple(self._value(f"output '{one.name}'", (one.name, 0), one) for one in outputs)
        return Calls(tuple(self._executables), tuple(self._lines), values, tuple(map(tensor_type, outputs)))

    def _new(self) -> str:
        self._names += 1
        return f"%v{self._names - 1}"

    def _constant(self, buffer: Buffer) -> None:
        record = self._artifact.manifest.file("constants")
        content = self._artifact.files[record.name] if record else b""
        data = content[buffer.offset_bytes : buffer.offset_bytes + buffer.size_bytes]
        name = self._new()
        kind = tensor_type(buffer)
        value = f'dense<"0x{data.hex().upper()}"> : {kind}'
        self._lines.append(f'{name} = "util.unfoldable_constant"() <{{value = {value}}}> : () -> {kind}')
        self._values[buffer.name, 0] = name, tensor_type(buffer), buffer.size_bytes

    def _value(self, subject: str, place: _Place, wanted: Buffer | BufferView) -> str:
        """Return the value at a place, in the shape that is wanted."""
        name, kind, size = self._values.get(place, ("", "", -1))
        if size != wanted.size_bytes:
            raise IreeError(
                f"{subject} is {wanted.size_bytes} B at {place[1]} of '{place[0]}', which no launch writes as a whole; "
                "IREE passes whole values"
            )
        if kind == tensor_type(wanted):
            return name
        shaped = self._new()
        sizes = "operandSegmentSizes = array<i32: 1, 0, 0>"
        self._lines.append(
            f'{shaped} = "flow.tensor.reshape"({name}) <{{{sizes}}}> : ({kind}) -> {tensor_type(wanted)}'
        )
        return shaped

    def _keep(self, view: BufferView, name: str) -> None:
        """Note a new value at a place; what lay there before is gone."""
        end = view.offset_bytes + view.size_bytes
        for buffer, start in list(self._values):
            size = self._values[buffer, start][2]
            if buffer == view.buffer and start < end and view.offset_bytes < start + size:
                del self._values[buffer, start]
        self._values[view.buffer, view.offset_bytes] = name, tensor_type(view), view.size_bytes

    def _copy(self, source: BufferView, target: BufferView) -> None:
        value, name = self._value("a copy", (source.buffer, source.offset_bytes), source), self._new()
        kind = tensor_type(source)
        self._lines.append(f'{name} = "flow.tensor.clone"({value}) : ({kind}) -> {kind}')
        self._keep(target, name)

    def _dispatch(self, launch: Launch) -> None:
        subject, kernel = f"kernel '{launch.kernel}'", self._artifact.manifest.kernel(launch.kernel)
        self._check(subject, launch, kernel)
        if launch.kernel not in self._made:
            self._made.add(launch.kernel)
            self._executables.append(self._executable(launch, kernel))
        accesses = [self._access(launch, number) for number in range(len(launch.arguments))]
        # IREE passes results behind operands; those that a kernel reads, or has elsewhere, are operands that change.
        apart = "read-write" not in accesses and accesses == sorted(accesses)
        operands: list[str] = []
        kinds: list[str] = []
        tied: list[str] = []
        for view, access in zip(launch.arguments, accesses, strict=True):
            if access != "read":
                tied.append(f"{-1 if apart else len(operands)} : index")
            if access == "write" and apart:
                continue
            place = view.buffer, view.offset_bytes
            operands.append(self._empty(tensor_type(view)) if access == "write" else self._value(subject, place, view))
            kinds.append(tensor_type(view))
        written = [view for view, access in zip(launch.arguments, accesses, strict=True) if access != "read"]
        result = self._new()
        count = f":{len(written)}" if len(written) > 1 else ""
        results = ", ".join(map(tensor_type, written))
        self._lines.append(
            f'{result}{count} = "flow.dispatch"({", ".join(operands)}) '
            f"<{{entry_points = [@{self._symbol(launch.kernel)}::@{launch.kernel}], "
            f"operandSegmentSizes = array<i32: 0, {len(operands)}, 0, 0>, tied_operands = [{', '.join(tied)}]}}> : "
            f"({', '.join(kinds)}) -> {f'({results})' if count else results}"
        )
        for number, view in enumerate(written):
            self._keep(view, f"{result}#{number}" if count else result)

    def _access(self, launch: Launch, number: int) -> str:
        """Return what a kernel does with an argument; of what nobody has written before, it reads nothing.

        Tensor maps are read as they were made by the same block, whatever lay there before.
        """
        access, view = launch.access(number), launch.arguments[number]
        if self._artifact.manifest.kernel(launch.kernel).made_maps and number == len(launch.arguments) - 1:
            return "write"
        end = view.offset_bytes + view.size_bytes
        there = any(
            buffer == view.buffer and start < end and view.offset_bytes < start + size
            for (buffer, start), (_, _, size) in self._values.items()
        )
        return "write" if access == "read-write" and not there else access

    def _empty(self, kind: str) -> str:
        name = self._new()
        self._lines.append(f'{name} = "flow.tensor.empty"() : () -> {kind}')
        return name

    def _zeros(self, buffer: Buffer) -> None:
        """Begin with zeros what a kernel keeps from run to run: each call has its own."""
        zero, name, kind, element = self._new(), self._new(), tensor_type(buffer), buffer.element_type
        self._lines += [
            f'{zero} = "arith.constant"() <{{value = {"0" if element.startswith("i") else "0.0"} : {element}}}> : '
            f"() -> {element}",
            f'{name} = "flow.tensor.splat"({zero}) : ({element}) -> {kind}',
        ]
        self._values[buffer.name, 0] = name, kind, buffer.size_bytes

    def _symbol(self, kernel: str) -> str:
        return f"{self._prefix}{kernel}_image"

    def _check(self, subject: str, launch: Launch, kernel: Kernel) -> None:
        """Refuse a launch that IREE cannot make."""
        if kernel.tensor_maps:
            raise IreeError(f"{subject} takes tensor maps, which IREE cannot pass; compile with --tensor-maps device")
        if launch.cooperative:
            self._check_residency(subject, launch, kernel)
        if launch.cluster != (1, 1, 1):
            raise IreeError(f"{subject} has clusters of {launch.cluster} blocks; IREE launches none")
        count = len(launch.arguments)
        if count > MOST_BINDINGS:
            raise IreeError(f"{subject} takes {count} buffers, but IREE binds at most {MOST_BINDINGS}; fuse less")
        if all(launch.access(number) == "read" for number in range(count)):
            raise IreeError(f"{subject} writes none of its {count} arguments; IREE has no such dispatches")

    def _check_residency(self, subject: str, launch: Launch, kernel: Kernel) -> None:
        """Refuse a launch whose blocks wait for each other, unless the device holds all of them at a time."""
        blocks, threads = prod(launch.static_grid), prod(launch.block)
        if not self._assume_resident:
            raise IreeError(
                f"{subject} needs all of its {blocks} blocks at the same time, but IREE has no cooperative launches; "
                "where no other such kernel runs beside it, --assume-resident launches it as others are launched"
            )
        registers, memory = kernel.statistics.registers, kernel.statistics.shared_bytes
        if self._image == "ptx" or registers is None:
            raise IreeError(
                f"{subject} needs all of its {blocks} blocks at the same time, and of {self._image} without an "
                "assembler's word nobody knows how many run; compile it with binaries, and wrap cubin or hsaco"
            )
        device = find_device(self._artifact.manifest.device.name)
        held = tasks_per_unit(device, threads, registers, memory or 0) * device.units
        if held < blocks:
            raise IreeError(
                f"{subject} needs {blocks} blocks at the same time, but {device.name} holds {held} of its blocks"
            )
        if launch.report_bytes is not None:
            raise IreeError(
                f"{subject} may give up a wait, and says so in a report that IREE does not read; compile it without "
                "--wait-limit"
            )

    def _executable(self, launch: Launch, kernel: Kernel) -> str:
        file = kernel.files.get(self._image)
        if file is None:
            raise IreeError(f"kernel '{kernel.name}' has no {self._image}; compile it with binaries")
        data = self._artifact.files[file] + b"\0"  # the end of PTX, for the driver
        buffers = [
            f"#hal.pipeline.binding<storage_buffer{', ReadOnly' if launch.access(number) == 'read' else ''}>"
            for number in range(len(launch.arguments))
        ]
        sizes = ", ".join(f"{size} : index" for size in launch.block)
        dynamic = launch.dynamic_workgroup_bytes
        memory = f", workgroup_local_memory = {dynamic}" if dynamic else ""
        extents = "\n".join(
            f"      %{axis} = arith.constant {blocks} : index"
            for axis, blocks in zip("xyz", launch.static_grid, strict=True)
        )
        return f"""  hal.executable.source private @{self._symbol(kernel.name)} <objects = #hal.executable.objects<{{
    {TARGET} = [#hal.executable.object<{{
      path = "{file}", data = dense<"0x{data.hex().upper()}"> : vector<{len(data)}xi8>
    }}>]
  }}>> {{
    hal.executable.export public @{kernel.name} ordinal(0)
        layout(#hal.pipeline.layout<constants = 0, bindings = [{", ".join(buffers)}]>)
        count(%device: !hal.device) -> (index, index, index) {{
{extents}
      hal.return %x, %y, %z : index, index, index
    }} <workgroup_size = [{sizes}]{memory}>
  }}"""
