# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of the reference with a bound of how far a right program's value may be from them (running error analysis).

Where nothing has rounded differently so far, the error is 0, the value is rounded to its type, and a right program has
the very same. Where the error is not 0, the value is the exact one, unrounded, and the error holds the rounding to the
type too: a program may keep it in a register of more digits.

A product that a sum uses may be contracted with it, which leaves out the product's own rounding: `skipped` says how
much that is. Only sums look at it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from roller_mlir.evaluation.reference.values import Array, is_float, round_to
from roller_mlir.plan.accuracy.rounding import OVERFLOW, half_spacing


@dataclass(frozen=True)
class Bounded:
    """A value and its bound.

    Attributes:
        data: Elements, in the form in which the reference holds them.
        error: f64, of the data's shape or broadcast to it: how far a right program's element may be; infinity where it
            may be anything; for i1, 1 where it may be either. None: equal everywhere.
        skipped: The rounding that a sum may leave out, likewise; None: none.
        rounding: Of the error, the part that single roundings make, which may be as large as it everywhere; the rest is
            of sums, and as good as never more than a seventh of what it may be. Likewise; None: none.
        within: The least and the largest number that a right program's element is, which the error may not know, as it
            is the same on both sides; behind a minimum or maximum. None: what the error says.
        unsigned: The error of integers that are read without sign, behind a conversion to such; None: it is not known.
        whole: Whether a right program's elements are whole numbers that the type holds, whatever their error.
    """

    data: Array
    error: Array | None = None
    skipped: Array | None = None
    rounding: Array | None = None
    within: tuple[Array, Array] | None = None
    unsigned: Array | None = None
    whole: bool = False

    def map(self, view: Callable[[Array], Array]) -> "Bounded":
        """Return the value moved by a function that only selects elements."""
        shape = self.data.shape
        moved = (
            None if part is None else view(np.broadcast_to(part, shape) if part.shape != shape else part)
            for part in (self.error, self.skipped, self.rounding, self.unsigned)
        )
        error, skipped, rounding, unsigned = moved
        return Bounded(view(self.data), error, skipped, rounding, unsigned=unsigned)

    def errors(self) -> Array:
        """Return the error as an array of the data's shape."""
        return np.zeros(self.data.shape) if self.error is None else np.broadcast_to(self.error, self.data.shape)

    def unsigned_errors(self) -> Array:
        """Return the error of integers read without sign; anything where it is not known."""
        known = np.where(self.errors() > 0, np.inf, 0.0) if self.unsigned is None else self.unsigned
        return np.broadcast_to(known, self.data.shape)

    def ends(self) -> tuple[Array, Array]:
        """Return the least and the largest number that a right program's elements may be."""
        low, high = self.data - self.errors(), self.data + self.errors()
        return (
            (low, high) if self.within is None else (np.maximum(low, self.within[0]), np.minimum(high, self.within[1]))
        )

    def in_sum(self) -> Array | None:
        """Return the error that a sum sees: it may have left out the rounding of a product."""
        if self.skipped is None:
            return self.error
        return self.skipped if self.error is None else np.maximum(self.error, self.skipped)


class Written:
    """A value that is written part by part."""

    def __init__(self, initial: Bounded) -> None:
        """Begin with a value; where nothing is written, it stays."""
        parts = (initial.error, initial.skipped, initial.rounding, initial.unsigned)
        self._parts = [np.array(initial.data), *(_copied(initial, part) for part in parts)]

    def put(self, value: Bounded, write: Callable[[Array, Array], None]) -> None:
        """Write elements.

        Args:
            value: The elements.
            write: Writes an array's elements (second) into the whole array (first).
        """
        whole = self._parts[0]
        assert whole is not None
        write(whole, value.data)
        parts = (value.error, value.skipped, value.rounding, value.unsigned)
        if value.unsigned is not None and self._parts[4] is None:
            self._parts[4] = np.array(Bounded(whole, self._parts[1]).unsigned_errors())
        for number, part in enumerate(parts, 1):
            target = self._parts[number]
            if part is None and target is None:
                continue
            if target is None:
                target = self._parts[number] = np.zeros(whole.shape)
            none = value.unsigned_errors() if number == 4 else np.zeros(value.data.shape)
            write(target, none if part is None else np.broadcast_to(part, value.data.shape))

    def value(self) -> Bounded:
        """Return what was written."""
        data, *parts = self._parts
        assert data is not None
        error, skipped, rounding, unsigned = (part if part is not None and part.any() else None for part in parts)
        return Bounded(data, error, skipped, rounding, unsigned=unsigned)


def _copied(value: Bounded, part: Array | None) -> Array | None:
    return None if part is None else np.array(np.broadcast_to(part, value.data.shape))


def join(parts: list[Bounded], combine: Callable[[list[Array]], Array]) -> Bounded:
    """Return one value made of several by a function that only puts elements together."""
    data = combine([part.data for part in parts])
    others: list[Array | None] = []
    for each in zip(*((part.error, part.skipped, part.rounding) for part in parts), strict=True):
        whole = [Bounded(part.data, one).errors() for part, one in zip(parts, each, strict=True)]
        others.append(None if all(one is None for one in each) else combine(whole))
    known = any(part.unsigned is not None for part in parts)
    unsigned = combine([part.unsigned_errors() for part in parts]) if known else None
    error, skipped, rounding = others
    return Bounded(data, error, skipped, rounding, unsigned=unsigned)


def settle(exact: Array, error: Array | None, element_type: str, rounding: Array | None = None) -> Bounded:
    """Return a computed value as its type holds it.

    Args:
        exact: Its elements, unrounded.
        error: How far a right program may be before it rounds to the type; None or 0: not at all.
        element_type: Of the value.
        rounding: See `Bounded`, of that error.
    """
    if error is None or not error.any():
        return Bounded(round_to(exact, element_type))
    rounded = round_to(exact, element_type)
    if not is_float(element_type):
        return Bounded(rounded, error)
    with np.errstate(all="ignore"):
        size = np.abs(exact)
        own = half_spacing(np, size + error, element_type)
        if element_type == "f64":  # which the value is rounded to already
            own = 2 * own
        wide = np.where(error > 0, error + own, 0.0)
        edge = OVERFLOW[element_type]
        outside = np.isfinite(exact) & (size + wide >= edge) & (error > 0)
        wide = np.where(outside, np.where(size - wide >= edge, 0.0, np.inf), wide)
        wide = np.where(np.isnan(wide), np.inf, wide)
        data = np.where((wide > 0) & ~np.isinf(rounded), exact, rounded)
        own = np.where(wide > 0, own + (0.0 if rounding is None else rounding), 0.0)
    return Bounded(data, wide, rounding=own) if wide.any() else Bounded(data)


def quantum_of(values: Array) -> float:
    """Return the largest power of two of which all values are multiples; 0 where a value is not finite.

    >>> quantum_of(np.array([3.0, 0.5, -0.0])), quantum_of(np.array([96.0]))
    (0.5, 32.0)
    """
    if not values.size:
        return 2.0**1000
    if not np.isfinite(values).all():
        return 0.0
    fraction, exponent = np.frexp(values)
    digits = np.abs(np.ldexp(fraction, 53)).astype(np.int64)
    lowest = np.frexp((digits & -digits).astype(np.float64))[1] - 54 + exponent
    least = int(np.min(lowest, where=digits != 0, initial=1000))
    return 2.0 ** max(least, -1074)
