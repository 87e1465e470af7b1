# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A report as one page without anything beside it, light or dark as its reader's system is.

The figures that it shows stand in it as JSON too, in the element with the id "data".
"""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from roller_mlir.measure.report.records import Report
from roller_mlir.plan.codec import to_json
from roller_mlir.report.page_markup import Content, Markup, element
from roller_mlir.report.page_parts import data_element, definitions, document, table
from roller_mlir.report.page_style import STYLE
from roller_mlir.report.report_document import (
    PREDICTION_CHART,
    Block,
    Chart,
    Document,
    Facts,
    Grid,
    Note,
    Tiles,
    peer_chart,
)
from roller_mlir.report.report_svg import SERIES_STYLE, prediction_svg, ratio_svg

_OWN = """
body { max-width: 1240px; } h1 { font-size: 22px; } h2 { font-size: 18px; margin: 40px 0 8px; }
.banner { background: #b3261e; color: #fff; font-weight: 600; font-size: 15px; padding: 12px 16px; margin: 0 0 18px;
  max-width: none; position: sticky; top: 0; z-index: 1; }
.alarm { color: var(--alarm); font-weight: 600; } p + div, div + p { margin-top: 10px; }
.tiles div { flex: 1 1 150px; } td.t { min-width: 220px; } td.w { white-space: nowrap; } figure { margin: 14px 0; }
figcaption { color: var(--soft); font-size: 12.5px; margin-top: 4px; } table.tight td.t { max-width: 560px; }
:root { --alarm: #b3261e; } @media (prefers-color-scheme: dark) { :root { --alarm: #ff8a80; } }
"""


def page(report: Report, made: Document) -> str:
    """Return the text of `report.html`.

    Args:
        report: The figures.
        made: The same in words.
    """
    charts = _charts(report)
    sections = [
        element(
            "section",
            element("h2", section.title) if section.title else None,
            *(part for block in section.blocks for part in _block(block, charts)),
        )
        for section in made.sections
    ]
    data: Any = to_json(report)
    return document(
        made.title,
        STYLE + _OWN + SERIES_STYLE,
        element("p", f"{made.banner}.", class_="banner", role="alert") if made.banner else None,
        element("header", element("h1", made.title)),
        element("main", *sections),
        data_element(data),
    )


def _charts(report: Report) -> dict[str, Markup]:
    peers = {name for item in report.items for name in item.top1_ratio}
    found = {peer_chart(peer): ratio_svg(report, peer) for peer in sorted(peers)}
    return {**found, PREDICTION_CHART: prediction_svg(report)}


def _block(block: Block, charts: Mapping[str, Markup]) -> list[Content]:
    if isinstance(block, Note):
        return [element("p", block.text, class_="alarm" if block.alarm else "note")]
    if isinstance(block, Facts):
        return [definitions(block.pairs)]
    if isinstance(block, Tiles):
        parts = (element("div", element("span", name), element("b", value)) for name, value in block.pairs)
        return [element("div", *parts, class_="tiles")]
    if isinstance(block, Chart):
        drawn = element("div", charts[block.key], class_="scroll")
        return [element("figure", drawn, element("figcaption", f"{block.caption}."))]
    return [_grid(block)]


def _grid(block: Grid) -> Markup:
    rows = [[(cell.text, _sorted_by(cell.value)) for cell in row] for row in block.rows]
    return table(block.head, block.kinds, rows, name="" if block.sortable else "tight", sortable=block.sortable)


def _sorted_by(value: float | str | None) -> float | str:
    """Return what the page's script sorts by: what is no number of use comes last."""
    return value if isinstance(value, str) or (value is not None and isfinite(value)) else "Infinity"
