# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element-wise ops of constants alone are constants.

    %e = linalg.generic ins(%variance : tensor<1x32x1x1xf32>) ... { addf %in, %epsilon }    // both are constants
    %r = linalg.generic ins(%e) ... { math.rsqrt %in }
    // becomes
    %r = arith.constant dense<...> : tensor<1x32x1x1xf32>

Importers leave what a batch norm makes of its parameters to the compiler. Joined to what reads it, it would be computed
again at each element. Of f32 and f64, and results of no more elements than the largest operand has, `MOST_ELEMENTS` at
most. Each operation is computed in 64 bits and rounded once, which is exact for those of IEEE 754.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roller_mlir.lowering.linalg.accepted_input import compiled_functions
from roller_mlir.lowering.linalg.constants import constant_behind
from roller_mlir.lowering.linalg.generic import iterators_of
from roller_mlir.lowering.linalg.reader import fill_constant, is_structured
from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.constants.elements import ElementsError, read_elements
from roller_mlir.support.values import defining_op, indexing_maps, replace_op

MOST_ELEMENTS = 1 << 16
"""Of an operand; beyond, the module would grow."""

_Array: TypeAlias = NDArray[np.floating[Any]]

_TYPES = {"f32": np.float32, "f64": np.float64}

_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.negf": np.negative,
    "arith.extf": np.positive,
    "arith.truncf": np.positive,
    "math.sqrt": np.sqrt,
    "math.rsqrt": lambda x: 1 / np.sqrt(x),
}


def fold_constant_ops(module: ir.Module) -> None:
    """Replace the ops of a module's functions that work on constants alone, those first that others read."""
    for function in compiled_functions(module):
        for op in list(function.entry_block.operations):
            value = _value(op.operation)
            if value is not None:
                operation, kind = op.operation, op.operation.results[0].type
                with ir.InsertionPoint(operation), operation.location:
                    new = arith.constant(kind, _dense(value, kind))
                replace_op(operation, new)


def _value(operation: Any) -> _Array | None:
    """Return what an op of constants gives; None where it is none, or is not computed here."""
    if not is_structured(operation) or len(operation.results) != 1 or fill_constant(operation.results[0]) is not None:
        return None
    kind = ir.RankedTensorType(operation.results[0].type)
    inputs = list(operation.operands)[:-1]
    kinds = [one.type for one in (*inputs, operation.results[0])]
    if not inputs or any(not isinstance(one, ir.RankedTensorType) or _element(one) not in _TYPES for one in kinds):
        return None
    *read, size = (int(np.prod(one.shape, dtype=np.int64)) for one in kinds)
    if size > max(read) or max(read) > MOST_ELEMENTS:
        return None
    *maps, written = indexing_maps(operation)
    if written != ir.AffineMap.get_identity(len(kind.shape)) or set(iterators_of(operation, [*maps, written])) != {
        "parallel"
    }:
        return None
    arrays = [_read(one) for one in inputs]
    if any(one is None for one in arrays):
        return None
    at = [_at_loops(array, each, kind.shape) for array, each in zip(arrays, maps, strict=True) if array is not None]
    if any(one is None for one in at):
        return None
    return _computed(operation, [one for one in at if one is not None], kind)


def _dense(value: _Array, kind: Any) -> ir.DenseElementsAttr:
    array: Any = np.ascontiguousarray(value)
    return ir.DenseElementsAttr.get(array, type=kind)


def _element(kind: Any) -> str:
    return str(kind.element_type)


def _read(value: Any) -> _Array | None:
    """Return the elements of a tensor that is a constant whose data the module holds."""
    found = constant_behind(value)
    if found is None:
        return None
    try:
        return read_elements(found.attributes["value"]).reshape(value.type.shape)
    except ElementsError:
        return None


def _at_loops(array: _Array, map_: ir.AffineMap, extents: list[int]) -> _Array | None:
    """Return what each point of the loops reads; None where an index is neither a loop nor a constant."""
    at: list[Any] = []
    for result in map_.results:
        if isinstance(result, ir.AffineDimExpr):
            shape = [-1 if loop == result.position else 1 for loop in range(len(extents))]
            at.append(np.arange(extents[result.position]).reshape(shape))
        elif isinstance(result, ir.AffineConstantExpr):
            at.append(result.value)
        else:
            return None
    return array[tuple(at)] if at else array


def _computed(operation: Any, inputs: list[_Array], kind: Any) -> _Array | None:
    block = operation.regions[0].blocks[0]
    known: dict[Any, Any] = dict(zip(list(block.arguments), inputs, strict=False))
    *body, end = [op.operation for op in block.operations]
    with np.errstate(all="ignore"):
        for op in body:
            if op.name == "arith.constant":
                continue
            compute, element = _OPERATIONS.get(op.name), str(op.results[0].type) if len(op.results) == 1 else ""
            operands = [_scalar(one, known) for one in op.operands]
            if compute is None or element not in _TYPES or any(one is None for one in operands):
                return None
            known[op.results[0]] = compute(*(np.float64(one) for one in operands)).astype(_TYPES[element])
    value = _scalar(end.operands[0], known)
    return None if value is None else np.broadcast_to(value, kind.shape).astype(_TYPES[_element(kind)])


def _scalar(value: Any, known: Mapping[Any, Any]) -> Any:
    """Return a value of a body: one that is known, or a constant of f32 or f64; else None."""
    if value in known:
        return known[value]
    found = defining_op(value, "arith.constant")
    if found is None or str(value.type) not in _TYPES:
        return None
    return _TYPES[str(value.type)](ir.FloatAttr(found.attributes["value"]).value)
