# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the charts of a report show, for whatever draws them: points, series, and the ticks of logarithmic axes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from roller_mlir.evaluation.measure.report.records import Report
from roller_mlir.tools.report.charts import SERIES

MARKS = ("o", "s", "^", "D", "v", "P", "*")
MOST_NAMES = 36
"""With at most so many kernels, the ratio chart names each."""


@dataclass(frozen=True)
class Point:
    """A mark of a chart.

    Attributes:
        id: Of the item.
        kind: Its class.
        x: Measured seconds; in a chart of ratios the place, from 0.
        y: Predicted seconds; the ratio of the first candidate.
        best: The ratio of the fastest candidate, None without one, or where it is the first one.
    """

    id: str
    kind: str
    x: float
    y: float
    best: float | None = None


def prediction_points(report: Report) -> list[Point]:
    """Return the items with a prediction and a time."""
    return [
        Point(item.id, item.kind, item.top1_s, item.predicted_s)
        for item in report.items
        if item.top1_s is not None and item.predicted_s is not None
    ]


def ratio_points(report: Report, peer: str) -> list[Point]:
    """Return the items with a ratio to a peer, the smallest first."""
    found = [item for item in report.items if peer in item.top1_ratio]
    ordered = sorted(found, key=lambda item: (item.top1_ratio[peer], item.id))
    return [
        Point(
            item.id,
            item.kind,
            float(place),
            item.top1_ratio[peer],
            item.best_ratio.get(peer) if item.best_rank != item.top1_rank else None,
        )
        for place, item in enumerate(ordered)
    ]


def series(report: Report) -> dict[str, int]:
    """Number the classes of a report, in the order of its items; colour and mark follow from the number."""
    return {kind: place for place, kind in enumerate(dict.fromkeys(item.kind for item in report.items))}


def look(place: int) -> tuple[str, str]:
    """Return the name of the colour and the mark of a series: all pairs before one comes again.

    >>> look(0), look(6), look(7)
    (('c0', 'o'), ('c6', '*'), ('c0', 's'))
    """
    colour = place % len(SERIES)
    return f"c{colour}", MARKS[(colour + place // len(SERIES)) % len(MARKS)]


def span(values: Iterable[float], margin: float, least: Sequence[float] = ()) -> tuple[float, float]:
    """Return the ends of a logarithmic axis: a factor beyond the least and the most of positive values.

    >>> span([1.0, 10.0], 2.0)
    (0.5, 20.0)
    """
    every = [*values, *least]
    return min(every) / margin, max(every) * margin


def ticks(low: float, high: float, most: int = 9) -> list[float]:
    """Return where a logarithmic axis is labelled: decades, with more between few of them, and only some of many.

    >>> ticks(0.4, 2.5), ticks(1e-6, 1e-3)
    ([0.5, 0.7, 1.0, 1.5, 2.0], [1e-06, 1e-05, 0.0001, 0.001])
    """
    first, last = floor(log10(low)), ceil(log10(high))
    steps = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0) if high / low < 12 else (1.0, 2.0, 5.0) if high / low < 200 else (1.0,)
    inside = floor(log10(high)) - ceil(log10(low)) + 1
    stride = max(1, -(-inside // most))
    found = [
        float(f"{step:g}e{decade}")
        for decade in range(first if stride == 1 else first + 1, last + 1, stride)
        for step in steps
    ]
    return [value for value in found if low <= value * (1 + 1e-9) and value <= high * (1 + 1e-9)]
