# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors made of scalars become fills and insertions of fills.

    tensor.splat %k : tensor<4x8xf32>                       linalg.fill ins(%k) outs(a new tensor)
    tensor.from_elements %a, %b : tensor<2xf32>             fills of tensor<1xf32>, inserted side by side
    tensor.insert %k into %t[%i, %j]                        tensor.insert_slice of a fill of tensor<1x1xf32>
    tensor.generate { ^bb0(%i: index): ... yield %k }       linalg.generic without inputs; %i is linalg.index

Refused: more than 64 elements that are no constants, and constant positions outside of the tensor.
"""

from collections.abc import Callable, Sequence
from typing import Any

from roller_mlir.lowering.linalg.front_end.indexed.positions import check_position, shape_of
from roller_mlir.lowering.linalg.front_end.walk import entry_operations, rebuild
from roller_mlir.lowering.linalg.generic import bodiless_generic, empty_like
from roller_mlir.lowering.linalg.mapped_copies import copy_mapped
from roller_mlir.lowering.linalg.views import INSERT, Slice, build_slice
from roller_mlir.support.bindings import ir, linalg, tensor
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import DYNAMIC, constant_of

MOST_ELEMENTS = 64


def fill_elements(module: ir.Module) -> None:
    """Replace the operations of a module that the table above names."""
    for operation in entry_operations(module):
        build = _BUILDERS.get(operation.name)
        if build is None or not ir.RankedTensorType(operation.results[0].type).has_static_shape:
            continue
        rebuild(operation, build)


def _splat(operation: Any) -> Any:
    return linalg.fill(operation.operands[0], outs=[empty_like(operation.results[0].type)])


def _from_elements(operation: Any) -> Any:
    scalars, kind = list(operation.operands), ir.RankedTensorType(operation.results[0].type)
    if len(scalars) == 1:
        return _splat(operation)
    if len(scalars) > MOST_ELEMENTS:
        fail(
            operation,
            f"'{operation.name}' has {len(scalars)} elements that are no constants; at most {MOST_ELEMENTS} are "
            "put together: pass them as a tensor",
        )
    whole = empty_like(ir.RankedTensorType.get([len(scalars)], kind.element_type))
    for number, scalar in enumerate(scalars):
        whole = _inserted(scalar, whole, [number])
    if kind.rank == 1:
        return whole
    return tensor.expand_shape(kind, whole, [list(range(kind.rank))], [], list(kind.shape))


def _insert(operation: Any) -> Any:
    scalar, whole, *indices = operation.operands
    if not indices:
        return _splat(operation)
    numbers = [constant_of(index) for index in indices]
    check_position(operation, shape_of(whole), numbers)
    position = [index if number is None else number for index, number in zip(indices, numbers, strict=True)]
    return _inserted(scalar, whole, position)


def _inserted(scalar: Any, whole: Any, position: Sequence[Any]) -> Any:
    """Insert a scalar at a position of numbers and of index values."""
    ones = [1] * len(position)
    part = linalg.fill(scalar, outs=[empty_like(ir.RankedTensorType.get(ones, scalar.type))])
    moving = [one for one in position if not isinstance(one, int)]
    place = Slice(tuple(one if isinstance(one, int) else DYNAMIC for one in position), (*ones,), (*ones,))
    return build_slice(INSERT, whole.type, [part, whole], place, moving)


def _generate(operation: Any) -> Any:
    kind = ir.RankedTensorType(operation.results[0].type)
    new = bodiless_generic([], [empty_like(kind)], [ir.AffineMap.get_identity(kind.rank)], ["parallel"] * kind.rank)
    block = new.regions[0].blocks.append(kind.element_type, arg_locs=[operation.location])
    old = operation.regions[0].blocks[0]
    with ir.InsertionPoint(block):
        mapping: dict[Any, Any] = {argument: linalg.IndexOp(d).result for d, argument in enumerate(old.arguments)}
        for inner in old.operations:
            if inner.operation.name == "tensor.yield":
                value = inner.operation.operands[0]
                linalg.YieldOp([mapping.get(value, value)])
                continue
            copy_mapped(inner.operation, mapping)
    return new.results[0]


_BUILDERS: dict[str, Callable[[Any], Any]] = {
    "tensor.splat": _splat,
    "tensor.from_elements": _from_elements,
    "tensor.insert": _insert,
    "tensor.generate": _generate,
}
