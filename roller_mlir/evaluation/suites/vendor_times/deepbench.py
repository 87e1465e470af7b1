# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DeepBench's training results (baidu-research/DeepBench): products by cuBLAS, convolutions by cuDNN.

As its sources say: matrices are column-major, so that C^T = B^T A^T is the product of row-major ones; images are NCHW
in f16 too, and results have the type of the inputs.
"""

from pathlib import Path

from roller_mlir.evaluation.suites.tables.csv_row import CsvRow
from roller_mlir.evaluation.suites.vendor_times.csv_file import read_csv
from roller_mlir.evaluation.suites.vendor_times.measurement import MeasuredFile, Measurement
from roller_mlir.evaluation.suites.vendor_times.programs import Convolution, product

PRODUCT_COLUMNS = ("type", "m", "n", "k", "a_transposed", "b_transposed", "measured_ms")
CONVOLUTION_COLUMNS = ("type", "shape", "measured_ms")
_TYPES = ("f32", "f16")


def read_products(path: Path, device: str) -> MeasuredFile:
    """Return the products in a file. Raises SuiteError for a malformed one."""
    return MeasuredFile(path, "cuBLAS", tuple(_product(row, device) for row in read_csv(path, PRODUCT_COLUMNS)))


def read_convolutions(path: Path, device: str) -> MeasuredFile:
    """Return the convolutions in a file. Raises SuiteError for a malformed one."""
    return MeasuredFile(path, "cuDNN", tuple(_convolution(row, device) for row in read_csv(path, CONVOLUTION_COLUMNS)))


def column_major_product(m: int, n: int, k: int, layout: str, dtype: str, result: str) -> str:
    """Return a product of column-major matrices as one of row-major ones: C^T (NxM) = B^T (NxK) A^T (KxM).

    Args:
        m: Rows of C.
        n: Columns of C.
        k: Length of the sums.
        layout: "N" or "T" for A, then for B: T lies in memory as its transpose.
        dtype: Type of A and B.
        result: Type of C.
    """
    return product(n, m, k, dtype, result, turned=(layout[1] == "T", layout[0] == "T"))


def _product(row: CsvRow, device: str) -> Measurement:
    dtype = _dtype(row)
    m, n, k = (row.integer(name, 1) for name in "mnk")
    layout = _letter(row, "a_transposed") + _letter(row, "b_transposed")
    return Measurement(
        device,
        f"matmul {dtype} {layout}",
        f"{m}x{n}x{k}",
        row.number("measured_ms", "a time") / 1e3,
        row.line,
        column_major_product(m, n, k, layout, dtype, dtype),
    )


def _convolution(row: CsvRow, device: str) -> Measurement:
    dtype, sizes = _dtype(row), row.sizes("shape", " ", 0)
    if len(sizes) != 11 or 0 in (*sizes[:7], *sizes[9:]):
        raise row.error(
            "shape", "must be N C H W K R S pad_h pad_w stride_h stride_w, of which paddings alone may be 0"
        )
    one = Convolution(*sizes)
    if min(one.outputs) < 1:
        raise row.error("shape", f"has a window of {one.kh}x{one.kw}, which does not fit its padded image")
    name = f"{one.n}x{one.c}x{one.h}x{one.w} > {one.f}, {one.kh}x{one.kw}/{one.stride_h}x{one.stride_w}"
    seconds = row.number("measured_ms", "a time") / 1e3
    return Measurement(device, f"conv2d {dtype}", name, seconds, row.line, one.text(dtype, dtype))


def _dtype(row: CsvRow) -> str:
    if row.text("type") not in _TYPES:
        raise row.error("type", f"must be one of {', '.join(_TYPES)}, but got '{row.text('type')}'")
    return row.text("type")


def _letter(row: CsvRow, name: str) -> str:
    if row.text(name) not in ("N", "T"):
        raise row.error(name, f"must be N or T, but got '{row.text(name)}'")
    return row.text(name)
