# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that are read as others of the same elements.

    tensor.bitcast %t : tensor<4xf32> to tensor<4xi32>      arith.bitcast of tensors, which becomes an element-wise op
    tensor.reshape %t(%shape) to tensor<2x6xf32>            tensor.collapse_shape to one dimension, tensor.expand_shape

A reshape to a type that says each size needs no value of its shape. One to or from a type that does not is left.
"""

from math import prod
from typing import Any

from roller_mlir.lowering.linalg.front_end.walk import operations_of, rebuild
from roller_mlir.support.bindings import arith, ir, tensor
from roller_mlir.support.values import is_static

BITCAST, RESHAPE = "tensor.bitcast", "tensor.reshape"


def read_as_others(module: ir.Module) -> None:
    """Replace the operations of a module that the table above names."""
    for operation in operations_of(module):
        if operation.name == BITCAST:
            rebuild(operation, lambda op: arith.bitcast(op.results[0].type, op.operands[0]))
        elif operation.name == RESHAPE and is_static(operation.operands[0]) and is_static(operation.results[0]):
            rebuild(operation, _reshaped)


def _reshaped(operation: Any) -> Any:
    value, wanted = operation.operands[0], ir.RankedTensorType(operation.results[0].type)
    given = ir.RankedTensorType(value.type)
    if given.rank > 1:
        line = ir.RankedTensorType.get([prod(given.shape)], given.element_type)
        value = tensor.collapse_shape(line, value, [list(range(given.rank))])
    if wanted.rank == 0:
        return tensor.collapse_shape(wanted, value, []) if given.rank else value
    groups = [list(range(wanted.rank))] if given.rank else []
    return tensor.expand_shape(wanted, value, groups, [], list(wanted.shape)) if wanted != value.type else value
