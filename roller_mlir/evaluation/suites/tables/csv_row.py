# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of a CSV file whose cells complain about themselves with file, line and column."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from roller_mlir.evaluation.suites.errors import SuiteError

_LARGEST = 1 << 40
_CELL = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",]*?))\s*(?:,|$)')
_NUMBER = re.compile(r"\d+(\.\d+)?(e[+-]?\d{1,2})?")


@dataclass(frozen=True)
class CsvCell:
    """What stands between two commas, and in which column it begins, counted from 1."""

    text: str
    column: int


@dataclass(frozen=True)
class CsvRow:
    """One row: its filled cells by column name, and how to complain about them."""

    path: Path
    line: int
    cells: Mapping[str, CsvCell]

    def text(self, name: str) -> str:
        """Return what a cell says, "" for an empty one."""
        return self.cells[name].text if name in self.cells else ""

    def error(self, name: str, rule: str) -> SuiteError:
        """Return the error that a cell breaks a rule."""
        cell = self.cells.get(name)
        return SuiteError(f"'{name}' {rule}", file=str(self.path), line=self.line, column=cell.column if cell else 0)

    def integer(self, name: str, least: int) -> int:
        """Return the integer in a cell, or raise."""
        return self._integer(name, self.text(name), least)

    def sizes(self, name: str, separator: str, least: int) -> tuple[int, ...]:
        """Return the integers in a cell, parted by a separator, or raise."""
        text = self.text(name)
        return tuple(self._integer(name, part, least) for part in text.split(separator)) if text else ()

    def number(self, name: str, what: str) -> float:
        """Return the number above 0 in a cell, which is `what` in an error, or raise."""
        text = self.text(name)
        if not _NUMBER.fullmatch(text) or float(text) <= 0:
            raise self.error(name, f"must be {what} above 0, but got '{text}'")
        return float(text)

    def _integer(self, name: str, text: str, least: int) -> int:
        if not re.fullmatch(r"[0-9]+", text):
            raise self.error(name, f"must be an integer, but got '{text}'")
        if len(text) > 18 or not least <= int(text) <= _LARGEST:
            raise self.error(name, f"must lie between {least} and {_LARGEST}, but got {text}")
        return int(text)


def split_cells(path: Path, number: int, line: str) -> list[CsvCell]:
    """Return the cells of a line; in quotes they may hold commas, and quotes doubled.

    Args:
        path: Of the file, for errors.
        number: Of the line, for errors.
        line: Without its end.

    Raises:
        SuiteError: A quote begins or ends within a cell.

    >>> [cell.text for cell in split_cells(Path("a.csv"), 1, 'a, "b, c",')]
    ['a', 'b, c', '']
    """
    cells: list[CsvCell] = []
    at = 0
    while True:
        found = _CELL.match(line, at)
        if found is None:
            raise SuiteError("has a quote that does not enclose a cell", file=str(path), line=number, column=at + 1)
        quoted = found[1] is not None
        text = found[1].replace('""', '"') if quoted else found[2]
        cells.append(CsvCell(text, found.start(1 if quoted else 2) + 1))
        if not found[0].endswith(","):
            return cells
        at = found.end()
