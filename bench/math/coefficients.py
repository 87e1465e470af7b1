# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fit the polynomials of `roller_mlir/lowering/backend/math/coefficients.py`, and print them with the error of each.

    python bench/math/coefficients.py > roller_mlir/lowering/backend/math/coefficients.py

Each is a least-squares fit in 60 digits at Chebyshev's points of its interval, with a weight that makes its error
relative to the function's result. It needs mpmath, which comes with torch-mlir's own dependencies.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
from mpmath import mpf

DIGITS, POINTS_PER_TERM = 60, 6
Function = Callable[[Any], Any]


@dataclass(frozen=True)
class Fit:
    """A polynomial to be fitted.

    Attributes:
        name: Of the constant.
        comment: What the function makes of the polynomial.
        function: The function that the polynomial is to be.
        weight: What a unit of its error is worth in the function's result, relative to that.
        low: Where its interval begins.
        high: Where that ends.
        terms: Coefficients in f32 and in f64.
    """

    name: str
    comment: str
    function: Function
    weight: Function
    low: Any
    high: tuple[Any, Any]
    terms: tuple[int, int]


def _exp_rest(r: Any) -> Any:
    return (mpmath.exp(r) - 1 - r) / r**2 if r else mpf(1) / 2


def _log_rest(z: Any) -> Any:
    s = mpmath.sqrt(z)
    return (2 * mpmath.atanh(s) / s - 2) / z if z else mpf(2) / 3


def _tanh_rest(z: Any) -> Any:
    x = mpmath.sqrt(z)
    return (mpmath.tanh(x) / x - 1) / z if z else -mpf(1) / 3


def _erf_rest(z: Any) -> Any:
    x = mpmath.sqrt(z)
    return mpmath.erf(x) / x - 1 if z else 2 / mpmath.sqrt(mpmath.pi) - 1


mpmath.mp.dps = DIGITS
HALF = mpmath.log(2) / 2
FITS = (
    Fit("EXP", "exp r = 1 + r + r^2 P(r), |r| <= log(2) / 2", _exp_rest, lambda r: r**2, -HALF, (HALF, HALF), (5, 10)),
    Fit(
        "LOG",
        "log((1 + s) / (1 - s)) = 2 s + s z P(z), z = s^2 up to (3 - sqrt 8)^2",
        _log_rest,
        lambda z: z,
        mpf(0),
        (mpf("0.029438"),) * 2,
        (4, 7),
    ),
    Fit(
        "TANH",
        "tanh x = x + x z P(z), z = x^2, |x| <= 0.625",
        _tanh_rest,
        lambda z: z,
        mpf(0),
        (mpf("0.390625"),) * 2,
        (6, 12),
    ),
    Fit(
        "ERF",
        "erf x = x + x P(z), z = x^2, |x| <= 1.25",
        _erf_rest,
        lambda z: mpf(1),
        mpf(0),
        (mpf("1.5625"),) * 2,
        (9, 15),
    ),
    Fit(
        "ERFC",
        "log(erfc a) = P(a - c), a from 1.25 to 4 (f32, c = 2.625) or 6 (f64, c = 3.625)",
        lambda a: mpmath.log(mpmath.erfc(a)),
        mpmath.erfc,
        mpf("1.25"),
        (mpf(4), mpf(6)),
        (10, 23),
    ),
)


def fitted(one: Fit, high: Any, terms: int) -> tuple[list[Any], Any]:
    """Return the coefficients, constant first, in the interval's own variable; and the largest weighted error.

    Args:
        one: What is fitted.
        high: Where the interval ends.
        terms: How many coefficients.
    """
    centre = (one.low + high) / 2 if one.name == "ERFC" else mpf(0)
    count = POINTS_PER_TERM * terms
    angles = [mpmath.pi * (2 * n + 1) / (2 * count) for n in range(count)]
    points = [(one.low + high) / 2 + (high - one.low) / 2 * mpmath.cos(angle) for angle in angles]
    # Chebyshev's polynomials are best fitted with the square root of their own weight, which equal angles give.
    rows = mpmath.matrix(count, terms)
    sides = mpmath.matrix(count, 1)
    for n, x in enumerate(points):
        weight = one.weight(x)
        for k in range(terms):
            rows[n, k] = weight * (x - centre) ** k
        sides[n] = weight * one.function(x)
    found = list(mpmath.qr_solve(rows, sides)[0])
    worst = max(
        abs(one.weight(x) * (mpmath.polyval(found[::-1], x - centre) - one.function(x)))
        for x in [one.low + (high - one.low) * n / 400 for n in range(401)]
    )
    return found, worst


def _split(value: Any, bits: int) -> tuple[Any, Any]:
    """Return a value as a sum of so many leading bits and the rest."""
    scale = mpf(2) ** (bits - 1 - mpmath.floor(mpmath.log(value, 2)))
    upper = mpmath.nint(value * scale) / scale
    return upper, value - upper


def main() -> None:
    """Print the module."""
    print("# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print('"""Polynomials of elementary functions, constant coefficient first: (f32, f64).\n')
    print("Written by bench/math/coefficients.py, which says how each was fitted. Do not edit.")
    print('"""\n')
    print("# Upper bits of log 2, few enough that their product with any exponent is exact, and the rest.")
    for name, part in (("LOG2_UPPER", 0), ("LOG2_LOWER", 1)):
        print(f"{name} = ({', '.join(repr(float(_split(mpmath.log(2), bits)[part])) for bits in (15, 41))})")
    for one in FITS:
        found = [fitted(one, high, terms) for high, terms in zip(one.high, one.terms, strict=True)]
        errors = ", ".join(f"2^{float(mpmath.log(worst, 2)):.1f}" for _, worst in found)
        print(f"\n# {one.comment}; errors {errors}")
        print(f"{one.name} = (")
        for values, _ in found:
            print("    (")
            for value in values:
                print(f"        {float(value)!r},")
            print("    ),")
        print(")")


if __name__ == "__main__":
    main()
