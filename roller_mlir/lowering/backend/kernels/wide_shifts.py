# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shifts of 64 bits by 32 and more keep their width when indices are narrowed.

    %s = arith.shrsi %x, %c38 : i64      where 0 <= %x < 16, is 0; upstream would make it arith.shrsi of i32 by 38,
                                         which is undefined, since %x, 38 and 0 fit into 32 bits

Upstream narrows by ranges of operands and results. That of what is shifted is hidden behind a cast to a float of as
many bits and back, which canonicalization takes away again.
"""

from typing import Any

from roller_mlir.support.bindings import ir
from roller_mlir.support.values import defining_op, operations_inside

_SHIFTS = ("arith.shli", "arith.shrsi", "arith.shrui")
_NARROW_BITS = 32


def keep_wide_shifts(kernel: Any) -> None:
    """Hide the range of what a kernel shifts by 32 bits or more, or by a number that is not known here, in place."""
    for op in operations_inside(kernel):
        if op.name in _SHIFTS and _is_wide(op.operands[0].type) and not _is_short(op.operands[1]):
            with ir.InsertionPoint(op), op.location:
                op.operands[0] = _hidden(op.operands[0])


def _is_wide(kind: Any) -> bool:
    element = kind.element_type if isinstance(kind, ir.VectorType) else kind
    return isinstance(element, ir.IndexType) or ir.IntegerType(element).width > _NARROW_BITS


def _is_short(amount: Any) -> bool:
    """Return whether a number of bits, the same in all lanes, is known to be less than 32."""
    constant = defining_op(amount, "arith.constant")
    if constant is None:
        return False
    value = constant.attributes["value"]
    if isinstance(value, ir.DenseElementsAttr):
        if not value.is_splat:
            return False
        value = value.get_splat_value()
    return 0 <= ir.IntegerAttr(value).value < _NARROW_BITS


def _hidden(value: Any) -> Any:
    kind = value.type
    i64, f64 = ir.IntegerType.get_signless(64), ir.F64Type.get()
    element = kind.element_type if isinstance(kind, ir.VectorType) else kind
    is_index = isinstance(element, ir.IndexType)
    bits = _cast("arith.index_cast", value, i64) if is_index else value
    bits = _cast("arith.bitcast", _cast("arith.bitcast", bits, f64), i64)
    return _cast("arith.index_cast", bits, element) if is_index else bits


def _cast(name: str, value: Any, element: Any) -> Any:
    kind = value.type
    to = ir.VectorType.get(list(kind.shape), element) if isinstance(kind, ir.VectorType) else element
    return ir.Operation.create(name, results=[to], operands=[value]).results[0]
