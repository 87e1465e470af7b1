# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures by which predictions are judged, and Markdown tables of them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def ranks(values: Values) -> Values:
    """Return ranks from 0, the mean of their places for equal values."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts + 1) / 2)[which]


def spearman(one: Values, other: Values) -> float:
    """Return Spearman's correlation: that of the ranks."""
    return float(np.corrcoef(ranks(one), ranks(other))[0, 1])


def miss(predicted: Values, measured: Values) -> float:
    """Return the median of |log2(predicted / measured)|."""
    return float(np.median(np.abs(np.log2(predicted / measured))))


def loss(predicted: Values, measured: Values, first: int) -> float:
    """Return by what share the best of the first choices takes longer than the best of all."""
    chosen = np.argsort(predicted, kind="stable")[:first]
    return float(measured[chosen].min() / measured.min() - 1)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    return "\n".join("| " + " | ".join(line) + " |" for line in (header, ["---"] * len(header), *rows)) + "\n"
