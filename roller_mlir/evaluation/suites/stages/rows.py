# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite "cnnopt-exhaustive": predictions of every tile of CNNOpt's exhaustive measurements, a CSV file a layer."""

from collections.abc import Callable, Iterator
from math import isfinite
from pathlib import Path
from typing import Any

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.published.cnnopt_rows import read_rows
from roller_mlir.evaluation.suites.published.tile_prediction import rows_residual, rows_seconds
from roller_mlir.hal import Device
from roller_mlir.model.machine import machine_of
from roller_mlir.model.options import ResidualOptions
from roller_mlir.model.residual.residual import Residual

DEFAULT = ResidualOptions()


def predict_folder(
    folder: Path,
    device: Device,
    check: Callable[[], None] = lambda: None,
    options: ResidualOptions = DEFAULT,
) -> Iterator[dict[str, Any]]:
    """Yield the predictions of each CSV file of a folder, by name.

    Args:
        folder: With at least one file `*.csv`.
        device: The device to predict for.
        check: Called before each file; what it raises ends the iteration.
        options: Whether a residual may correct the model, and which.

    Yields:
        Objects with `file` (its name), `predicted_s` (seconds, one per row, in the rows' order; None for a tile that
        does not fit the device), `failed` (launches that failed, which have no row there) and `residual` (whether one
        is used, or why one that is known is not; "" where none is known).

    Raises:
        SuiteError: There is no such folder, no such file, or a row breaks a rule.
    """
    if not folder.is_dir():
        raise SuiteError("is no folder", file=str(folder))
    files = sorted(path for path in folder.glob("*.csv") if path.is_file())
    if not files:
        raise SuiteError("holds no .csv files of tiles", file=str(folder))
    machine = machine_of(device)
    for path in files:
        check()
        read = read_rows(path)
        known = rows_residual(read.rows, machine, options.residual_file)
        used = known if known is not None and options.residual and known.counts else None
        predicted = rows_seconds(read.rows, machine, used)
        times = [one if isfinite(one) else None for one in predicted]
        yield {"file": path.name, "predicted_s": times, "failed": read.failed, "residual": _note(known, options)}


def _note(known: Residual | None, options: ResidualOptions) -> str:
    if known is None:
        return ""
    return str(known) if options.residual else f"the residual of '{known.kind}' on {known.family} is left out as asked"
