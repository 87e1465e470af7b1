# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots of predicted against measured times, as SVG files with text as text.

Called by `report.py --plots`; one file per device and part. The many tiles of a layer are drawn as an image within the
SVG file, from which no measured time can be read back.
"""

import io
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
from across_operators import DEVICES, Across, read_across
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter
from within_operators import FOLDERS, RS, STRIDED, Layer, S, read_within, select

from roller_mlir.support.source import write_output

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#000000")
"""Okabe and Ito's palette, which colour-blind readers can tell apart."""

MARKERS = ("o", "s", "^", "D", "v", "P")
INK, PALE = "#333333", "#999999"


def write_plots(folder: Path, data: Path | None) -> None:
    """Write across-DEVICE.svg, and with data within-DEVICE-KERNEL.svg, into a folder.

    Args:
        folder: Where to; made if it is missing.
        data: As of `within_operators.read_within`, None to leave those plots as they are.
    """
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "roller", "font.size": 8})
    mpl.rcParams.update({"font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"]})
    folder.mkdir(parents=True, exist_ok=True)
    every = [read_across(name) for name in DEVICES]
    for one in every:
        _write(folder / f"across-{one.name}.svg", _across(one))
    if data is not None:
        layers = read_within(data)
        for device in FOLDERS.values():
            for name, starts in (("rs", (RS, STRIDED)), ("s", (S,))):
                _write(folder / f"within-{device}-{name}.svg", _within(select(layers, device, *starts)))


def _write(path: Path, figure: Figure) -> None:
    out = io.BytesIO()
    figure.savefig(out, format="svg", dpi=85, facecolor="white", metadata={"Date": None, "Creator": None})
    lines = out.getvalue().decode().splitlines()
    write_output(str(path), ("\n".join(line.strip() for line in lines) + "\n").encode())


def _frame(axes: Axes, low: float, high: float) -> None:
    """Prepare axes in milliseconds with lines where both times are equal, twice and half of each other."""
    ends = np.array([low, high])
    for factor, style in ((1.0, "-"), (2.0, ":"), (0.5, ":")):
        axes.plot(ends, ends * factor, style, color=PALE, linewidth=0.8, zorder=1)
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high), aspect="equal")
    for axis in (axes.xaxis, axes.yaxis):
        _decades(axis, low, high)
    _quiet(axes)


def _decades(axis: Axis, low: float, high: float) -> None:
    """Label decades, and what lies between where there are few."""
    axis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0) if high / low < 60 else (1.0,), numticks=12))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def _quiet(axes: Axes) -> None:
    axes.tick_params(which="both", colors=INK, width=0.5)
    axes.tick_params(which="minor", length=0)
    axes.spines[["top", "right"]].set_visible(False)


def _across(one: Across) -> Figure:
    figure = Figure(figsize=(8.4, 4.1), layout="constrained")
    left, right = figure.subplots(1, 2)
    measured, predicted = one.measured * 1e3, one.predicted * 1e3
    both = np.concatenate([measured, predicted])
    low, high = float(both.min()) / 1.4, float(both.max()) * 1.4
    _frame(left, low, high)
    for height, style in ((0.0, "-"), (1.0, ":"), (-1.0, ":")):
        right.axhline(height, linestyle=style, color=PALE, linewidth=0.8, zorder=1)
    for (kind, same), colour, marker in zip(one.kinds().items(), COLOURS, MARKERS, strict=True):
        for axes, values in ((left, predicted), (right, one.errors())):
            axes.plot(measured[same], values[same], marker, color=colour, markersize=4.5, alpha=0.7, label=kind, mew=0)
    reach = max(1.2, 1.2 * float(np.abs(one.errors()).max()))
    _name_worst(right, one, reach)
    left.set(xlabel="measured, ms", ylabel="predicted, ms")
    right.set(xscale="log", xlim=(low, high), ylim=(-reach, reach), xlabel="measured, ms")
    right.set_ylabel("log2 of predicted over measured")
    _decades(right.xaxis, low, high)
    _quiet(right)
    left.legend(loc="upper left", frameon=False, fontsize=7)
    figure.suptitle(f"Published tiles of {len(one.operators)} operators on {one.name}", fontsize=9, color=INK)
    return figure


def _name_worst(axes: Axes, one: Across, reach: float) -> None:
    """Write the ids of the worst operators beyond their points, each clear of the others, with a line to the point."""
    wide, high = 0.22, reach / 16
    taken: list[tuple[float, float]] = []
    for i in sorted(one.worst(), key=lambda i: abs(float(one.errors()[i]))):
        place, error = float(one.measured[i]) * 1e3, float(one.errors()[i])
        away = 1 if error > 0 else -1
        x, y = float(np.log10(place)), error + 1.6 * away * high
        while any(abs(x - other) < wide and abs(y - height) < high for other, height in taken):
            y += 0.5 * away * high
        taken.append((x, y))
        line = {"arrowstyle": "-", "color": PALE, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 2}
        where = {"ha": "center", "va": "center", "color": INK, "fontsize": 7}
        axes.annotate(one.operators[i].id, (place, error), xytext=(place, y), arrowprops=line, **where)


def _within(layers: Sequence[Layer]) -> Figure:
    columns = 4
    rows = -(-len(layers) // columns)
    figure = Figure(figsize=(8.0, 2.05 * rows + 0.4), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).flatten()
    for axes, one in zip(panels, layers, strict=False):
        measured, predicted = one.measured * 1e3, one.predicted * 1e3
        both = np.concatenate([measured, predicted[np.isfinite(predicted)]])
        _frame(axes, float(both.min()) / 1.3, float(both.max()) * 1.3)
        few = len(measured) < 200
        size, alpha = (3.0, 0.6) if few else (2.0, 0.4)
        axes.plot(measured, predicted, "o", color=COLOURS[0], markersize=size, alpha=alpha, mew=0, rasterized=True)
        chosen = int(np.argmin(predicted))
        axes.plot(measured[chosen], predicted[chosen], "o", color=COLOURS[1], markersize=4, mew=0)
        axes.set_title(f"{one.name}: {one.figures()[0]:.2f}", fontsize=7.5, color=INK)
        axes.tick_params(labelsize=6)
    for axes in panels[len(layers) :]:
        axes.set_axis_off()
    figure.supxlabel("measured, ms", fontsize=8)
    figure.supylabel("predicted, ms", fontsize=8)
    figure.suptitle(f"Tiles within each layer on {layers[0].device}, and Spearman's correlation", fontsize=9, color=INK)
    return figure
