# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CNNOpt's measured tile configurations as work for the performance model: seconds expected of every row of a file.

Paper: CNNOpt (PACT 2022), sections 3 and 4; the kernels and the measurements are published as HPCRL/AE-PACT. The rows
are measurements of somebody else's kernels, which `cnnopt_rs` and `cnnopt_s` describe; the model's arithmetic is the
same as for the programs that are constructed here.
"""

import gzip
import zlib
from math import inf
from pathlib import Path

from roller_mlir.hal import Device
from roller_mlir.model.cost.timing import CandidateWork, seconds_by_layer, total_seconds
from roller_mlir.model.machine import Machine, machine_of
from roller_mlir.suites.errors import SuiteError
from roller_mlir.suites.published.cnnopt_rs import RS_COLUMNS, RsRow, rs_work
from roller_mlir.suites.published.cnnopt_s import S_COLUMNS, SRow, s_work

Row = RsRow | SRow
_KERNELS = (RS_COLUMNS, S_COLUMNS)


def predict_rows(path: Path, device: Device) -> list[float]:
    """Return the seconds that the model expects of each row of a file, in order.

    A block that needs more threads or workgroup memory than the device has takes infinitely long.

    Args:
        path: A CSV file, maybe gzipped, with the columns of the RS kernel or of the S kernel and maybe one more; a name
            that starts with `st2_` means stride 2, which only the RS kernel has.
        device: The device.

    Raises:
        SuiteError: The file cannot be read or has a malformed row.
    """
    machine = machine_of(device)
    return [row_seconds(row, machine) for row in read_rows(path)]


def row_seconds(row: Row, machine: Machine) -> float:
    """Return the seconds that the model expects of a configuration. As `predict_rows`."""
    work = row_work(row, machine)
    if work is None:
        return inf
    return total_seconds(seconds_by_layer(work, machine), machine.device.model, alternates=work.alternates)


def row_work(row: Row, machine: Machine) -> CandidateWork | None:
    """Return what a configuration does on a machine, None where a unit cannot hold a block of it."""
    return rs_work(row, machine) if isinstance(row, RsRow) else s_work(row, machine)


def read_rows(path: Path) -> list[Row]:
    """Return the configurations in a file, in order. Raises as `predict_rows`."""
    file = str(path)
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise SuiteError(f"cannot be read: {reason.lower()}", file=file) from error
    stride = 2 if path.name.startswith("st2_") else 1
    lines = [line.split(",") if line.strip() else [] for line in text.splitlines()]
    if not lines:
        raise SuiteError("has no header", file=file)
    header = [cell.strip().upper() for cell in lines[0]]
    names = next((names for names in _KERNELS if header[: len(names)] == [name.upper() for name in names]), None)
    if names is None:
        raise SuiteError(f"the header must start with {' or '.join(map(','.join, _KERNELS))}", file=file, line=1)
    if names == S_COLUMNS and stride == 2:
        raise SuiteError("the S kernel has no stride 2", file=file, line=1)
    rows: list[Row] = []
    for line, cells in enumerate(lines[1:], 2):
        if not cells:
            continue
        if len(cells) not in (len(names), len(header)):
            raise SuiteError(f"must have {len(header)} values, but has {len(cells)}", file=file, line=line)
        values = [_positive(cell, name, file, line) for cell, name in zip(cells[: len(names)], names, strict=True)]
        row = SRow(*values) if names == S_COLUMNS else RsRow(*values, stride=stride)
        if fault := row.fault():
            raise SuiteError(fault, file=file, line=line)
        rows.append(row)
    return rows


def _positive(cell: str, name: str, file: str, line: int) -> int:
    try:
        value = int(cell)
    except ValueError:
        raise SuiteError(f"{name} must be an integer, but got '{cell.strip()}'", file=file, line=line) from None
    if value <= 0:
        raise SuiteError(f"{name} must be positive, but got {value}", file=file, line=line)
    return value
