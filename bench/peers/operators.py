# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators that are compared: two of the suite, and a softmax and a row reduction of 65536 rows of 1024."""

from pathlib import Path
from typing import Any

from roller_mlir.evaluation.suites import find_suite
from roller_mlir.evaluation.suites.programs.write import function_text

ROOT = Path(__file__).parents[2]
SOFTMAX = ROOT / "examples" / "softmax.mlir"
ROWS, COLUMNS = 65536, 1024
LOOPS = {"matmul": ("M", "N", "K"), "conv2d": ("N", "F", "OH", "OW", "C", "KH", "KW")}
TITLES = {
    "M3": "M3, matrix multiplication: M 65536, N 4096, K 1024",
    "C0": "C0, convolution, NCHW: 128 images of 128 x 28 x 28, 128 filters of 3 x 3, stride 1, padding 1",
    "softmax": "Softmax over the rows of 65536 x 1024",
    "R1": "R1, sum over the rows of 65536 x 1024",
}


def operators() -> dict[str, dict[str, Any]]:
    """Return for each operator its `kind`, its `sizes`, its loops' names where it has tiles, and its `mlir` text."""
    suite = {one.id: one for one in find_suite("roller119")}
    found: dict[str, dict[str, Any]] = {}
    for name in TITLES:
        if name == "softmax":
            rows: dict[str, Any] = {"kind": "softmax", "sizes": {"M": ROWS, "N": COLUMNS}, "mlir": softmax_text()}
            found[name] = rows
            continue
        one = suite[name]
        sizes = {"M": ROWS, "N": COLUMNS} if one.kind == "reduce_sum" else dict(one.sizes)
        found[name] = {"kind": one.kind, "sizes": sizes, "mlir": function_text(one)}
        if one.kind in LOOPS:
            found[name]["loops"] = LOOPS[one.kind]
    return found


def softmax_text() -> str:
    """Return the example of a softmax at the size that is compared."""
    text = SOFTMAX.read_text()
    lines = [line for line in text.splitlines() if not line.startswith("//")]
    sized = "\n".join(lines).replace("tensor<64x512x", f"tensor<{ROWS}x{COLUMNS}x")
    return sized.replace("tensor<64xf32>", f"tensor<{ROWS}xf32>") + "\n"
