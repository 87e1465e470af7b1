# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `bufferization` says of tensors before it has made buffers of them is, for values, nothing.

bufferization.alloc_tensor()                                     tensor.empty
bufferization.alloc_tensor() copy(%t)                            %t
bufferization.materialize_in_destination %r in %t                %r
bufferization.dealloc_tensor %t                                  nothing
"""

from typing import Any

from roller_mlir.lowering.linalg.front_end.walk import operations_of, rebuild
from roller_mlir.lowering.linalg.generic import empty_like
from roller_mlir.support.bindings import ir

ALLOC = "bufferization.alloc_tensor"
MATERIALIZE = "bufferization.materialize_in_destination"
DEALLOC = "bufferization.dealloc_tensor"


def forget_allocations(module: ir.Module) -> None:
    """Replace the operations of a module that the table above names, on tensors of static shape."""
    for operation in operations_of(module):
        if operation.name == DEALLOC:
            operation.erase()
            continue
        if operation.name not in (ALLOC, MATERIALIZE) or not operation.results:
            continue
        rebuild(operation, _value)


def _value(operation: Any) -> Any:
    if operation.name == MATERIALIZE:
        return operation.operands[0]
    sizes, copied, _ = ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"])
    if copied:
        return operation.operands[sizes]
    kind = operation.results[0].type
    if sizes or not ir.RankedTensorType(kind).has_static_shape:
        return None
    return empty_like(kind)
