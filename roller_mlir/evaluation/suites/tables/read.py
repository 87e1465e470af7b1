# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a table of operators; what is wrong with it is one error with file, line and column.

The table is plain CSV: cells are separated by commas and hold neither commas nor quotes; lines that begin with # and
empty lines do not count; the first other line names the columns. `bench/README.md` documents the columns.
"""

import re
from pathlib import Path
from types import MappingProxyType

from roller_mlir.evaluation.suites.element_types import DTYPES
from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.kinds import (
    AXES,
    COMBINER,
    EXTENTS,
    FILE,
    INDICES,
    KINDS,
    MAY_BE_ZERO,
    NUMBERS,
    PADDING,
    SHAPE,
    Given,
    SizeError,
)
from roller_mlir.evaluation.suites.operator import Operator, PublishedTiles
from roller_mlir.evaluation.suites.tables.csv_row import CsvCell, CsvRow, split_cells
from roller_mlir.support.foreign.reasons import reason_of

TABLE = "operators.csv"
_IDENTITY = ("id", "class")
_MORE = ("dtype", "group", "duplicate_of", "note")
_UNITS = {"_us": 1e6, "_ms": 1e3, "_s": 1.0}
_TILE = "_tile"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_TILES = re.compile(r"(\d+(?:x\d+)*)(?:/(\d+(?:x\d+)*))? (\d+(?:x\d+)*)")
_COLUMNS = (*NUMBERS, SHAPE, AXES, FILE, PADDING, INDICES, EXTENTS, COMBINER)


def read_table(path: Path) -> tuple[Operator, ...]:
    """Read a table.

    Args:
        path: Of a CSV file.

    Returns:
        Its operators, at least one, in the table's order.

    Raises:
        SuiteError: The file cannot be read, or a row breaks a rule.
    """
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise SuiteError(f"cannot be read: {reason_of(error)}", file=str(path)) from None
    except UnicodeDecodeError as error:
        raise SuiteError(f"is not UTF-8 at byte {error.start}", file=str(path)) from None
    lines = [(n, line) for n, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1) if _counts(line)]
    if not lines:
        raise SuiteError("names no columns; the first line must, as in id,class,M,N,K", file=str(path), line=1)
    header = _header(path, *lines[0])
    found: dict[str, Operator] = {}
    for number, line in lines[1:]:
        row = _row(path, number, line, header)
        operator = _operator(row)
        if operator.id in found:
            raise row.error("id", f"'{operator.id}' is that of line {found[operator.id].place[1]}; ids must differ")
        if operator.duplicate_of is not None and operator.duplicate_of not in found:
            raise row.error("duplicate_of", f"must be an id of a row above, but got '{operator.duplicate_of}'")
        found[operator.id] = operator
    if not found:
        raise SuiteError("has no rows; a suite has at least one operator", file=str(path), line=lines[0][0])
    return tuple(found.values())


def _counts(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def _split(path: Path, number: int, line: str) -> list[CsvCell]:
    quote = line.find('"')
    if quote >= 0:
        raise SuiteError("quotes are not supported", file=str(path), line=number, column=quote + 1)
    return split_cells(path, number, line)


def _header(path: Path, number: int, line: str) -> tuple[str, ...]:
    names: list[str] = []
    for cell in _split(path, number, line):
        name = cell.text
        known = name in (*_IDENTITY, *_MORE, *_COLUMNS) or _is_published(name)
        if not known or name in names:
            rule = "is there twice" if known else "is no column; see bench/README.md for those that are"
            raise SuiteError(f"'{name}' {rule}", file=str(path), line=number, column=cell.column)
        names.append(name)
    for name in _IDENTITY:
        if name not in names:
            raise SuiteError(f"column '{name}' is missing", file=str(path), line=number)
    return tuple(names)


def _is_published(name: str) -> bool:
    return any(len(name) > len(end) and name.endswith(end) for end in (*_UNITS, _TILE))


def _row(path: Path, number: int, line: str, header: tuple[str, ...]) -> CsvRow:
    cells = _split(path, number, line)
    if len(cells) != len(header):
        raise SuiteError(
            f"must have {len(header)} cells, one a column, but has {len(cells)}", file=str(path), line=number
        )
    return CsvRow(path, number, {name: cell for name, cell in zip(header, cells, strict=True) if cell.text})


def _operator(row: CsvRow) -> Operator:
    for name in _IDENTITY:
        if not row.text(name):
            raise row.error(name, "must not be empty")
    if not _ID.fullmatch(row.text("id")):
        raise row.error("id", f"must be letters, digits, '_', '.' and '-', but got '{row.text('id')}'")
    if row.text("class") not in KINDS:
        raise row.error("class", f"must be one of {', '.join(KINDS)}, but got '{row.text('class')}'")
    kind = KINDS[row.text("class")]
    dtype = row.text("dtype") or DTYPES[0]
    if dtype not in (kind.dtypes or DTYPES):
        raise row.error("dtype", f"must be one of {', '.join(kind.dtypes or DTYPES)}, but got '{dtype}'")
    for name in kind.needs:
        if not row.text(name):
            raise row.error(name, f"is missing; a {row.text('class')} needs {', '.join(kind.needs)}")
    for name in _COLUMNS:
        if row.text(name) and name not in (*kind.needs, *kind.takes):
            raise row.error(name, f"says nothing of a {row.text('class')}; leave it empty")
    if row.text(PADDING) not in ("", "SAME", "VALID"):
        raise row.error(PADDING, f"must be SAME or VALID, but got '{row.text(PADDING)}'")
    given = Given(
        {name: row.integer(name, 0 if name in MAY_BE_ZERO else 1) for name in NUMBERS if row.text(name)},
        row.sizes(SHAPE, "x", 1),
        row.sizes(AXES, " ", 0),
        row.text(PADDING),
        row.text(INDICES),
        row.text(EXTENTS),
        row.text(COMBINER),
    )
    try:
        sizes = kind.sizes(given)
    except SizeError as error:
        raise row.error(error.column, str(error)) from None
    return Operator(
        id=row.text("id"),
        kind=row.text("class"),
        dtype=dtype,
        sizes=MappingProxyType(sizes),
        tiles=MappingProxyType({n.removesuffix(_TILE): _tiles(row, n) for n in row.cells if n.endswith(_TILE)}),
        times=MappingProxyType(dict(_time(row, name) for name in row.cells if name.endswith(tuple(_UNITS)))),
        duplicate_of=row.text("duplicate_of") or None,
        shape=given.shape,
        axes=given.axes,
        indices=given.indices,
        combiner=given.combiner,
        group=row.text("group"),
        file=str(row.path.parent / row.text(FILE)) if row.text(FILE) else "",
        place=(str(row.path), row.line),
    )


def _tiles(row: CsvRow, name: str) -> PublishedTiles:
    match = _TILES.fullmatch(row.text(name))
    if match is None:
        raise row.error(name, f"must read BLOCK/STEP THREAD as in 128x64/16 8x4, but got '{row.text(name)}'")
    block, step, thread = (tuple(map(int, part.split("x"))) if part else () for part in match.groups())
    if len(block) != len(thread) or 0 in (*block, *step, *thread):
        raise row.error(name, f"must have as many block as thread sizes, none 0, but got '{row.text(name)}'")
    return PublishedTiles(block, step, thread)


def _time(row: CsvRow, name: str) -> tuple[str, float]:
    unit = next(end for end in _UNITS if name.endswith(end))
    return name.removesuffix(unit), row.number(name, "a time") / _UNITS[unit]
