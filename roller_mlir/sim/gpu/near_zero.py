# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions exp(x) - 1 and log(1 + x) near 0, where upstream's lowering for hosts cancels all digits.

    %r = math.expm1 %x     e = exp(x);  r = x where e is 1, else (e - 1) x / log(e)
    %r = math.log1p %x     s = 1 + x;   r = x where s is 1, else log(s) x / (s - 1)

Both are computed in f64: what e or s lost by rounding appears in numerator and denominator, where it cancels (Kahan).
Before: kernels with either. After: none, in their place operations that every lowering knows.
"""

from typing import Any

from roller_mlir.lowering.backend.math.operations import constant, emit, find
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import replace_op

_EQUAL, _GREATER = 1, 2
"""Predicates of arith.cmpf."""


def expand_near_zero(root: Any) -> None:
    """Rewrite the operations inside an operation."""
    for name, formula in (("math.expm1", _power), ("math.log1p", _logarithm)):
        for op in find(root, (name,)):
            with ir.InsertionPoint(op), op.location:
                given = op.operands[0].type
                wide = _f64(given)
                value = op.operands[0] if given == wide else emit("arith.extf", [op.operands[0]], wide)
                result = formula(value, wide)
                replace_op(op, result if given == wide else emit("arith.truncf", [result], given))


def _power(x: Any, kind: Any) -> Any:
    one, power = constant(kind, 1.0), emit("math.exp", [x], kind)
    less = emit("arith.subf", [power, one], kind)
    quotient = emit("arith.divf", [x, emit("math.log", [power], kind)], kind)
    result = emit("arith.mulf", [less, quotient], kind)
    # Far from 0 nothing cancels, and the logarithm of 0 or of infinity is no number to divide by.
    far = _compare(emit("math.absf", [x], kind), constant(kind, 1.0), _GREATER)
    return _select(_compare(power, one, _EQUAL), x, _select(far, less, result))


def _logarithm(x: Any, kind: Any) -> Any:
    one = constant(kind, 1.0)
    total = emit("arith.addf", [one, x], kind)
    logarithm = emit("math.log", [total], kind)
    quotient = emit("arith.divf", [x, emit("arith.subf", [total, one], kind)], kind)
    far = _compare(emit("math.absf", [x], kind), constant(kind, 0.5), _GREATER)
    result = _select(far, logarithm, emit("arith.mulf", [logarithm, quotient], kind))
    return _select(_compare(total, one, _EQUAL), x, result)


def _compare(left: Any, right: Any, predicate: int) -> Any:
    bit: Any = ir.IntegerType.get_signless(1)
    kind = ir.VectorType.get(ir.VectorType(left.type).shape, bit) if isinstance(left.type, ir.VectorType) else bit
    attribute = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), predicate)
    return emit("arith.cmpf", [left, right], kind, {"predicate": attribute})


def _select(condition: Any, left: Any, right: Any) -> Any:
    return emit("arith.select", [condition, left, right], left.type)


def _f64(kind: Any) -> Any:
    """Return f64, or a vector of as many of it."""
    f64 = ir.F64Type.get()
    return ir.VectorType.get(ir.VectorType(kind).shape, f64) if isinstance(kind, ir.VectorType) else f64
