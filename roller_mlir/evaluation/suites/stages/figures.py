# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures by which predictions are judged."""

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def ranks(values: Values) -> Values:
    """Return ranks from 0, the mean of their places for equal values."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts + 1) / 2)[which]


def spearman(one: Values, other: Values) -> float:
    """Return Spearman's correlation: that of the ranks, and 0 where all values of one are the same.

    >>> round(spearman(np.array([1.0, 2.0, 3.0]), np.array([3.0, 5.0, 4.0])), 3), spearman(np.ones(2), np.arange(2))
    (0.5, 0.0)
    """
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return 0.0
    return float(np.corrcoef(ranks(one), ranks(other))[0, 1])


def miss(predicted: Values, measured: Values) -> float:
    """Return the median of |log2(predicted / measured)|."""
    return float(np.median(np.abs(np.log2(predicted / measured))))


def within(predicted: Values, measured: Values, factor: float) -> float:
    """Return the share of predictions that are off by no more than a factor.

    >>> within(np.array([1.0, 2.0, 3.0]), np.array([1.2, 1.0, 1.0]), 2)
    0.6666666666666666
    """
    return float(np.mean(np.abs(np.log2(predicted / measured)) <= np.log2(factor)))


def loss(predicted: Values, measured: Values, first: int) -> float:
    """Return by what share the best of the first choices takes longer than the best of all."""
    chosen = np.argsort(predicted, kind="stable")[:first]
    return float(measured[chosen].min() / measured.min() - 1)


def trials(predicted: Values, measured: Values, most_loss: float = 0.05) -> int:
    """Return how many choices there are, in the order of prediction, until one loses at most so much.

    >>> trials(np.array([1.0, 2.0, 3.0]), np.array([1.2, 1.04, 1.0]))
    2
    """
    good = measured[np.argsort(predicted, kind="stable")] <= (1 + most_loss) * measured.min()
    return int(np.argmax(good)) + 1
