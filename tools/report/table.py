# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A table of an explanation or a report, for whatever shows it: a terminal, Markdown or a page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite


@dataclass(frozen=True)
class TableCell:
    """A cell of a table.

    Attributes:
        text: What it shows.
        value: What a table is sorted by there, None where there is nothing, which comes last.
    """

    text: str
    value: float | str | None = None

    @property
    def key(self) -> float | str:
        """What the script of a page sorts by: what is no number of use comes last."""
        return (
            self.value
            if isinstance(self.value, str) or (self.value is not None and isfinite(self.value))
            else "Infinity"
        )


@dataclass(frozen=True)
class Grid:
    """A table.

    Attributes:
        head: Names of the columns.
        kinds: A letter per column: n number, m tile, r rank, t text, s short text, w text in one line.
        rows: The cells.
        sortable: Whether a page lets its reader sort it.
    """

    head: tuple[str, ...]
    kinds: str
    rows: tuple[tuple[TableCell, ...], ...]
    sortable: bool = False


def grid(
    head: Sequence[str], kinds: str, rows: Iterable[Sequence[TableCell | str | int]], *, sortable: bool = False
) -> Grid:
    """Return a table; texts and numbers become cells."""
    cells = tuple(tuple(one if isinstance(one, TableCell) else TableCell(str(one), one) for one in row) for row in rows)
    return Grid(tuple(head), kinds, cells, sortable)
