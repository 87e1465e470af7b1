# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of a report on functions that can be launched in several ways: these ways beside each other."""

from collections.abc import Sequence

from roller_mlir.evaluation.measure.report.records import Report
from roller_mlir.evaluation.measure.report.ways import WayFigures
from roller_mlir.tools.report.measured.document import Block, Note, Section, cleaned
from roller_mlir.tools.report.measured.tables import time
from roller_mlir.tools.report.measured.words import NOTHING, clean, named, ratio
from roller_mlir.tools.report.table import TableCell

_WRONG = "wrong"


def ways_section(report: Report) -> list[Section]:
    """Return the part on ways to launch, nothing where the kit has none."""
    if not report.ways:
        return []
    names = tuple(dict.fromkeys(one.way for one in report.ways))
    items: dict[str, dict[str, WayFigures]] = {}
    for one in report.ways:
        items.setdefault(one.item, {})[one.way] = one
    rows = [row for item, ways in items.items() for row in _rows(item, ways, names)]
    head = ["kernel", "caches", *map(clean, names), *(f"{clean(name)} / {clean(names[0])}" for name in names[1:])]
    blocks: list[Block] = [
        Note(
            "Medians of the same rounds; a ratio is a way's time over that of the first one, above 1 the first takes "
            "less. Many in a row: one of many launches without a wait between them, the host's part included. Launches "
            "one by one of a function of a thousand operators and more are the host's time, too."
        )
    ]
    timeless = tuple(dict.fromkeys(one.way for one in report.ways if one.timeless))
    if timeless:
        text = "the simulator has no graphs of launches, and runs these one by one, which is timed already"
        blocks.append(Note(f"Not timed: {named(timeless)}; {text}."))
    blocks.append(cleaned(tuple(head), "ss" + "n" * (2 * len(names) - 1), rows))
    return [Section("Ways to launch", tuple(blocks))]


def _rows(item: str, ways: dict[str, WayFigures], names: Sequence[str]) -> list[tuple[TableCell | str, ...]]:
    """Return a row for cleared caches, and one for each other kind of times that an item has."""
    found: list[tuple[TableCell | str, ...]] = []
    for kind, times in (
        ("cleared", {name: one.median_s for name, one in ways.items()}),
        ("warm", {name: one.warm_s for name, one in ways.items()}),
        ("many in a row", {name: one.many_s for name, one in ways.items()}),
    ):
        if kind != "cleared" and not any(value is not None for value in times.values()):
            continue
        wrong = {name for name, one in ways.items() if one.wrong}
        cells = [TableCell(_WRONG) if name in wrong else time(times.get(name)) for name in names]
        first = times.get(names[0])
        ratios = [value / first if first and (value := times.get(name)) else None for name in names[1:]]
        found.append((item, kind, *cells, *(TableCell(ratio(one) if one else NOTHING, one) for one in ratios)))
    return found
