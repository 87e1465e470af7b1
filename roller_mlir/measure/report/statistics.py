# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures by which measurements are summed up."""

from collections.abc import Sequence
from math import exp, fsum, log, sqrt

LEAST_FOR_RANKS = 3
"""Two points are always in order or in reverse: a rank correlation needs three."""


def ranks(values: Sequence[float]) -> list[float]:
    """Return ranks from 1; equal values get the mean of their places.

    >>> ranks([10.0, 30.0, 20.0, 30.0])
    [1.0, 3.5, 2.0, 3.5]
    """
    order = sorted(range(len(values)), key=lambda i: values[i])
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for i in order[start:end]:
            found[i] = (start + 1 + end) / 2
        start = end
    return found


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation, None for fewer than three points or where one side is constant.

    >>> spearman([1, 2, 3, 4], [10, 20, 40, 30])
    0.8
    >>> spearman([1, 1, 1], [1, 2, 3]) is None
    True
    """
    if len(one) < LEAST_FOR_RANKS:
        return None
    x, y = ranks(one), ranks(other)
    middle = (len(one) + 1) / 2
    xx, yy = fsum((a - middle) ** 2 for a in x), fsum((b - middle) ** 2 for b in y)
    if xx == 0 or yy == 0:
        return None
    return fsum((a - middle) * (b - middle) for a, b in zip(x, y, strict=True)) / sqrt(xx * yy)


def geometric_mean(values: Sequence[float]) -> float | None:
    """Return the geometric mean of positive numbers, None of none.

    >>> round(geometric_mean([0.5, 2.0, 8.0]), 12)
    2.0
    """
    return exp(fsum(map(log, values)) / len(values)) if values else None


def quantile(values: Sequence[float], part: float) -> float | None:
    """Return a quantile, linear between neighbours; None of no values.

    >>> quantile([4.0, 1.0, 2.0], 0.5), quantile([1.0, 2.0], 0.9)
    (2.0, 1.9)
    """
    if not values:
        return None
    ordered = sorted(values)
    place = part * (len(ordered) - 1)
    low = min(int(place), len(ordered) - 1)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def median(values: Sequence[float]) -> float | None:
    """Return the median, None of no values."""
    return quantile(values, 0.5)
