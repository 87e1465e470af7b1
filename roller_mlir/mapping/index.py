# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear index expressions over symbols of known range and divisibility.

Masks and vector widths follow from this arithmetic: a bound is checked only where interval arithmetic cannot prove it,
and an access is wide only where divisibility proves it aligned.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import gcd

# Stands for "divisible by any power of two that matters" (the divisor of zero).
UNLIMITED = 1 << 20


@dataclass(frozen=True, eq=False)
class Symbol:
    """An integer known only at run time.

    Attributes:
        name: For printing.
        low: Smallest value.
        high: Largest value, inclusive.
        divisor: Every value is a multiple of it.
        value: What code generation stands for it (an SSA value), opaque here.
    """

    name: str
    low: int
    high: int
    divisor: int = 1
    value: object = field(default=None, repr=False)


class Linear:
    """A linear expression: sum(coefficient * symbol) + constant. Immutable.

    >>> x = Symbol("x", 0, 7, 4)
    >>> e = Linear({x: 2}, 8)
    >>> e.range(), e.divisor()
    ((8, 22), 8)
    """

    __slots__ = ("_hash", "constant", "terms")

    def __init__(self, terms: Mapping[Symbol, int] | None = None, constant: int = 0) -> None:
        self.terms: dict[Symbol, int] = {s: k for s, k in terms.items() if k} if terms else {}
        self.constant = constant
        self._hash: int | None = None

    @staticmethod
    def of(symbol: Symbol, factor: int = 1) -> "Linear":
        """Return factor * symbol, a constant when the symbol has one value only."""
        if symbol.low == symbol.high:
            return Linear(None, symbol.low * factor)
        return Linear({symbol: factor})

    def _moved(self, constant: int) -> "Linear":
        """Return the same with another constant; terms are shared, as nobody changes them."""
        moved = Linear(None, constant)
        moved.terms = self.terms
        return moved

    def __add__(self, other: "Linear | int") -> "Linear":
        if isinstance(other, int):
            return self._moved(self.constant + other)
        constant = self.constant + other.constant
        if not other.terms or not self.terms:
            return (self if self.terms else other)._moved(constant)
        terms = dict(self.terms)
        for symbol, factor in other.terms.items():
            terms[symbol] = terms.get(symbol, 0) + factor
        return Linear(terms, constant)

    def __mul__(self, factor: int) -> "Linear":
        if factor == 1 or not self.terms:
            return self._moved(self.constant * factor)
        return Linear({s: k * factor for s, k in self.terms.items()}, self.constant * factor)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Linear) and self.constant == other.constant and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((frozenset(self.terms.items()), self.constant))
        return self._hash

    def __repr__(self) -> str:
        return " + ".join([f"{k}*{s.name}" for s, k in self.terms.items()] + [str(self.constant)])

    def range(self) -> tuple[int, int]:
        """Return the smallest and largest value by interval arithmetic."""
        low = high = self.constant
        for symbol, k in self.terms.items():
            low += k * (symbol.low if k > 0 else symbol.high)
            high += k * (symbol.high if k > 0 else symbol.low)
        return low, high

    def divisor(self, *, with_constant: bool = True) -> int:
        """Return an integer that divides every value (every value minus the constant, if it is left out)."""
        values = [k * symbol.divisor for symbol, k in self.terms.items()]
        if with_constant:
            values.append(self.constant)
        return gcd(*values) or UNLIMITED


def power_of_two_divisor(value: int, limit: int = 4) -> int:
    """Return the largest power of two that divides value, at most limit.

    >>> power_of_two_divisor(12), power_of_two_divisor(7), power_of_two_divisor(0)
    (4, 1, 4)
    """
    width = 1
    while width * 2 <= limit and value % (width * 2) == 0:
        width *= 2
    return width
