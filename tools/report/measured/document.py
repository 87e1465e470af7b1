# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a report says, part by part, before it is Markdown or a page: `sections.document_of` makes it.

What is wrong comes first. Text from results is cleaned here of what cannot be printed, and escaped by the writers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from roller_mlir.tools.report.measured.words import clean
from roller_mlir.tools.report.table import Grid, TableCell, grid

DRY_RUN = "Dry run: seconds of the simulator, no speed of any device"
PREDICTION_CHART = "prediction"


@dataclass(frozen=True)
class Note:
    """A sentence or two; `alarm` for what is wrong."""

    text: str
    alarm: bool = False


@dataclass(frozen=True)
class DefinitionList:
    """Pairs of a name and a value."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Tiles:
    """The figures that a reader looks for first, as pairs of a name and a value."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Chart:
    """A place for a chart.

    Attributes:
        key: `PREDICTION_CHART`, or `peer_chart` of the peer that it shows the ratio to.
        caption: What it shows.
    """

    key: str
    caption: str


Block: TypeAlias = Grid | Note | DefinitionList | Tiles | Chart


@dataclass(frozen=True)
class Section:
    """A part under a heading; the first has none."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    """A report, in words.

    Attributes:
        title: Of the page.
        banner: What stands on top of everything, "" for nothing.
        sections: The parts.
    """

    title: str
    banner: str
    sections: tuple[Section, ...] = field(default=())


def cleaned(
    head: Sequence[str], kinds: str, rows: Iterable[Sequence[TableCell | str]], *, sortable: bool = False
) -> Grid:
    """Return a table whose texts out of results are cleaned."""
    shown = [[clean(one) if isinstance(one, str) else one for one in row] for row in rows]
    return grid(head, kinds, shown, sortable=sortable)


def peer_chart(peer: str) -> str:
    """Return the key of the chart of the ratios to a peer, whatever its name."""
    return f"ratio to {peer}"
