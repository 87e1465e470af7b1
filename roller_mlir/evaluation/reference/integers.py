# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on integers as LLVM defines them, for every width; i1, of which numpy has only truth values, among them.

As a signed number the set bit of i1 is -1, as an unsigned one 1: operations read it so and keep the last bit of what
they compute. What LLVM leaves undefined (see `undefined`) has some value here.
"""

from collections.abc import Callable

import numpy as np

from roller_mlir.evaluation.reference.values import Array


def as_signed(values: Array) -> Array:
    """Return integers as signed numbers.

    >>> as_signed(np.array([True, False])).tolist()
    [-1, 0]
    """
    values = np.asarray(values)
    return -values.astype(np.int8) if values.dtype == np.bool_ else values


def as_unsigned(values: Array) -> Array:
    """Return integers as unsigned numbers.

    >>> as_unsigned(np.array([-1], np.int8)).tolist()
    [255]
    """
    values = np.asarray(values)
    return values.astype(np.uint8) if values.dtype == np.bool_ else values.view(f"u{values.dtype.itemsize}")


def width_of(values: Array) -> int:
    """Return how many bits integers have."""
    return 1 if values.dtype == np.bool_ else 8 * values.dtype.itemsize


def _held(result: Array, like: Array) -> Array:
    """Return a result in the type of an operand, its upper bits dropped."""
    if like.dtype == np.bool_:
        return (result & 1).astype(np.bool_)
    return np.asarray(result).astype(like.dtype, copy=False)


def _signed(function: Callable[..., Array]) -> Callable[..., Array]:
    def compute(*operands: Array) -> Array:
        return _held(function(*map(as_signed, operands)), np.asarray(operands[0]))

    return compute


def _unsigned(function: Callable[..., Array]) -> Callable[..., Array]:
    def compute(*operands: Array) -> Array:
        return _held(function(*map(as_unsigned, operands)), np.asarray(operands[0]))

    return compute


def _reduce(function: np.ufunc, read: Callable[[Array], Array]) -> Callable[..., Array]:
    def reduce(values: Array, axis: tuple[int, ...], keepdims: bool) -> Array:
        return _held(function.reduce(read(values), axis=axis, keepdims=keepdims), values)

    return reduce


def _toward_zero(left: Array, right: Array) -> Array:
    quotient = np.floor_divide(left, right)
    inexact = left - quotient * right != 0
    return quotient + (inexact & ((left < 0) != (right < 0)))


def _upward(left: Array, right: Array) -> Array:
    quotient = np.floor_divide(left, right)
    return quotient + (left - quotient * right != 0)


def _count_ones(values: Array) -> Array:
    return np.bitwise_count(as_unsigned(values)).astype(np.uint8)


def _population(values: Array) -> Array:
    return _held(_count_ones(values), values)


def _leading_zeros(values: Array) -> Array:
    """Count the zeros above the highest set bit: set all bits below it, and count what is left."""
    smeared = as_unsigned(values)
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < width_of(values):
            smeared = smeared | (smeared >> smeared.dtype.type(shift))
    return _held(width_of(values) - _count_ones(smeared), values)


def _trailing_zeros(values: Array) -> Array:
    """Count the zeros below the lowest set bit: those are the bits that are set in x - 1 only."""
    bits = as_unsigned(values)
    below = ~bits & (bits - bits.dtype.type(1))
    return _held(np.minimum(_count_ones(below), width_of(values)), values)


def _sum_and_carry(left: Array, right: Array) -> tuple[Array, Array]:
    total = INTEGER_SCALARS["arith.addi"](left, right)
    return total, as_unsigned(total) < as_unsigned(left)


def _difference_and_borrow(left: Array, right: Array) -> tuple[Array, Array]:
    return INTEGER_SCALARS["arith.subi"](left, right), as_unsigned(left) < as_unsigned(right)


def _whole_product(read: Callable[[Array], Array]) -> Callable[[Array, Array], tuple[Array, Array]]:
    def compute(left: Array, right: Array) -> tuple[Array, Array]:
        width = width_of(left)
        product = read(left).astype(object) * read(right).astype(object)
        signed = (((product & ((1 << 2 * width) - 1)) >> width) + (1 << width - 1)) % (1 << width) - (1 << width - 1)
        high = np.asarray(signed).astype(np.int64)
        return INTEGER_SCALARS["arith.muli"](left, right), _held(high, left)

    return compute


# Operations of two results, the lower half or the wrapped sum first.
EXTENDED: dict[str, Callable[[Array, Array], tuple[Array, Array]]] = {
    "arith.addui_extended": _sum_and_carry,
    "arith.subui_extended": _difference_and_borrow,
    "arith.mulsi_extended": _whole_product(as_signed),
    "arith.mului_extended": _whole_product(as_unsigned),
}

INTEGER_SCALARS: dict[str, Callable[..., Array]] = {
    "arith.addi": _signed(np.add),
    "arith.subi": _signed(np.subtract),
    "arith.muli": _signed(np.multiply),
    "arith.divsi": _signed(_toward_zero),
    "arith.divui": _unsigned(np.floor_divide),
    "arith.remsi": _signed(np.fmod),
    "arith.remui": _unsigned(np.remainder),
    "arith.floordivsi": _signed(np.floor_divide),
    "arith.ceildivsi": _signed(_upward),
    "arith.ceildivui": _unsigned(_upward),
    "arith.maxsi": _signed(np.maximum),
    "arith.minsi": _signed(np.minimum),
    "arith.maxui": _unsigned(np.maximum),
    "arith.minui": _unsigned(np.minimum),
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.shli": _unsigned(np.left_shift),
    "arith.shrsi": _signed(np.right_shift),
    "arith.shrui": _unsigned(np.right_shift),
    "math.absi": _signed(np.abs),
    "math.ctpop": _population,
    "math.ctlz": _leading_zeros,
    "math.cttz": _trailing_zeros,
}

INTEGER_REDUCERS: dict[str, Callable[..., Array]] = {
    "arith.addi": _reduce(np.add, as_signed),
    "arith.muli": _reduce(np.multiply, as_signed),
    "arith.maxsi": _reduce(np.maximum, as_signed),
    "arith.minsi": _reduce(np.minimum, as_signed),
    "arith.maxui": _reduce(np.maximum, as_unsigned),
    "arith.minui": _reduce(np.minimum, as_unsigned),
    "arith.andi": np.bitwise_and.reduce,
    "arith.ori": np.bitwise_or.reduce,
    "arith.xori": np.bitwise_xor.reduce,
}


def _compare(relation: Callable[..., Array], read: Callable[[Array], Array]) -> Callable[[Array, Array], Array]:
    return lambda left, right: relation(read(left), read(right))


# MLIR's predicate numbers: eq ne slt sle sgt sge ult ule ugt uge.
_ORDERS = (np.less, np.less_equal, np.greater, np.greater_equal)
COMPARE_INTEGERS: tuple[Callable[[Array, Array], Array], ...] = (
    np.equal,
    np.not_equal,
    *(_compare(relation, as_signed) for relation in _ORDERS),
    *(_compare(relation, as_unsigned) for relation in _ORDERS),
)
