# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Questions about floats that no vendor's library answers are asked by comparing.

math.isnormal %x        the smallest normal number <= |%x| < infinity
"""

from math import inf
from typing import Any

from roller_mlir.lowering.linalg.front_end.walk import operations_of
from roller_mlir.lowering.linalg.generic import constant_like
from roller_mlir.support.bindings import arith, ir, math
from roller_mlir.support.values import replace_op

IS_NORMAL = "math.isnormal"
SMALLEST_NORMAL = {"f16": 2.0**-14, "bf16": 2.0**-126, "f32": 2.0**-126, "f64": 2.0**-1022}


def ask_by_comparing(module: ir.Module) -> None:
    """Replace the operations of a module that the table above names, on scalars and on tensors."""
    for operation in operations_of(module):
        if operation.name != IS_NORMAL:
            continue
        kind: Any = operation.operands[0].type
        element = kind.element_type if isinstance(kind, ir.ShapedType) else kind
        if str(element) not in SMALLEST_NORMAL or (isinstance(kind, ir.ShapedType) and not kind.has_static_shape):
            continue
        with ir.InsertionPoint(operation), operation.location:
            size = math.absf(operation.operands[0])
            large = arith.cmpf(arith.CmpFPredicate.OGE, size, constant_like(kind, SMALLEST_NORMAL[str(element)]))
            finite = arith.cmpf(arith.CmpFPredicate.OLT, size, constant_like(kind, inf))
            normal = arith.andi(large, finite)
        replace_op(operation, normal)
