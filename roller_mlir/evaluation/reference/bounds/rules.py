# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the errors of operands become that of a result: one rule per scalar operation, by its MLIR name.

A rule gets the operation's function, its operands with their errors, and the exact result; it returns how far the
result moves when each operand moves by its error. What the operation rounds itself is added by `bounds.body`. An
operation whose operands may be off and that has no rule is an error there, never a guess.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from roller_mlir.evaluation.reference.bounds.nests import Bounded
from roller_mlir.evaluation.reference.scalars import BITCASTS
from roller_mlir.evaluation.reference.values import Array

Function: TypeAlias = Callable[..., Array]
Rule: TypeAlias = Callable[[Function, Sequence[Bounded], Array], Array]


EXTREMES = tuple(f"arith.{name}f" for name in ("maximum", "minimum", "maxnum", "minnum"))
"""Operations whose result lies between others of the same."""


def _scaled(value: Array, error: Array) -> Array:
    """Return |value| error, 0 where there is no error: infinity times an exact 0 is exact."""
    return np.where(error == 0, 0.0, np.abs(value.astype(np.float64)) * error)


def _sum(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    errors = [np.zeros(()) if (error := one.in_sum()) is None else error for one in operands]
    return np.add(errors[0], errors[1])


def _product(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    (a, ea), (b, eb) = ((one.data, one.errors()) for one in operands)
    return _scaled(a, eb) + _scaled(b, ea) + ea * eb


def _multiply_add(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    return _product(function, operands[:2], exact) + (operands[2].in_sum() if operands[2].in_sum() is not None else 0.0)


def _quotient(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    (_, ea), (b, eb) = ((one.data, one.errors()) for one in operands)
    return np.where(
        (eb > 0) & (np.abs(b) <= eb), np.inf, (ea + _scaled(exact, eb)) / np.where(b == 0, 1.0, np.abs(b) - eb)
    )


def _remainder(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    """Bound `a - trunc(a / b) b`, which is smooth as long as the quotient keeps its whole part."""
    (a, ea), (b, eb) = ((one.data, one.errors()) for one in operands)
    quotient = np.trunc(a / b)
    ends = [np.trunc((a + i * ea) / (b + j * eb)) for i in (-1, 1) for j in (-1, 1)]
    same = np.all([end == quotient for end in np.broadcast_arrays(*ends)], axis=0) & (np.abs(b) > eb)
    return np.where(same, ea + _scaled(quotient, eb), np.where(ea + eb > 0, np.abs(b) + eb + np.abs(exact), 0.0))


def _first(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    return operands[0].errors()


def _largest(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    """Bound minima and maxima, which move no further than their operands."""
    errors = [one.errors() for one in operands]
    found = errors[0]
    for error in errors[1:]:
        found = np.maximum(found, error)
    return found


def _ends(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    """Evaluate at the ends of each operand's interval: for functions that are monotone in each, with jumps or not."""
    found = np.zeros(exact.shape)
    corners: list[list[Array]] = [[]]
    for one in operands:
        if one.error is None:
            corners = [[*before, one.data] for before in corners]
        else:
            corners = [[*before, end] for before in corners for end in one.ends()]
    wanted = exact.astype(np.float64)
    for corner in corners:
        value = np.asarray(function(*corner), np.float64)
        moved = np.where(value == wanted, 0.0, np.abs(value - wanted))
        found = np.maximum(found, np.where(np.isnan(moved) & ~np.isnan(wanted), np.inf, moved))
    return found


def _within(largest: float) -> Rule:
    """Return a rule for functions that move no faster than their operand, and no further than so much."""
    return lambda function, operands, exact: np.minimum(operands[0].errors(), largest)


def _periodic_pole(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    """Bound tan, which is monotone between poles."""
    x, error = operands[0].data, operands[0].errors()
    pole = np.pi / 2 - np.abs(x - np.pi * np.rint(x / np.pi))
    return np.where((error > 0) & (error >= pole), np.inf, _ends(function, operands, exact))


def _pole_at_zero(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    x, error = operands[0].data, operands[0].errors()
    return np.where((error > 0) & (np.abs(x) <= error), np.inf, _ends(function, operands, exact))


def _power(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    """Bound powers, which are monotone where the base is positive; a whole exponent without an error allows others."""
    (base, eb), (exponent, ee) = ((one.data, one.errors()) for one in operands)
    whole = (ee == 0) & (np.trunc(exponent) == exponent)
    crosses = (base - eb <= 0) & (eb + ee > 0)
    lost = crosses & (~whole | (exponent < 0))
    return np.where(lost, np.inf, _ends(function, operands, exact))


def _angle(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    """Bound atan2, which jumps by a full turn across the negative axis."""
    (y, ey), (x, ex) = ((one.data, one.errors()) for one in operands)
    jumps = (np.abs(y) <= ey) & (x - ex <= 0) & (ey + ex > 0)
    return np.where(jumps, 2 * np.pi, _ends(function, operands, exact))


def _copied_sign(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    (a, ea), (b, eb) = ((one.data, one.errors()) for one in operands)
    return ea + np.where((eb > 0) & (np.abs(b) <= eb), 2 * np.abs(a), 0.0)


def _unless_anything(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    """Bound `isnan` and its like, which are known where the operand's error is finite."""
    return np.where(np.isinf(operands[0].errors()), 1.0, 0.0)


def _comparison(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    """Bound a comparison, which may be true or false where the intervals of the operands meet."""
    a, b = (one.data.astype(np.float64) for one in operands)
    error = operands[0].errors() + operands[1].errors()
    apart = np.abs(a - b) > error
    if _is_unsigned(function, operands):
        apart = apart & ~np.logical_or(*((one.errors() > 0) & (np.abs(one.data) <= one.errors()) for one in operands))
    return np.where((error > 0) & ~apart & ~(np.isnan(a) | np.isnan(b)) | np.isinf(error), 1.0, 0.0)


def _is_unsigned(function: Function, operands: Sequence[Bounded]) -> bool:
    """Return whether a comparison is one of integers without a sign, of which -1 is the greatest."""
    kind = operands[0].data.dtype
    if kind.kind != "i":
        return False
    return bool(function(np.array(-1, kind), np.array(0, kind)) != function(np.array(0, kind), np.array(1, kind)))


def _select(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    """Bound a choice by the distance of both branches where the condition may be true or false."""
    condition, a, b = operands
    ea, eb = a.errors(), b.errors()
    chosen = np.where(condition.data, ea, eb)
    if condition.error is None:
        return chosen
    left, right = a.data.astype(np.float64), b.data.astype(np.float64)
    distance = np.where((left == right) | (np.isnan(left) & np.isnan(right)), 0.0, np.abs(left - right))
    either = np.where(np.isnan(distance), np.inf, distance) + np.maximum(ea, eb)
    return np.where(condition.error > 0, either, chosen)


def _in_range(rule: Rule) -> Rule:
    """Return a rule for integers that may wrap around: then they may be anything."""

    def limited(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
        error = rule(function, operands, exact)
        if exact.dtype == np.bool_:
            return np.where(error > 0, 1.0, 0.0)
        limits = np.iinfo(exact.dtype)
        sizes = [np.abs(one.data.astype(np.float64)) + one.errors() for one in operands]
        reach = sizes[0] * sizes[-1] if rule is _product else sizes[0] + (sizes[-1] if len(sizes) > 1 else 0.0)
        return np.where((error > 0) & (reach > limits.max), np.inf, error)

    return limited


def _logic(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    """Bound a logical operation: it knows no bits once a number may be another, and truth values that both decide."""
    if exact.dtype != np.bool_:
        return _anything(function, operands, exact)
    choices = [([one.data] if one.error is None else [one.data, one.data ^ (one.error > 0)]) for one in operands]
    found = np.zeros(exact.shape, np.bool_)
    for a in choices[0]:
        for b in choices[1]:
            found = found | (function(a, b) != exact)
    return np.where(found, 1.0, 0.0)


def _unless_flipped(rule: Rule) -> Rule:
    """Return a rule for operations that turn all numbers without sign into those with one, in order, and for others."""

    def flipping(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
        one, by = operands
        if one.unsigned is None or by.error is not None or (by.data != np.iinfo(by.data.dtype).min).any():
            return rule(function, operands, exact)
        return one.unsigned

    return flipping


def _anything(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    """Bound a result by infinity where an operand may be another number."""
    return np.where(sum(one.errors() for one in operands) > 0, np.inf, 0.0)


def _unsigned(function: Function, operands: Sequence[Bounded], exact: Array) -> Array:
    """Bound the unsigned reading of a number, which may be anything where the number may change its sign."""
    one = operands[0]
    if one.data.dtype == np.bool_:
        return one.errors()
    error = one.errors()
    if one.unsigned is not None:
        return one.unsigned
    return np.where((error > 0) & (np.abs(one.data.astype(np.float64)) <= error), np.inf, error)


RULES: dict[str, Rule] = {
    **dict.fromkeys(("arith.addf", "arith.subf"), _sum),
    "arith.mulf": _product,
    "arith.divf": _quotient,
    "arith.remf": _remainder,
    "math.fma": _multiply_add,
    **dict.fromkeys(
        ("arith.negf", "math.absf", "arith.extf", "arith.truncf", "arith.convertf", "arith.sitofp"), _first
    ),
    **dict.fromkeys(EXTREMES, _ends),
    "math.clampf": _largest,
    "arith.select": _select,
    "arith.cmpf": _comparison,
    "arith.cmpi": _comparison,
    **dict.fromkeys((f"math.{name}" for name in ("ceil", "floor", "trunc", "roundeven", "round")), _ends),
    **dict.fromkeys((f"math.{name}" for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p")), _ends),
    **dict.fromkeys((f"math.{name}" for name in ("sqrt", "cbrt", "asin", "acos", "atan", "sinh", "cosh")), _ends),
    **dict.fromkeys((f"math.{name}" for name in ("tanh", "asinh", "acosh", "atanh", "erf", "erfc")), _ends),
    **dict.fromkeys(("arith.fptosi", "arith.fptoui"), _ends),
    "math.sin": _within(2.0),
    "math.cos": _within(2.0),
    "math.tan": _periodic_pole,
    "math.rsqrt": _pole_at_zero,
    "math.atan2": _angle,
    "math.powf": _power,
    "math.fpowi": _power,
    "math.copysign": _copied_sign,
    **dict.fromkeys((f"math.{name}" for name in ("isfinite", "isinf", "isnan", "isnormal")), _unless_anything),
    "arith.addi": _unless_flipped(_in_range(_sum)),
    "arith.subi": _in_range(_sum),
    "arith.muli": _in_range(_product),
    "math.absi": _in_range(_first),
    **dict.fromkeys((f"arith.{name}i" for name in ("maxs", "mins")), _largest),
    **dict.fromkeys((f"arith.{name}i" for name in ("and", "or")), _logic),
    "arith.xori": _unless_flipped(_logic),
    **dict.fromkeys(("arith.extsi", "arith.index_cast"), _first),
    "arith.trunci": _in_range(_first),
    **dict.fromkeys(("arith.extui", "arith.uitofp", "arith.index_castui"), _unsigned),
    **dict.fromkeys((f"arith.{name}" for name in ("divsi", "divui", "remsi", "remui", "floordivsi")), _anything),
    **dict.fromkeys((f"arith.{name}" for name in ("ceildivsi", "ceildivui", "maxui", "minui")), _anything),
    **dict.fromkeys((*(f"arith.{name}" for name in ("shli", "shrsi", "shrui")), *BITCASTS), _anything),
    **dict.fromkeys((f"math.{name}" for name in ("ctpop", "ctlz", "cttz", "ipowi")), _anything),
}
"""Rules by operation."""
