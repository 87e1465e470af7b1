# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of two results become operations of one, on scalars and on tensors.

    %s, %c = arith.addui_extended %a, %b : i32, i1     %s = arith.addi %a, %b        %c = arith.cmpi ult, %s, %a
    %d, %c = arith.subui_extended %a, %b : i32, i1     %d = arith.subi %a, %b        %c = arith.cmpi ult, %a, %b
    %l, %h = arith.mulsi_extended %a, %b : i32         %p = arith.muli of both as i64; %l and %h are its halves

A product of i64 is one of i128 in between, which a body has as four products of its halves.
"""

from collections.abc import Callable
from typing import Any

from roller_mlir.lowering.linalg.front_end.walk import operations_of
from roller_mlir.lowering.linalg.generic import constant_like, with_element
from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.values import is_static, replace_op

Results = tuple[Any, Any]
_WIDER = {1: 8, 8: 16, 16: 32, 32: 64}


def give_one_result(module: ir.Module) -> None:
    """Replace the operations of a module that the table above names."""
    for operation in operations_of(module):
        build = _BUILDERS.get(operation.name)
        if build is None or not is_static(operation.operands[0]):
            continue
        with ir.InsertionPoint(operation), operation.location:
            results = build(*operation.operands)
        replace_op(operation, *results)


def _sum_and_carry(left: Any, right: Any) -> Results:
    total = arith.addi(left, right)
    return total, arith.cmpi(arith.CmpIPredicate.ult, total, left)


def _difference_and_borrow(left: Any, right: Any) -> Results:
    return arith.subi(left, right), arith.cmpi(arith.CmpIPredicate.ult, left, right)


def _unsigned_halves(left: Any, right: Any) -> Results:
    kind = left.type
    width = _width(kind)
    if width in _WIDER:
        wide = with_element(kind, ir.IntegerType.get_signless(_WIDER[width]))
        return _cut(arith.muli(arith.extui(wide, left), arith.extui(wide, right)), kind, width)
    return arith.muli(left, right), _high_of_long(left, right)


def _signed_halves(left: Any, right: Any) -> Results:
    kind = left.type
    width = _width(kind)
    if width in _WIDER:
        wide = with_element(kind, ir.IntegerType.get_signless(_WIDER[width]))
        return _cut(arith.muli(arith.extsi(wide, left), arith.extsi(wide, right)), kind, width)
    # A negative factor is 2^64 less than what its bits say without a sign.
    zero, high = constant_like(kind, 0), _high_of_long(left, right)
    for factor, other in ((left, right), (right, left)):
        negative = arith.cmpi(arith.CmpIPredicate.slt, factor, zero)
        high = arith.subi(high, arith.select(negative, other, zero))
    return arith.muli(left, right), high


def _cut(product: Any, kind: Any, width: int) -> Results:
    """Return the lower and the upper half of a product."""
    upper = arith.shrui(product, constant_like(product.type, width))
    return arith.trunci(kind, product), arith.trunci(kind, upper)


def _high_of_long(left: Any, right: Any) -> Any:
    """Return the upper 64 bits of the product of two i64 without signs, of four products of their halves."""
    shift, mask = constant_like(left.type, 32), constant_like(left.type, (1 << 32) - 1)

    def high(value: Any) -> Any:
        return arith.shrui(value, shift)

    def low(value: Any) -> Any:
        return arith.andi(value, mask)

    lowest = arith.muli(low(left), low(right))
    cross = arith.addi(arith.muli(high(left), low(right)), high(lowest))
    other = arith.addi(arith.muli(low(left), high(right)), low(cross))
    return arith.addi(arith.addi(arith.muli(high(left), high(right)), high(cross)), high(other))


def _width(kind: Any) -> int:
    element = kind.element_type if isinstance(kind, ir.ShapedType) else kind
    return ir.IntegerType(element).width if isinstance(element, ir.IntegerType) else 64


_BUILDERS: dict[str, Callable[..., Results]] = {
    "arith.addui_extended": _sum_and_carry,
    "arith.subui_extended": _difference_and_borrow,
    "arith.mulsi_extended": _signed_halves,
    "arith.mului_extended": _unsigned_halves,
}
