# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures by which measurements are summed up: those of the standard library, and None where there is none."""

import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

LEAST_FOR_RANKS = 3
"""Two points are always in order or in reverse: a rank correlation needs three."""


def ranks(values: Sequence[float]) -> list[float]:
    """Return ranks from 1; equal values get the mean of their places.

    >>> ranks([10.0, 30.0, 20.0, 30.0])
    [1.0, 3.5, 2.0, 3.5]
    """
    ordered = sorted(values)
    return [(bisect_left(ordered, one) + 1 + bisect_right(ordered, one)) / 2 for one in values]


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation, None for fewer than three points or where one side is constant.

    >>> spearman([1, 2, 3, 4], [10, 20, 40, 30])
    0.8
    >>> spearman([1, 1, 1], [1, 2, 3]) is None
    True
    """
    try:
        return statistics.correlation(ranks(one), ranks(other)) if len(one) >= LEAST_FOR_RANKS else None
    except statistics.StatisticsError:
        return None


def geometric_mean(values: Sequence[float]) -> float | None:
    """Return the geometric mean of positive numbers, None of none.

    >>> round(geometric_mean([0.5, 2.0, 8.0]), 12)
    2.0
    """
    return statistics.geometric_mean(values) if values else None


def quantile(values: Sequence[float], part: float) -> float | None:
    """Return a quantile, linear between neighbours; None of no values.

    >>> quantile([4.0, 1.0, 2.0], 0.5), quantile([1.0, 2.0], 0.9)
    (2.0, 1.9)
    """
    if not values:
        return None
    ordered = sorted(values)
    low, rest = divmod(part * (len(ordered) - 1), 1)
    return ordered[int(low)] + (ordered[min(int(low) + 1, len(ordered) - 1)] - ordered[int(low)]) * rest


def median(values: Sequence[float]) -> float | None:
    """Return the median, None of no values."""
    return statistics.median(values) if values else None
