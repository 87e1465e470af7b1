# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums and differences of 64 bits of numbers of 16 bits at most are computed by 32.

    %a = arith.extui %x : i8 to i64    %b = arith.subi %a, 131    %c = arith.sitofp %b : i64 to f32
    // becomes
    %a = arith.extui %x : i8 to i32    %b = arith.subi %a, 131    %c = arith.sitofp %b : i32 to f32

Importers write zero points so. Half as many numbers of 64 bits fit a vector, and devices convert them slowly.
Upstream's pass for it takes shifts by 32 bits and more for those of 32 bits, too.
"""

from typing import Any

from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.values import defining_op, operations_inside, replace_op

_SUMS = {"arith.addi": arith.addi, "arith.subi": arith.subi}
_EXTENSIONS = {"arith.extsi": arith.extsi, "arith.extui": arith.extui}
_MOST = 1 << 30


def narrow_integers(module: ir.Module) -> None:
    """Compute by 32 bits what these hold."""
    wide = ir.IntegerType.get_signless(64, module.context)
    for operation in operations_inside(module.operation):
        if operation.name not in _SUMS or operation.results[0].type != wide:
            continue
        if not all(map(_is_small, operation.operands)):
            continue
        with ir.InsertionPoint(operation), operation.location:
            narrow = _SUMS[operation.name](*map(_narrowed, operation.operands))
            for use in list(operation.results[0].uses):
                user = use.owner.operation
                if user.name == "arith.sitofp":
                    user.operands[0] = narrow
            replace_op(operation, arith.extsi(wide, narrow))


def _is_small(value: Any) -> bool:
    """Return whether a number of 64 bits is one of 16, or a constant that leaves room for one."""
    operation = defining_op(value)
    if operation is None:
        return False
    if operation.name == "arith.constant":
        attribute = operation.attributes["value"]
        return isinstance(attribute, ir.IntegerAttr) and -_MOST < attribute.value < _MOST
    if operation.name not in _EXTENSIONS:
        return False
    kind = operation.operands[0].type
    return isinstance(kind, ir.IntegerType) and ir.IntegerType(kind).width <= 16


def _narrowed(value: Any) -> Any:
    """Build such a number of 32 bits at the insertion point."""
    operation, i32 = defining_op(value), ir.IntegerType.get_signless(32)
    if operation.name == "arith.constant":
        return arith.constant(i32, operation.attributes["value"].value)
    return _EXTENSIONS[operation.name](i32, operation.operands[0])
