# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs move, from their tiles: the same formulas for everybody, and for ours the counts of the plan.

Asked: the bytes that all tasks together ask of the last cache, each element of a task's tile once per reduction step,
elements of the padding not counted. A tile of R rows and C columns of a product of M x K and K x N asks for the first
matrix ceil(N / C) times and for the second one ceil(M / R) times; a convolution as implicit GEMM does so for the matrix
of its windows, a fused (image, row, column) per row. Kernels that go over rows are counted from their loads.

Global: the tensors that each kernel reads and writes, each once, which is what is left where the last cache serves all
repeated reads; our model expects that of M3's tiles. It is a lower bound.
"""

from math import prod
from typing import Any

F32 = 4


def asked_bytes(operator: dict[str, Any], kernel: dict[str, Any], tile: dict[str, Any]) -> int:
    """Return what one kernel's tasks ask of the last cache.

    Args:
        operator: Of `operators.operators()`.
        kernel: A `Measured`, as a dict.
        tile: `kind` "product" with `rows` and `columns`; "box" with `blocks` per loop, of a padded input; "pad";
            "rows".
    """
    sizes, kind = operator["sizes"], tile["kind"]
    if kind == "pad":
        return 2 * F32 * _input(sizes)
    if kind == "rows":
        row = F32 * sizes["N"]
        per_task = kernel["read_bytes"] + kernel["reading_loops"] * row
        return sizes["M"] * (per_task + (row if operator["kind"] == "softmax" else F32))
    if kind == "box":
        return _box(sizes, tile["blocks"])
    rows, columns = tile["rows"], tile["columns"]
    if operator["kind"] == "matmul":
        m, n, k = sizes["M"], sizes["N"], sizes["K"]
        return F32 * (m * k * -(-n // columns) + k * n * -(-m // rows) + m * n)
    points, filters = sizes["N"] * sizes["OH"] * sizes["OW"], sizes["F"]
    weights = filters * sizes["C"] * sizes["KH"] * sizes["KW"]
    windows = window_elements(sizes) * -(-filters // columns)
    return F32 * (windows + weights * -(-points // rows) + points * filters)


def global_bytes(operator: dict[str, Any], tile: dict[str, Any]) -> int:
    """Return the bytes of the tensors of one kernel, each once."""
    sizes, kind = operator["sizes"], operator["kind"]
    if kind == "matmul":
        return F32 * (sizes["M"] * sizes["K"] + sizes["K"] * sizes["N"] + sizes["M"] * sizes["N"])
    if kind == "softmax":
        return 2 * F32 * sizes["M"] * sizes["N"]
    if kind == "reduce_sum":
        return F32 * sizes["M"] * (sizes["N"] + 1)
    if tile["kind"] == "pad":
        # The padded tensor is filled, then its inside is overwritten.
        return F32 * (2 * _input(sizes) + _padded(sizes))
    weights = sizes["F"] * sizes["C"] * sizes["KH"] * sizes["KW"]
    read = _padded(sizes) if tile["kind"] == "box" else _input(sizes)
    return F32 * (read + weights + sizes["N"] * sizes["F"] * sizes["OH"] * sizes["OW"])


def window_elements(sizes: dict[str, int]) -> int:
    """Return the elements of all windows that are not padding.

    >>> sizes = {"N": 1, "C": 1, "H": 4, "W": 4, "OH": 4, "OW": 4, "KH": 3, "KW": 3, "pad_h": 2, "pad_w": 2}
    >>> window_elements({**sizes, "stride": 1})
    100
    """
    found = sizes["N"] * sizes["C"]
    for extent, count, window, pad in (("H", "OH", "KH", "pad_h"), ("W", "OW", "KW", "pad_w")):
        low = sizes[pad] // 2
        places = (o * sizes["stride"] - low + k for o in range(sizes[count]) for k in range(sizes[window]))
        found *= sum(0 <= place < sizes[extent] for place in places)
    return found


def _box(sizes: dict[str, int], blocks: list[int]) -> int:
    """Return what boxes over (N, F, OH, OW, C, KH, KW) ask for, with windows that overlap counted once per step."""
    n, f, oh, ow, c, kh, kw = blocks
    extents = [sizes[name] for name in ("N", "F", "OH", "OW", "C", "KH", "KW")]
    steps = prod(-(-extent // block) for extent, block in zip(extents, blocks, strict=True))
    stride = sizes["stride"]
    image = n * c * ((oh - 1) * stride + kh) * ((ow - 1) * stride + kw)
    return F32 * (steps * (image + f * c * kh * kw) + prod(extents[:4]))


def _input(sizes: dict[str, int]) -> int:
    return sizes["N"] * sizes["C"] * sizes["H"] * sizes["W"]


def _padded(sizes: dict[str, int]) -> int:
    return sizes["N"] * sizes["C"] * (sizes["H"] + sizes["pad_h"]) * (sizes["W"] + sizes["pad_w"])
