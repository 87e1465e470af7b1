# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalar operations on values with bounds: the operands' errors carried through, and what the operation rounds itself.

Additions, products, quotients and square roots are rounded to the nearest number of their type by every target, so that
equal operands give the very same. Functions of `math` are off by what their makers state (docs/reference/math.md, the
larger of both vendors, and of a C library in the simulator); those of f16 and bf16 are computed in f32.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import numpy as np

from roller_mlir.evaluation.reference.bounds.nests import Bounded, settle
from roller_mlir.evaluation.reference.bounds.rules import EXTREMES, RULES, Rule
from roller_mlir.evaluation.reference.values import Array, is_float, round_to
from roller_mlir.plan.accuracy.rounding import half_spacing
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

UNITS: dict[str, float] = {
    **dict.fromkeys((f"math.{name}" for name in ("exp", "exp2", "expm1", "log", "log10", "rsqrt", "cbrt")), 2.0),
    **dict.fromkeys((f"math.{name}" for name in ("log2", "log1p")), 1.0),
    **dict.fromkeys((f"math.{name}" for name in ("sin", "cos", "asin", "acos", "atan", "tanh")), 2.0),
    **dict.fromkeys((f"math.{name}" for name in ("sinh", "cosh", "atan2", "atanh")), 3.0),
    **dict.fromkeys((f"math.{name}" for name in ("tan", "asinh", "acosh", "erf", "erfc", "powf", "fpowi")), 5.0),
}
"""Units in the last place by which a function may be off, f32 and f64."""
_WHOLE = (
    *(f"math.{name}" for name in ("ceil", "floor", "trunc", "roundeven", "round")),
    "arith.sitofp",
    "arith.uitofp",
)
"""Operations that make whole numbers."""
_KEEP_WHOLE = ("arith.addf", "arith.subf", "arith.negf", *EXTREMES)
"""Those that make whole numbers of whole ones."""
_MOST_WHOLE = {"f64": 2.0**53, "f32": 2.0**24, "f16": 2.0**11, "bf16": 2.0**8}
"""Of each type, what all whole numbers below are held."""
_SELECTING = ("arith.select", "arith.negf", "arith.extf")
"""Operations behind which a product may still be contracted with a sum."""
_FLAGGED_UNITS = 8.0
_LOOSE_UNITS, _LOOSE_NARROW_UNITS, _LOOSE_STEP = 16.0, 2.0, 2.0**-16
_loose: ContextVar[bool] = ContextVar("looser rounding", default=False)


@contextmanager
def looser_rounding() -> Generator[None]:
    """Permit while the context lasts what a CPU's compiler may do that kernels do not.

    Functions may be short polynomials: 16 units in the last place of f32, 2 of the type itself, and 2^-16, since sin of
    large numbers and erf near -1 lose digits. Operations of bf16 may round or not.
    """
    token = _loose.set(True)
    try:
        yield
    finally:
        _loose.reset(token)


def apply_bounded(
    apply: Callable[[ir.Operation, str, Sequence[Array]], Array],
    op: ir.Operation,
    element_type: str,
    operands: Sequence[Bounded],
) -> Bounded:
    """Apply a scalar operation to values with bounds, element by element.

    Args:
        apply: Applies the operation to arrays.
        op: The operation.
        element_type: Of its result.
        operands: One value an operand.

    Raises:
        DiagnosedError: An operand may be off, and nothing says how the operation carries errors.
    """
    attributes: Any = op.attributes
    flags = str(attributes["fastmath"]) if "fastmath" in attributes else ""

    def function(*arrays: Array) -> Array:
        return apply(op, element_type, arrays)

    try:
        return compute(op.name, function, element_type, operands, flags)
    except NoRuleError:
        fail(op, f"numpy reference: '{op.name}' has no rule of how errors of its operands go through it")


def apply_extended(
    function: Callable[[Array, Array], tuple[Array, Array]], operands: Sequence[Bounded]
) -> list[Bounded]:
    """Apply an operation of two integer results; where an operand may be off, nothing is known of them.

    Args:
        function: Computes both.
        operands: Two values.
    """
    error = sum((one.errors() for one in operands[1:] if one.error is not None), operands[0].errors())
    lost = np.where(error > 0, np.inf, 0.0) if np.any(error > 0) else None
    return [Bounded(part, lost) for part in function(operands[0].data, operands[1].data)]


class NoRuleError(Exception):
    """An operation whose operands may be off does not say what becomes of it."""


def compute(
    name: str, function: Callable[..., Array], element_type: str, operands: Sequence[Bounded], flags: str = ""
) -> Bounded:
    """Compute a scalar operation on values with bounds.

    Args:
        name: MLIR's name of the operation.
        function: Computes it on arrays.
        element_type: Of its result.
        operands: One value an operand.
        flags: Its fast-math flags as text.

    Raises:
        NoRuleError: An operand may be off, and there is no rule for the operation.
    """
    own = _own_error(name, element_type, flags)
    carried = any(one.error is not None for one in operands)
    if name in ("arith.addf", "arith.subf", "math.fma"):
        carried = carried or any(one.skipped is not None for one in operands)
    arrays = [one.data for one in operands]
    with np.errstate(all="ignore"):
        exact = arrays[0] if name in ("arith.truncf", "arith.convertf") else function(*arrays)
        if not carried and own is None:
            result = Bounded(round_to(exact, element_type))
        else:
            error = rounding = np.zeros(exact.shape)
            if carried:
                rule = RULES.get(name)
                if rule is None:
                    raise NoRuleError
                error = _definite(np.broadcast_to(rule(function, operands, exact), exact.shape), exact, operands)
                rounding = _rounding(rule, function, operands, exact)
            if own is not None:
                ours = np.where(np.isfinite(exact), own(np.abs(exact)), 0.0)
                if name == "math.fma" and element_type == "f64":  # numpy rounds the product
                    ours = ours + half_spacing(np, np.abs(arrays[0] * arrays[1]), element_type)
                error, rounding = error + ours, rounding + ours
            if _stays_whole(name, operands) and np.max(np.abs(exact) + error, initial=0) < _MOST_WHOLE.get(
                element_type, 0.0
            ):
                result = Bounded(round_to(exact, element_type), error if error.any() else None, whole=True)
            else:
                result = settle(exact, error, element_type, np.minimum(rounding, error))
        if name in EXTREMES and result.error is not None:
            low, high = (function(*ends) for ends in zip(*(one.ends() for one in operands), strict=True))
            result = replace(result, within=(low, high))
        if name == "arith.fptoui" and result.error is not None:
            whole, (low, high) = np.trunc(arrays[0]), map(np.trunc, operands[0].ends())
            held = (low >= 0) & (high < 2.0 ** int(element_type.removeprefix("i")))
            result = replace(result, unsigned=np.where(held, np.maximum(high - whole, whole - low), np.inf))
        return replace(result, skipped=_skipped(name, element_type, operands, exact))


def _stays_whole(name: str, operands: Sequence[Bounded]) -> bool:
    """Return whether an operation on f32 makes whole numbers, or whole numbers of such, of which it rounds none."""
    if name in _WHOLE:
        return True
    known = (one.whole or (one.error is None and bool((one.data == np.rint(one.data)).all())) for one in operands)
    return name in _KEEP_WHOLE and all(known)


def _own_error(name: str, element_type: str, flags: str) -> Callable[[Array], Array] | None:
    """Return how far the operation itself may be off, before it rounds to its type; None where it is exact."""
    if not is_float(element_type):
        return None
    wide = "f64" if element_type == "f64" else "f32"
    units = UNITS.get(name, 0.0) + (1.0 if element_type == "f64" and name in UNITS else 0.0)
    if name == "math.fma":
        units = 1.0
    if any(flag in flags for flag in ("afn", "arcp", "reassoc", "fast>")):
        units += _FLAGGED_UNITS
    if _loose.get() and name in UNITS:
        return lambda size: (
            2 * _LOOSE_UNITS * half_spacing(np, size, wide)
            + 2 * _LOOSE_NARROW_UNITS * half_spacing(np, size, element_type)
            + _LOOSE_STEP
        )
    if _loose.get() and element_type == "bf16" and name not in _SELECTING:
        return lambda size: half_spacing(np, size, element_type)
    return (lambda size: 2 * units * half_spacing(np, size, wide)) if units else None


def _definite(error: Array, exact: Array, operands: Sequence[Bounded]) -> Array:
    """Return an error without NaN: 0 where certain infinities stand, infinite where an operand may be anything."""
    lost = np.zeros(exact.shape, np.bool_)
    for one in operands:
        if one.error is not None:
            lost = lost | np.isinf(one.error)
    return np.where(np.isnan(error), np.where(lost, np.inf, 0.0), error)


def _rounding(rule: Rule, function: Callable[..., Array], operands: Sequence[Bounded], exact: Array) -> Array:
    """Return what of the carried error is of single roundings."""
    if all(one.rounding is None and one.skipped is None for one in operands):
        return np.zeros(exact.shape)
    alone = [Bounded(one.data, one.rounding if one.error is not None else None, one.skipped) for one in operands]
    return _definite(np.broadcast_to(rule(function, alone, exact), exact.shape), exact, alone)


def _skipped(name: str, element_type: str, operands: Sequence[Bounded], exact: Array) -> Array | None:
    """Return the rounding of a product that a sum may leave out."""
    if name in _SELECTING:
        known = [np.broadcast_to(one.skipped, exact.shape) for one in operands if one.skipped is not None]
        return np.maximum.reduce(known) if known else None
    if name != "arith.mulf":
        return None
    for one, other in (operands, operands[::-1]):
        if one.skipped is not None and other.error is None and bool((np.abs(other.data) == 1).all()):
            return np.broadcast_to(one.skipped, exact.shape)  # a change of sign
    rounds = round_to(exact, element_type) != exact
    if element_type == "f64":
        short = [np.asarray(one.data, np.float32) == one.data for one in operands]
        rounds = ~(short[0] & short[1]) & np.isfinite(exact)
    if not np.any(rounds):
        return None
    return np.where(rounds & np.isfinite(exact), half_spacing(np, np.abs(exact), element_type), 0.0)
