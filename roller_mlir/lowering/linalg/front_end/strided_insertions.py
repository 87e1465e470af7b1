# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A padded tensor that is inserted with strides is copied first.

    %r = tensor.insert_slice %padded into %filled[0] [2] [2]
    // becomes
    %c = linalg.copy %padded
    %r = tensor.insert_slice %c into %filled[0] [2] [2]

Upstream makes one insertion of what was padded where both have the same value around it, and adds the padding to the
offset without the stride.
"""

from typing import Any

from roller_mlir.lowering.linalg.front_end.walk import operations_of
from roller_mlir.lowering.linalg.generic import empty_like
from roller_mlir.lowering.linalg.pads import PAD
from roller_mlir.support.bindings import ir, linalg
from roller_mlir.support.values import defining_op

_INSERTIONS = ("tensor.insert_slice", "tensor.parallel_insert_slice")


def copy_strided_paddings(module: ir.Module) -> None:
    """Copy what is padded and inserted with strides, in loops too."""
    for op in operations_of(module):
        operation: Any = op.operation
        if operation.name not in _INSERTIONS or set(operation.attributes["static_strides"]) == {1}:
            continue
        source = operation.operands[0]
        padding = defining_op(source, PAD)
        if padding is None or not ir.RankedTensorType(source.type).has_static_shape:
            continue
        with ir.InsertionPoint.after(padding), operation.location:
            operation.operands[0] = linalg.copy(source, outs=[empty_like(source.type)])
