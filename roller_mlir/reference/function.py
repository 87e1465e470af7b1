# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function of linalg ops on tensors, evaluated op by op."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roller_mlir.reference.body import apply_scalar_operation, is_scalar_operation
from roller_mlir.reference.integers import EXTENDED
from roller_mlir.reference.packing import packed, unpacked
from roller_mlir.reference.structured import evaluate_structured, reduction_points, uninitialised
from roller_mlir.reference.undefined import element_of
from roller_mlir.reference.values import Array, from_caller, is_supported, round_to, to_caller
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.elements import ElementsError, read_elements

# How MLIR writes an offset, a size or a stride that is an operand.
_DYNAMIC = -(1 << 63)
_MOST_CALLS = 64


@dataclass(frozen=True)
class Evaluation:
    """What a function returned.

    Attributes:
        outputs: One array per result, as the caller's numpy types.
        element_types: MLIR element type per result.
        points: Per result, how many points the reductions of its longest chain of ops combine, for the tolerance.
    """

    outputs: tuple[Array, ...]
    element_types: tuple[str, ...]
    points: tuple[int, ...]


@dataclass(frozen=True)
class _Value:
    data: Array
    points: int


def evaluate_function(
    module: ir.Module, name: str, inputs: Sequence[Array], disturb: Callable[[Array, str, int], Array] | None = None
) -> Evaluation:
    """Evaluate a function of a module; floats are computed in float64 and rounded to their type after each op.

    Args:
        module: Linalg on tensors.
        name: The function.
        inputs: One array per argument.
        disturb: Called with each float result of a linalg op, its element type and the points its reductions combine;
            what it returns takes the result's place. What comes of small changes tells how well a program is
            conditioned.

    Returns:
        The results.

    Raises:
        DiagnosedError: The function holds an op that the reference does not know.
    """
    function = _find(module, name)
    arguments = [
        _Value(from_caller(np.asarray(array), _element_type(function, argument.type)), 0)
        for argument, array in zip(function.regions[0].blocks[0].arguments, inputs, strict=True)
    ]
    returned = _run(function, arguments, disturb)
    types = [_element_type(function, operand.type) for operand in _terminator(function).operands]
    return Evaluation(
        tuple(to_caller(value.data, kind) for value, kind in zip(returned, types, strict=True)),
        tuple(types),
        tuple(value.points for value in returned),
    )


_Disturb = Callable[[Array, str, int], Array]


def _run(function: ir.Operation, arguments: Sequence[_Value], disturb: _Disturb | None, depth: int = 0) -> list[_Value]:
    """Evaluate a function's operations in order, and those of the functions that it calls."""
    block = function.regions[0].blocks[0]
    values: dict[Any, _Value] = dict(zip(block.arguments, arguments, strict=True))
    for op in [op.operation for op in block.operations][:-1]:
        operands = [values[operand] for operand in op.operands]
        if op.name == "func.call":
            if depth == _MOST_CALLS:
                fail(op, f"numpy reference: calls are nested more than {_MOST_CALLS} deep")
            callee = _find(_module_of(op), ir.FlatSymbolRefAttr(op.attributes["callee"]).value)
            results = _run(callee, operands, disturb, depth + 1)
        else:
            results = _evaluate(op, operands)
        for result, value in zip(op.results, results, strict=True):
            if disturb is not None and op.name.startswith("linalg.") and value.data.dtype == np.float64:
                element = _element_type(op, result.type)
                value = _Value(round_to(disturb(value.data, element, value.points), element), value.points)
            values[result] = value
    return [values[operand] for operand in _terminator(function).operands]


def _terminator(function: ir.Operation) -> ir.Operation:
    block = function.regions[0].blocks[0]
    return block.operations[len(block.operations) - 1].operation


def _module_of(op: ir.Operation) -> Any:
    """Return the module that an operation is in."""
    parent: Any = op
    while parent.name != "builtin.module":
        parent = parent.parent
    return parent.opview


def _find(module: ir.Module, name: str) -> ir.Operation:
    functions = [op.operation for op in module.body.operations if op.operation.name == "func.func"]
    named = [op for op in functions if ir.StringAttr(op.attributes["sym_name"]).value == name]
    if not named or not len(named[0].regions[0].blocks):
        fail(module.operation, f"numpy reference: the module has no function '{name}' with a body")
    return named[0]


def _element_type(op: ir.Operation, value_type: Any) -> str:
    element = element_of(value_type)
    if not is_supported(element):
        fail(op, f"numpy reference: element type {element} is not supported")
    return element


def _shape(op: ir.Operation) -> tuple[int, ...]:
    tensor = ir.RankedTensorType(op.results[0].type)
    if not tensor.has_static_shape:
        fail(op, f"numpy reference: '{op.name}' gives {tensor}; shapes must be static")
    return tuple(tensor.shape)


def _evaluate(op: ir.Operation, operands: Sequence[_Value]) -> list[_Value]:
    arrays = [operand.data for operand in operands]
    points = max((operand.points for operand in operands), default=0)
    if op.name == "cf.assert":
        return []
    if op.name in _OTHERS:
        return [_OTHERS[op.name](op, operands)]
    if op.name in EXTENDED:
        return [_Value(value, points) for value in EXTENDED[op.name](*arrays)]
    if is_scalar_operation(op):
        element = _element_type(op, op.results[0].type)
        return [_Value(round_to(apply_scalar_operation(op, element, arrays), element), points)]
    if not op.name.startswith("linalg."):
        fail(op, f"numpy reference: '{op.name}' is not supported")
    points += reduction_points(op, arrays)
    return [_Value(result, points) for result in evaluate_structured(op, arrays)]


def _constant(op: ir.Operation, operands: Sequence[_Value]) -> _Value:
    return _constant_of(op, op.attributes["value"])


def _constant_of(op: ir.Operation, attribute: Any) -> _Value:
    result = op.results[0].type
    element = _element_type(op, result)
    if not isinstance(result, ir.RankedTensorType):
        return _Value(round_to(np.asarray(attribute.value), element), 0)
    try:
        return _Value(from_caller(read_elements(attribute), element), 0)
    except ElementsError as error:
        fail(op, f"numpy reference: the constant {error}")


def _global(op: ir.Operation, operands: Sequence[_Value]) -> _Value:
    """The value of a global that nothing stores to."""
    name = str(op.attributes["global"]).removeprefix("@")
    found = [one.operation for one in _module_of(op).body.operations if one.operation.name == "ml_program.global"]
    named = [one for one in found if ir.StringAttr(one.attributes["sym_name"]).value == name]
    if not named or "value" not in named[0].attributes:
        fail(op, f"numpy reference: the module has no global '{name}' with a value")
    return _constant_of(op, named[0].attributes["value"])


def _empty(op: ir.Operation, operands: Sequence[_Value]) -> _Value:
    sizes = iter(operands)
    tensor = ir.RankedTensorType(op.results[0].type)
    shape = tuple(
        int(next(sizes).data) if tensor.is_dynamic_dim(axis) else tensor.get_dim_size(axis)
        for axis in range(tensor.rank)
    )
    return _Value(uninitialised(shape, _element_type(op, tensor)), 0)


def _dimension(op: ir.Operation, operands: Sequence[_Value]) -> _Value:
    source, axis = operands
    return _Value(np.asarray(source.data.shape[int(axis.data)], np.int64), 0)


def _splat(op: ir.Operation, operands: Sequence[_Value]) -> _Value:
    return _Value(np.full(_shape(op), operands[0].data), operands[0].points)


def _from_elements(op: ir.Operation, operands: Sequence[_Value]) -> _Value:
    elements = np.array([operand.data for operand in operands])
    return _Value(elements.reshape(_shape(op)), max((operand.points for operand in operands), default=0))


def _cast(op: ir.Operation, operands: Sequence[_Value]) -> _Value:
    """Keep a tensor of which a cast says more or less about the shape; what it says must be true."""
    shape, tensor = operands[0].data.shape, ir.RankedTensorType(op.results[0].type)
    said = [tensor.is_dynamic_dim(axis) or tensor.get_dim_size(axis) == shape[axis] for axis in range(tensor.rank)]
    if len(shape) != tensor.rank or not all(said):
        fail(op, f"numpy reference: '{op.name}' makes {tensor} of a tensor of shape {list(shape)}")
    return operands[0]


def _reshape(op: ir.Operation, operands: Sequence[_Value]) -> _Value:
    return _Value(operands[0].data.reshape(_shape(op)), operands[0].points)


def _slices(op: ir.Operation, operands: Sequence[_Value], tensors: int, shape: Sequence[int]) -> tuple[slice, ...]:
    """Return the window of a slice, whose offsets, sizes and strides are attributes or, after `tensors`, operands."""
    rest = iter(operands[tensors:])
    offsets, sizes, strides = (
        [int(next(rest).data) if value == _DYNAMIC else int(value) for value in ir.DenseI64ArrayAttr(attribute)]
        for attribute in (op.attributes[f"static_{key}"] for key in ("offsets", "sizes", "strides"))
    )
    if any(value < 0 for value in offsets + sizes + strides):
        fail(op, f"numpy reference: '{op.name}' has negative offsets, sizes or strides")
    ends = [o + (n - 1) * s + 1 if n else o for o, n, s in zip(offsets, sizes, strides, strict=True)]
    if any(end > extent for end, extent in zip(ends, shape, strict=True)):
        fail(op, f"numpy reference: '{op.name}' reaches outside its source")
    return tuple(slice(o, end, s) for o, end, s in zip(offsets, ends, strides, strict=True))


def _extract(op: ir.Operation, operands: Sequence[_Value]) -> _Value:
    source, tensor = operands[0], ir.RankedTensorType(op.results[0].type)
    window = source.data[_slices(op, operands, 1, source.data.shape)]
    return _Value(window if tensor.rank == window.ndim else window.reshape(_shape(op)), source.points)


def _insert(op: ir.Operation, operands: Sequence[_Value]) -> _Value:
    source, target = operands[:2]
    result = target.data.copy()
    window = _slices(op, operands, 2, result.shape)
    result[window] = source.data.reshape(result[window].shape)
    return _Value(result, max(source.points, target.points))


def _pad(op: ir.Operation, operands: Sequence[_Value]) -> _Value:
    low, high = ([int(v) for v in ir.DenseI64ArrayAttr(op.attributes[f"static_{key}"])] for key in ("low", "high"))
    yielded = list(op.regions[0].blocks[0].operations)[-1].operation.operands[0]
    constant: Any = yielded.owner
    if len(operands) > 1 or any(size < 0 for size in low + high):
        fail(op, f"numpy reference: '{op.name}' has dynamic or negative paddings")
    if isinstance(constant, ir.Block) or constant.name != "arith.constant":
        fail(op, f"numpy reference: '{op.name}' pads with a value that is no constant")
    element = _element_type(op, op.results[0].type)
    scalar = round_to(np.asarray(constant.attributes["value"].value), element)
    source = operands[0]
    if not low:
        return source
    padded = np.pad(source.data, list(zip(low, high, strict=True)), constant_values=scalar)
    return _Value(padded, source.points)


def _concat(op: ir.Operation, operands: Sequence[_Value]) -> _Value:
    along = ir.IntegerAttr(op.attributes["dim"]).value
    joined = np.concatenate([operand.data for operand in operands], axis=along)
    return _Value(joined, max(operand.points for operand in operands))


def _softmax(op: ir.Operation, operands: Sequence[_Value]) -> _Value:
    """exp(x - max) / sum, rounded after each step as the linalg ops that it stands for are."""
    source = operands[0]
    along = ir.IntegerAttr(op.attributes["dimension"]).value
    element = _element_type(op, op.results[0].type)
    with np.errstate(all="ignore"):
        powers = np.exp(round_to(source.data - np.fmax.reduce(source.data, axis=along, keepdims=True), element))
        powers = round_to(powers, element)
        total = round_to(np.add.reduce(powers, axis=along, keepdims=True), element)
        return _Value(round_to(powers / total, element), source.points + source.data.shape[along])


def _pack(op: ir.Operation, operands: Sequence[_Value]) -> _Value:
    padding = operands[2].data if len(operands) > 2 else None
    return _Value(packed(op, operands[0].data, padding), operands[0].points)


def _unpack(op: ir.Operation, operands: Sequence[_Value]) -> _Value:
    return _Value(unpacked(op, operands[0].data), operands[0].points)


_OTHERS: dict[str, Callable[[ir.Operation, Sequence[_Value]], _Value]] = {
    "arith.constant": _constant,
    "ml_program.global_load": _global,
    "ml_program.global_load_const": _global,
    "tensor.empty": _empty,
    "tensor.expand_shape": _reshape,
    "tensor.collapse_shape": _reshape,
    "tensor.cast": _cast,
    "tensor.dim": _dimension,
    "tensor.splat": _splat,
    "tensor.from_elements": _from_elements,
    "tensor.extract_slice": _extract,
    "tensor.pad": _pad,
    "tensor.insert_slice": _insert,
    "tensor.concat": _concat,
    "linalg.softmax": _softmax,
    "linalg.pack": _pack,
    "linalg.unpack": _unpack,
}
