# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rocBLAS's logic (ROCm/rocBLAS, Tensile): for each size the best kernel that was found, and its efficiency as a time.

The times are of the efficiency at the device's highest clock, whatever clock it had; those of small sizes hold some
30 us that are no kernel's. Matrices are column-major.
"""

import re
from pathlib import Path

from roller_mlir.evaluation.suites.tables.csv_row import CsvRow
from roller_mlir.evaluation.suites.vendor_times.csv_file import read_csv
from roller_mlir.evaluation.suites.vendor_times.deepbench import column_major_product
from roller_mlir.evaluation.suites.vendor_times.measurement import MeasuredFile, Measurement

COLUMNS = ("type_layout", "m", "n", "k", "ms", "efficiency")
MORE = ("macro_tile0", "macro_tile1", "depth_u", "threads", "split_u", "mfma_m", "mfma_n")
TYPES = {"SB": ("f32", "f32"), "DB": ("f64", "f64"), "HHS": ("f16", "f16"), "HSS": ("f16", "f32")}
TYPES |= {"BBS": ("bf16", "bf16"), "BSS": ("bf16", "f32"), "I8II": ("i8", "i32")}
"""Types of the operands and of the result, by rocBLAS's name; sums are of f32, of f64, or of i32."""

_LAYOUT = re.compile(r"([A-Za-z0-9]+)_([NTC]{2})")


def read_logic(path: Path, device: str) -> MeasuredFile:
    """Return the sizes in a file; those whose efficiency no launch can have have failed, other types are unread.

    Raises:
        SuiteError: The file is malformed.
    """
    found: list[Measurement] = []
    unread: list[tuple[int, str]] = []
    failed = 0
    for row in read_csv(path, COLUMNS, MORE):
        said = _LAYOUT.fullmatch(row.text("type_layout"))
        if said is None:
            given = row.text("type_layout")
            raise row.error("type_layout", f"must read TYPES_LAYOUT, as HHS_TN, but got '{given}'")
        if said[1] not in TYPES or "C" in said[2]:
            unread.append((row.line, said[0]))
        elif row.number("efficiency", "a percentage") > 100:
            failed += 1
        else:
            found.append(_product(row, device, *TYPES[said[1]], said[2]))
    return MeasuredFile(path, "rocBLAS", tuple(found), failed, tuple(unread))


def _product(row: CsvRow, device: str, dtype: str, result: str, layout: str) -> Measurement:
    m, n, k = (row.integer(name, 1) for name in "mnk")
    kind = f"matmul {dtype} {layout}" if dtype == result else f"matmul {dtype} to {result} {layout}"
    program = column_major_product(m, n, k, layout, dtype, result)
    seconds = row.number("ms", "a time") / 1e3
    return Measurement(device, kind, f"{m}x{n}x{k}", seconds, row.line, program, at_peak_clock=True)
