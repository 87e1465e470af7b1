# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a right result may be from the exact one: rounding errors of sums, in any order, and the verdict from them.

With u = 2^-p for numbers of p binary digits, each addition of a sum errs by at most u |s|, where s is the partial sum
that it gives. Errors of rounding have no common sign, so a sum of n terms is off by more than

    L u sqrt(s_1^2 + ... + s_n^2)

with a probability of 2 exp(-L^2 / 2) at most (Hoeffding; Higham and Mary, "A new approach to probabilistic rounding
error analysis", 2019). An error that is spread evenly up to u |s| has a third of that variance, and u |s| is its bound
right above a power of two only. But partial sums wander, and the mean of their squares, which is all that is known of
them, is exceeded by chance as well: the rarest of many elements have both. With L = 4, 8 of 5 10^8 right elements were
beyond the bound on an H100, by 1.44 at most. Both tails together fall with exp(-c L), so that L = 6 permits 10^12.

Partial sums depend on the order. In an order that knows nothing of the terms t, with total S, they are on average

    s_1^2 + ... + s_n^2 = n (S^2 / 3 + (t_1^2 + ... + t_n^2) / 6).

Data of a structure (all positive terms first) have larger ones. The sums of `SEGMENTS` parts of the loop show it: no
order of whole parts has a partial sum beyond that of all positive parts or of all negative ones. Where n is small, the
certain bound n u (|t_1| + ... + |t_n| + |S|) / 2 is the smaller one.

A sum whose terms are all multiples of q, and whose magnitudes together are at most 2^p q, is exact in any order: so
results on whole numbers must be equal.

The functions take numpy or torch as `xp`; they are the compiler's and those of kits on machines with a device.
"""

from dataclasses import dataclass
from typing import Any

DIGITS = {"f64": 53, "f32": 24, "tf32": 11, "f16": 11, "bf16": 8}
"""Binary digits of the numbers of each float type, with the leading one."""
EPSILON = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}
"""Distance from 1 to the next number of each float type of programs."""
SMALLEST = {"f64": 2.0**-1074, "f32": 2.0**-149, "tf32": 2.0**-136, "f16": 2.0**-24, "bf16": 2.0**-133}
"""The smallest positive number of each."""
OVERFLOW = {"f64": float("inf"), "f32": 2.0**128 - 2.0**103, "f16": 65520.0, "bf16": 2.0**128 - 2.0**119}
"""What rounds to infinity, from here on."""
SEGMENTS = 8
"""Parts of a reduction loop whose sums tell of the data's structure."""
UNLIKELY = 6.0
"""L for partial sums of an order that knows nothing of the terms."""
_UNLIKELY_SEGMENTS = 3.75
"""L for the largest partial sum of whole segments, which few partial sums of an order reach."""


def unit(element_type: str) -> float:
    """Return u, the largest relative error of rounding to a type.

    >>> unit("bf16") == 2.0**-8
    True
    """
    return 2.0 ** -DIGITS[element_type]


@dataclass(frozen=True, kw_only=True)
class Rounding:
    """Where the computation of a sum of products rounds.

    Attributes:
        accumulator: Type of partial sums.
        product: Type to which each product may be rounded before it is added; "" where all products are exact.
        factor: Type to which factors are rounded or cut off ("tf32"); "" where they are taken as they are.
        parts: Partial results that are rounded to `part`, then added in it.
        part: Their type.
        truncates: Whether matrix instructions cut off digits of each partial sum, as those of devices do, instead of
            rounding.
    """

    accumulator: str
    product: str = ""
    factor: str = ""
    parts: int = 1
    part: str = ""
    truncates: bool = False


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What is known of the terms of sums, one sum an element.

    Attributes:
        count: n, terms of each sum with its initial value.
        total: The sums.
        magnitude: Sums of the terms' magnitudes.
        squares: Sums of the terms' squares.
        extreme: The largest magnitude of a sum of whole segments.
        initial: What the sums begin with, which is one of the terms; 0 where it is nothing.
        quantum: A power of two of which each term is a multiple; 0 where none is known.
        repeats: Whether many terms equal their neighbours, as where an operator reads nothing else along a loop.
    """

    count: int
    total: Any
    magnitude: Any
    squares: Any
    extreme: Any
    initial: Any = 0.0
    quantum: float = 0.0
    repeats: bool = False


def sum_error(xp: Any, terms: Terms, rounding: Rounding) -> Any:
    """Return a bound of the error of each sum, 0 where it is exact in any order.

    Args:
        xp: numpy, or torch.
        terms: Of the sums.
        rounding: Where they round.

    The sums of 4096 products of normally distributed numbers, about 64 each:

    >>> import numpy as np
    >>> total, magnitude, squares = (np.array(value) for value in (64.0, 2607.6, 4096.0))
    >>> terms = Terms(count=4096, total=total, magnitude=magnitude, squares=squares, extreme=np.array(104.0))
    >>> f"{float(sum_error(np, terms, Rounding(accumulator='f32'))):.1e}"
    '1.5e-03'
    """
    error = _additions(xp, terms, terms.count, rounding.accumulator)
    if rounding.parts > 1 and rounding.part:
        error = error + _additions(xp, terms, 2 * rounding.parts, rounding.part)
    if rounding.product:
        u, least = unit(rounding.product), SMALLEST[rounding.product]
        each = xp.minimum(u * terms.magnitude, UNLIKELY * u * xp.sqrt(terms.squares))
        exact = terms.magnitude <= terms.quantum / u
        error = error + xp.where(exact, 0.0, each + least * terms.count**0.5)
    if rounding.factor:
        u = factor_unit(rounding)
        each = xp.minimum(2 * u * terms.magnitude, UNLIKELY * u * xp.sqrt(2 * terms.squares))
        error = error + each + 2 * u * abs(terms.total)
    if rounding.truncates:
        u = unit(rounding.accumulator)
        each = terms.count / 8 * u * xp.maximum(_typical(xp, terms), terms.extreme)
        error = error + xp.where(terms.magnitude <= terms.quantum / u, 0.0, each)
    return error


def factor_unit(rounding: Rounding) -> float:
    """Return the largest relative error of a factor: of tf32 `mma` ignores the lower digits, tensor copies round."""
    return 2 * unit(rounding.factor)


def _additions(xp: Any, terms: Terms, count: int, kind: str) -> Any:
    """Return a bound of what so many roundings of partial sums amount to."""
    u = unit(kind)
    certain = count * u * (1 + min(1.0, count * u)) * (terms.magnitude + abs(terms.total)) / 2
    likely = u * count**0.5 * xp.maximum(UNLIKELY * _typical(xp, terms), _UNLIKELY_SEGMENTS * terms.extreme)
    error = xp.minimum(certain, likely + _drift(xp, terms, count, u))
    error = error * (2 if kind == "f64" else 1)  # what it is compared with is in f64 too
    return xp.where(terms.magnitude <= terms.quantum / u, 0.0, error)


def _drift(xp: Any, terms: Terms, count: int, u: float) -> Any:
    """Return what roundings of one sign amount to: of terms small beside the spacing of partial sums, or equal.

    A sum of many equal terms in f16 stops to grow at 2048 of them. A term that is added again and again is rounded
    alike each time, as long as the spacing is the same: what lies between two numbers is always the same part of it.
    Terms of random signs do not drift: what counts is how far they go one way.
    """
    rest = terms.magnitude - abs(terms.initial)
    coherent = abs(terms.total - terms.initial) / xp.where(rest > 0, rest, 1.0)
    small = rest / max(1, terms.count - 1) < 8 * u * terms.extreme
    return xp.where(small | terms.repeats, count * u * terms.extreme * coherent, 0.0)


def _typical(xp: Any, terms: Terms) -> Any:
    """Return the root mean square of partial sums in an order that knows nothing of the terms."""
    return xp.sqrt(terms.total * terms.total / 3 + terms.squares / 6)


def extreme_of(xp: Any, segments: Any) -> Any:
    """Return the largest magnitude of a sum of some of the segments.

    Args:
        xp: numpy, or torch.
        segments: Their sums, a sequence of arrays.
    """
    zero = 0 * segments[0]
    above = sum((xp.maximum(each, zero) for each in segments), zero)
    below = sum((xp.maximum(-each, zero) for each in segments), zero)
    return xp.maximum(above, below)


def half_spacing(xp: Any, magnitude: Any, kind: str) -> Any:
    """Return the largest error of rounding a number of a magnitude to a type: half the distance of its neighbours.

    >>> import numpy as np
    >>> half_spacing(np, np.array([1.0, 1.5, 2.0]), "bf16").tolist()
    [0.00390625, 0.00390625, 0.0078125]
    """
    _, exponent = xp.frexp(magnitude)
    half = xp.exp2(1.0 * exponent - (DIGITS[kind] + 1))
    least = SMALLEST[kind] / 2
    return xp.where((half < least) | (magnitude == 0), least, half)


def off_by(xp: Any, got: Any, want: Any, error: Any) -> Any:
    """Return by how many times the permitted error each element is off; inf where it must be equal and is not.

    Args:
        xp: numpy, or torch.
        got: Elements in f64.
        want: The exact ones, NaN and infinities where elements must be such.
        error: The permitted errors; inf where anything is permitted.
    """
    same = (got == want) | (xp.isnan(got) & xp.isnan(want))
    difference = abs(xp.where(same, 0.0, got) - xp.where(same, 0.0, want))
    exact = error == 0
    share = difference / xp.where(exact, 1.0, error)
    share = xp.where(exact | xp.isnan(share), float("inf"), share)
    return xp.where(same | (error == float("inf")), 0.0, share)


def says_nothing(xp: Any, want: Any, error: Any) -> Any:
    """Return where the permitted error is so large that any number of the result's size is right, or any at all.

    Args:
        xp: numpy, or torch.
        want: The exact elements.
        error: The permitted errors.
    """
    size = abs(want)
    finite = xp.where(xp.isfinite(size), size, 0.0)
    mean = xp.sqrt((finite * finite).mean())
    return (error > 0) & (error >= xp.maximum(finite, mean + 0 * finite))
