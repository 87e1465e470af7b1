# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Charts of a report as inline SVG: predicted against measured, and the sorted ratios to a peer."""

from collections.abc import Callable, Sequence
from math import cos, log10, pi, sin

from roller_mlir.console.output import seconds
from roller_mlir.measure.report.figures import WITHIN
from roller_mlir.measure.report.points import (
    DARK,
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
from roller_mlir.report.page_markup import Markup, element
from roller_mlir.report.report_document import DRY_RUN
from roller_mlir.report.report_words import clean, correlation, ratio

_MARK = 4.2


def _colours(palette: Sequence[str]) -> str:
    return " ".join(f"--c{number}: {colour};" for number, colour in enumerate(palette))


SERIES_STYLE = (
    f":root {{ {_colours(LIGHT)} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {_colours(DARK)} }} }}\n"
    + "".join(
        f"svg .c{number} {{ fill: var(--c{number}); stroke: var(--c{number}); }}\n" for number in range(len(LIGHT))
    )
    + """svg .mark { fill-opacity: .75; stroke-width: .8; } svg .hollow { fill: none; stroke-width: 1.2; }
svg .stem { stroke-width: 1; stroke-opacity: .35; fill: none; } svg .band { fill: var(--soft); opacity: .16; }
svg .even { stroke: var(--soft); } svg .factor { stroke: var(--soft); stroke-dasharray: 2 4; }
svg text.warning { fill: var(--alarm); font-weight: 600; }
"""
)


def prediction_svg(report: Report) -> Markup:
    """Return predicted over measured times, both logarithmic, by class, with lines at equal, twice and half."""
    points = prediction_points(report)
    width, height, left, bottom, right, top = 640, 560, 74, 52, 150, 30
    if not points:
        return element("p", "No kernel has both a prediction and a time.", class_="note")
    low, high = span([value for point in points for value in (point.x, point.y)], 1.5)
    size = width - left - right, height - top - bottom

    def x(value: float) -> float:
        return left + log10(value / low) / log10(high / low) * size[0]

    def y(value: float) -> float:
        return top + size[1] - log10(value / low) / log10(high / low) * size[1]

    parts: list[Markup] = []
    for value in ticks(low, high, 6):
        parts.append(element("line", x1=x(value), x2=x(value), y1=top, y2=top + size[1], class_="grid"))
        parts.append(element("line", x1=left, x2=left + size[0], y1=y(value), y2=y(value), class_="grid"))
        parts.append(element("text", seconds(value), x=x(value), y=top + size[1] + 17, class_="tick middle"))
        parts.append(element("text", seconds(value), x=left - 8, y=y(value) + 4, class_="tick end"))
    for factor in (1.0, 2.0, 0.5):
        start, end = max(low, low / factor), min(high, high / factor)
        if start < end:
            style = "even" if factor == 1 else "factor"
            ends = {"x1": x(start), "y1": y(start * factor), "x2": x(end), "y2": y(end * factor)}
            parts.append(element("line", **ends, class_=style))
    kinds = series(report)
    for point in points:
        text = f"{clean(point.id)}: predicted {seconds(point.y)}, measured {seconds(point.x)}"
        parts.append(_mark(point, kinds, x(point.x), y(point.y), text))
    parts.append(element("text", "measured", x=left + size[0] / 2, y=height - 12, class_="tick middle"))
    parts.append(element("text", "predicted", x=left - 62, y=top - 12, class_="tick"))
    parts += _legend(
        [kind for kind in kinds if any(p.kind == kind for p in points)], kinds, left + size[0] + 18, top + 8
    )
    figures = report.prediction
    note = f"n = {figures.n}, Spearman {correlation(figures.spearman)}"
    parts.append(element("text", note, x=left + 8, y=top + 16))
    parts += _warning(report, left + size[0], top - 12)
    return _svg(parts, width, height, "predicted against measured times")


def ratio_svg(report: Report, peer: str) -> Markup:
    """Return the ratios to a peer, sorted, on a logarithmic axis with the band of 10 %."""
    points, kinds = ratio_points(report, peer), series(report)
    if not points:
        return element("p", "No kernel has a ratio.", class_="note")
    names = len(points) <= MOST_NAMES
    width, left, right, top, bottom = 1080, 60, 150, 30, 110 if names else 34
    height = 300 + top + bottom
    every = [value for point in points for value in (point.y, point.best) if value is not None]
    low, high = span(every, 1.15, (0.8, 1.25))
    across, down = width - left - right, height - top - bottom
    step = across / len(points)

    def y(value: float) -> float:
        return top + down - log10(value / low) / log10(high / low) * down

    parts = [element("rect", x=left, y=y(1.1), width=across, height=y(WITHIN) - y(1.1), class_="band")]
    for value in ticks(low, high):
        parts.append(element("line", x1=left, x2=left + across, y1=y(value), y2=y(value), class_="grid"))
        parts.append(element("text", f"{value:g}", x=left - 8, y=y(value) + 4, class_="tick end"))
    parts.append(element("line", x1=left, x2=left + across, y1=y(1.0), y2=y(1.0), class_="even"))
    for point in points:
        at = left + (point.x + 0.5) * step
        colour, _ = look(kinds[point.kind])
        parts.append(element("line", x1=at, x2=at, y1=y(1.0), y2=y(point.y), class_=f"stem c{colour}"))
        text = f"{clean(point.id)}: {ratio(point.y)}"
        if point.best is not None:
            text += f", best candidate {ratio(point.best)}"
            parts.append(element("circle", cx=at, cy=y(point.best), r=3, class_=f"hollow c{colour}"))
        parts.append(_mark(point, kinds, at, y(point.y), text))
        if names:
            where = {"x": at + 4, "y": top + down + 12}
            turned = f"rotate(-50 {at + 4:.1f} {top + down + 12})"
            parts.append(element("text", _name(point.id), **where, transform=turned, class_="tick end"))
    parts.append(element("text", f"time of {clean(peer)} over ours", x=4, y=top - 12, class_="tick"))
    if not names:
        about = f"{len(points)} kernels, sorted"
        parts.append(element("text", about, x=left + across / 2, y=height - 12, class_="tick middle"))
    at = left + across + 18
    parts += _legend([kind for kind in kinds if any(p.kind == kind for p in points)], kinds, at, top + 8)
    if any(point.best is not None for point in points):
        row = top + 8 + 20 * len({point.kind for point in points})
        parts.append(element("circle", cx=at, cy=row, r=3, class_="hollow c5"))
        parts.append(element("text", "best candidate", x=at + 11, y=row + 4, class_="tick"))
    parts += _warning(report, left + across, top - 12)
    return _svg(parts, width, height, f"time of {clean(peer)} over ours")


def _name(name: str) -> str:
    """Return an id without its suite, shortened to what fits under a chart."""
    shown = clean(name.split("/", 1)[-1])
    return shown if len(shown) <= 18 else shown[:17] + "~"


def _mark(point: Point, kinds: dict[str, int], x: float, y: float, text: str) -> Markup:
    colour, mark = look(kinds[point.kind])
    return element("path", element("title", text), d=_OUTLINES[mark](x, y, _MARK), class_=f"mark c{colour}")


def _polygon(*corners: tuple[float, float]) -> Callable[[float, float, float], str]:
    def outline(x: float, y: float, size: float) -> str:
        return "M" + "L".join(f"{x + dx * size:.1f} {y + dy * size:.1f}" for dx, dy in corners) + "Z"

    return outline


def _circle(x: float, y: float, size: float) -> str:
    return f"M{x - size:.1f} {y:.1f}a{size} {size} 0 1 0 {2 * size} 0a{size} {size} 0 1 0 {-2 * size} 0Z"


def _star() -> tuple[tuple[float, float], ...]:
    corners = ((1.3 if turn % 2 == 0 else 0.55, pi * turn / 5) for turn in range(10))
    return tuple((size * sin(angle), -size * cos(angle)) for size, angle in corners)


_OUTLINES: dict[str, Callable[[float, float, float], str]] = {
    "circle": _circle,
    "square": _polygon((-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)),
    "triangle": _polygon((0, -1.1), (1, 0.8), (-1, 0.8)),
    "diamond": _polygon((0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)),
    "down": _polygon((0, 1.1), (1, -0.8), (-1, -0.8)),
    "star": _polygon(*_star()),
    "cross": _polygon(
        *((-0.35, -1.1), (0.35, -1.1), (0.35, -0.35), (1.1, -0.35), (1.1, 0.35), (0.35, 0.35)),
        *((0.35, 1.1), (-0.35, 1.1), (-0.35, 0.35), (-1.1, 0.35), (-1.1, -0.35), (-0.35, -0.35)),
    ),
}


def _legend(shown: Sequence[str], kinds: dict[str, int], x: float, y: float) -> list[Markup]:
    parts: list[Markup] = []
    for row, kind in enumerate(shown):
        colour, mark = look(kinds[kind])
        parts.append(element("path", d=_OUTLINES[mark](x, y + 20 * row, _MARK), class_=f"mark c{colour}"))
        parts.append(element("text", clean(kind)[:20], x=x + 11, y=y + 20 * row + 4, class_="tick"))
    return parts


def _warning(report: Report, x: float, y: float) -> list[Markup]:
    return [element("text", DRY_RUN, x=x, y=y, class_="warning end")] if report.dry_run else []


def _svg(parts: Sequence[Markup], width: int, height: int, label: str) -> Markup:
    return element(
        "svg",
        *parts,
        viewBox=f"0 0 {width} {height}",
        class_="chart",
        style=f"max-width:{width}px",
        role="img",
        aria_label=label,
    )
