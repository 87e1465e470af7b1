# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of every tile of a kernel that others wrote: CLBlast's Xgemm (benchmark_hub), CNNOpt's RS and S (AE-PACT)."""

from functools import partial
from pathlib import Path

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.published.clblast_gemm import EXTENT, XGEMM_COLUMNS, XgemmRow, xgemm_work
from roller_mlir.evaluation.suites.published.cnnopt_rows import read_rows, row_kind, row_work
from roller_mlir.evaluation.suites.published.cnnopt_rs import RsRow
from roller_mlir.evaluation.suites.vendor_times.csv_file import read_csv
from roller_mlir.evaluation.suites.vendor_times.measurement import MeasuredFile, Measurement

FAILED = ("InvalidConfig", "CompilationFailedConfig", "RuntimeFailedConfig")
"""What Kernel Tuner writes in place of a time."""

_SWITCHES = ("STRM", "STRN", "SA", "SB")

_NEVER_MS = 1e6
"""A time that tuners write where there was none."""


def read_xgemm(path: Path, device: str) -> MeasuredFile:
    """Return the configurations of CLBlast's Xgemm in a file. Raises SuiteError for a malformed one."""
    found: list[Measurement] = []
    failed = 0
    for row in read_csv(path, (*XGEMM_COLUMNS, "time_ms")):
        if row.text("time_ms") in FAILED or (ms := row.number("time_ms", "a time")) >= _NEVER_MS:
            failed += 1
            continue
        one = XgemmRow(*(row.integer(name, 0 if name in _SWITCHES else 1) for name in XGEMM_COLUMNS))
        if fault := one.fault():
            raise SuiteError(fault, file=str(path), line=row.line)
        kind = f"Xgemm f32, {one.staged} staged"
        work, flops = partial(xgemm_work, one), 2.0 * EXTENT**3
        found.append(Measurement(device, kind, f"{EXTENT} cubed", ms / 1e3, row.line, work=work, tile=one, flops=flops))
    return MeasuredFile(path, "CLBlast", tuple(found), failed)


def read_cnnopt(path: Path, device: str) -> MeasuredFile:
    """Return the tiles of CNNOpt's kernels in a file. Raises SuiteError for a malformed one."""
    read = read_rows(path)
    if not read.times_ms:
        raise SuiteError("has no column Time", file=str(path))
    found: list[Measurement] = []
    for row, ms, line in zip(read.rows, read.times_ms, read.lines, strict=True):
        stride = row.stride if isinstance(row, RsRow) else 1
        kind = row_kind(row)
        problem = f"{row.k}x{row.h}x{row.w} {row.c} {row.r}x{row.r}/{stride}"
        flops = 2.0 * row.k * row.h * row.w * row.c * row.r**2
        work = partial(row_work, row)
        found.append(Measurement(device, kind, problem, ms / 1e3, line, work=work, tile=row, flops=flops))
    source = f"CNNOpt, {'training' if path.name.startswith('train_') else 'exhaustive'}"
    return MeasuredFile(path, source, tuple(found), read.failed)
