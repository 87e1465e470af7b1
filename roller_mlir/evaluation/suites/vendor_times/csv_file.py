# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A CSV file of measurements whose columns are known: its rows, or one error with file, line and column."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.tables.csv_row import CsvRow, split_cells
from roller_mlir.support.foreign.reasons import reason_of


def read_csv(path: Path, columns: Sequence[str], more: Sequence[str] = ()) -> Iterator[CsvRow]:
    """Yield the rows of a file.

    Args:
        path: Of the file.
        columns: That it must have, in any order.
        more: That it may have.

    Raises:
        SuiteError: It cannot be read, its header is another one, or a row has not as many cells.
    """
    file = str(path)
    try:
        lines = path.read_bytes().decode().removeprefix("\ufeff").splitlines()
    except OSError as error:
        raise SuiteError(f"cannot be read: {reason_of(error)}", file=file) from None
    except UnicodeDecodeError as error:
        raise SuiteError(f"is not UTF-8 at byte {error.start}", file=file) from None
    header = [cell.text for cell in split_cells(path, 1, lines[0])] if lines else []
    if not set(columns) <= set(header) <= {*columns, *more} or len(header) != len(set(header)):
        raise SuiteError(f"the header must be {','.join(columns)}, but is {','.join(header)}", file=file, line=1)
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        cells = split_cells(path, number, line)
        if len(cells) != len(header):
            raise SuiteError(f"must have {len(header)} cells, but has {len(cells)}", file=file, line=number)
        yield CsvRow(path, number, {name: cell for name, cell in zip(header, cells, strict=True) if cell.text})
