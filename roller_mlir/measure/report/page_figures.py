# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of a report as PNG pictures; the same input gives the same bytes.

Needs matplotlib, which the package itself does not: the extra "report".
"""

import io
import logging
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from roller_mlir.measure.report.figures import WITHIN
from roller_mlir.measure.report.points import (
    LIGHT,
    MOST_NAMES,
    Point,
    look,
    prediction_points,
    ratio_points,
    series,
    span,
    ticks,
)
from roller_mlir.measure.report.records import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

PREDICTION_PICTURE = "predicted-vs-measured.png"
REMEDY = "pip install 'roller-mlir[report]'"

_DPI = 160
_INK, _PALE, _ALARM = "#333333", "#999999", "#b3261e"
_MARKERS = {"circle": "o", "square": "s", "triangle": "^", "diamond": "D", "down": "v", "cross": "P", "star": "*"}


def can_draw() -> bool:
    """Return whether matplotlib is there, and whole."""
    with _quiet():
        try:
            import_module("matplotlib.figure")
        except ImportError:
            return False
    return True


def ratio_picture(peer: str) -> str:
    """Return the file name of the picture of the ratios to a peer.

    >>> ratio_picture("torch.compile"), ratio_picture("../x y")
    ('ratio-torch.compile.png', 'ratio-.._x_y.png')
    """
    return f"ratio-{re.sub('[^A-Za-z0-9._-]', '_', peer)[:64]}.png"


def pictures(
    report: Report, peers: Sequence[str], *, title: str, banner: str, seconds: Callable[[float], str]
) -> dict[str, bytes]:
    """Draw the figures.

    Args:
        report: What to draw.
        peers: Whose ratios are drawn, those that have any.
        title: What stands above the figures.
        banner: What stands above everything, "" for nothing.
        seconds: Writes a time.

    Returns:
        The content of PNG files by their names.
    """
    found: dict[str, bytes] = {}
    with _quiet(), _settings():
        points = prediction_points(report)
        if points:
            found[PREDICTION_PICTURE] = _png(_prediction(report, points, title, banner, seconds))
        for peer in peers:
            ratios = ratio_points(report, peer)
            if ratios:
                found[ratio_picture(peer)] = _png(_ratio(report, peer, ratios, title, banner))
    return found


@contextmanager
def _quiet() -> Generator[None]:
    """Keep matplotlib from telling that it builds a cache of fonts, or that its home cannot be written."""
    log = logging.getLogger("matplotlib")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


def _settings() -> Any:
    import matplotlib as mpl

    wanted: Any = {
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 8.5,
        "axes.linewidth": 0.6,
    }
    return mpl.rc_context({**mpl.rcParamsDefault, **wanted})


def _png(figure: "Figure") -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=_DPI, facecolor="white", metadata={"Software": None})
    return out.getvalue()


def _figure(size: tuple[float, float], title: str, banner: str) -> "tuple[Figure, Axes]":
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    figure.suptitle(_plain(title), fontsize=9.5, color=_INK)
    if banner:
        axes.set_title(banner, fontsize=9, color=_ALARM, fontweight="bold")
    return figure, axes


def _prediction(
    report: Report, points: Sequence[Point], title: str, banner: str, seconds: Callable[[float], str]
) -> "Figure":
    figure, axes = _figure((7.2, 5.2), f"{title}: predicted against measured", banner)
    low, high = span([value for point in points for value in (point.x, point.y)], 1.5)
    for factor, style in ((1.0, "-"), (2.0, ":"), (0.5, ":")):
        axes.plot([low, high], [low * factor, high * factor], style, color=_PALE, linewidth=0.8, zorder=1)
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high))
    axes.set_box_aspect(1)
    axes.set(xlabel="measured", ylabel="predicted")
    for axis in (axes.xaxis, axes.yaxis):
        _labelled(axis, {value: seconds(value) for value in ticks(low, high, 6)})
    _marks(axes, points, series(report), alpha=0.75)
    figures = report.prediction
    known = "-" if figures.spearman is None else f"{figures.spearman:.3f}"
    text = f"n = {figures.n}, Spearman {known}"
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    axes.text(0.03, 0.965, text, transform=axes.transAxes, va="top", color=_INK, bbox=box)
    _finish(axes)
    return figure


def _ratio(report: Report, peer: str, points: Sequence[Point], title: str, banner: str) -> "Figure":
    names = len(points) <= MOST_NAMES
    figure, axes = _figure((10.0, 4.4 if names else 3.8), f"{title}: time of {peer} over ours", banner)
    every = [value for point in points for value in (point.y, point.best) if value is not None]
    low, high = span(every, 1.15, (0.8, 1.25))
    axes.set(yscale="log", ylim=(low, high), xlim=(-0.7, len(points) - 0.3))
    axes.axhspan(WITHIN, 1.1, color=_PALE, alpha=0.25, linewidth=0, zorder=0)
    axes.axhline(1.0, color=_PALE, linewidth=0.8, zorder=1)
    kinds = series(report)
    for point in points:
        colour = LIGHT[look(kinds[point.kind])[0]]
        axes.plot([point.x, point.x], [1.0, point.y], color=colour, alpha=0.35, linewidth=0.8, zorder=2)
    _marks(axes, points, kinds, alpha=0.85)
    best = [(point.x, point.best) for point in points if point.best is not None]
    if best:
        x, y = zip(*best, strict=True)
        label = "best candidate"
        axes.plot(x, y, "o", mfc="none", mec=_INK, mew=0.7, markersize=3.6, linestyle="none", zorder=3, label=label)
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
            colour, mark = look(place)
            axes.plot(
                [point.x for point in same],
                [point.y for point in same],
                _MARKERS[mark],
                color=LIGHT[colour],
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
    axes.tick_params(colors=_INK, width=0.5, labelsize=7.5)
    axes.grid(axis="y", color=_PALE, alpha=0.25, linewidth=0.5, zorder=0)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=7.5, borderaxespad=0.0)


def _plain(text: str, most: int = 120) -> str:
    """Return text that matplotlib takes as it is: no mathematics, ASCII, not too long."""
    shown = "".join(one if one.isascii() and one.isprintable() else "?" for one in text).replace("$", r"\$")
    return shown if len(shown) <= most else shown[: most - 1] + "~"
