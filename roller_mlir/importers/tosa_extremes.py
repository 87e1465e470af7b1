# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Maxima and minima of TOSA start at infinities: its passes let them start at the greatest finite numbers.

linalg.fill ins(-3.40282347E+38 : f32)      linalg.fill ins(0xFF800000 : f32)

So the greatest of infinities below zero, as of a row that a mask hides, would be a finite number. What max_pool2d pads
with is its start, too. Other fills and paddings of a model are still operations of TOSA where this is called; those
that were no TOSA to begin with are left as they are, by a mark.
"""

import math
from typing import Any

from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.values import defining_op, operations_inside

_MARK = "roller.given"
_GREATEST = {
    "f16": 65504.0,
    "bf16": math.ldexp(2 - 2.0**-7, 127),
    "f32": math.ldexp(2 - 2.0**-23, 127),
    "f64": math.ldexp(2 - 2.0**-52, 1023),
}


def mark_given(module: ir.Module) -> None:
    """Mark the fills and paddings that a module has before its operations of TOSA become such."""
    for operation in operations_inside(module.operation):
        if operation.name in ("linalg.fill", "tensor.pad"):
            operation.attributes[_MARK] = ir.UnitAttr.get(module.context)


def start_at_infinities(module: ir.Module) -> None:
    """Let unmarked fills and paddings with the greatest or least finite number of a type be with its infinity."""
    for operation in operations_inside(module.operation):
        if operation.name not in ("linalg.fill", "tensor.pad") or _MARK in operation.attributes:
            continue
        user = operation
        if operation.name == "tensor.pad":
            user = list(operation.regions[0].blocks[0].operations)[-1].operation
        constant: Any = defining_op(user.operands[0], "arith.constant")
        number = constant and constant.attributes["value"]
        if isinstance(number, ir.FloatAttr) and abs(number.value) == _GREATEST.get(str(number.type)):
            infinity = ir.FloatAttr.get(number.type, math.copysign(math.inf, number.value), loc=operation.location)
            constant_op: Any = arith.ConstantOp  # the stub takes numbers alone
            start = constant_op(number.type, infinity, loc=operation.location, ip=ir.InsertionPoint(operation))
            user.operands[0] = start.result


def erase_marks(module: ir.Module) -> None:
    """Erase the marks, in place."""
    for operation in operations_inside(module.operation):
        if _MARK in operation.attributes:
            del operation.attributes[_MARK]
