# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The scalar operations of linalg bodies on numpy arrays: one table, looked up by the MLIR name of the operation.

Floats are float64 arrays here. An operation that is not in a table is an error at the caller, never an approximation.
"""

import math
from collections.abc import Callable

import numpy as np

from roller_mlir.evaluation.reference.integers import INTEGER_REDUCERS, INTEGER_SCALARS, as_signed, as_unsigned
from roller_mlir.evaluation.reference.values import Array


def _round(x: Array) -> Array:
    """Round to the nearest whole number, halves away from zero."""
    whole = np.trunc(x)
    return whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1.0, x), 0.0)


def _extreme(function: np.ufunc, zero: float) -> Callable[[Array, Array], Array]:
    """Return a maximum or minimum that prefers one of the zeros, for which numpy gives either: 0 is greater than -0."""

    def compute(left: Array, right: Array) -> Array:
        preferred = (np.signbit(left) == np.signbit(zero)) | (np.signbit(right) == np.signbit(zero))
        return np.where((left == 0) & (right == 0), np.where(preferred, zero, -zero), function(left, right))

    return compute


def _extreme_of(function: np.ufunc, zero: float) -> Callable[..., Array]:
    def reduce(values: Array, axis: tuple[int, ...], keepdims: bool) -> Array:
        found = function.reduce(values, axis=axis, keepdims=keepdims)
        if not np.any(found == 0):
            return found
        preferred = (values == 0) & (np.signbit(values) == np.signbit(zero))
        return np.where(found == 0, np.where(np.any(preferred, axis=axis, keepdims=keepdims), zero, -zero), found)

    return reduce


_MAXIMUM, _MINIMUM = _extreme(np.maximum, 0.0), _extreme(np.minimum, -0.0)


def _clamp(x: Array, low: Array, high: Array) -> Array:
    return _MAXIMUM(_MINIMUM(x, high), low)


def _reciprocal_root(x: Array) -> Array:
    return 1.0 / np.sqrt(x)


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
    "arith.maximumf": _MAXIMUM,
    "arith.minimumf": _MINIMUM,
    "arith.maxnumf": _extreme(np.fmax, 0.0),
    "arith.minnumf": _extreme(np.fmin, -0.0),
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
    "math.erf": np.vectorize(math.erf, otypes=[np.float64]),
    "math.erfc": np.vectorize(math.erfc, otypes=[np.float64]),
    "math.powf": np.power,
    "math.fpowi": np.float_power,
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
    "arith.maximumf": _extreme_of(np.maximum, 0.0),
    "arith.minimumf": _extreme_of(np.minimum, -0.0),
    "arith.maxnumf": _extreme_of(np.fmax, 0.0),
    "arith.minnumf": _extreme_of(np.fmin, -0.0),
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

# Casts: how the operand is read before it is rounded to the result's element type.
CASTS: dict[str, Callable[[Array], Array]] = {
    "arith.extf": np.asarray,
    "arith.truncf": np.asarray,
    "arith.convertf": np.asarray,
    "arith.sitofp": as_signed,
    "arith.uitofp": as_unsigned,
    "arith.fptosi": lambda x: np.trunc(x).astype(np.int64),
    "arith.fptoui": lambda x: np.trunc(x).astype(np.uint64),
    "arith.extsi": as_signed,
    "arith.extui": as_unsigned,
    "arith.trunci": np.asarray,
    "arith.index_cast": as_signed,
    "arith.index_castui": as_unsigned,
}

COMPARISONS = ("arith.cmpf", "arith.cmpi")
BITCAST, BITCAST_TENSOR = BITCASTS = ("arith.bitcast", "tensor.bitcast")
OPERATIONS = frozenset((*SCALARS, *CASTS, *COMPARISONS, BITCAST))
"""Every operation of arith and math of one result that the reference knows in bodies and on whole tensors, but for
constants."""
