# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rtile-assign-buffers`: tensors become memrefs: arguments, results, one workspace and constants.

Precondition: functions of expanded programs (`rtile-expand`), reshapes and constants. Postcondition: functions take
memrefs, marked `rtile.role` = "input", "output" or "workspace", and return nothing; constants are `memref.global`;
intermediate results are views of the workspace, which reuse its bytes once they are dead; reshapes are views.

    func.func @f(%A: tensor<64x32xf32>) -> tensor<64x8xf32>
    // becomes
    func.func @f(%A: memref<64x32xf32> {rtile.role = "input"}, %R: memref<64x8xf32> {rtile.role = "output"},
                 %W: memref<8192xi8> {rtile.role = "workspace"})

Refused: results that no program writes (`rtile-normalize` inserts copies), operations that are neither programs,
reshapes nor constants.
"""

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from roller_mlir.lowering.codegen.buffers.order import ROLE, order_fault
from roller_mlir.lowering.codegen.buffers.workspace_offsets import Lifetime, assign_offsets
from roller_mlir.lowering.codegen.builder.task_context import element_bytes
from roller_mlir.lowering.loops.buffer_programs import move_program
from roller_mlir.model.options import BufferOptions
from roller_mlir.support.bindings import arith, func, ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.passes.passes import Pass, register
from roller_mlir.support.values import defining_op, free_symbols

RESHAPES = {"tensor.expand_shape": "memref.expand_shape", "tensor.collapse_shape": "memref.collapse_shape"}
INVERSE = {"tensor.expand_shape": "memref.collapse_shape", "tensor.collapse_shape": "memref.expand_shape"}


@register
@dataclass(frozen=True, kw_only=True)
class RTileAssignBuffers(BufferOptions, Pass):
    """Gives every tensor between programs a buffer."""

    name: ClassVar[str] = "rtile-assign-buffers"
    summary: ClassVar[str] = "turn tensors between programs into buffers"
    requires: ClassVar[frozenset[str]] = frozenset({"loops"})
    establishes: ClassVar[frozenset[str]] = frozenset({"buffers"})

    def run(self, module: ir.Module) -> None:
        """Rewrite every function that holds a program."""
        for op in list(module.body.operations):
            if isinstance(op, func.FuncOp) and not op.is_external:
                _BufferedFunction(module, op, reuse=self.reuse).rewrite()

    def find_fault(self, module: ir.Module) -> tuple[ir.Operation, str] | None:
        """Return a program that reads what was not written for it, or writes into what it reads."""
        return order_fault(module)


class _BufferedFunction:
    """The rewriting of one function."""

    def __init__(self, module: ir.Module, function: func.FuncOp, *, reuse: bool) -> None:
        self._module, self._old, self._reuse = module, function, reuse
        self._operations = [op.operation for op in function.regions[0].blocks[0].operations]
        self._buffers: dict[ir.Value, ir.Value] = {}
        self._before: ir.InsertionPoint = ir.InsertionPoint(function)
        self._constants = free_symbols(module, "constant")

    def rewrite(self) -> None:
        """Replace the function."""
        *operations, terminator = self._operations
        self._check(operations)
        outputs = self._outputs(terminator)
        temporaries = [
            result for op in operations if op.name == "rtile.program" for result in op.results if result not in outputs
        ]
        lifetimes = self._lifetimes(temporaries, operations)
        if not self._reuse:
            lifetimes = [Lifetime(one.size_bytes, 0, len(operations)) for one in lifetimes]
        offsets, workspace = assign_offsets(lifetimes)
        function = self._declare(terminator, workspace)
        self._before = ir.InsertionPoint(function)
        entry = function.regions[0].blocks[0]
        count = len(self._old.arguments)
        for old, new in zip(self._old.arguments, entry.arguments, strict=False):
            self._buffers[old] = new
        with ir.InsertionPoint(entry), self._old.location:
            for number, value in enumerate(terminator.operands):
                self._bind_output(value, entry.arguments[count + number])
            for value, offset in zip(temporaries, offsets, strict=True):
                shift = arith.constant(ir.IndexType.get(), offset)
                memory = entry.arguments[len(entry.arguments) - 1]
                view = ir.Operation.create("memref.view", results=[_buffer_type(value)], operands=[memory, shift])
                self._buffers[value] = view.results[0]
            for op in operations:
                with op.location:
                    self._emit(op)
            func.ReturnOp([])
        self._old.operation.erase()

    def _check(self, operations: list[ir.Operation]) -> None:
        for op in operations:
            if op.name.startswith("linalg."):
                fail(op, f"'{op.name}' stands outside of a program; run rtile-construct and rtile-expand first")
            if op.name not in ("rtile.program", "arith.constant", "tensor.empty", *RESHAPES):
                fail(op, f"'{op.name}' cannot become a buffer; between programs only reshapes and constants can stand")
            if op.name == "rtile.program" and any(isinstance(value.type, ir.MemRefType) for value in op.operands):
                fail(op, "'rtile.program' works on memrefs already")

    def _outputs(self, terminator: ir.Operation) -> set[ir.Value]:
        """Return the program results that function results are, through reshapes."""
        found: set[ir.Value] = set()
        for value in terminator.operands:
            source = value
            while (reshape := defining_op(source)) is not None and reshape.name in RESHAPES:
                source = reshape.operands[0]
            if defining_op(source, "rtile.program") is None or source in found:
                fail(terminator, "each function result must be the result of a program of its own; run rtile-normalize")
            found.add(source)
        return found

    def _lifetimes(self, temporaries: list[ir.Value], operations: list[ir.Operation]) -> list[Lifetime]:
        """Return from which op to which each tensor must keep its content, through reshapes.

        What a joined program makes is written while blocks of the program in front of it still read.
        """
        made: dict[ir.Value, ir.Value] = {}  # by itself or a reshape of it
        span: dict[ir.Value, tuple[int, int]] = {}
        begun = 0
        for number, op in enumerate(operations):
            for value in op.operands:
                if value in made:
                    span[made[value]] = (span[made[value]][0], number)
                    if op.name in RESHAPES:
                        made[op.results[0]] = made[value]
            if op.name == "rtile.program":
                begun = begun if op.opview.joined else number
                for result in op.results:
                    made[result] = result
                    span[result] = (begun, number)
        kinds = [ir.RankedTensorType(value.type) for value in temporaries]
        sizes = [prod(kind.shape) * element_bytes(kind.element_type) for kind in kinds]
        return [Lifetime(size, *span[value]) for size, value in zip(sizes, temporaries, strict=True)]

    def _declare(self, terminator: ir.Operation, workspace: int) -> func.FuncOp:
        inputs = [_buffer_type(argument) for argument in self._old.arguments]
        outputs = [_buffer_type(value) for value in terminator.operands]
        roles = ["input"] * len(inputs) + ["output"] * len(outputs)
        extra: list[ir.Type] = []
        if workspace:
            extra = [ir.MemRefType.get([workspace], ir.IntegerType.get_signless(8))]
            roles.append("workspace")
        with self._old.location:
            function = func.FuncOp(
                self._old.name.value, ([*inputs, *outputs, *extra], []), ip=ir.InsertionPoint(self._old)
            )
        function.add_entry_block()
        function.arg_attrs = [ir.DictAttr.get({ROLE: ir.StringAttr.get(role)}) for role in roles]
        return function

    def _bind_output(self, value: ir.Value, buffer: ir.Value) -> None:
        """Let the program that makes a function result write into its argument, through views where it is reshaped."""
        while (reshape := defining_op(value)).name in RESHAPES:
            self._buffers[value] = buffer
            source = reshape.operands[0]
            buffer = _reshape(INVERSE[reshape.name], buffer, _buffer_type(source), reshape.attributes["reassociation"])
            value = source
        self._buffers[value] = buffer

    def _emit(self, op: ir.Operation) -> None:
        if op.name == "rtile.program":
            inputs = [self._buffers[value] for value in op.operands]
            move_program(op.opview, inputs, [self._buffers[value] for value in op.results])
        elif op.name in RESHAPES and op.results[0] not in self._buffers:
            kind = _buffer_type(op.results[0])
            source = self._buffers[op.operands[0]]
            reassociation = op.attributes["reassociation"]
            self._buffers[op.results[0]] = _reshape(RESHAPES[op.name], source, kind, reassociation)
        elif op.name == "arith.constant" and isinstance(op.results[0].type, ir.RankedTensorType):
            self._buffers[op.results[0]] = self._constant(op)
        elif op.name == "tensor.empty" and list(op.results[0].uses):
            fail(op, "'tensor.empty' is read by a program, but its content is unspecified; start it by linalg.fill")

    def _constant(self, op: ir.Operation) -> ir.Value:
        name = next(self._constants)
        kind = _buffer_type(op.results[0])
        ir.Operation.create(
            "memref.global",
            attributes={
                "sym_name": ir.StringAttr.get(name),
                "sym_visibility": ir.StringAttr.get("private"),
                "type": ir.TypeAttr.get(kind),
                "initial_value": op.attributes["value"],
                "constant": ir.UnitAttr.get(),
            },
            ip=self._before,
        )
        symbol: dict[str, ir.Attribute] = {"name": ir.FlatSymbolRefAttr.get(name)}
        return ir.Operation.create("memref.get_global", results=[kind], attributes=symbol).results[0]


def _buffer_type(value: ir.Value) -> ir.MemRefType:
    if not isinstance(value.type, ir.RankedTensorType):
        fail(value, f"a value of type {value.type} cannot become a buffer; functions take and return ranked tensors")
    return ir.MemRefType.get(value.type.shape, value.type.element_type)


def _reshape(name: str, source: ir.Value, kind: ir.MemRefType, reassociation: ir.Attribute) -> ir.Value:
    attributes: dict[str, ir.Attribute] = {"reassociation": reassociation}
    if name == "memref.expand_shape":
        attributes["static_output_shape"] = ir.DenseI64ArrayAttr.get(list(kind.shape))
    return ir.Operation.create(name, results=[kind], operands=[source], attributes=attributes).results[0]
