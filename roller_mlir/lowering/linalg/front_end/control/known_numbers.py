# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalars outside of bodies that are computed from constants alone: which numbers they are."""

import operator
from collections.abc import Callable
from typing import Any

from roller_mlir.support.bindings import ir
from roller_mlir.support.values import defining_op


def number_of(value: Any) -> int | None:
    """Return the number that an index, an integer or a condition is computed to be, None where it is not known."""
    operation = defining_op(value)
    if operation is None:
        return None
    if operation.name == "arith.constant":
        constant = operation.attributes["value"]
        return ir.IntegerAttr(constant).value if isinstance(constant, ir.IntegerAttr) else None
    if operation.name not in ("arith.cmpi", "arith.select", "arith.index_cast", *_SIGNED, *_NATURAL):
        return None
    numbers = [number_of(operand) for operand in operation.operands]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return None
    number = _computed(operation, known)
    bits = value.type.width if isinstance(value.type, ir.IntegerType) else 64
    return number if bits == 1 or (number is not None and -(1 << bits - 1) <= number < 1 << bits - 1) else None


def _computed(operation: Any, known: list[int]) -> int | None:
    """Return the result of an operation on numbers, None where what they are without a sign would matter."""
    if operation.name == "arith.index_cast":
        return known[0]
    if operation.name == "arith.select":
        return known[1] if known[0] else known[2]
    if operation.name == "arith.cmpi":
        predicate = ir.IntegerAttr(operation.attributes["predicate"]).value
        return int(_COMPARISONS[predicate](*known)) if predicate < len(_COMPARISONS) else None
    if operation.name in _SIGNED:
        return _SIGNED[operation.name](*known)
    left, right = known
    return _NATURAL[operation.name](left, right) if left >= 0 and right > 0 else None


_SIGNED: dict[str, Callable[[int, int], int]] = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
    "arith.minsi": min,
    "arith.maxsi": max,
}
_NATURAL: dict[str, Callable[[int, int], int]] = {
    "arith.divui": operator.floordiv,
    "arith.divsi": operator.floordiv,
    "arith.floordivsi": operator.floordiv,
    "arith.ceildivsi": lambda left, right: -(-left // right),
    "arith.remui": operator.mod,
    "arith.remsi": operator.mod,
}
_COMPARISONS: tuple[Callable[[int, int], bool], ...] = (
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
)
"""What arith.cmpi answers of numbers with a sign, by its predicate."""
