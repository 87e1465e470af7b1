# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dispatch mode: IREE decides what runs together, and each of its dispatches that we can compile becomes ours.

At IREE's phase flow a program is calls of executables, whose functions load whole tensors, compute, and store them:

    flow.executable private @f_dispatch_0 { ... func.func @f_dispatch_0_matmul(%a: !...<readonly:tensor<...>>, ...) }
    %0 = flow.dispatch @f_dispatch_0::@f_dispatch_0_matmul(%x, %w) : (tensor<64x784xf32>, ...) -> tensor<64x256xf32>

Such a function is one of tensors for us, and each of its calls becomes the launches of what we compile of it. A part
that is loaded at a place of run time, such as the step of a loop, is a slice that the call makes. What has dynamic
shapes, stores parts, or updates a tensor in place stays IREE's.
"""

import re
from dataclasses import replace
from typing import Any

from roller_mlir.downstream.iree.parts import Part, PartCompiler, PartError, function_text, insert_calls, values_taken
from roller_mlir.downstream.iree.report import IREE, ROLLER, Line
from roller_mlir.support.bindings import ir, tensor
from roller_mlir.support.values import defining_op, operations_inside

_OURS = ("linalg", "tensor", "arith", "math", "scf")
_LOAD, _STORE = "iree_tensor_ext.dispatch.tensor.load", "iree_tensor_ext.dispatch.tensor.store"
_ORDINAL = "iree_tensor_ext.dispatch.workload.ordinal"
_AT_RUN_TIME = -(1 << 63)
"""What stands for an offset that is an operand."""

_ARGUMENT = re.compile(r"!iree_tensor_ext\.dispatch\.tensor<(\w+):(.*)>")


def take_dispatches(module: ir.Module, compiler: PartCompiler) -> tuple[list[Part], list[Line]]:
    """Replace the dispatches that we compile by dispatches of our kernels.

    Args:
        module: At IREE's phase flow; changed in place.
        compiler: For the device.

    Returns:
        The parts that we compile, and who compiles each dispatch.
    """
    parts: dict[str, Part] = {}
    lines: list[Line] = []
    dead: list[ir.Operation] = []
    for executable in [op.operation for op in module.body.operations if op.operation.name == "flow.executable"]:
        name, found = _compile(executable, compiler)
        lines.append(found if isinstance(found, Line) else _ours(name, found, executable, compiler))
        if isinstance(found, Part):
            parts[f"[@{_symbol(executable)}::@{name}]"] = replace(found, times=0)
            dead.append(executable)
    for call in [op for op in operations_inside(module.operation) if op.name == "flow.dispatch"]:
        entry = str(call.attributes["entry_points"])
        if entry in parts:
            sizes = ir.DenseI32ArrayAttr(call.attributes["operandSegmentSizes"])
            operands = list(call.operands)[sizes[0] : sizes[0] + sizes[1]]
            for old, new in zip(call.results, insert_calls(parts[entry], operands, call), strict=True):
                old.replace_all_uses_with(new)
            parts[entry] = replace(parts[entry], times=parts[entry].times + 1)
            dead.append(call)
    for op in reversed(dead):
        op.erase()
    return list(parts.values()), lines


def _compile(executable: ir.Operation, compiler: PartCompiler) -> tuple[str, Part | Line]:
    """Return the name of a dispatch, and what we make of it, or why it stays IREE's."""
    inside = [op.operation for op in executable.regions[0].blocks[0].operations]
    exports = [_symbol(op) for op in inside if op.name == "flow.executable.export"]
    body: list[ir.Operation] = []
    try:
        if len(exports) != 1:
            raise PartError(f"it has {len(exports)} functions")
        (function,) = (
            op.operation
            for holder in inside
            if holder.name == "builtin.module"
            for op in holder.regions[0].blocks[0].operations
        )
        name = _symbol(executable)
        found = _DispatchFunction(function, body)
        return exports[0], compiler.compile(found.text(name), name, found.operands, found.lines)
    except PartError as error:
        known = error.operation is not None and error.operation < len(body)
        place = compiler.place(body[error.operation]) if known and error.operation is not None else ""
        named = exports[0] if exports else _symbol(executable)
        return named, Line(name=named, by=IREE, place=place or compiler.place(executable), reason=str(error))


def _ours(name: str, part: Part, executable: ir.Operation, compiler: PartCompiler) -> Line:
    return Line(name=name, by=ROLLER, place=compiler.place(executable), program=part.name)


class _DispatchFunction:
    """A dispatch's function as one of linalg on tensors.

    Attributes:
        operands: What it takes: arguments of the dispatch (%in0, ...), and slices of them.
        lines: Operations that make the slices, at places that are known at run time only.
    """

    def __init__(self, function: ir.Operation, body: list[ir.Operation]) -> None:
        """Read a function.

        Args:
            function: With arguments that are loaded and stored.
            body: Gets what it computes, in the order of the numbers that are locations in the text.

        Raises:
            PartError: It does something that no function of tensors does.
        """
        self.operands: list[str] = []
        self.lines: list[str] = []
        self._body, self._holder = body, ir.Module.create()  # of a copy, which is changed
        copy = function.clone(ir.InsertionPoint(self._holder.body)).operation
        self._block = copy.regions[0].blocks[0]
        self._inputs: list[ir.Value] = []
        self._stored: dict[int, ir.Value] = {}
        # Numbers that are known at run time only, by what they are called at the call.
        self._numbers: dict[ir.Value, str] = {}
        self._kinds: dict[int, Any] = {}
        for number, argument in enumerate(list(self._block.arguments)):
            self._take_argument(number, argument)
        for op in [one.operation for one in self._block.operations]:
            self._take(op)
        if any(value in self._numbers for op in body for value in values_taken(op)):
            raise PartError("it computes with a number that is known at run time only")

    def text(self, name: str) -> str:
        """Return the function under a name."""
        outputs = [self._stored[number] for number in sorted(self._stored)]
        return function_text(name, list(enumerate(self._body)), self._inputs, outputs)

    def _take_argument(self, number: int, argument: ir.Value) -> None:
        found = _ARGUMENT.fullmatch(str(argument.type))
        if isinstance(argument.type, ir.IndexType):
            self._numbers[argument] = f"%in{number}"
            return
        if found is None:
            raise PartError(f"its argument {number} is {argument.type}, which is known at run time only")
        if found[1] == "readwrite":
            raise PartError(f"it updates its argument {number} in place")
        if "?" in found[2]:
            raise PartError(f"its argument {number} has a dynamic shape: {found[2]}")
        self._kinds[number] = ir.Type.parse(found[2])
        if found[1] == "readonly":
            argument.set_type(self._kinds[number])

    def _take(self, op: ir.Operation) -> None:
        if op.name == _LOAD:
            value = self._loaded(op)
            op.results[0].replace_all_uses_with(value)
            if defining_op(value) is not None:
                self._body.append(defining_op(value))
        elif op.name == _STORE:
            number = ir.BlockArgument(op.operands[1]).arg_number
            if op.operands[0].type != self._kinds[number] or number in self._stored or len(op.operands) > 2:
                raise PartError(f"it stores a part of its argument {number}")
            self._stored[number] = op.operands[0]
        elif op.name == _ORDINAL and op.operands[0] in self._numbers:
            self._numbers[op.results[0]] = self._numbers[op.operands[0]]
        elif op.name.split(".")[0] in _OURS:
            self._body.append(op)
        elif op.name != "func.return":
            raise PartError(f"'{op.name}' is not of linalg on static tensors")

    def _loaded(self, op: ir.Operation) -> ir.Value:
        """Return the value that is loaded of an argument: all of it, or a slice."""
        number, kind = ir.BlockArgument(op.operands[0]).arg_number, op.results[0].type
        offsets, sizes, strides = (
            list(ir.DenseI64ArrayAttr(op.attributes[f"static_{one}"])) for one in ("offsets", "sizes", "strides")
        )
        if len(op.operands) > 1:
            source = self._slice(op, number, offsets, sizes, strides)
            offsets = [0] * len(offsets)
        else:
            source = self._block.arguments[number]
            if source not in self._inputs:
                self._inputs.append(source)
                self.operands.append(f"%in{number}")
        if kind == source.type:
            return source
        places: list[Any] = [ir.DenseI64ArrayAttr.get(one) for one in (offsets, sizes, strides)]
        with ir.InsertionPoint(op):
            return tensor.ExtractSliceOp(kind, source, [], [], [], *places).result

    def _slice(
        self, op: ir.Operation, number: int, offsets: list[int], sizes: list[int], strides: list[int]
    ) -> ir.Value:
        """Take a slice that is made at the call, where numbers of run time are known."""
        segments = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
        given = [self._numbers.get(value) for value in list(op.operands)[1:]]
        if segments[1] or any(segments[3:]) or None in given or any(one != 1 for one in strides):
            raise PartError("it loads a part whose place or size is computed at run time")
        whole: Any = self._kinds[number]
        part = ir.RankedTensorType.get(sizes, whole.element_type)
        name, rank = f"%part{len(self.lines)}", len(sizes)
        places = [given.pop(0) if one == _AT_RUN_TIME else one for one in offsets]
        numbers = [f"{name}_{position}" for position in range(2 * rank)]
        self.lines += [
            f"{number} = arith.constant {value} : index"
            for number, value in zip(numbers, [*places, *sizes], strict=True)
            if isinstance(value, int)
        ]
        starts = [one if isinstance(one, str) else named for one, named in zip(places, numbers[:rank], strict=True)]
        kinds = ", ".join([str(whole), *["index"] * (2 * rank)])
        self.lines.append(
            f'{name} = "flow.tensor.slice"({", ".join([f"%in{number}", *starts, *numbers[rank:]])}) '
            f"<{{operandSegmentSizes = array<i32: 1, 0, {rank}, {rank}, 0>}}> : ({kinds}) -> {part}"
        )
        self.operands.append(name)
        self._inputs.append(self._block.add_argument(part, op.location))
        return self._inputs[-1]


def _symbol(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value
