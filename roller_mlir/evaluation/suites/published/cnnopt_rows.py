# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CNNOpt's measured tile configurations as work for the performance model: seconds expected of every row of a file.

Paper: CNNOpt (PACT 2022), sections 3 and 4; the kernels and the measurements are published as HPCRL/AE-PACT. The rows
are measurements of somebody else's kernels, which `cnnopt_rs` and `cnnopt_s` describe; the model's arithmetic is the
same as for the programs that are constructed here.
"""

import gzip
import zlib
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from pathlib import Path

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.published.cnnopt_rs import RS_COLUMNS, RsRow, rs_work
from roller_mlir.evaluation.suites.published.cnnopt_s import S_COLUMNS, SRow, s_work
from roller_mlir.model.cost.timing import CandidateWork, seconds_by_layer, total_seconds
from roller_mlir.model.machine import Machine

Row = RsRow | SRow
_KERNELS = (RS_COLUMNS, S_COLUMNS)
_ERROR = "Error"


@dataclass(frozen=True)
class MeasuredRows:
    """What a file of configurations holds.

    Attributes:
        rows: The configurations whose kernels ran, in order.
        times_ms: The time of each, in ms; empty where the file has none.
        lines: The line of each.
        failed: How many launches failed.
    """

    rows: list[Row]
    times_ms: list[float]
    lines: list[int]
    failed: int


def row_seconds(row: Row, machine: Machine) -> float:
    """Return the seconds that the model expects of a configuration, infinitely many of one that does not fit."""
    return work_seconds(row_work(row, machine), machine)


def work_seconds(work: CandidateWork | None, machine: Machine) -> float:
    """Return the seconds that the model expects of what a tile does, infinitely many of None, which does not fit."""
    if work is None:
        return inf
    return total_seconds(seconds_by_layer(work, machine), machine.device.model, alternates=work.alternates)


def row_kind(row: Row) -> str:
    """Return the class of a configuration, by which measurements of many are learned from."""
    if isinstance(row, SRow):
        return "S kernel"
    return f"RS kernel{'' if row.stride == 1 else f', stride {row.stride}'}"


def row_work(row: Row, machine: Machine) -> CandidateWork | None:
    """Return what a configuration does on a machine, None where a unit cannot hold a block of it."""
    return rs_work(row, machine) if isinstance(row, RsRow) else s_work(row, machine)


def read_rows(path: Path) -> MeasuredRows:
    """Return the configurations in a file.

    A line that begins with "Error" is a launch that failed. Where it names no error code, the program went on and gave
    a time all the same: the row after it is left out. Where it does, the program ended there, and no row is of it.

    Args:
        path: A CSV file, maybe gzipped, with the columns of the RS kernel or of the S kernel and maybe "Time", in ms; a
            name that starts with `st2_` means stride 2, which only the RS kernel has.

    Raises:
        SuiteError: The file cannot be read or has a malformed row.
    """
    file = str(path)
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise SuiteError(f"cannot be read: {reason.lower()}", file=file) from error
    stride = 2 if path.name.startswith("st2_") else 1
    lines = text.splitlines()
    if not lines:
        raise SuiteError("has no header", file=file)
    header = [cell.strip().upper() for cell in lines[0].split(",")]
    names = next((names for names in _KERNELS if header[: len(names)] == [name.upper() for name in names]), None)
    if names is None:
        raise SuiteError(f"the header must start with {' or '.join(map(','.join, _KERNELS))}", file=file, line=1)
    if names == S_COLUMNS and stride == 2:
        raise SuiteError("the S kernel has no stride 2", file=file, line=1)
    timed = header[len(names) : len(names) + 1] == ["TIME"]
    found = MeasuredRows([], [], [], sum(line.startswith(_ERROR) for line in lines))
    for line, (before, content) in enumerate(pairwise(lines), 2):
        went_on = before.startswith(_ERROR) and "code:" not in before
        if went_on or not content.strip() or content.startswith(_ERROR):
            continue
        cells = content.split(",")
        if len(cells) not in (len(names), len(header)):
            raise SuiteError(f"must have {len(header)} values, but has {len(cells)}", file=file, line=line)
        values = [_positive(cell, name, file, line) for cell, name in zip(cells[: len(names)], names, strict=True)]
        row = SRow(*values) if names == S_COLUMNS else RsRow(*values, stride=stride)
        if fault := row.fault():
            raise SuiteError(fault, file=file, line=line)
        found.rows.append(row)
        found.lines.append(line)
        if timed:
            found.times_ms.append(_time(cells[len(names)] if len(cells) > len(names) else "", file, line))
    return found


def _time(cell: str, file: str, line: int) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = 0.0
    if not 0 < value < inf:
        raise SuiteError(f"Time must be a number above 0, in ms, but got '{cell.strip()}'", file=file, line=line)
    return value


def _positive(cell: str, name: str, file: str, line: int) -> int:
    try:
        value = int(cell)
    except ValueError:
        raise SuiteError(f"{name} must be an integer, but got '{cell.strip()}'", file=file, line=line) from None
    if value <= 0:
        raise SuiteError(f"{name} must be positive, but got {value}", file=file, line=line)
    return value
