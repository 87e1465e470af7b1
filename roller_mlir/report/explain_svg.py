# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Charts of the page as inline SVG: the roofline, the way of the enlargements, the tile on each tensor."""

from collections.abc import Sequence
from math import atan2, degrees, log10

from roller_mlir.model.cost.roofline import Roofline
from roller_mlir.model.explain.explanation import TensorFacts
from roller_mlir.model.explain.trace import Walk
from roller_mlir.report.explain_chart import bounds
from roller_mlir.report.explain_words import amount, si, tile
from roller_mlir.report.page_markup import Markup, element, join

_WIDTH, _HEIGHT = 720, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 78, 16, 26, 44


def roofline_svg(line: Roofline) -> Markup:
    """Return the roofline: log-log, a roof per layer and one of the instruction, a point per layer."""
    if not line.roofs:
        return element("p", "Nothing is moved: there is no roof.", class_="note")
    low, high, least, most = bounds(line)
    x_unit, y_unit = (_WIDTH - _LEFT - _RIGHT) / (high - low), (_HEIGHT - _TOP - _BOTTOM) / (most - least)

    def x(intensity: float) -> float:
        return _LEFT + (log10(intensity) - low) * x_unit

    def y(flops: float) -> float:
        return _TOP + (most - log10(flops)) * y_unit

    parts: list[Markup] = []
    for decade in range(low, high + 1):
        at = x(10.0**decade)
        parts.append(element("line", x1=at, x2=at, y1=_TOP, y2=_HEIGHT - _BOTTOM, class_="grid"))
        where = "end" if decade == high else "middle"
        parts.append(element("text", f"{10.0**decade:g}", x=at, y=_HEIGHT - _BOTTOM + 17, class_=f"tick {where}"))
    for decade in range(least, most + 1):
        at = y(10.0**decade)
        parts.append(element("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=at, y2=at, class_="grid"))
        parts.append(element("text", _decade(decade), x=_LEFT - 8, y=at + 4, class_="tick end"))
    parts.append(
        element("text", "arithmetic intensity, flop/B", x=(_LEFT + _WIDTH) / 2, y=_HEIGHT - 8, class_="tick middle")
    )
    angle = -degrees(atan2(y_unit, x_unit))
    for number, roof in enumerate(line.roofs):
        ridge = line.peak_flops_per_s / roof.bytes_per_s
        start = max(10.0**low, 10.0**least / roof.bytes_per_s)
        parts.append(
            element(
                "line",
                x1=x(start),
                y1=y(start * roof.bytes_per_s),
                x2=x(ridge),
                y2=y(line.peak_flops_per_s),
                class_=f"roof {roof.layer}",
            )
        )
        if (log10(ridge) - log10(start)) * x_unit < 110:
            continue
        # Along the roof, each label a little lower than the one before, so that neighbours do not touch.
        along = 10 ** (log10(start) + (log10(ridge) - log10(start)) * (0.06 + 0.05 * number))
        at_x, at_y = x(along), y(along * roof.bytes_per_s)
        label = f"{roof.layer} {si(roof.bytes_per_s, 'B/s')}"
        parts.append(
            element(
                "text",
                label,
                x=at_x,
                y=at_y - 6,
                transform=f"rotate({angle:.1f} {at_x:.1f} {at_y:.1f})",
                class_=f"label {roof.layer}",
            )
        )
    first = min(line.peak_flops_per_s / roof.bytes_per_s for roof in line.roofs)
    top = y(line.peak_flops_per_s)
    parts.append(element("line", x1=x(first), x2=_WIDTH - _RIGHT, y1=top, y2=top, class_="roof compute"))
    label = f"{line.instruction} {si(line.peak_flops_per_s, 'flop/s')}"
    parts.append(element("text", label, x=_WIDTH - _RIGHT, y=top - 7, class_="label end compute"))
    reached, taken = y(line.predicted_flops_per_s), list[float]()
    for roof in sorted(line.roofs, key=lambda one: one.intensity):
        at = x(roof.intensity)
        parts.append(
            element("line", x1=at, x2=at, y1=reached, y2=y(roof.bound_flops_per_s), class_=f"drop {roof.layer}")
        )
        title = element(
            "title",
            f"{roof.layer}: {si(roof.moved_bytes, 'B')} moved, {roof.intensity:.4g} flop/B, predicted "
            f"{si(line.predicted_flops_per_s, 'flop/s')} of {si(roof.bound_flops_per_s, 'flop/s')}",
        )
        parts.append(element("circle", title, cx=at, cy=reached, r=5.5, class_=f"point {roof.layer}"))
        row = sum(abs(at - other) < 84 for other in taken)
        taken.append(at)
        anchor = "end" if at > _WIDTH - 80 else "middle" if at > _LEFT + 40 else ""
        label = f"{roof.layer} {roof.share:.0%}"
        parts.append(element("text", label, x=at, y=reached + 20 + 14 * row, class_=f"label {anchor} {roof.layer}"))
    return element("svg", *parts, viewBox=f"0 0 {_WIDTH} {_HEIGHT}", class_="chart", role="img", aria_label="roofline")


def _decade(decade: int) -> str:
    number, _, unit = si(10.0**decade, "flop/s").partition(" ")
    return f"{float(number):g} {unit}"


def walk_svg(walk: Walk) -> Markup:
    """Return the way of the enlargements: traffic over footprint, both logarithmic, each step named by its loop."""
    width, height, left, bottom, top, right = 400, 230, 74, 40, 18, 40
    xs, ys = [step.footprint for step in walk.steps], [step.traffic for step in walk.steps]
    if len(walk.steps) < 2 or min(*xs, *ys) <= 0:
        return element("p", "The smallest tile is the program's.", class_="note")
    spans = [_span(xs), _span(ys)]

    def place(value: float, span: tuple[float, float], length: float) -> float:
        return (log10(value) - span[0]) / (span[1] - span[0]) * length

    points = [
        (left + place(f, spans[0], width - left - right), height - bottom - place(q, spans[1], height - top - bottom))
        for f, q in zip(xs, ys, strict=True)
    ]
    parts = [
        element("line", x1=left, x2=left, y1=top, y2=height - bottom, class_="grid"),
        element("line", x1=left, x2=width - right, y1=height - bottom, y2=height - bottom, class_="grid"),
        element("polyline", points=" ".join(f"{px:.1f},{py:.1f}" for px, py in points), class_="way"),
    ]
    for step, (px, py) in zip(walk.steps, points, strict=True):
        title = element(
            "title", f"{tile(step.tile)}: Q {amount(step.traffic, walk.unit)}, F {amount(step.footprint, walk.unit)}"
        )
        parts.append(element("circle", title, cx=px, cy=py, r=4, class_="step full" if step.saturates else "step"))
        if step.axis is not None:
            parts.append(element("text", f"d{step.axis}", x=px + 7, y=py - 5, class_="tick"))
    for value, at in ((ys[0], points[0][1]), (ys[-1], points[-1][1])):
        parts.append(element("text", amount(value, walk.unit), x=left - 8, y=at + 4, class_="tick end"))
    for value, at in ((xs[0], points[0][0]), (xs[-1], points[-1][0])):
        parts.append(element("text", amount(value, walk.unit), x=at, y=height - bottom + 16, class_="tick middle"))
    parts.append(
        element("text", f"footprint F, {walk.unit}", x=(left + width - right) / 2, y=height - 6, class_="tick middle")
    )
    parts.append(element("text", f"traffic Q, {walk.unit}", x=4, y=11, class_="tick"))
    return element(
        "svg",
        *parts,
        viewBox=f"0 0 {width} {height}",
        class_="small chart",
        role="img",
        aria_label=f"enlargement, {walk.layer}",
    )


def _span(values: Sequence[float]) -> tuple[float, float]:
    low, high = log10(min(values)), log10(max(values))
    return (low - 0.5, high + 0.5) if high == low else (low - 0.05 * (high - low), high + 0.05 * (high - low))


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


def tensor_svg(tensor: TensorFacts) -> Markup:
    """Return a tensor with the tile of the first task on it, to scale, and that tile enlarged beside it."""
    rows, columns = shown_dimensions(tensor)

    def of(extents: Sequence[int], dimension: int | None) -> int:
        return extents[dimension] if dimension is not None else 1

    height, width = of(tensor.shape, rows), of(tensor.shape, columns)
    box = tensor.tile
    spans = [(e - 1) * s + 1 for e, s in zip(box.block, box.step, strict=True)]
    tall, wide, to_scale = _fit(height, width, 150, 190)
    x0, y0 = 8.0, 26.0
    parts = [element("rect", x=x0, y=y0, width=wide, height=tall, class_="tensor")]
    across, down = wide / width, tall / height

    def clipped(extent: int, limit: int) -> int:
        return min(extent, limit)

    task = (clipped(of(box.task, rows), height) * down, clipped(of(box.task, columns), width) * across)
    parts.append(element("rect", x=x0, y=y0, width=max(1.5, task[1]), height=max(1.5, task[0]), class_="task"))
    for dimension, horizontal in ((rows, False), (columns, True)):
        depth = of(box.task_halo, dimension) * (across if horizontal else down) if dimension is not None else 0
        if depth:
            at = (
                (x0 + task[1] - depth, y0, depth, task[0]) if horizontal else (x0, y0 + task[0] - depth, task[1], depth)
            )
            parts.append(element("rect", x=at[0], y=at[1], width=at[2], height=at[3], class_="halo"))
    block = (clipped(of(spans, rows), height) * down, clipped(of(spans, columns), width) * across)
    parts.append(element("rect", x=x0, y=y0, width=max(2.5, block[1]), height=max(2.5, block[0]), class_="block"))
    parts.append(
        element("text", f"{height} x {width}" + ("" if to_scale else ", not to scale"), x=x0, y=18, class_="tick")
    )
    parts.append(_zoom(tensor, rows, columns, x0 + 190 + 34, y0, (x0 + block[1], y0 + block[0])))
    return element(
        "svg", *parts, viewBox="0 0 400 200", class_="small chart", role="img", aria_label=f"tile of {tensor.name}"
    )


def _fit(height: int, width: int, most_tall: float, most_wide: float) -> tuple[float, float, bool]:
    """Return height and width of a rectangle of the same shape; very long ones are drawn shorter."""
    scale = min(most_tall / height, most_wide / width)
    tall, wide = height * scale, width * scale
    least = 14.0
    return max(tall, least), max(wide, least), tall >= least and wide >= least


def _zoom(
    tensor: TensorFacts, rows: int | None, columns: int | None, x0: float, y0: float, corner: tuple[float, float]
) -> Markup:
    box = tensor.tile
    height = box.block[rows] if rows is not None else 1
    width = box.block[columns] if columns is not None else 1
    tall, wide, _ = _fit(height, width, 150, 150)
    across, down = wide / width, tall / height
    own = (
        (box.thread[rows] if rows is not None else 1) * down,
        (box.thread[columns] if columns is not None else 1) * across,
    )
    parts = [
        element(
            "path",
            d=f"M{corner[0]:.1f} {y0:.1f}L{x0:.1f} {y0:.1f}M{corner[0]:.1f} {corner[1]:.1f}L{x0:.1f} {y0 + tall:.1f}",
            class_="ray",
        ),
        element("rect", x=x0, y=y0, width=wide, height=tall, class_="block"),
    ]
    for dimension, horizontal in ((rows, False), (columns, True)):
        halo = box.halo[dimension] if dimension is not None else 0
        if halo:
            depth = min(1.0, halo / ((box.block[dimension or 0] - 1) * box.step[dimension or 0] + 1))
            if horizontal:
                parts.append(
                    element("rect", x=x0 + wide * (1 - depth), y=y0, width=wide * depth, height=tall, class_="halo")
                )
            else:
                parts.append(
                    element("rect", x=x0, y=y0 + tall * (1 - depth), width=wide, height=tall * depth, class_="halo")
                )
    parts.append(
        element(
            "rect", x=x0, y=y0, width=max(2.0, min(wide, own[1])), height=max(2.0, min(tall, own[0])), class_="thread"
        )
    )
    parts.append(element("text", f"{height} x {width}", x=x0, y=18, class_="tick"))
    return join(parts)
