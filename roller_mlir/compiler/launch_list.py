# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launch list, read from the host function that the passes leave behind; nothing is kept beside the IR.

Precondition: a module with one host `func.func` whose arguments carry `rtile.role`, and `gpu.launch_func` ops over
views of these arguments and of `memref.get_global` constants, all at constant offsets. A launch whose blocks must all
run at the same time carries `rtile.cooperative`. `memref.copy` copies between views, in kernels written by hand.

    func.func @mlp(%x: memref<8x64xf32> {rtile.role = "input"}, ..., %y: memref<8x8xf32> {rtile.role = "output"}) {
      gpu.launch_func @kernels::@mlp_matmul_0 blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : ..., ...)

Return:
    }

An op that a launch list cannot express is our own mistake, `InternalError`.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from roller_mlir.compiler.errors import InternalError
from roller_mlir.dialects.rtile.fields import read_record
from roller_mlir.lowering.backend.kernels.tensor_maps import made_maps_of, tensor_maps_of
from roller_mlir.lowering.linalg.accepted_input import compiled_functions
from roller_mlir.lowering.loops.attributes import COOPERATIVE, DEPENDENT, REPORT, TIMES
from roller_mlir.mapping.alignment import aligned
from roller_mlir.plan.extent import Extent, as_extents
from roller_mlir.plan.manifest import MEMORY_ALIGNMENT_BYTES, Buffer, BufferView, Launch, Role
from roller_mlir.plan.persistent.task_times import TaskTimes
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.support.bindings import ir
from roller_mlir.support.constants.array_bytes import byte_pieces
from roller_mlir.support.constants.elements import ElementsError, read_elements
from roller_mlir.support.constants.resources import resource_name
from roller_mlir.support.diagnostics import fail

if TYPE_CHECKING:
    import numpy as np

    from roller_mlir.importers.weights import Weights

_READ_ONLY, _WRITE_ONLY = "llvm.readonly", "llvm.writeonly"


@dataclass(frozen=True)
class LaunchList:
    """What the host function says.

    Attributes:
        function: Its name.
        buffers: Every array.
        inputs: Names of the inputs, in the order of the arguments.
        outputs: Names of the outputs, likewise.
        workspace_bytes: Size of the allocation that holds all workspaces.
        state_bytes: Size of the one that holds all state.
        constants: The constants file.
        launches: In order.
        tensor_maps: Those that each kernel takes after its buffers, by the kernel's name.
        made_maps: Those that each kernel makes in its last buffer, likewise.
    """

    function: str
    buffers: tuple[Buffer, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    workspace_bytes: int
    state_bytes: int
    constants: bytes
    launches: tuple[Launch, ...]
    tensor_maps: dict[str, tuple[TensorMap, ...]] = field(default_factory=dict[str, tuple[TensorMap, ...]])
    made_maps: dict[str, tuple[TensorMap, ...]] = field(default_factory=dict[str, tuple[TensorMap, ...]])


def read_launch_list(module: ir.Module, weights: "Weights | None" = None) -> LaunchList:
    """Read the host function of a module.

    Args:
        module: Of kernels and launches.
        weights: The data of resources that it only names. All become constants: what no kernel reads of them the input
            may still name.

    Raises:
        InternalError: The function is missing or holds what a launch list cannot express.
        DiagnosedError: The data of a constant is missing, or is not of its type's size.
    """
    functions = compiled_functions(module)
    if len(functions) != 1:
        raise InternalError(f"a lowered module has 1 host function, but this one has {len(functions)}")
    return _Reader(module, functions[0].operation, weights or {}).read()


@dataclass
class _Reader:
    module: ir.Module
    function: ir.Operation
    weights: "Weights"
    buffers: list[Buffer] = field(default_factory=list[Buffer])
    launches: list[Launch] = field(default_factory=list[Launch])
    constants: io.BytesIO = field(default_factory=io.BytesIO)
    arenas: dict[str, int] = field(default_factory=lambda: {"workspace": 0, "state": 0})
    integers: dict[Any, int] = field(default_factory=dict[Any, int])
    views: dict[Any, BufferView] = field(default_factory=dict[Any, BufferView])
    maps: set[Any] = field(default_factory=set[Any])
    globals: dict[str, tuple[ir.Operation, Buffer | None]] = field(
        default_factory=dict[str, tuple[ir.Operation, Buffer | None]]
    )

    def read(self) -> LaunchList:
        block = self.function.regions[0].blocks[0]
        attributes = cast(Any, self.function.attributes)
        for op in self.module.body.operations:
            if op.operation.name == "memref.global":
                self.globals[ir.StringAttr(op.attributes["sym_name"]).value] = (op.operation, None)
        roles: dict[str, list[str]] = {"input": [], "output": [], **{role: [] for role in self.arenas}}
        arguments = attributes["arg_attrs"] if "arg_attrs" in attributes else [{}] * len(block.arguments)
        for argument, given in zip(block.arguments, arguments, strict=True):
            if "rtile.role" not in given:
                raise InternalError(f"host function argument {argument.arg_number} has no rtile.role")
            role = cast(Role, ir.StringAttr(given["rtile.role"]).value)
            name = f"{role}{len(roles[role])}"
            roles[role].append(name)
            self._add_buffer(argument, name, role)
        for op in block.operations:
            handler = _HANDLERS.get(op.operation.name)
            if handler is None:
                raise InternalError(f"a launch list cannot express '{op.operation.name}'")
            handler(self, op.operation)
        read = {buffer.weight for buffer in self.buffers}
        for name in self.weights:
            if name not in read:
                self._add_unread(name)
        return LaunchList(
            ir.StringAttr(attributes["sym_name"]).value,
            tuple(self.buffers),
            tuple(roles["input"]),
            tuple(roles["output"]),
            self.arenas["workspace"],
            self.arenas["state"],
            self.constants.getvalue(),
            tuple(self.launches),
            tensor_maps_of(self.module),
            made_maps_of(self.module),
        )

    def _add_buffer(self, value: Any, name: str, role: Role, offset_bytes: int = 0, weight: str = "") -> None:
        shape, kind = _memref(value.type)
        element = cast(Any, kind)
        buffer = Buffer(
            name=name, role=role, element_type=element, shape=shape, offset_bytes=offset_bytes, weight=weight
        )
        if role in self.arenas:
            start = aligned(self.arenas[role], MEMORY_ALIGNMENT_BYTES)
            self.arenas[role] = start + buffer.size_bytes
            buffer = Buffer(name=name, role=role, element_type=element, shape=shape, offset_bytes=start)
        self.buffers.append(buffer)
        self.views[value] = BufferView(buffer=name, element_type=buffer.element_type, shape=shape)

    def constant(self, op: ir.Operation) -> None:
        attribute = op.attributes["value"]
        if isinstance(attribute, ir.IntegerAttr):
            self.integers[op.results[0]] = int(attribute.value)

    def get_global(self, op: ir.Operation) -> None:
        symbol = ir.FlatSymbolRefAttr(op.attributes["name"]).value
        if symbol not in self.globals:
            raise InternalError(f"the module has no memref.global @{symbol}")
        source, known = self.globals[symbol]
        if known is not None:
            shape = _memref(op.results[0].type)[0]
            self.views[op.results[0]] = BufferView(buffer=symbol, element_type=known.element_type, shape=shape)
            return
        value = source.attributes["initial_value"]
        name = resource_name(value) or ""
        try:
            start = self._append(read_elements(value, self.weights))
        except ElementsError as error:
            fail(source, f"the constant {error}")
        self._add_buffer(op.results[0], symbol, "constant", start, name if name in self.weights else "")
        self.globals[symbol] = (source, self.buffers[-1])

    def _add_unread(self, weight: str) -> None:
        """Add a weight as the bytes that it has."""
        name, start = f"weight {weight}", self._append(self.weights[weight])
        size = self.constants.tell() - start
        self.buffers.append(
            Buffer(
                name=name,
                role="constant",
                element_type="i8",
                shape=as_extents((size,)),
                offset_bytes=start,
                weight=weight,
            )
        )

    def _append(self, array: "np.ndarray[Any, Any]") -> int:
        """Append elements to the constants, and return where they begin; they are copied once."""
        self.constants.write(bytes(-self.constants.tell() % MEMORY_ALIGNMENT_BYTES))
        start = self.constants.tell()
        for piece in byte_pieces(array):
            self.constants.write(piece)
        return start

    def end(self, op: ir.Operation) -> None:
        """Note nothing for a func.return."""

    def tensor_map(self, op: ir.Operation) -> None:
        """What stands for a tensor map, which the launcher makes."""
        self.maps.add(op.results[0])

    def byte_view(self, op: ir.Operation) -> None:
        self._derive(op, self._integer(op.operands[1]))

    def reshape(self, op: ir.Operation) -> None:
        self._derive(op, 0)

    def _derive(self, op: ir.Operation, offset_bytes: int) -> None:
        source = self._view(op.operands[0])
        shape, element = _memref(op.results[0].type)
        self.views[op.results[0]] = BufferView(
            buffer=source.buffer,
            offset_bytes=source.offset_bytes + offset_bytes,
            element_type=cast(Any, element),
            shape=shape,
        )

    def copy(self, op: ir.Operation) -> None:
        source, target = (self._view(operand) for operand in op.operands)
        self.launches.append(Launch(kernel="", arguments=(source, target)))

    def launch(self, op: ir.Operation) -> None:
        segments = [int(n) for n in cast(Any, op.attributes["operandSegmentSizes"])]
        operands = list(op.operands)
        groups: list[list[Any]] = []
        for size in segments:
            groups.append(operands[:size])
            operands = operands[size:]
        # Dependencies, grid x y z, block x y z, cluster x y z, dynamic workgroup memory, arguments, async object.
        sizes = [self._integer(group[0]) for group in groups[1:7]]
        x, y, z = as_extents(sizes[:3])
        parts = [self._integer(group[0]) if group else 1 for group in groups[7:10]]
        dynamic = groups[10]
        views = [operand for operand in groups[11] if operand not in self.maps]
        kernel = str(op.attributes["kernel"]).rsplit("@", 1)[-1].strip('"')
        self.launches.append(
            Launch(
                kernel=kernel,
                grid=(x, y, z),
                block=(sizes[3], sizes[4], sizes[5]),
                dynamic_workgroup_bytes=self._integer(dynamic[0]) if dynamic else 0,
                cooperative=COOPERATIVE in op.attributes,
                dependent=DEPENDENT in op.attributes,
                report_bytes=ir.IntegerAttr(op.attributes[REPORT]).value if REPORT in op.attributes else None,
                times=read_record(TaskTimes, op.attributes[TIMES], TIMES) if TIMES in op.attributes else None,
                cluster=(parts[0], parts[1], parts[2]),
                arguments=tuple(map(self._view, views)),
                written=self._without(_READ_ONLY, kernel, len(views)),
                read=self._without(_WRITE_ONLY, kernel, len(views)),
            )
        )

    def _without(self, fact: str, kernel: str, count: int) -> tuple[int, ...] | None:
        """Return of which of so many arguments a kernel does not say something; None: the kernel is not here."""
        for module in self.module.body.operations:
            for op in module.regions[0].blocks[0].operations if module.operation.name == "gpu.module" else ():
                if ir.StringAttr(op.operation.attributes["sym_name"]).value == kernel:
                    attributes = op.operation.attributes
                    facts = list(ir.ArrayAttr(attributes["arg_attrs"])) if "arg_attrs" in attributes else []
                    said = {n for n, one in enumerate(facts) if fact in ir.DictAttr(one)}
                    return tuple(n for n in range(count) if n not in said)
        return None

    def _integer(self, value: Any) -> int:
        if value not in self.integers:
            raise InternalError(f"a launch list needs a constant, but got {value}")
        return self.integers[value]

    def _view(self, value: Any) -> BufferView:
        if value not in self.views:
            raise InternalError(f"a launch list needs a view of a buffer, but got {value}")
        return self.views[value]


_HANDLERS: dict[str, Callable[[_Reader, ir.Operation], None]] = {
    "arith.constant": _Reader.constant,
    "memref.get_global": _Reader.get_global,
    "memref.view": _Reader.byte_view,
    "memref.expand_shape": _Reader.reshape,
    "memref.collapse_shape": _Reader.reshape,
    "memref.copy": _Reader.copy,
    "gpu.launch_func": _Reader.launch,
    "llvm.mlir.zero": _Reader.tensor_map,
    "func.return": _Reader.end,
}


def _memref(value_type: Any) -> tuple[tuple[Extent, ...], str]:
    """Return shape and element type of a memref; it must be static and dense."""
    memref = ir.MemRefType(value_type)
    if not memref.has_static_shape:
        raise InternalError(f"a launch list needs static shapes, but got {memref}")
    strides, expected = memref.get_strides_and_offset()[0], 1
    for extent, stride in zip(reversed(memref.shape), reversed(strides), strict=True):
        if extent != 1 and stride != expected:
            raise InternalError(f"a launch list needs dense memrefs, but got {memref}")
        expected *= extent
    return as_extents(memref.shape), str(memref.element_type)
