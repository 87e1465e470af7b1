# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements that a function takes at positions that are data become ops of one point, whose bodies take them.

%x = tensor.extract %t[%p]            %y = linalg.generic outs(tensor<f32>) { yield tensor.extract %t[%p] }
                                      %x = tensor.extract %y[]
"""

from typing import Any

from roller_mlir.lowering.linalg.front_end.indexed.gather import EXTRACT
from roller_mlir.lowering.linalg.front_end.walk import entry_operations, rebuild
from roller_mlir.lowering.linalg.generic import empty_like, generic
from roller_mlir.support.bindings import ir, tensor
from roller_mlir.support.values import defining_op


def take_elements(module: ir.Module) -> None:
    """Rewrite the `tensor.extract` of the functions of a module at positions that are no constants."""
    for operation in entry_operations(module):
        if operation.name == EXTRACT and _is_at_run_time(operation):
            rebuild(operation, _taken)


def _is_at_run_time(operation: ir.Operation) -> bool:
    source, *position = list[ir.Value](operation.operands)
    is_static = ir.RankedTensorType(source.type).has_static_shape
    return is_static and any(defining_op(value, "arith.constant") is None for value in position)


def _taken(operation: ir.Operation) -> Any:
    source, *position = list[Any](operation.operands)
    output = empty_like(ir.RankedTensorType.get([], ir.RankedTensorType(source.type).element_type))

    def body(_: Any) -> Any:
        return tensor.extract(source, position)

    return tensor.extract(generic([], output, [[]], body, loops=0), [])
