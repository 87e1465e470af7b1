# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures by which predictions are judged beside published times: by class, and of the ranking of tiles."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from roller_mlir.evaluation.suites.stages.figures import loss, miss, spearman, within
from roller_mlir.evaluation.suites.stages.vendor import Predicted

Record = dict[str, Any]

LARGE_S = 1e-4
"""Times from which on the launch of a kernel, and how it was timed, do not count."""

LEAST_TILES = 10
"""Tiles that a problem has at least for its tiles to be ranked."""

_NAMES = ("device", "source", "class")
_FIRST = (1, 10)


def class_figures(predicted: Iterable[Predicted]) -> list[Record]:
    """Return the figures by device, source and class, and those of each library over all devices and classes.

    Returns:
        Objects with `device`, `source`, `class` ("all" for all), `count`, `median_ratio` (predicted over measured),
        `median_log2` (of |log2| of that), `spearman` (None below 3), `within_1_25` and `within_2` (shares), `worst`
        (the largest factor by which one is off), and of the times from `LARGE_S` on `large` and `large_median_ratio`
        (None without any).
    """
    good = [one for one in predicted if not one.error]
    rows = [(one.measurement.device, one.source, one.measurement.kind, one) for one in good]
    every = [("all", one.source, "all", one) for one in good if one.measurement.work is None]
    return [_figures(names, same) for some in (rows, every) for names, same in _grouped(some)]


def _grouped(rows: Iterable[tuple[str, str, str, Predicted]]) -> Iterator[tuple[Sequence[str], list[Predicted]]]:
    key = itemgetter(0, 1, 2)
    for names, same in groupby(sorted(rows, key=key), key):
        yield names, [row[3] for row in same]


def _figures(names: Sequence[str], same: Sequence[Predicted]) -> Record:
    times = np.array([one.seconds for one in same])
    measured = np.array([one.measurement.seconds for one in same])
    ratio, large = times / measured, measured >= LARGE_S
    return {
        **dict(zip(_NAMES, names, strict=True)),
        "count": len(same),
        "median_ratio": float(np.median(ratio)),
        "median_log2": miss(times, measured),
        "spearman": spearman(times, measured) if len(same) > 2 else None,
        "within_1_25": within(times, measured, 1.25),
        "within_2": within(times, measured, 2),
        "worst": float(np.max(np.maximum(ratio, 1 / ratio))),
        "large": int(large.sum()),
        "large_median_ratio": float(np.median(ratio[large])) if large.any() else None,
    }


def ranking_figures(predicted: Iterable[Predicted]) -> list[Record]:
    """Return how well tiles are ranked within their problems, by device, source and class.

    Returns:
        Objects with `device`, `source`, `class`, `problems` (of `LEAST_TILES` tiles and more), `tiles`, and medians
        over the problems: `spearman`, and `loss_1`, `loss_10`: by which share the best of the first so many choices
        takes longer than the best of all.
    """
    key = itemgetter(0, 1, 2, 3)
    rows = [
        (one.measurement.device, one.source, one.measurement.kind, one.measurement.problem, one)
        for one in predicted
        if one.measurement.work is not None
    ]
    groups = [(names, [row[4] for row in same]) for names, same in groupby(sorted(rows, key=key), key)]
    large = [(names[:3], same) for names, same in groups if len(same) >= LEAST_TILES]
    found: list[Record] = []
    for names, problems in groupby(large, itemgetter(0)):
        every = [_ranking(same) for _, same in problems]
        tiles, *figures = zip(*every, strict=True)
        medians = [float(np.median(values)) for values in figures]
        found.append(
            {
                **dict(zip(_NAMES, names, strict=True)),
                "problems": len(every),
                "tiles": sum(tiles),
                **dict(zip(("spearman", *(f"loss_{first}" for first in _FIRST)), medians, strict=True)),
            }
        )
    return found


def _ranking(same: Sequence[Predicted]) -> tuple[float, ...]:
    times = np.array([one.seconds for one in same])
    measured = np.array([one.measurement.seconds for one in same])
    return len(same), spearman(times, measured), *(loss(times, measured, first) for first in _FIRST)


def row_records(predicted: Iterable[Predicted]) -> list[Record]:
    """Return what there is to say of each operator of a library; tiles are too many for that.

    Returns:
        Objects with `device`, `source`, `class`, `problem`, `file`, `line`, `measured_s`, and `predicted_s`, `limit`
        (the layer that limits its longest kernel), or `error`.
    """
    return [
        {
            "device": one.measurement.device,
            "source": one.source,
            "class": one.measurement.kind,
            "problem": one.measurement.problem,
            "file": one.file,
            "line": one.measurement.line,
            "measured_s": one.measurement.seconds,
            **({"error": one.error} if one.error else {"predicted_s": one.seconds, "limit": one.limit}),
        }
        for one in predicted
        if one.measurement.work is None
    ]
