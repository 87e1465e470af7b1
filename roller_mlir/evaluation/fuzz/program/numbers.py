# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole numbers of a random program: formulas over knobs, so that turning one changes all that depends on it.

An extent, a stride, a dilation, a padding is a knob or a formula over knobs: an image of a convolution is
`(out - 1) * stride + (window - 1) * dilation + 1`. Shrinking a failure then means turning knobs toward their least
value, and the program stays consistent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias, Union

Whole: TypeAlias = Union[int, "Number"]


@dataclass(frozen=True)
class Number:
    """A formula.

    Attributes:
        op: "knob", "+", "-", "*" or "//".
        parts: Operands; of a knob, its number.
    """

    op: str
    parts: tuple[Whole, ...]

    def __add__(self, other: Whole) -> "Number":
        return Number("+", (self, other))

    def __radd__(self, other: int) -> "Number":
        return Number("+", (other, self))

    def __sub__(self, other: Whole) -> "Number":
        return Number("-", (self, other))

    def __rsub__(self, other: int) -> "Number":
        return Number("-", (other, self))

    def __mul__(self, other: Whole) -> "Number":
        return Number("*", (self, other))

    def __rmul__(self, other: int) -> "Number":
        return Number("*", (other, self))

    def __floordiv__(self, other: Whole) -> "Number":
        return Number("//", (self, other))

    def __rfloordiv__(self, other: int) -> "Number":
        return Number("//", (other, self))


@dataclass(frozen=True)
class Knob:
    """A number that a shrinker may turn.

    Attributes:
        value: What it is.
        least: What it may be turned down to: 1 for extents and strides, 0 for paddings and offsets.
    """

    value: int
    least: int = 1


def value_of(number: Whole, knobs: Sequence[Knob]) -> int:
    """Return the value of a formula.

    >>> out, stride = Number("knob", (0,)), Number("knob", (1,))
    >>> value_of((out - 1) * stride + 3, [Knob(5), Knob(2)])
    11
    """
    if isinstance(number, int):
        return number
    if number.op == "knob":
        (index,) = number.parts
        assert isinstance(index, int)
        return knobs[index].value
    left, right = (value_of(part, knobs) for part in number.parts)
    if number.op == "+":
        return left + right
    if number.op == "-":
        return left - right
    return left * right if number.op == "*" else left // max(right, 1)


def product(numbers: Sequence[Whole]) -> Whole:
    """Return the product of numbers, 1 for none."""
    return prod(numbers, start=1)
