# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Charts of an explanation: the roofline, the way of the enlargements, the tile on each tensor."""

from collections.abc import Sequence
from math import atan2, degrees, log10
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from roller_mlir.model.cost.roofline import Roofline
from roller_mlir.model.explain.explanation import TensorFacts
from roller_mlir.model.explain.trace import Walk
from roller_mlir.tools.report.charts import colour, svg
from roller_mlir.tools.report.explain.terminal_roofline import bounds, decade
from roller_mlir.tools.report.explain.words import amount, tile
from roller_mlir.tools.report.quantities import si

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def _axes(width: float, height: float, box: tuple[float, float, float, float]) -> "tuple[Figure, Axes]":
    """Return a figure of a size in inches, and axes in it whose box is given in parts of it."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    axes = figure.add_axes(box)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _ticks(axis: Any, labels: dict[float, str]) -> None:
    from matplotlib.ticker import NullLocator

    axis.set_minor_locator(NullLocator())
    axis.set_ticks(list(labels), list(labels.values()))


def roofline_svg(line: Roofline, label: str) -> Markup:
    """Return the roofline: log-log, a roof per layer and one of the instruction, a point per layer."""
    low, high, least, most = bounds(line)
    width, height, box = 7.5, 4.2, (0.11, 0.11, 0.87, 0.83)
    figure, axes = _axes(width, height, box)
    axes.set(xscale="log", yscale="log", xlim=(10.0**low, 10.0**high), ylim=(10.0**least, 10.0**most))
    axes.grid(visible=True, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel("arithmetic intensity, flop/B")
    _ticks(axes.xaxis, {10.0**at: f"{10.0**at:g}" for at in range(low, high + 1)})
    _ticks(axes.yaxis, {10.0**at: decade(at) for at in range(least, most + 1)})
    across, up = width * box[2] / (high - low), height * box[3] / (most - least)
    peak, reached, taken = line.peak_flops_per_s, line.predicted_flops_per_s, list[float]()
    turned: Any = {"rotation": degrees(atan2(up, across)), "rotation_mode": "anchor"}
    near: Any = {"textcoords": "offset points", "fontsize": 8}
    for number, roof in enumerate(line.roofs):
        start, ridge = max(10.0**low, 10.0**least / roof.bytes_per_s), peak / roof.bytes_per_s
        shade = colour(roof.layer)
        axes.plot([start, ridge], [start * roof.bytes_per_s, peak], color=shade, linewidth=1.6)
        if log10(ridge / start) * across > 1.2:
            # Along the roof, each label a little lower than the one before, so that neighbours do not touch.
            along = start * (ridge / start) ** (0.06 + 0.05 * number)
            text = f"{roof.layer} {si(roof.bytes_per_s, 'B/s')}"
            axes.annotate(text, (along, along * roof.bytes_per_s), (-3, 3), color=shade, **turned, **near)
    first = min(peak / roof.bytes_per_s for roof in line.roofs)
    axes.plot([first, 10.0**high], [peak, peak], color=colour("compute"), linewidth=1.6)
    text = f"{line.instruction} {si(peak, 'flop/s')}"
    axes.annotate(text, (10.0**high, peak), (0, 5), color=colour("compute"), ha="right", **near)
    tips: dict[str, Sequence[str]] = {}
    for roof in sorted(line.roofs, key=lambda one: one.intensity):
        shade, at = colour(roof.layer), log10(roof.intensity) * across
        axes.plot([roof.intensity] * 2, [reached, roof.bound_flops_per_s], ":", color=shade, linewidth=1)
        axes.plot(
            roof.intensity, reached, "o", color=shade, mec=colour("bg"), markersize=7.5, gid=f"point-{roof.layer}"
        )
        said = f"{roof.layer}: {si(roof.moved_bytes, 'B')} moved, {roof.intensity:.4g} flop/B, predicted "
        said += f"{si(reached, 'flop/s')} of {si(roof.bound_flops_per_s, 'flop/s')}"
        tips[f"point-{roof.layer}"] = [said]
        below = (0, -15 - 10 * sum(abs(at - other) < 0.9 for other in taken))
        taken.append(at)
        text = f"{roof.layer} {roof.share:.0%}"
        axes.annotate(text, (roof.intensity, reached), below, color=shade, ha="center", **near)
    return svg(figure, label, tips)


def walk_svg(walk: Walk, label: str) -> Markup | None:
    """Return the way of the enlargements: traffic over footprint, both logarithmic, each step named by its loop.

    None where it is none: the smallest tile is the program's, or nothing is moved.
    """
    xs, ys = [step.footprint for step in walk.steps], [step.traffic for step in walk.steps]
    if len(walk.steps) < 2 or min(*xs, *ys) <= 0:
        return None
    figure, axes = _axes(4.4, 2.6, (0.19, 0.19, 0.74, 0.72))
    axes.set(xscale="log", yscale="log", xlabel=f"footprint F, {walk.unit}")
    axes.margins(0.06)
    axes.set_title(f"traffic Q, {walk.unit}", loc="left", fontsize=8, color=colour("soft"))
    shade = colour("global")
    axes.plot(xs, ys, color=shade, linewidth=1.2)
    told = [f"{tile(s.tile)}: Q {amount(s.traffic, walk.unit)}, F {amount(s.footprint, walk.unit)}" for s in walk.steps]
    tips: dict[str, Sequence[str]] = {}
    for step, text in zip(walk.steps, told, strict=True):
        name, inside = f"step-{len(tips)}", shade if step.saturates else colour("bg")
        axes.plot(step.footprint, step.traffic, "o", markersize=5.5, mec=shade, mfc=inside, gid=name)
        tips[name] = [text]
        if step.axis is not None:
            axes.annotate(
                f"d{step.axis}", (step.footprint, step.traffic), (5, 3), textcoords="offset points", fontsize=7.5
            )
    _ticks(axes.xaxis, {at: amount(at, walk.unit) for at in (xs[0], xs[-1])})
    _ticks(axes.yaxis, {at: amount(at, walk.unit) for at in (ys[0], ys[-1])})
    return svg(figure, label, tips)


def shown_dimensions(tensor: TensorFacts) -> tuple[int | None, int | None]:
    """Return the two dimensions that are drawn, rows and columns: the last one, and where tasks divide the tensor."""
    count = len(tensor.shape)
    if count == 0:
        return None, None
    if count == 1:
        return None, 0
    box = tensor.tile

    def weight(dimension: int) -> tuple[bool, bool, bool, int, int]:
        last, divided = dimension == count - 1, box.task[dimension] < tensor.shape[dimension]
        return box.block[dimension] > 1, last, divided, box.block[dimension], tensor.shape[dimension]

    ranked = sorted(range(count), key=weight, reverse=True)
    chosen = sorted(ranked[:2])
    return chosen[0], chosen[1]


def tensor_svg(tensor: TensorFacts, label: str) -> Markup:
    """Return a tensor with the tile of the first task on it, to scale, and that tile enlarged beside it."""
    from matplotlib.patches import Rectangle

    figure, axes = _axes(4.0, 2.0, (0, 0, 1, 1))
    axes.set(xlim=(0, 400), ylim=(200, 0))
    axes.set_axis_off()

    def draw(x: float, y: float, size: tuple[float, float], **look: Any) -> None:
        given: Any = {"linewidth": 0, **look}
        axes.add_patch(Rectangle((x, y), size[1], size[0], **given))

    rows, columns = shown_dimensions(tensor)

    def of(extents: Sequence[int], missing: int = 1) -> tuple[int, int]:
        return missing if rows is None else extents[rows], missing if columns is None else extents[columns]

    def scaled(extents: tuple[int, int], unit: tuple[float, float], least: float) -> tuple[float, float]:
        return max(least, extents[0] * unit[0]), max(least, extents[1] * unit[1])

    def halo(x: float, y: float, size: tuple[float, float], depth: tuple[float, float]) -> None:
        if depth[0]:
            draw(x, y + size[0] - depth[0], (depth[0], size[1]), color=colour("soft"), alpha=0.4)
        if depth[1]:
            draw(x + size[1] - depth[1], y, (size[0], depth[1]), color=colour("soft"), alpha=0.4)

    whole, box = of(tensor.shape), tensor.tile
    tall, wide, to_scale = _fit(whole, 150, 190)
    unit = tall / whole[0], wide / whole[1]
    x, y = 8.0, 26.0
    draw(x, y, (tall, wide), facecolor=colour("card"), edgecolor=colour("soft"), linewidth=0.8)
    task = scaled(_smaller(of(box.task), whole), unit, 1.5)
    draw(x, y, task, color=colour("global"), alpha=0.16)
    halo(x, y, task, scaled(of(box.task_halo, 0), unit, 0))
    spans = [(extent - 1) * step + 1 for extent, step in zip(box.block, box.step, strict=True)]
    block = scaled(_smaller(of(spans), whole), unit, 2.5)
    look: Any = {"facecolor": colour("global"), "edgecolor": colour("global")}
    draw(x, y, block, alpha=0.4, **look)
    axes.text(x, 18, f"{whole[0]} x {whole[1]}" + ("" if to_scale else ", not to scale"), color=colour("soft"))
    held, corner, x = of(box.block), (x + block[1], y + block[0]), x + 224
    tall, wide, _ = _fit(held, 150, 150)
    unit = tall / held[0], wide / held[1]
    for start, end in (((corner[0], y), (x, y)), (corner, (x, y + tall))):
        axes.plot([start[0], end[0]], [start[1], end[1]], color=colour("line"), linewidth=0.8)
    draw(x, y, (tall, wide), alpha=0.4, **look)
    parts = [min(1.0, deep / span) for deep, span in zip(of(box.halo, 0), of(spans), strict=True)]
    halo(x, y, (tall, wide), (tall * parts[0], wide * parts[1]))
    own = scaled(of(box.thread), unit, 2.0)
    draw(x, y, (min(tall, own[0]), min(wide, own[1])), color=colour("thread"))
    axes.text(x, 18, f"{held[0]} x {held[1]}", color=colour("soft"))
    return svg(figure, label)


def _smaller(extents: tuple[int, int], limits: tuple[int, int]) -> tuple[int, int]:
    return min(extents[0], limits[0]), min(extents[1], limits[1])


def _fit(extents: tuple[int, int], most_tall: float, most_wide: float) -> tuple[float, float, bool]:
    """Return height and width of a rectangle of the same shape; very long ones are drawn shorter."""
    scale = min(most_tall / extents[0], most_wide / extents[1])
    tall, wide, least = extents[0] * scale, extents[1] * scale, 14.0
    return max(tall, least), max(wide, least), tall >= least and wide >= least
