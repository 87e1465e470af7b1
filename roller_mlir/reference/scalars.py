# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The scalar operations of linalg bodies on numpy arrays: one table, looked up by the MLIR name of the operation.

Floats are float64 arrays here. An operation that is not in a table is an error at the caller, never an approximation.
"""

import math
from collections.abc import Callable

import numpy as np

from roller_mlir.reference.integers import INTEGER_REDUCERS, INTEGER_SCALARS, as_signed, as_unsigned
from roller_mlir.reference.values import Array

_erf = np.frompyfunc(math.erf, 1, 1)
_erfc = np.frompyfunc(math.erfc, 1, 1)


def _reciprocal_root(x: Array) -> Array:
    return 1.0 / np.sqrt(x)


def _error_function(x: Array) -> Array:
    return np.asarray(_erf(x), np.float64)


def _complementary_error_function(x: Array) -> Array:
    return np.asarray(_erfc(x), np.float64)


def _integer_power(x: Array, exponent: Array) -> Array:
    return np.power(x, np.asarray(exponent, np.float64))


def _round(x: Array) -> Array:
    """Round to the nearest whole number, halves away from zero."""
    whole = np.trunc(x)
    return whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1.0, x), 0.0)


def _largest(function: np.ufunc) -> Callable[[Array, Array], Array]:
    """Return a maximum for which 0 is greater than -0; numpy gives either of them."""

    def compute(left: Array, right: Array) -> Array:
        # The sum of two zeros is -0 only where both are.
        return np.where((left == 0) & (right == 0), np.add(left, right), function(left, right))

    return compute


def _least(function: np.ufunc) -> Callable[[Array, Array], Array]:
    """Return a minimum for which -0 is less than 0."""

    def compute(left: Array, right: Array) -> Array:
        return np.where((left == 0) & (right == 0), -np.add(-left, -right), function(left, right))

    return compute


def _largest_of(function: np.ufunc) -> Callable[..., Array]:
    def reduce(values: Array, axis: tuple[int, ...], keepdims: bool) -> Array:
        found = function.reduce(values, axis=axis, keepdims=keepdims)
        if not np.any(found == 0):
            return found
        positive = np.any((values == 0) & ~np.signbit(values), axis=axis, keepdims=keepdims)
        return np.where(found == 0, np.where(positive, 0.0, -0.0), found)

    return reduce


def _least_of(function: np.ufunc) -> Callable[..., Array]:
    def reduce(values: Array, axis: tuple[int, ...], keepdims: bool) -> Array:
        found = function.reduce(values, axis=axis, keepdims=keepdims)
        if not np.any(found == 0):
            return found
        negative = np.any((values == 0) & np.signbit(values), axis=axis, keepdims=keepdims)
        return np.where(found == 0, np.where(negative, -0.0, 0.0), found)

    return reduce


def _clamp(x: Array, low: Array, high: Array) -> Array:
    return _largest(np.maximum)(_least(np.minimum)(x, high), low)


def _multiply_add(a: Array, b: Array, c: Array) -> Array:
    return a * b + c


# How the operands of a binary operation combine; those with an `accumulate` below may also be reduced over an axis.
SCALARS: dict[str, Callable[..., Array]] = {
    **INTEGER_SCALARS,
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.remf": np.fmod,
    "arith.negf": np.negative,
    "arith.maximumf": _largest(np.maximum),
    "arith.minimumf": _least(np.minimum),
    "arith.maxnumf": _largest(np.fmax),
    "arith.minnumf": _least(np.fmin),
    "arith.select": np.where,
    "math.absf": np.abs,
    "math.ceil": np.ceil,
    "math.floor": np.floor,
    "math.trunc": np.trunc,
    "math.roundeven": np.rint,
    "math.round": _round,
    "math.exp": np.exp,
    "math.exp2": np.exp2,
    "math.expm1": np.expm1,
    "math.log": np.log,
    "math.log2": np.log2,
    "math.log10": np.log10,
    "math.log1p": np.log1p,
    "math.sqrt": np.sqrt,
    "math.rsqrt": _reciprocal_root,
    "math.cbrt": np.cbrt,
    "math.sin": np.sin,
    "math.cos": np.cos,
    "math.tan": np.tan,
    "math.asin": np.arcsin,
    "math.acos": np.arccos,
    "math.atan": np.arctan,
    "math.atan2": np.arctan2,
    "math.sinh": np.sinh,
    "math.cosh": np.cosh,
    "math.tanh": np.tanh,
    "math.asinh": np.arcsinh,
    "math.acosh": np.arccosh,
    "math.atanh": np.arctanh,
    "math.erf": _error_function,
    "math.erfc": _complementary_error_function,
    "math.powf": np.power,
    "math.fpowi": _integer_power,
    "math.isfinite": np.isfinite,
    "math.isinf": np.isinf,
    "math.isnan": np.isnan,
    "math.clampf": _clamp,
    "math.copysign": np.copysign,
    "math.fma": _multiply_add,
}

REDUCERS: dict[str, Callable[..., Array]] = {
    **INTEGER_REDUCERS,
    "arith.addf": np.add.reduce,
    "arith.mulf": np.multiply.reduce,
    "arith.maximumf": _largest_of(np.maximum),
    "arith.minimumf": _least_of(np.minimum),
    "arith.maxnumf": _largest_of(np.fmax),
    "arith.minnumf": _least_of(np.fmin),
}


def _ordered(function: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    return lambda a, b: function(a, b) & ~(np.isnan(a) | np.isnan(b))


def _unordered(function: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    return lambda a, b: function(a, b) | np.isnan(a) | np.isnan(b)


_RELATIONS = (np.equal, np.greater, np.greater_equal, np.less, np.less_equal, np.not_equal)

# MLIR's predicate numbers: false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true.
COMPARE_FLOATS: tuple[Callable[[Array, Array], Array], ...] = (
    lambda a, b: np.zeros(np.broadcast_shapes(a.shape, b.shape), np.bool_),
    *(_ordered(relation) for relation in _RELATIONS),
    lambda a, b: ~(np.isnan(a) | np.isnan(b)),
    *(_unordered(relation) for relation in _RELATIONS),
    lambda a, b: np.isnan(a) | np.isnan(b),
    lambda a, b: np.ones(np.broadcast_shapes(a.shape, b.shape), np.bool_),
)


def _to_signed(x: Array) -> Array:
    return np.trunc(x).astype(np.int64)


def _to_unsigned(x: Array) -> Array:
    return np.trunc(x).astype(np.uint64)


# Casts: how the operand is read before it is rounded to the result's element type.
CASTS: dict[str, Callable[[Array], Array]] = {
    "arith.extf": np.asarray,
    "arith.truncf": np.asarray,
    "arith.convertf": np.asarray,
    "arith.sitofp": as_signed,
    "arith.uitofp": as_unsigned,
    "arith.fptosi": _to_signed,
    "arith.fptoui": _to_unsigned,
    "arith.extsi": as_signed,
    "arith.extui": as_unsigned,
    "arith.trunci": np.asarray,
    "arith.index_cast": as_signed,
    "arith.index_castui": as_unsigned,
}

COMPARISONS = ("arith.cmpf", "arith.cmpi")
BITCAST = "arith.bitcast"
OPERATIONS = frozenset((*SCALARS, *CASTS, *COMPARISONS, BITCAST))
"""Every operation of arith and math of one result that the reference knows in bodies and on whole tensors, but for
constants."""
