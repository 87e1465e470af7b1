# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions of values with bounds: sums of products, and contributions that a combiner joins, in any order."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from roller_mlir.evaluation.reference.bounds.nests import Bounded, quantum_of, settle
from roller_mlir.evaluation.reference.contract import sum_of_products
from roller_mlir.evaluation.reference.scalars import REDUCERS, SCALARS
from roller_mlir.evaluation.reference.values import Array, round_to
from roller_mlir.plan.accuracy.rounding import (
    OVERFLOW,
    SEGMENTS,
    SMALLEST,
    UNLIKELY,
    Rounding,
    Terms,
    extreme_of,
    factor_unit,
    sum_error,
    unit,
)
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

_LOST = ("and", "or", "maxu", "minu")
"""Combiners of integers of which nothing is known where an operand may be another number, but of truth values."""
_MANY = 0.25
"""Of the values along an axis: those that equal the one before."""
_LARGE = 1e150
"""Stands for an infinite error inside of products, where 0 times infinity is not a number."""


def bounded_products(
    factors: Sequence[Bounded],
    loops: Sequence[Sequence[int]],
    output: Sequence[int],
    initial: Bounded,
    element_type: str,
    rounding: Rounding,
) -> Bounded:
    """Sum products, with a bound for any order.

    Args:
        factors: Arrays with bounds.
        loops: Per factor, the loop of each axis.
        output: The loop of each axis of the result.
        initial: What the sums begin with, of the result's shape.
        element_type: Of the result.
        rounding: Where the kernels round.
    """
    arrays = [one.data for one in factors]
    extents: dict[int, int] = {}
    for own, array in zip(loops, arrays, strict=True):
        extents.update(zip(own, array.shape, strict=True))
    summed = [loop for loop in extents if loop not in output]

    def product(values: Sequence[Array]) -> Array:
        return sum_of_products(values, loops, output).reshape(initial.data.shape)

    with np.errstate(all="ignore"):
        segments = [initial.data, *_segments(product, arrays, loops, max(summed, key=extents.__getitem__), extents)]
        total = np.add.reduce(segments)
        count = 1 + int(np.prod([extents[loop] for loop in summed]))
        terms = Terms(
            count=count,
            total=total,
            magnitude=product([np.abs(one) for one in arrays]) + np.abs(initial.data),
            squares=product([one * one for one in arrays]) + initial.data**2,
            extreme=extreme_of(np, segments),
            initial=initial.data,
            quantum=_quantum([*factors], initial),
        )
        if rounding.factor and all(np.array_equal(one, _tf32(one)) for one in arrays):
            rounding = replace(rounding, factor="")
        error = sum_error(np, terms, rounding)
        error = np.where(np.isfinite(total), error, 0.0)
        for number, one in enumerate(factors):
            if one.error is not None:
                error = error + _carried(product, factors, number, terms)
        if initial.in_sum() is not None:
            error = error + initial.in_sum()
        error = _overflowing(terms, error, rounding.accumulator)
    return settle(total, error, element_type)


def bounded_reduction(
    op: ir.Operation, combiner: str, points: Bounded, axes: tuple[int, ...], accumulator: Bounded, element_type: str
) -> Bounded:
    """Join contributions with a combiner over axes, which are kept with an extent of 1, and then with an accumulator.

    Args:
        op: For errors.
        combiner: Name of the operation.
        points: The contributions.
        axes: Of the reduction.
        accumulator: What the result begins with.
        element_type: Of the result.

    Raises:
        DiagnosedError: Contributions may be off, and nothing says how the combiner carries errors.
    """
    reduce = REDUCERS[combiner]
    with np.errstate(all="ignore"):
        if combiner == "arith.addf":
            return _sum(points, axes, accumulator, element_type)
        reduced = reduce(points.data, axis=axes, keepdims=True).astype(points.data.dtype)
        exact = np.asarray(SCALARS[combiner](accumulator.data, reduced))
        own = _rounded_products(points, axes, accumulator, exact, element_type) if combiner == "arith.mulf" else None
        if points.error is None and accumulator.error is None and own is None:
            return Bounded(round_to(exact, element_type))
        carry = _CARRIED.get(combiner)
        if carry is None:
            fail(op, f"numpy reference: '{combiner}' has no rule of how errors of its operands go through a reduction")
        low, high = carry(points, axes, accumulator)
        same = (low == exact) & (high == exact) | np.isnan(exact) & (points.error is None)
        error = np.where(same, 0.0, np.maximum(np.abs(high - exact), np.abs(exact - low)))
        error = np.where(np.isnan(error), np.inf, error) + (0.0 if own is None else own)
        return settle(exact, error, element_type)


def _carried(
    product: Callable[[Sequence[Array]], Array], factors: Sequence[Bounded], number: int, terms: Terms
) -> Array:
    """Return what the errors of one factor amount to in sums of products.

    Errors of many elements have no common sign but where they have a common cause: a row's mean that was subtracted
    from each element (the same amount for all), or its norm that each was divided by (the same share of each). So the
    bound is that of independent errors, and of those two; it is never more than the sum of all magnitudes.
    """
    sizes = [np.minimum(np.abs(one.data), _LARGE) for one in factors]
    wide = [size + np.minimum(one.errors(), _LARGE) for size, one in zip(sizes, factors, strict=True)]
    own = np.minimum(factors[number].errors(), _LARGE)

    def with_own(values: Array, others: Sequence[Array]) -> Array:
        return product([values if i == number else other for i, other in enumerate(others)])

    certain = with_own(own, wide)
    rounding = factors[number].rounding
    alone = np.zeros(own.shape) if rounding is None else np.minimum(np.broadcast_to(rounding, own.shape), own)
    spread = (own - alone) ** 2 + (UNLIKELY * alone) ** 2
    independent = with_own(spread, [one * one for one in wide])
    each = with_own(own * own, [np.ones(()) + 0 * size for size in sizes]) / max(1, terms.count - 1)
    same = with_own(np.ones(own.shape), [one.data for one in factors]) ** 2 * each
    squares = with_own(own * own, [one * one for one in wide])
    share = terms.total**2 * squares / np.where(terms.squares > 0, terms.squares, 1.0)
    likely = np.sqrt(independent + same + share)
    carried = np.where(np.isnan(likely), certain, np.minimum(certain, likely))
    return np.where(carried > _LARGE / 2**40, np.inf, carried)


def _sum(points: Bounded, axes: tuple[int, ...], accumulator: Bounded, element_type: str) -> Bounded:
    values = points.data
    along = max(axes, key=lambda axis: values.shape[axis])
    parts = np.array_split(np.arange(values.shape[along]), min(SEGMENTS, values.shape[along]))
    segments = [accumulator.data]
    for part in parts:
        window = (slice(None),) * along + (slice(int(part[0]), int(part[-1]) + 1),)
        segments.append(np.add.reduce(values[window], axis=axes, keepdims=True))
    total = np.add.reduce(segments)
    terms = Terms(
        count=1 + int(np.prod([values.shape[axis] for axis in axes])),
        total=total,
        magnitude=np.add.reduce(np.abs(values), axis=axes, keepdims=True) + np.abs(accumulator.data),
        squares=np.add.reduce(values * values, axis=axes, keepdims=True) + accumulator.data**2,
        extreme=extreme_of(np, segments),
        initial=accumulator.data,
        quantum=_quantum([points], accumulator),
        repeats=any(_repeat_along(values, axis) for axis in axes),
    )
    error = sum_error(np, terms, Rounding(accumulator=element_type))
    error = np.where(np.isfinite(total), error, 0.0)
    for one, place in ((points, axes), (accumulator, ())):
        moved = one.in_sum()
        if moved is not None:
            whole = np.broadcast_to(moved, one.data.shape)
            error = error + (np.add.reduce(whole, axis=place, keepdims=True) if place else whole)
    return settle(total, _overflowing(terms, error, element_type), element_type)


def _repeat_along(values: Array, axis: int) -> bool:
    """Return whether many values along an axis equal the one before."""
    along = np.moveaxis(values, axis, 0)
    return len(along) > 1 and bool(np.mean(along[1:] == along[:-1]) > _MANY)


def _segments(
    product: Callable[[Sequence[Array]], Array],
    arrays: Sequence[Array],
    loops: Sequence[Sequence[int]],
    loop: int,
    extents: dict[int, int],
) -> list[Array]:
    """Return the sums of parts of a reduction loop."""
    found: list[Array] = []
    for part in np.array_split(np.arange(extents[loop]), min(SEGMENTS, extents[loop])):
        window = slice(int(part[0]), int(part[-1]) + 1)
        pieces = [
            array[tuple(window if axis == loop else slice(None) for axis in own)]
            for array, own in zip(arrays, loops, strict=True)
        ]
        found.append(product(pieces))
    return found


def _quantum(values: Sequence[Bounded], initial: Bounded) -> float:
    """Return a power of two of which each term is a multiple, and the initial value; 0 where something is not exact."""
    if any(one.in_sum() is not None for one in (*values, initial)):
        return 0.0
    product = 1.0
    for one in values:
        product *= quantum_of(one.data)
    return min(product, quantum_of(initial.data))


def _tf32(values: Array) -> Array:
    """Return values rounded to 11 binary digits."""
    fraction, exponent = np.frexp(values)
    return np.ldexp(np.rint(np.ldexp(fraction, 11)), exponent - 11)


def rounded_factor(value: Bounded, rounding: Rounding) -> Bounded:
    """Return a factor as a kernel may take it: with fewer digits.

    Args:
        value: The factor as the program has it.
        rounding: Its `factor` is the type.
    """
    error = np.where(value.data == _tf32(value.data), 0.0, np.abs(value.data) * factor_unit(rounding))
    return replace(value, error=error + value.errors()) if error.any() else value


def _overflowing(terms: Terms, error: Array, element_type: str) -> Array:
    """Return infinity where a partial sum may overflow though the sum does not."""
    lost = (error > 0) & np.isfinite(terms.total) & (terms.extreme + error >= OVERFLOW[element_type])
    return np.where(lost, np.inf, error)


def _rounded_products(
    points: Bounded, axes: tuple[int, ...], accumulator: Bounded, exact: Array, element_type: str
) -> Array | None:
    """Return what the roundings of a product of many factors amount to, in any order; None where it is exact."""
    size, initial = np.abs(points.data), np.abs(accumulator.data)
    above = np.multiply.reduce(np.maximum(size, 1.0), axis=axes, keepdims=True) * np.maximum(initial, 1.0)
    below = np.multiply.reduce(np.minimum(size, 1.0), axis=axes, keepdims=True) * np.minimum(initial, 1.0)
    whole = _quantum([points], accumulator) >= 1
    if whole and bool((above <= 1 / unit(element_type)).all()):
        return None
    count = 2 * int(np.prod([points.data.shape[axis] for axis in axes]))
    error = count * unit(element_type) * np.abs(exact)
    # Some orders lose digits below the smallest numbers, or overflow.
    least = SMALLEST[element_type]
    error = np.where(below * unit(element_type) < least, np.abs(exact) + count * least * above, error)
    error = np.where(above >= OVERFLOW[element_type], np.inf, error)
    return np.where(np.isfinite(exact) & (exact != 0), error, np.where(exact == 0, error * (below == 0), 0.0))


def _extremes(combiner: str) -> Callable[[Bounded, tuple[int, ...], Bounded], tuple[Any, Any]]:
    def carry(points: Bounded, axes: tuple[int, ...], accumulator: Bounded) -> tuple[Any, Any]:
        ends: list[Any] = []
        for sign in (-1.0, 1.0):
            moved = REDUCERS[combiner](points.data + sign * points.errors(), axis=axes, keepdims=True)
            ends.append(SCALARS[combiner](accumulator.data + sign * accumulator.errors(), moved))
        return ends[0], ends[1]

    return carry


def _total(points: Bounded, axes: tuple[int, ...], accumulator: Bounded) -> tuple[Any, Any]:
    exact = np.add.reduce(points.data.astype(np.float64), axis=axes, keepdims=True) + accumulator.data
    error = np.add.reduce(points.errors(), axis=axes, keepdims=True) + accumulator.errors()
    return exact - error, exact + error


def _product(points: Bounded, axes: tuple[int, ...], accumulator: Bounded) -> tuple[Any, Any]:
    sizes, errors = np.abs(points.data.astype(np.float64)), points.errors()
    size, error = np.abs(accumulator.data.astype(np.float64)), accumulator.errors()
    exact = np.multiply.reduce(points.data.astype(np.float64), axis=axes, keepdims=True) * accumulator.data
    off = np.multiply.reduce(sizes + errors, axis=axes, keepdims=True) * (size + error) - np.abs(exact)
    return exact - off, exact + off


def _unless_unsure(combiner: str) -> Callable[[Bounded, tuple[int, ...], Bounded], tuple[Any, Any]]:
    """Return a rule that knows nothing of the result where an operand may be another number."""

    def carry(points: Bounded, axes: tuple[int, ...], accumulator: Bounded) -> tuple[Any, Any]:
        unsure = np.any(points.errors() > 0, axis=axes, keepdims=True) | (accumulator.errors() > 0)
        exact = SCALARS[combiner](accumulator.data, REDUCERS[combiner](points.data, axis=axes, keepdims=True))
        reach = np.where(unsure, np.inf, 0.0)
        return exact - reach, exact + reach

    return carry


def _truths(
    combiner: str, numbers: Callable[[Bounded, tuple[int, ...], Bounded], tuple[Any, Any]]
) -> Callable[[Bounded, tuple[int, ...], Bounded], tuple[Any, Any]]:
    """Return a rule that bounds truth values by those that are sure, and numbers as another rule does."""

    def carry(points: Bounded, axes: tuple[int, ...], accumulator: Bounded) -> tuple[Any, Any]:
        if points.data.dtype != np.bool_:
            return numbers(points, axes, accumulator)
        ends: list[Any] = []
        for truth in (False, True):
            start, each = (np.where(one.errors() > 0, truth, one.data) for one in (accumulator, points))
            end = SCALARS[combiner](start, REDUCERS[combiner](each, axis=axes, keepdims=True))
            ends.append(np.asarray(end, np.float64))
        return ends[0], ends[1]

    return carry


_CARRIED: dict[str, Callable[[Bounded, tuple[int, ...], Bounded], tuple[Any, Any]]] = {
    **{name: _extremes(name) for name in ("arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf")},
    **{name: _truths(name, _extremes(name)) for name in ("arith.maxsi", "arith.minsi")},
    **{f"arith.{name}i": _truths(f"arith.{name}i", _unless_unsure(f"arith.{name}i")) for name in _LOST},
    "arith.xori": _unless_unsure("arith.xori"),
    "arith.addi": _total,
    "arith.muli": _product,
    "arith.mulf": _product,
}
"""Lowest and highest result of reductions whose contributions may be off."""
