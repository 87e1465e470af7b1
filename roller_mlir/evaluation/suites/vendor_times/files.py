# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of measurements in a folder, known by their names, which say the device as well.

deepbench_DEVICE_gemm.csv  deepbench_DEVICE_conv.csv  rocblas_DEVICE.csv  clblast_gemm_DEVICE.csv  published.csv
DEVICE/**/rs_*.csv  st2_*.csv  s_*.csv  train_rs.csv[.gz]  train_s.csv[.gz]              (CNNOpt's, as AE-PACT has them)
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.vendor_times.deepbench import read_convolutions, read_products
from roller_mlir.evaluation.suites.vendor_times.measurement import MeasuredFile
from roller_mlir.evaluation.suites.vendor_times.published_csv import read_published
from roller_mlir.evaluation.suites.vendor_times.rocblas import read_logic
from roller_mlir.evaluation.suites.vendor_times.tiles import read_cnnopt, read_xgemm
from roller_mlir.hal import device_names, find_device

_Reader = Callable[[Path, str], MeasuredFile]
_NAMES: tuple[tuple[str, _Reader], ...] = (
    (r"deepbench_(?P<device>\w+)_gemm\.csv", read_products),
    (r"deepbench_(?P<device>\w+)_conv\.csv", read_convolutions),
    (r"rocblas_(?P<device>\w+)\.csv", read_logic),
    (r"clblast_gemm_(?P<device>\w+)\.csv", read_xgemm),
    (r"published\.csv", lambda path, _: read_published(path)),
    (r"(rs|s|st2)_\d+x\d+x\d+_\d+_\d+\.csv", read_cnnopt),
    (r"train_(rs|s)\.csv(\.gz)?", read_cnnopt),
)
_FOLDERS = {"2080": "2080ti"}
"""AE-PACT's folders whose names are no device's."""


def read_folder(folder: Path, check: Callable[[], None] = lambda: None) -> tuple[list[MeasuredFile], list[Path]]:
    """Return the files of measurements in a folder and in those below it, in order, and the other CSV files.

    Args:
        folder: Where to look.
        check: Called before each file; what it raises ends everything.

    Raises:
        SuiteError: There is no such folder, no such file, or one of them is malformed or of an unknown device.
    """
    if not folder.is_dir():
        raise SuiteError("is no folder", file=str(folder))
    found: list[MeasuredFile] = []
    others: list[Path] = []
    for path in sorted(one for one in folder.rglob("*.csv*") if one.is_file()):
        check()
        named = ((re.fullmatch(name, path.name), read) for name, read in _NAMES)
        match, read = next(((match, read) for match, read in named if match), (None, None))
        if match is None or read is None:
            others.append(path)
            continue
        said = match.groupdict().get("device")
        device = "" if path.name == "published.csv" else _device(path, [said] if said else path.parent.parts[::-1])
        found.append(read(path, device))
    if not found:
        raise SuiteError(
            "holds no file of measurements whose name is known; bench/README.md has the names", file=str(folder)
        )
    return found, others


def _device(path: Path, places: Sequence[str]) -> str:
    """Return the device that a part of a file's path names, the first one that does."""
    names = {alias: name for name in device_names() for alias in (name, *find_device(name).aliases)} | _FOLDERS
    for place in places:
        spelled = place.lower()
        for one in (spelled, spelled.replace("_", "-"), spelled.replace("_", "")):
            if one in names:
                return names[one]
    said = f"'{places[0]}' is none" if len(places) == 1 else "no folder above it is one"
    raise SuiteError(f"must name a device that 'roller devices' lists, but {said}", file=str(path))
