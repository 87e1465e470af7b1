# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rocBLAS's logic (ROCm/rocBLAS, Tensile): for each size the best kernel that was found, and its efficiency as a time.

The times are of the efficiency at the device's highest clock, whatever clock it had; those of small sizes hold some
30 us that are no kernel's. Matrices are column-major.
"""

import re
from pathlib import Path

from roller_mlir.suites.csv_row import CsvRow
from roller_mlir.suites.vendor_times.csv_file import read_csv
from roller_mlir.suites.vendor_times.deepbench import column_major_product
from roller_mlir.suites.vendor_times.measurement import MeasuredFile, Measurement

COLUMNS = ("type_layout", "m", "n", "k", "ms", "efficiency")
MORE = ("macro_tile0", "macro_tile1", "depth_u", "threads", "split_u", "mfma_m", "mfma_n")
TYPES = {"SB": ("f32", "f32"), "DB": ("f64", "f64"), "HHS": ("f16", "f16"), "HSS": ("f16", "f32")}
TYPES |= {"BBS": ("bf16", "bf16"), "BSS": ("bf16", "f32")}
"""Types of the operands and of the result, by rocBLAS's name; sums are of f32, or of f64."""


def read_logic(path: Path, device: str) -> MeasuredFile:
    """Return the sizes in a file; those whose efficiency no launch can have have failed. Raises SuiteError."""
    rows = list(read_csv(path, COLUMNS, MORE))
    good = [row for row in rows if row.number("efficiency", "a percentage") <= 100]
    return MeasuredFile(path, "rocBLAS", tuple(_product(row, device) for row in good), len(rows) - len(good))


def _product(row: CsvRow, device: str) -> Measurement:
    text = row.text("type_layout")
    found = re.fullmatch(r"([A-Z]+)_([NT]{2})", text)
    if found is None or found[1] not in TYPES:
        raise row.error("type_layout", f"must be one of {', '.join(TYPES)}, '_', and N or T twice, but got '{text}'")
    dtype, result = TYPES[found[1]]
    m, n, k = (row.integer(name, 1) for name in "mnk")
    kind = f"matmul {dtype} {found[2]}" if dtype == result else f"matmul {dtype} to {result} {found[2]}"
    program = column_major_product(m, n, k, found[2], dtype, result)
    return Measurement(device, kind, f"{m}x{n}x{k}", row.number("ms", "a time") / 1e3, row.line, program)
