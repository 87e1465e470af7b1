# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of a report: predicted against measured times, and the sorted ratios to each peer."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from roller_mlir.evaluation.measure.report.figures import WITHIN
from roller_mlir.evaluation.measure.report.records import Report
from roller_mlir.tools.console.output import seconds
from roller_mlir.tools.report.charts import colour, drawing, png, svg
from roller_mlir.tools.report.measured.document import PREDICTION_CHART, Document, peer_chart
from roller_mlir.tools.report.measured.points import (
    MOST_NAMES,
    Point,
    look,
    prediction_points,
    ratio_points,
    series,
    span,
    ticks,
)
from roller_mlir.tools.report.measured.words import clean, correlation, ratio

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

PREDICTION_PICTURE = "predicted-vs-measured.png"


def ratio_picture(peer: str) -> str:
    """Return the file name of the picture of the ratios to a peer.

    >>> ratio_picture("torch.compile"), ratio_picture("../x y")
    ('ratio-torch.compile.png', 'ratio-.._x_y.png')
    """
    return f"ratio-{re.sub('[^A-Za-z0-9._-]', '_', peer)[:64]}.png"


def draw(report: Report, peers: Sequence[str], made: Document) -> "dict[str, tuple[str, bytes, Markup]]":
    """Draw the figures that a report has points for.

    Args:
        report: What to draw.
        peers: Whose ratios are drawn, those that have any.
        made: The report in words: its title stands above each figure, its banner above the marks.

    Returns:
        By the key of the chart: the name of a PNG file, its content, and the same as SVG.
    """
    found: dict[str, tuple[str, bytes, Markup]] = {}
    with drawing():
        points = prediction_points(report)
        if points:
            figure = _prediction(report, points, made)
            tips = {p.id: f"{clean(p.id)}: predicted {seconds(p.y)}, measured {seconds(p.x)}" for p in points}
            chart = svg(figure, "predicted against measured times", _tips(report, points, tips))
            found[PREDICTION_CHART] = PREDICTION_PICTURE, png(figure), chart
        for peer in peers:
            points = ratio_points(report, peer)
            if points:
                figure = _ratio(report, peer, points, made)
                tips = {p.id: f"{clean(p.id)}: {ratio(p.y)}{_best(p)}" for p in points}
                chart = svg(figure, f"time of {clean(peer)} over ours", _tips(report, points, tips))
                found[peer_chart(peer)] = ratio_picture(peer), png(figure), chart
    return found


def _best(point: Point) -> str:
    return "" if point.best is None else f", best candidate {ratio(point.best)}"


def _tips(report: Report, points: Sequence[Point], tips: Mapping[str, str]) -> dict[str, Sequence[str]]:
    """Return what each mark tells, by the rows that `_marks` draws."""
    return {_row(place): [tips[p.id] for p in points if p.kind == kind] for kind, place in series(report).items()}


def _row(place: int) -> str:
    return f"series-{place}"


def _figure(size: tuple[float, float], title: str, banner: str) -> "tuple[Figure, Axes]":
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    figure.suptitle(_plain(title), fontsize=9.5, color=colour("fg"))
    if banner:
        axes.set_title(banner, fontsize=9, color=colour("alarm"), fontweight="bold")
    return figure, axes


def _prediction(report: Report, points: Sequence[Point], made: Document) -> "Figure":
    figure, axes = _figure((7.2, 5.2), f"{made.title}: predicted against measured", made.banner)
    low, high = span([value for point in points for value in (point.x, point.y)], 1.5)
    for factor, style in ((1.0, "-"), (2.0, ":"), (0.5, ":")):
        axes.plot([low, high], [low * factor, high * factor], style, color=colour("soft"), linewidth=0.8, zorder=1)
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high))
    axes.set_box_aspect(1)
    axes.set(xlabel="measured", ylabel="predicted")
    for axis in (axes.xaxis, axes.yaxis):
        _labelled(axis, {value: seconds(value) for value in ticks(low, high, 6)})
    _marks(axes, points, series(report), alpha=0.75)
    figures = report.prediction
    text = f"n = {figures.n}, Spearman {correlation(figures.spearman)}"
    axes.text(0.03, 0.965, text, transform=axes.transAxes, va="top")
    _finish(axes)
    return figure


def _ratio(report: Report, peer: str, points: Sequence[Point], made: Document) -> "Figure":
    names = len(points) <= MOST_NAMES
    figure, axes = _figure((10.0, 4.4 if names else 3.8), f"{made.title}: time of {peer} over ours", made.banner)
    every = [value for point in points for value in (point.y, point.best) if value is not None]
    low, high = span(every, 1.15, (0.8, 1.25))
    axes.set(yscale="log", ylim=(low, high), xlim=(-0.7, len(points) - 0.3))
    axes.axhspan(WITHIN, 1.1, color=colour("soft"), alpha=0.25, linewidth=0, zorder=0)
    axes.axhline(1.0, color=colour("soft"), linewidth=0.8, zorder=1)
    kinds = series(report)
    for point in points:
        shade = colour(look(kinds[point.kind])[0])
        axes.plot([point.x, point.x], [1.0, point.y], color=shade, alpha=0.35, linewidth=0.8, zorder=2)
    _marks(axes, points, kinds, alpha=0.85)
    best = [(point.x, point.best) for point in points if point.best is not None]
    if best:
        x, y = zip(*best, strict=True)
        label = "best candidate"
        axes.plot(
            x, y, "o", mfc="none", mec=colour("fg"), mew=0.7, markersize=3.6, linestyle="none", zorder=3, label=label
        )
    _labelled(axes.yaxis, {value: f"{value:g}" for value in ticks(low, high)})
    axes.set_ylabel(_plain(f"{peer} / ours"))
    if names:
        labels = [_plain(point.id.split("/", 1)[-1], 18) for point in points]
        axes.set_xticks(range(len(points)), labels, rotation=50, ha="right", rotation_mode="anchor", fontsize=7)
    else:
        axes.set_xticks([])
        axes.set_xlabel(f"{len(points)} kernels, sorted; the band is 10 %")
    _finish(axes)
    return figure


def _marks(axes: "Axes", points: Sequence[Point], kinds: Mapping[str, int], *, alpha: float) -> None:
    for kind, place in kinds.items():
        same = [point for point in points if point.kind == kind]
        if same:
            shade, mark = look(place)
            axes.plot(
                [point.x for point in same],
                [point.y for point in same],
                mark,
                color=colour(shade),
                gid=_row(place),
                markersize=4.6,
                alpha=alpha,
                mew=0,
                linestyle="none",
                zorder=4,
                label=_plain(kind, 20),
            )


def _labelled(axis: "Axis", labels: Mapping[float, str]) -> None:
    from matplotlib.ticker import NullFormatter, NullLocator

    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())
    axis.set_ticks(list(labels), list(labels.values()))


def _finish(axes: "Axes") -> None:
    axes.tick_params(width=0.5)
    axes.grid(axis="y", linewidth=0.5, zorder=0)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=7.5, borderaxespad=0.0)


def _plain(text: str, most: int = 120) -> str:
    """Return text in letters that the font of a picture has, not too long."""
    shown = "".join(one if one.isascii() and one.isprintable() else "?" for one in text)
    return shown if len(shown) <= most else shown[: most - 1] + "~"
