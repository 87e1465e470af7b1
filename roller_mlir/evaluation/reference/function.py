# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function of linalg ops on tensors, evaluated op by op."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from roller_mlir.evaluation.reference.body import apply_scalar_operation, element_at, is_scalar_operation
from roller_mlir.evaluation.reference.bounds.body import apply_bounded, apply_extended
from roller_mlir.evaluation.reference.bounds.nests import Bounded, Written, join
from roller_mlir.evaluation.reference.bounds.softmax import bounded_softmax
from roller_mlir.evaluation.reference.elements import element, generated, with_element
from roller_mlir.evaluation.reference.gathers import gathered, scattered
from roller_mlir.evaluation.reference.integers import EXTENDED
from roller_mlir.evaluation.reference.loops import AFFINE, affine_value, run_for, run_forall, run_if
from roller_mlir.evaluation.reference.packing import packed, unpacked
from roller_mlir.evaluation.reference.structured import evaluate_structured, uninitialised
from roller_mlir.evaluation.reference.undefined import element_of, note_clamped
from roller_mlir.evaluation.reference.values import Array, from_caller, is_supported, round_to, to_caller
from roller_mlir.plan.accuracy.accumulation import UNKNOWN, Accumulation
from roller_mlir.support.bindings import ir
from roller_mlir.support.constants.elements import ElementsError, read_elements
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import DYNAMIC, defining_op, operations_inside
from roller_mlir.support.winograd import TRANSFORMS, decomposed

_MOST_CALLS = 64
_NOTHING = ("cf.assert", "bufferization.dealloc_tensor")


@dataclass(frozen=True)
class Evaluation:
    """What a function returned.

    Attributes:
        outputs: One array per result, as the caller's numpy types.
        element_types: MLIR element type per result.
        bounded: One value per result with the bound of how far a right program may be from it.
    """

    outputs: tuple[Array, ...]
    element_types: tuple[str, ...]
    bounded: tuple[Bounded, ...]


def evaluate_function(
    module: ir.Module, name: str, inputs: Sequence[Array], accumulation: Accumulation = UNKNOWN
) -> Evaluation:
    """Evaluate a function of a module in float64, exactly for integers, with a bound of a right program's error.

    Args:
        module: Linalg on tensors.
        name: The function.
        inputs: One array per argument.
        accumulation: How the kernels that are judged sum products.

    Returns:
        The results.

    Raises:
        DiagnosedError: The function holds an op that the reference does not know.
    """
    function = _find(module, name)
    arguments = [
        Bounded(from_caller(np.asarray(array), _element_type(function, argument.type)))
        for argument, array in zip(function.regions[0].blocks[0].arguments, inputs, strict=True)
    ]
    returned = _run(function, arguments, accumulation)
    types = [_element_type(function, operand.type) for operand in _terminator(function).operands]
    return Evaluation(
        tuple(to_caller(value.data, kind) for value, kind in zip(returned, types, strict=True)),
        tuple(types),
        tuple(returned),
    )


def _run(
    function: ir.Operation, arguments: Sequence[Bounded], accumulation: Accumulation, depth: int = 0
) -> list[Bounded]:
    """Evaluate a function's operations in order, and those of the functions that it calls."""
    values = _run_block(function.regions[0].blocks[0], arguments, {}, accumulation, depth)
    return [values[operand] for operand in _terminator(function).operands]


def _run_block(
    block: Any, arguments: Sequence[Bounded], outer: Mapping[Any, Bounded], accumulation: Accumulation, depth: int
) -> dict[Any, Bounded]:
    """Evaluate a block's operations but for its terminator; return all values by then."""
    values: dict[Any, Bounded] = {**outer, **dict(zip(block.arguments, arguments, strict=True))}

    def run(inner: Any, given: Sequence[Bounded]) -> dict[Any, Bounded]:
        return _run_block(inner, given, values, accumulation, depth)

    for op in [op.operation for op in block.operations][:-1]:
        operands = [values[operand] for operand in op.operands]
        if op.name == "func.call":
            if depth == _MOST_CALLS:
                fail(op, f"numpy reference: calls are nested more than {_MOST_CALLS} deep")
            callee = _find(_module_of(op), ir.FlatSymbolRefAttr(op.attributes["callee"]).value)
            results = _run(callee, operands, accumulation, depth + 1)
        elif op.name == "scf.if":
            results = run_if(op, bool(operands[0].data), run)
        elif op.name == "scf.for":
            index = partial(_position, kind=str(op.operands[0].type))
            results = run_for(op, [_number(value) for value in operands[:3]], operands[3:], index, run)
        elif op.name == "scf.forall":
            results = run_forall(op, operands, _number, _position, run, _insert)
        elif op.name in TRANSFORMS:
            results = _winograd(op, operands, accumulation, depth)
        else:
            results = _evaluate(op, operands, _outer(op, values), accumulation)
        values.update(zip(op.results, results, strict=True))
    return values


def _winograd(op: ir.Operation, operands: Sequence[Bounded], accumulation: Accumulation, depth: int) -> list[Bounded]:
    """Evaluate what upstream makes of a transform; it adds to the output, of which a tensor.empty counts as zeros."""
    lowered, start = decomposed(op), op.operands[len(operands) - 1].owner
    if not isinstance(start, ir.Block) and start.name == "tensor.empty":
        operands = [*operands[:-1], Bounded(np.zeros(operands[-1].data.shape))]
    return _run(_find(lowered, "f"), operands, accumulation, depth)


def _number(value: Bounded) -> int:
    return int(value.data)


def _position(number: int, kind: str = "index") -> Bounded:
    return Bounded(round_to(np.asarray(number), kind))


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


def _outer(op: ir.Operation, values: Mapping[Any, Bounded]) -> dict[Any, Bounded]:
    """Return the values of the function that the op's body uses."""
    inner = operations_inside(op)[1:]
    return {operand: values[operand] for one in inner for operand in one.operands if operand in values}


def _evaluate(
    op: ir.Operation, operands: Sequence[Bounded], outer: Mapping[Any, Bounded], accumulation: Accumulation
) -> list[Bounded]:
    if op.name in _NOTHING:
        return []
    if op.name in _OTHERS:
        return [_OTHERS[op.name](op, operands)]
    if op.name in _FROM_POSITIONS:
        return [_FROM_POSITIONS[op.name](op, operands, outer)]
    if op.name in AFFINE:
        return [Bounded(affine_value(op, [operand.data for operand in operands]))]
    if op.name in EXTENDED:
        return apply_extended(EXTENDED[op.name], operands)
    if is_scalar_operation(op):
        return [apply_bounded(apply_scalar_operation, op, _element_type(op, op.results[0].type), operands)]
    if not op.name.startswith("linalg."):
        fail(op, f"numpy reference: '{op.name}' is not supported")
    return evaluate_structured(op, operands, accumulation, outer)


def _constant_of(op: ir.Operation, attribute: Any) -> Bounded:
    result = op.results[0].type
    element = _element_type(op, result)
    if not isinstance(result, ir.RankedTensorType):
        return Bounded(round_to(np.asarray(attribute.value), element))
    try:
        return Bounded(from_caller(read_elements(attribute), element))
    except ElementsError as error:
        fail(op, f"numpy reference: the constant {error}")


def _global(op: ir.Operation, operands: Sequence[Bounded]) -> Bounded:
    """Return the value of a global that nothing stores to."""
    name = str(op.attributes["global"]).removeprefix("@")
    found = [one.operation for one in _module_of(op).body.operations if one.operation.name == "ml_program.global"]
    named = [one for one in found if ir.StringAttr(one.attributes["sym_name"]).value == name]
    if not named or "value" not in named[0].attributes:
        fail(op, f"numpy reference: the module has no global '{name}' with a value")
    return _constant_of(op, named[0].attributes["value"])


def _empty(op: ir.Operation, operands: Sequence[Bounded]) -> Bounded:
    sizes = iter(operands)
    tensor = ir.RankedTensorType(op.results[0].type)
    shape = tuple(
        int(next(sizes).data) if tensor.is_dynamic_dim(axis) else tensor.get_dim_size(axis)
        for axis in range(tensor.rank)
    )
    # What nothing writes may be anything.
    return Bounded(uninitialised(shape, _element_type(op, tensor)), np.broadcast_to(np.inf, shape))


def _dimension(op: ir.Operation, operands: Sequence[Bounded]) -> Bounded:
    source, axis = operands
    return Bounded(np.asarray(source.data.shape[int(axis.data)], np.int64))


def _from_elements(op: ir.Operation, operands: Sequence[Bounded]) -> Bounded:
    return join(list(operands), lambda arrays: np.array(arrays).reshape(_shape(op)))


def _cast(op: ir.Operation, operands: Sequence[Bounded]) -> Bounded:
    """Keep a tensor of which a cast says more or less about the shape; what it says must be true."""
    shape, tensor = operands[0].data.shape, ir.RankedTensorType(op.results[0].type)
    said = [tensor.is_dynamic_dim(axis) or tensor.get_dim_size(axis) == shape[axis] for axis in range(tensor.rank)]
    if len(shape) != tensor.rank or not all(said):
        fail(op, f"numpy reference: '{op.name}' makes {tensor} of a tensor of shape {list(shape)}")
    return operands[0]


def _reshape(op: ir.Operation, operands: Sequence[Bounded]) -> Bounded:
    return operands[0].map(lambda array: array.reshape(_shape(op)))


def _element(op: ir.Operation, operands: Sequence[Bounded]) -> Bounded:
    if any(defining_op(value, "arith.constant") is None for value in list[ir.Value](op.operands)[1:]):
        return element_at(operands[0], operands[1:])
    at = [operand.data for operand in operands[1:]]
    return operands[0].map(lambda array: element(op, array, *at))


def _with_element(op: ir.Operation, operands: Sequence[Bounded]) -> Bounded:
    """Replace an element; a position that is data is moved inside, as that of a slice."""
    at = [operand.data for operand in operands[2:]]
    for axis, value in enumerate(list[ir.Value](op.operands)[2:]):
        if defining_op(value, "arith.constant") is None:
            inside = np.clip(at[axis], 0, operands[1].data.shape[axis] - 1)
            if inside != at[axis]:
                note_clamped()
            at[axis] = inside
    found = join(list(operands[:2]), lambda parts: with_element(op, parts[0], parts[1], *at))
    return _sure_of(operands[2:], found)


def _sure_of(places: Sequence[Bounded], found: Bounded) -> Bounded:
    """Return a value, which is anything where a position that it was put or taken at may be another one."""
    if any(place.error is not None and bool(np.any(place.errors() > 0)) for place in places):
        return Bounded(found.data, np.broadcast_to(np.inf, found.data.shape))
    return found


def _allocated(op: ir.Operation, operands: Sequence[Bounded]) -> Bounded:
    """Return what a bufferization.alloc_tensor copies, else unspecified values."""
    copies = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[1]
    return operands[-1] if copies else _empty(op, operands)


def _slices(op: ir.Operation, operands: Sequence[Bounded], tensors: int, shape: Sequence[int]) -> tuple[slice, ...]:
    """Return the window of a slice, whose offsets, sizes and strides are attributes or, after `tensors`, operands."""
    rest = iter(operands[tensors:])
    offsets, sizes, strides = (
        [int(next(rest).data) if value == DYNAMIC else int(value) for value in ir.DenseI64ArrayAttr(attribute)]
        for attribute in (op.attributes[f"static_{key}"] for key in ("offsets", "sizes", "strides"))
    )
    if any(value < 0 for value in sizes + strides):
        fail(op, f"numpy reference: '{op.name}' has negative sizes or strides")
    # A slice at positions that are data is moved until it lies inside.
    for axis, value in enumerate(ir.DenseI64ArrayAttr(op.attributes["static_offsets"])):
        if value == DYNAMIC:
            last = shape[axis] - (sizes[axis] - 1) * strides[axis] - 1
            inside = min(max(offsets[axis], 0), max(last, 0))
            if inside != offsets[axis]:
                note_clamped()
            offsets[axis] = inside
    ends = [o + (n - 1) * s + 1 if n else o for o, n, s in zip(offsets, sizes, strides, strict=True)]
    if any(end > extent for end, extent in zip(ends, shape, strict=True)):
        fail(op, f"numpy reference: '{op.name}' reaches outside its source")
    return tuple(slice(o, end, s) for o, end, s in zip(offsets, ends, strides, strict=True))


def _extract(op: ir.Operation, operands: Sequence[Bounded]) -> Bounded:
    source, tensor = operands[0], ir.RankedTensorType(op.results[0].type)
    where = _slices(op, operands, 1, source.data.shape)
    window = _sure_of(operands[1:], source.map(lambda array: array[where]))
    return window if tensor.rank == window.data.ndim else window.map(lambda array: array.reshape(_shape(op)))


def _insert(op: ir.Operation, operands: Sequence[Bounded]) -> Bounded:
    source, target = operands[:2]
    window = _slices(op, operands, 2, target.data.shape)
    result = Written(target)

    def write(whole: Array, part: Array) -> None:
        whole[window] = part.reshape(whole[window].shape)

    result.put(source, write)
    return _sure_of(operands[2:], result.value())


def _pad(op: ir.Operation, operands: Sequence[Bounded], outer: Mapping[Any, Bounded]) -> Bounded:
    rest = iter(operands[1:])  # as those of TOSA, which are constants
    low, high = (
        [int(next(rest).data) if value == DYNAMIC else int(value) for value in ir.DenseI64ArrayAttr(attribute)]
        for attribute in (op.attributes["static_low"], op.attributes["static_high"])
    )
    if any(size < 0 for size in low + high):
        fail(op, f"numpy reference: '{op.name}' has negative paddings")
    source, shape = operands[0], _shape(op)
    result = Written(generated(op, shape, outer))
    window = tuple(slice(n, n + extent) for n, extent in zip(low, source.data.shape, strict=True))

    def write(whole: Array, part: Array) -> None:
        whole[window] = part

    result.put(source, write)
    return result.value()


def _concat(op: ir.Operation, operands: Sequence[Bounded]) -> Bounded:
    along = ir.IntegerAttr(op.attributes["dim"]).value
    return join(list(operands), lambda arrays: np.concatenate(arrays, axis=along))


def _softmax(op: ir.Operation, operands: Sequence[Bounded]) -> Bounded:
    """Return exp(x - max) / sum, step by step as the linalg ops that it stands for."""
    along = ir.IntegerAttr(op.attributes["dimension"]).value
    return bounded_softmax(op, operands[0], along, _element_type(op, op.results[0].type))


def _pack(op: ir.Operation, operands: Sequence[Bounded]) -> Bounded:
    padding = operands[2].data if len(operands) > 2 else None
    moved = operands[0].map(lambda array: packed(op, array, None if padding is None else np.zeros(())))
    return Bounded(packed(op, operands[0].data, padding), moved.error, moved.skipped)


_OTHERS: dict[str, Callable[[ir.Operation, Sequence[Bounded]], Bounded]] = {
    "arith.constant": lambda op, operands: _constant_of(op, op.attributes["value"]),
    "ml_program.global_load": _global,
    "ml_program.global_load_const": _global,
    "tensor.empty": _empty,
    "tensor.expand_shape": _reshape,
    "tensor.collapse_shape": _reshape,
    "tensor.reshape": _reshape,
    "tensor.cast": _cast,
    "tensor.dim": _dimension,
    "tensor.splat": lambda op, operands: operands[0].map(lambda array: np.full(_shape(op), array)),
    "tensor.from_elements": _from_elements,
    "tensor.extract": _element,
    "tensor.insert": _with_element,
    "bufferization.alloc_tensor": _allocated,
    "bufferization.materialize_in_destination": lambda op, operands: operands[0],
    "tensor.extract_slice": _extract,
    "tensor.insert_slice": _insert,
    "tensor.concat": _concat,
    "tensor.gather": lambda op, operands: gathered(op, operands[0], operands[1], _shape(op)),
    "tensor.scatter": lambda op, operands: scattered(op, operands[0], operands[1], operands[2].data),
    "linalg.softmax": _softmax,
    "linalg.pack": _pack,
    "linalg.unpack": lambda op, operands: operands[0].map(lambda array: unpacked(op, array)),
}

# What computes elements from their positions, and from values of the function.
_FROM_POSITIONS: dict[str, Callable[[ir.Operation, Sequence[Bounded], Mapping[Any, Bounded]], Bounded]] = {
    "tensor.generate": lambda op, operands, outer: generated(op, _shape(op), outer),
    "tensor.pad": _pad,
}
