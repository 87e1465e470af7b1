# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors without elements that nothing reads go away with what makes them.

    %0 = tensor.empty() : tensor<0x8xf32>                              gone, and a linalg op on it

One that something reads stays, and is refused at its place.
"""

from typing import Any

from roller_mlir.lowering.linalg.accepted_input import compiled_functions
from roller_mlir.support.bindings import ir

_DIALECTS = ("arith", "math", "tensor", "linalg")


def forget_empty_tensors(module: ir.Module) -> None:
    """Erase the operations of a module's functions that give empty tensors which nothing reads."""
    for function in compiled_functions(module):
        for block in function.regions[0].blocks:
            for op in reversed(list(block.operations)):
                if _is_forgotten(op.operation):
                    op.operation.erase()


def _is_forgotten(operation: Any) -> bool:
    results = list(operation.results)
    if not results or operation.name.split(".")[0] not in _DIALECTS:
        return False
    return all(_is_empty(result.type) and not any(True for _ in result.uses) for result in results)


def _is_empty(kind: Any) -> bool:
    return isinstance(kind, ir.RankedTensorType) and 0 in ir.RankedTensorType(kind).shape
