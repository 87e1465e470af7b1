# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of `roller explain --html`: one file without anything beside it, a section for each operator.

The data that it shows stands in it as JSON too, in the element with the id "data".
"""

from collections.abc import Sequence
from math import prod
from typing import Any

from roller_mlir.console.output import seconds
from roller_mlir.model.explain.explanation import Explanation, LayerTime, Row, TensorFacts
from roller_mlir.plan.codec import to_json
from roller_mlir.report.explain_page_parts import alignment_part, path_part
from roller_mlir.report.explain_style import LAYERS, STYLE
from roller_mlir.report.explain_svg import roofline_svg, shown_dimensions, tensor_svg
from roller_mlir.report.explain_words import facts, limits, record, share, size, tile
from roller_mlir.report.page_markup import Content, Markup, element, join
from roller_mlir.report.page_parts import data_element, definitions, document, table


def page(file: str, explained: Sequence[tuple[str, Explanation]]) -> str:
    """Return the page.

    Args:
        file: Name of the source.
        explained: Per operator, where it stands and its explanation.
    """
    device = explained[0][1].limits
    links = [element("a", one.name, href=f"#op-{number}") for number, (_, one) in enumerate(explained)]
    return document(
        f"{file} on {device.device}",
        STYLE,
        element(
            "header",
            element("h1", f"{file} on {device.device}"),
            element("p", f"{device.description}. Times are predictions of the model, no measurements.", class_="sub"),
            element("nav", *links) if len(links) > 1 else None,
        ),
        element("main", *(_section(f"op-{number}", *one) for number, one in enumerate(explained))),
        data_element([{"place": place, **_data(one)} for place, one in explained]),
    )


def _data(one: Explanation) -> dict[str, Any]:
    data: Any = to_json(one)
    return data


def _section(key: str, place: str, one: Explanation) -> Markup:
    parts: list[Content] = [
        element("h2", one.name),
        element("p", place, class_="sub"),
        _summary(one),
        element("p", f"{one.weighed} programs were weighed. {_sentence(one.compiled_note)}"),
        element("h3", "Roofline and layers"),
        element(
            "div",
            element("div", roofline_svg(one.roofline), class_="scroll"),
            element("div", _bars(one)),
            class_="roofline",
        ),
        _roofs(one),
        element("h3", "Prediction"),
        element(
            "div",
            element("div", definitions(record(one))),
            element("div", definitions(facts(one))),
            class_="two record",
        ),
        element("h3", "The tile on the tensors"),
        _tensors(one),
        element("h3", "From the smallest tile to the program"),
        path_part(one),
        element("h3", f"The first {len(one.candidates)}"),
        element("p", one.why),
        _candidates(one),
        element("h3", "Alignment"),
        alignment_part(one),
        element("h3", f"Limits of {one.limits.device}"),
        definitions(limits(one)),
    ]
    return element("section", *parts, id_=key)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _summary(one: Explanation) -> Markup:
    winner = one.candidates[0]
    split = f", split in {winner.split}" if winner.split > 1 else ""
    shown = [
        ("predicted time", seconds(winner.seconds)),
        ("limited by", winner.saturated),
        ("block", tile(winner.block) + split),
        ("thread", tile(winner.thread)),
        ("threads", f"{winner.threads}"),
        ("instruction", winner.instruction),
        ("occupancy", share(winner.occupancy)),
        ("waves", f"{winner.waves:.2f}"),
    ]
    return element(
        "div",
        *(
            element("div", element("span", name), element("b", value), class_="wide" if len(value) > 11 else None)
            for name, value in shown
        ),
        class_="tiles",
    )


def _roofs(one: Explanation) -> Markup:
    rows: list[list[tuple[Content, object]]] = []
    line = one.roofline
    for roof in line.roofs:
        rows.append(
            [
                (roof.layer, roof.layer),
                (f"{roof.bytes_per_s / 1e12:.3g} TB/s", roof.bytes_per_s),
                (size(roof.moved_bytes), roof.moved_bytes),
                (f"{roof.intensity:.4g} flop/B", roof.intensity),
                (f"{roof.bound_flops_per_s / 1e12:.4g} Tflop/s", roof.bound_flops_per_s),
                (share(roof.share), roof.share),
            ]
        )
    peak = line.predicted_flops_per_s / line.peak_flops_per_s
    rows.append(
        [
            (line.instruction, line.instruction),
            ("", 0),
            ("", 0),
            ("", 0),
            (f"{line.peak_flops_per_s / 1e12:.4g} Tflop/s", line.peak_flops_per_s),
            (share(peak), peak),
        ]
    )
    head = ("roof", "rate", "moved", "intensity", "bound there", "predicted share")
    return table(head, "tnnnnn", rows, name="roofs")


def _bars(one: Explanation) -> Markup:
    longest = max([one.prediction.seconds, *(max(la.seconds, la.runner_up_seconds or 0.0) for la in one.layers)])
    cells: list[Content] = [
        element("span", "were it the only limit", class_="h"),
        element("span", ""),
        element("span", "time", class_="h r"),
        element("span", "share", class_="h r share"),
    ]

    def bar(layer: LayerTime) -> None:
        kind = layer.layer if layer.layer in LAYERS else "launch"
        second = None
        if layer.runner_up_seconds is not None:
            second = element(
                "i",
                class_=f"second {kind}",
                style=_width(layer.runner_up_seconds / longest),
                title=f"#2: {seconds(layer.runner_up_seconds)}",
            )
        cells.extend(
            (
                element("span", layer.layer),
                element(
                    "div",
                    element("i", class_=kind, style=_width(layer.seconds / longest)),
                    second,
                    element("i", class_="end", style=_width(one.prediction.seconds / longest)),
                    class_="bar",
                ),
                element("span", seconds(layer.seconds), class_="r", data_v=repr(layer.seconds)),
                element("span", share(layer.share), class_="r share"),
            )
        )

    for layer in one.layers:
        bar(layer)
    second = " The thin bar is #2." if len(one.candidates) > 1 else ""
    note = f"The dashed line is the predicted time, {seconds(one.prediction.seconds)}.{second}"
    return join([element("div", *cells, class_="bars"), element("p", note, class_="note")])


def _width(part: float) -> str:
    return f"width:{100 * part:.2f}%"


def _tensors(one: Explanation) -> Markup:
    key = element(
        "p",
        element("i", style="background:var(--block);opacity:.16"),
        "all steps of a task",
        element("i", style="background:var(--block);opacity:.5"),
        "one step's tile, enlarged beside",
        element("i", style="background:var(--thread)"),
        "as much as one thread's",
        element("i", style="background:var(--soft);opacity:.5"),
        "halo, shared with the next task",
        class_="key",
    )
    figures = [_figure(tensor, one) for tensor in one.operator.tensors]
    return join([key, element("div", *figures, class_="tensors")])


def _figure(tensor: TensorFacts, one: Explanation) -> Markup:
    rows, columns = shown_dimensions(tensor)
    others = [d for d in range(len(tensor.shape)) if d not in (rows, columns)]
    shared = tensor.tile.task_halo
    halo = f", halo {tile(shared)} shared with the next task" if any(shared) else ""
    where = "through workgroup memory" if tensor.tile.staged else "straight from global memory"
    lines = [
        f"tile {tile(tensor.tile.block)}, thread {tile(tensor.tile.thread)}{halo}; "
        + (where if tensor.role == "input" else "written once" if one.split is None else "parts, then joined")
    ]
    if others:
        left = ", ".join(f"{d}: {tensor.tile.block[d]} of {tensor.shape[d]}" for d in others)
        lines.append(f"drawn: dimensions {rows} and {columns}; not drawn: {left}")
    title = element(
        "h4",
        f"{tensor.name} ",
        element("code", f"{tile(tensor.shape)} {tensor.element_type}"),
        " ",
        element("code", tensor.index_map, class_="sub"),
    )
    return element("div", title, tensor_svg(tensor), *(element("p", text, class_="note") for text in lines))


def _candidates(one: Explanation) -> Markup:
    split = any(row.split > 1 for row in one.candidates)

    def cells(row: Row) -> list[tuple[Content, object]]:
        moved = row.load_bytes + row.store_bytes
        return [
            (row.rank, row.rank),
            (tile(row.block), prod(row.block)),
            (tile(row.thread), prod(row.thread)),
            (row.threads, row.threads),
            (row.stages, row.stages),
            (row.instruction + ("" if row.emitted else "*"), row.instruction),
            *([(row.split, row.split)] if split else []),
            (row.registers, row.registers),
            (size(row.workgroup_bytes), row.workgroup_bytes),
            (share(row.occupancy), row.occupancy),
            (f"{row.waves:.2f}", row.waves),
            (size(moved), moved),
            (seconds(row.seconds), row.seconds),
            (row.saturated, row.saturated),
        ]

    head = (
        "#",
        "block",
        "thread",
        "threads",
        "stages",
        "instruction",
        *(("split",) if split else ()),
        "registers",
        "workgroup",
        "occupancy",
        "waves",
        "bytes",
        "predicted",
        "limit",
    )
    kinds = "rmmnns" + ("n" if split else "") + "nnnnnns"
    found = table(head, kinds, [cells(row) for row in one.candidates], name="candidates", sortable=True)
    if all(row.emitted for row in one.candidates):
        return found
    note = f"* Code generation does not emit this family yet; it emits {', '.join(one.families)}."
    return join([found, element("p", note, class_="note")])
