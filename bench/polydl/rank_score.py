# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How well an order of variants is the order of their times."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Score(NamedTuple):
    """What an order is worth.

    Attributes:
        first_loss: How much longer the first variant takes than the fastest, as a share.
        five_loss: The same of the fastest of the first five.
        correlation: Spearman's rank correlation.
    """

    first_loss: float
    five_loss: float
    correlation: float


def scored(order: NDArray[np.float64], seconds: NDArray[np.float64]) -> Score:
    """Return the score of predictions, the lowest first; equal ones count as the mean of their places.

    >>> scored(np.array([1.0, 2.0, 3.0]), np.array([1.1, 1.0, 4.0]))
    Score(first_loss=0.10000000000000009, five_loss=0.0, correlation=0.5)
    """
    chosen = seconds[np.argsort(order, kind="stable")]
    ranks, truth = places(order), places(seconds)
    spread = ranks.std() * truth.std()
    together = float(((ranks - ranks.mean()) * (truth - truth.mean())).mean() / spread) if spread else 0.0
    return Score(float(chosen[0] / seconds.min() - 1), float(chosen[:5].min() / seconds.min() - 1), together)


def places(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the place of each value among all, equal ones with the mean of theirs."""
    _, first, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    middle = ends - (counts + 1) / 2
    result: NDArray[np.float64] = middle[first.ravel()]
    return result
