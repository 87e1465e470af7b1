# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A roofline in a terminal: braille dots where it can show them, plain characters elsewhere."""

from math import ceil, floor, log10

from rich.text import Text

from roller_mlir.model.cost.roofline import Roofline
from roller_mlir.tools.report.quantities import si

_COLUMNS, _ROWS = 66, 16
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
COLORS = {"global": "cyan", "l2": "green", "workgroup": "magenta", "compute": "yellow"}
MARKS = {"global": "G", "l2": "L", "workgroup": "W"}


def bounds(line: Roofline) -> tuple[int, int, int, int]:
    """Return the decades that show all roofs' ridges and all points: least and most of intensity, then of flop/s."""
    ridges = [line.peak_flops_per_s / roof.bytes_per_s for roof in line.roofs]
    xs = [*ridges, *(roof.intensity for roof in line.roofs), line.compulsory_intensity]
    low, high = floor(log10(min(xs) / 1.5)), ceil(log10(max(xs) * 1.5))
    least = min(line.predicted_flops_per_s, *(roof.bound_flops_per_s for roof in line.roofs))
    most = ceil(log10(line.peak_flops_per_s * 1.2))
    return low, high, min(floor(log10(least / 1.5)), most - 2), most


def roofline_chart(line: Roofline, *, plain: bool) -> Text:
    """Return the chart.

    Args:
        line: What to draw.
        plain: Whether only ASCII may be used.
    """
    if not line.roofs:
        return Text("nothing is moved: no roof\n")
    low, high, least, most = bounds(line)
    across, down = (1, 1) if plain else (2, 4)
    width, height = _COLUMNS * across, _ROWS * down
    cells: dict[tuple[int, int], tuple[int, str]] = {}

    def dot(column: int, row: int, layer: str) -> None:
        if 0 <= column < width and 0 <= row < height:
            at = row // down, column // across
            bits = 1 if plain else _DOTS[row % down][column % across]
            cells[at] = cells.get(at, (0, ""))[0] | bits, layer

    def row_of(flops: float) -> int:
        return round((most - log10(flops)) / (most - least) * (height - 1))

    def column_of(intensity: float) -> int:
        return round((log10(intensity) - low) / (high - low) * (width - 1))

    for roof in line.roofs:
        for column in range(width):
            intensity = 10 ** (low + (high - low) * column / (width - 1))
            if intensity * roof.bytes_per_s < line.peak_flops_per_s:
                dot(column, row_of(intensity * roof.bytes_per_s), roof.layer)
    first = min(line.peak_flops_per_s / roof.bytes_per_s for roof in line.roofs)
    for column in range(max(0, column_of(first)), width):
        dot(column, row_of(line.peak_flops_per_s), "compute")
    marks: dict[tuple[int, int], str] = {}
    for roof in line.roofs:
        row, column = row_of(line.predicted_flops_per_s) // down, column_of(roof.intensity) // across
        while (row, column) in marks:
            column += 1
        marks[row, column] = roof.layer
    return _draw(cells, marks, (low, high, least, most), plain=plain)


def _draw(
    cells: dict[tuple[int, int], tuple[int, str]],
    marks: dict[tuple[int, int], str],
    decades: tuple[int, int, int, int],
    *,
    plain: bool,
) -> Text:
    low, high, least, most = decades
    text = Text()
    labels = {round((most - d) / (most - least) * (_ROWS - 1)): d for d in range(least, most + 1)}
    for row in range(_ROWS):
        label = decade(labels[row]) if row in labels else ""
        text.append(f"{label:>12} ", style="dim")
        text.append("|" if plain else "\u2502", style="dim")
        for column in range(_COLUMNS):
            if (row, column) in marks:
                layer = marks[row, column]
                text.append(MARKS[layer], style=f"bold reverse {COLORS[layer]}")
            elif (row, column) in cells:
                bits, layer = cells[row, column]
                sign = ("-" if layer == "compute" else "/") if plain else chr(0x2800 + bits)
                text.append(sign, style=COLORS[layer])
            else:
                text.append(" ")
        text.append("\n")
    text.append(" " * 13 + ("+" + "-" * _COLUMNS if plain else "\u2514" + "\u2500" * _COLUMNS) + "\n", style="dim")
    ruler = [" "] * (_COLUMNS + 14)
    for power in range(low, high + 1):
        label = f"{10.0**power:g}"
        at = 14 + round((power - low) / (high - low) * (_COLUMNS - 1))
        at = min(at, len(ruler) - len(label))
        ruler[at : at + len(label)] = label
    text.append("".join(ruler).rstrip() + " flop/B\n", style="dim")
    return text


def decade(power: int) -> str:
    """Write a whole decade of flop/s.

    >>> decade(13)
    '10 Tflop/s'
    """
    number, _, unit = si(10.0**power, "flop/s").partition(" ")
    return f"{float(number):g} {unit}"
