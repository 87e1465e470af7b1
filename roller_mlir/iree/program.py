# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An artifact as a program of IREE: an executable for each kernel, a dispatch for each launch.

Buffers become values: what a launch writes is a result of its dispatch, what it reads an operand, so that IREE places
the workspace itself. Images stand in the text, which needs no other file:

    hal.executable.source private @matmul_0_image <objects = ...> {
      hal.executable.export public @matmul_0 ordinal(0) layout(...) count(...) {...} <workgroup_size = [...]>
    }
    func.func @mlp(%arg0: tensor<64x784xf32>, ...) -> tensor<64x10xf32> {
      %v0 = flow.dispatch @matmul_0_image::@matmul_0(%arg0, ...) : (tensor<64x784xf32>, ...) -> tensor<64x256xf32>

Refused is what IREE cannot launch: tensor maps, cooperative launches, clusters, more than 16 buffers; and kernels that
read what they write, or a part of what another wrote.
"""

from collections.abc import Sequence
from typing import TypeAlias

from roller_mlir.hal import DeviceError, find_device
from roller_mlir.iree.targets import DRIVERS, target_attribute
from roller_mlir.plan.manifest import Buffer, BufferView, Kernel, Launch
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.registry import backend_of_vendor
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module

MOST_BINDINGS = 16
_WRITE_ONLY = "llvm.writeonly"

_Place: TypeAlias = tuple[str, int]


class IreeError(Exception):
    """An artifact that no program of IREE can hold; the message says why."""


def iree_program(artifact: Artifact, image: str | None = None) -> str:
    """Return the text of a program that `iree-compile` takes, with a function of the artifact's name and signature.

    Args:
        artifact: The function, with binaries.
        image: Kind of its binaries: "ptx", "cubin" or "hsaco"; None: what IREE's driver for the device takes best.

    Raises:
        IreeError: IREE cannot run it, or the artifact has no such binaries.
    """
    manifest = artifact.manifest
    driver = backend_of_vendor(manifest.device.vendor)
    if driver not in DRIVERS:
        raise IreeError(f"IREE has no driver for devices of {manifest.device.vendor}; known: {', '.join(DRIVERS)}")
    images = DRIVERS[driver].images
    if image is not None and image not in images:
        raise IreeError(f"IREE's driver {driver} takes {' or '.join(images)}, but got {image}")
    try:
        target = target_attribute(driver, find_device(manifest.device.name))
    except DeviceError as error:
        raise IreeError(str(error)) from None
    writer = _Writer(artifact, image or images[0])
    body = writer.body()
    parameters = ", ".join(f"%{name}: {_tensor(manifest.buffer(name))}" for name in manifest.inputs)
    results = ", ".join(_tensor(manifest.buffer(name)) for name in manifest.outputs)
    return "\n".join(
        (
            f"#target = {target}",
            f'#device = #hal.device.target<"{driver}", [#target]> : !hal.device',
            f"module @{manifest.function} attributes {{hal.device.targets = [#device]}} {{",
            *writer.executables,
            f"  func.func @{manifest.function}({parameters}) -> ({results}) {{",
            *(f"    {line}" for line in body),
            "  }",
            "}\n",
        )
    )


def _tensor(array: Buffer | BufferView) -> str:
    return f"tensor<{''.join(f'{extent}x' for extent in array.static_shape)}{array.element_type}>"


class _Writer:
    """Writes the executables and the function of one artifact."""

    def __init__(self, artifact: Artifact, image: str) -> None:
        self._artifact, self._image = artifact, image
        self._write_only = _write_only(artifact)
        self._names = 0
        self._lines: list[str] = []
        self.executables: list[str] = []
        self._made: set[str] = set()
        # The value that lies at a place, its type, and its bytes.
        self._values: dict[_Place, tuple[str, str, int]] = {}

    def body(self) -> list[str]:
        """Return the lines of the function."""
        manifest = self._artifact.manifest
        for name in manifest.inputs:
            buffer = manifest.buffer(name)
            self._values[name, 0] = f"%{name}", _tensor(buffer), buffer.size_bytes
        for buffer in manifest.buffers:
            if buffer.role == "constant":
                self._constant(buffer)
            elif buffer.role == "state":
                raise IreeError(f"'{manifest.function}' keeps state from call to call; a program of IREE keeps none")
        for launch in manifest.launches:
            if launch.kernel:
                self._dispatch(launch)
            else:
                self._copy(*launch.arguments)
        outputs = [manifest.buffer(name) for name in manifest.outputs]
        values = [self._value(f"output '{one.name}'", (one.name, 0), one) for one in outputs]
        return [*self._lines, f"return {', '.join(values)} : {', '.join(map(_tensor, outputs))}"]

    def _new(self) -> str:
        self._names += 1
        return f"%v{self._names - 1}"

    def _constant(self, buffer: Buffer) -> None:
        record = self._artifact.manifest.file("constants")
        content = self._artifact.files[record.name] if record else b""
        data = content[buffer.offset_bytes : buffer.offset_bytes + buffer.size_bytes]
        name = self._new()
        self._lines.append(f'{name} = util.unfoldable_constant dense<"0x{data.hex().upper()}"> : {_tensor(buffer)}')
        self._values[buffer.name, 0] = name, _tensor(buffer), buffer.size_bytes

    def _value(self, subject: str, place: _Place, wanted: Buffer | BufferView) -> str:
        """Return the value at a place, in the shape that is wanted."""
        name, kind, size = self._values.get(place, ("", "", -1))
        if size != wanted.size_bytes:
            raise IreeError(
                f"{subject} is {wanted.size_bytes} B at {place[1]} of '{place[0]}', which no launch writes as a whole; "
                "IREE passes whole values"
            )
        if kind == _tensor(wanted):
            return name
        shaped = self._new()
        self._lines.append(f"{shaped} = flow.tensor.reshape {name} : {kind} -> {_tensor(wanted)}")
        return shaped

    def _keep(self, view: BufferView, name: str) -> None:
        """Note a new value at a place; what lay there before is gone."""
        end = view.offset_bytes + view.size_bytes
        for buffer, start in list(self._values):
            size = self._values[buffer, start][2]
            if buffer == view.buffer and start < end and view.offset_bytes < start + size:
                del self._values[buffer, start]
        self._values[view.buffer, view.offset_bytes] = name, _tensor(view), view.size_bytes

    def _copy(self, source: BufferView, target: BufferView) -> None:
        value, name = self._value("a copy", (source.buffer, source.offset_bytes), source), self._new()
        self._lines.append(f"{name} = flow.tensor.clone {value} : {_tensor(source)}")
        self._keep(target, name)

    def _dispatch(self, launch: Launch) -> None:
        subject, kernel = f"kernel '{launch.kernel}'", self._artifact.manifest.kernel(launch.kernel)
        first = self._first_result(subject, launch, kernel)
        if launch.kernel not in self._made:
            self._made.add(launch.kernel)
            self.executables.append(self._executable(launch, kernel, first))
        read, written = launch.arguments[:first], launch.arguments[first:]
        operands = [self._value(subject, (view.buffer, view.offset_bytes), view) for view in read]
        result = self._new()
        count = f":{len(written)}" if len(written) > 1 else ""
        kinds = ", ".join(_tensor(view) for view in written)
        self._lines.append(
            f"{result}{count} = flow.dispatch @{launch.kernel}_image::@{launch.kernel}({', '.join(operands)}) : "
            f"({', '.join(map(_tensor, read))}) -> {f'({kinds})' if count else kinds}"
        )
        for number, view in enumerate(written):
            self._keep(view, f"{result}#{number}" if count else result)

    def _first_result(self, subject: str, launch: Launch, kernel: Kernel) -> int:
        """Return the number of the first argument that a kernel writes, behind those that it reads."""
        if kernel.tensor_maps:
            raise IreeError(
                f"{subject} takes tensor maps, which IREE cannot pass; compile with --instruction fma or mma"
            )
        if launch.cooperative:
            raise IreeError(f"{subject} needs all blocks at the same time; IREE has no cooperative launches")
        if launch.cluster != (1, 1, 1):
            raise IreeError(f"{subject} has clusters of {launch.cluster} blocks; IREE launches none")
        count = len(launch.arguments)
        if count > MOST_BINDINGS:
            raise IreeError(f"{subject} takes {count} buffers, but IREE binds at most {MOST_BINDINGS}; fuse less")
        written = range(count) if launch.written is None else launch.written
        for number in written:
            if number not in self._write_only.get(launch.kernel, ()):
                raise IreeError(f"{subject} may read argument {number}, which it writes; IREE passes results unread")
        first = count - len(written)
        if not written or tuple(written) != tuple(range(first, count)):
            raise IreeError(f"{subject} writes arguments {tuple(written)} of {count}; IREE passes results last")
        return first

    def _executable(self, launch: Launch, kernel: Kernel, first: int) -> str:
        file = kernel.files.get(self._image)
        if file is None:
            raise IreeError(f"kernel '{kernel.name}' has no {self._image}; compile it with binaries")
        data = self._artifact.files[file] + b"\0"  # the end of PTX, for the driver
        buffers = [
            f"#hal.pipeline.binding<storage_buffer{', ReadOnly' if number < first else ''}>"
            for number in range(len(launch.arguments))
        ]
        sizes = ", ".join(f"{size} : index" for size in launch.block)
        dynamic = launch.dynamic_workgroup_bytes
        memory = f", workgroup_local_memory = {dynamic}" if dynamic else ""
        extents = "\n".join(
            f"      %{axis} = arith.constant {blocks} : index"
            for axis, blocks in zip("xyz", launch.static_grid, strict=True)
        )
        return f"""  hal.executable.source private @{kernel.name}_image <objects = #hal.executable.objects<{{
    #target = [#hal.executable.object<{{
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


def _write_only(artifact: Artifact) -> dict[str, Sequence[int]]:
    """Return the arguments that each kernel writes and does not read, as its IR says."""
    found: dict[str, Sequence[int]] = {}
    record = artifact.manifest.file("kernels")
    if record is None:
        raise IreeError(f"'{artifact.manifest.function}' has no kernel IR, which says what its kernels read")
    with make_context() as context:
        module = parse_module(artifact.files[record.name].decode(), context)
        for holder in module.body.operations:
            for region in holder.operation.regions if holder.operation.name == "gpu.module" else ():
                for op in region.blocks[0].operations:
                    if "arg_attrs" in op.operation.attributes:
                        facts = ir.ArrayAttr(op.operation.attributes["arg_attrs"])
                        name = ir.StringAttr(op.operation.attributes["sym_name"]).value
                        found[name] = [n for n, one in enumerate(facts) if _WRITE_ONLY in ir.DictAttr(one)]
    return found
