# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The scalar operations of linalg bodies on numpy arrays: one table, looked up by the MLIR name of the operation.

Floats are float64 arrays here. An operation that is not in a table is an error at the caller, never an approximation.
"""

import math
from collections.abc import Callable

import numpy as np

from roller_mlir.reference.values import Array

_erf = np.frompyfunc(math.erf, 1, 1)
_erfc = np.frompyfunc(math.erfc, 1, 1)


def _unsigned(values: Array) -> Array:
    return values if values.dtype == np.bool_ else values.view(f"u{values.dtype.itemsize}")


def _compute_unsigned(function: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    def compute(left: Array, right: Array) -> Array:
        left, right = np.asarray(left), np.asarray(right)
        return function(_unsigned(left), _unsigned(right)).view(left.dtype)

    return compute


def _divide_integers(left: Array, right: Array) -> Array:
    """Divide, rounding toward zero as arith.divsi does."""
    quotient = np.abs(left) // np.abs(right)
    return np.where((left < 0) != (right < 0), -quotient, quotient).astype(np.asarray(left).dtype)


def _reciprocal_root(x: Array) -> Array:
    return 1.0 / np.sqrt(x)


def _error_function(x: Array) -> Array:
    return np.asarray(_erf(x), np.float64)


def _complementary_error_function(x: Array) -> Array:
    return np.asarray(_erfc(x), np.float64)


def _remainder_of_integers(left: Array, right: Array) -> Array:
    """Return what _divide_integers leaves, of the left operand's sign."""
    return np.asarray(left - _divide_integers(left, right) * right)


def _divide_upward(left: Array, right: Array) -> Array:
    return np.asarray(-np.floor_divide(-left, right))


def _integer_power(x: Array, exponent: Array) -> Array:
    return np.power(x, np.asarray(exponent, np.float64))


def _round(x: Array) -> Array:
    """Round to the nearest whole number, halves away from zero."""
    whole = np.trunc(x)
    return whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1.0, x), 0.0)


def _multiply_add(a: Array, b: Array, c: Array) -> Array:
    return a * b + c


# How the operands of a binary operation combine; those with an `accumulate` below may also be reduced over an axis.
SCALARS: dict[str, Callable[..., Array]] = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.remf": np.fmod,
    "arith.negf": np.negative,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.divsi": _divide_integers,
    "arith.divui": _compute_unsigned(np.floor_divide),
    "arith.remsi": _remainder_of_integers,
    "arith.remui": _compute_unsigned(np.remainder),
    "arith.floordivsi": np.floor_divide,
    "arith.ceildivsi": _divide_upward,
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.maxui": _compute_unsigned(np.maximum),
    "arith.minui": _compute_unsigned(np.minimum),
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.shli": np.left_shift,
    "arith.shrsi": np.right_shift,
    "arith.shrui": _compute_unsigned(np.right_shift),
    "arith.select": np.where,
    "math.absf": np.abs,
    "math.absi": np.abs,
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
    "math.clampf": np.clip,
    "math.copysign": np.copysign,
    "math.fma": _multiply_add,
}

REDUCERS: dict[str, Callable[..., Array]] = {
    "arith.addf": np.add.reduce,
    "arith.mulf": np.multiply.reduce,
    "arith.maximumf": np.maximum.reduce,
    "arith.minimumf": np.minimum.reduce,
    "arith.maxnumf": np.fmax.reduce,
    "arith.minnumf": np.fmin.reduce,
    "arith.addi": np.add.reduce,
    "arith.muli": np.multiply.reduce,
    "arith.maxsi": np.maximum.reduce,
    "arith.minsi": np.minimum.reduce,
    "arith.andi": np.bitwise_and.reduce,
    "arith.ori": np.bitwise_or.reduce,
    "arith.xori": np.bitwise_xor.reduce,
}

# MLIR's predicate numbers. Integers: eq ne slt sle sgt sge ult ule ugt uge.
COMPARE_INTEGERS: tuple[Callable[[Array, Array], Array], ...] = (
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
    lambda a, b: np.less(_unsigned(a), _unsigned(b)), lambda a, b: np.less_equal(_unsigned(a), _unsigned(b)),
    lambda a, b: np.greater(_unsigned(a), _unsigned(b)), lambda a, b: np.greater_equal(_unsigned(a), _unsigned(b)),
)  # fmt: skip


def _ordered(function: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    return lambda a, b: function(a, b) & ~(np.isnan(a) | np.isnan(b))


def _unordered(function: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    return lambda a, b: function(a, b) | np.isnan(a) | np.isnan(b)


_RELATIONS = (np.equal, np.greater, np.greater_equal, np.less, np.less_equal, np.not_equal)

# Floats: false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true.
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
    "arith.sitofp": lambda x: np.where(x, -1.0, 0.0) if x.dtype == np.bool_ else x,
    "arith.uitofp": _unsigned,
    "arith.fptosi": np.trunc,
    "arith.fptoui": np.trunc,
    "arith.extsi": lambda x: np.where(x, -1, 0) if x.dtype == np.bool_ else x,
    "arith.extui": _unsigned,
    "arith.trunci": lambda x: x,
    "arith.index_cast": np.asarray,
    "arith.index_castui": _unsigned,
}
