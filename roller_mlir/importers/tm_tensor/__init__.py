# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What torch-mlir has no linalg for, sums along a dimension, sorting and writing at positions, becomes linalg.

tm_tensor.scan       cumsum, cumprod                     `scan`
tm_tensor.sort       sort, argsort, topk                 `sort`
tm_tensor.topk       kthvalue                            `sort`
tm_tensor.scatter    index_put, index_add, ScatterND     `scatter`

Torch-mlir keeps these operations in a dialect of its own, which leaves room for loops that run in order. Here every
element of a result asks all of its row instead: more work, all of it parallel.
"""

from collections.abc import Callable
from typing import Any

from roller_mlir.importers.tm_tensor.scan import scanned
from roller_mlir.importers.tm_tensor.scatter import scattered
from roller_mlir.importers.tm_tensor.sort import best, in_order
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import is_static, operations_inside

_REPLACED: dict[str, Callable[[Any], bool]] = {
    "tm_tensor.scan": scanned,
    "tm_tensor.sort": in_order,
    "tm_tensor.topk": best,
    "tm_tensor.scatter": scattered,
}


def replace_tm_tensor(module: ir.Module) -> None:
    """Replace the operations of `tm_tensor` in a module, in place; what cannot be said in linalg stays."""
    for operation in operations_inside(module.operation):
        replace = _REPLACED.get(operation.name)
        if replace is None or not all(is_static(value) for value in (*operation.operands, *operation.results)):
            continue
        with ir.InsertionPoint(operation), operation.location:
            replaced = replace(operation)
        if replaced:
            operation.erase()
