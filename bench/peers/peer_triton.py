# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ruff: noqa: N803 - Triton's kernels name compile-time arguments in capitals
"""Compiles the operators with Triton, without a GPU, and prints the PTX of every configuration as JSON.

python bench/peers/peer_triton.py OPERATORS.json          (with an interpreter that has triton)

The kernels are the usual ones: the matrix multiplication and the fused softmax of Triton's tutorials, and a convolution
as implicit GEMM, a loop over window positions and blocks of channels. `input_precision="ieee"` keeps f32 products f32.
Every configuration of a grid is compiled; which one is shown is decided by the caller, from the machine code.
"""

import itertools
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

# A cache of its own: a kernel that another run left there would not be compiled.
os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="peer-triton-")

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

GRID = [
    {"BM": bm, "BN": bn, "BK": bk, "num_warps": warps, "num_stages": stages}
    for bm, bn, bk, warps, stages in itertools.product((64, 128), (64, 128, 256), (16, 32), (4, 8), (2, 3))
]
GROUP = 8
ROW_WARPS = (1, 2, 4, 8)


@triton.jit
def matmul(
    A, B, C, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, G: tl.constexpr,
):  # fmt: skip
    task = tl.program_id(0)
    down, across = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = task // (G * across)
    height = min(down - group * G, G)
    row = group * G + ((task % (G * across)) % height)
    column = (task % (G * across)) // height
    rows, columns, steps = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN), tl.arange(0, BK)
    a = A + rows[:, None] * K + steps[None, :]
    b = B + steps[:, None] * N + columns[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(a), tl.load(b), total, input_precision="ieee")
        a += BK
        b += BK * N
    tl.store(C + rows[:, None] * N + columns[None, :], total)


@triton.jit
def conv(
    X, W, Y, C: tl.constexpr, H: tl.constexpr, WIDTH: tl.constexpr, F: tl.constexpr, KH: tl.constexpr, KW: tl.constexpr,
    PAD: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    column, row = tl.program_id(0), tl.program_id(1)
    points, filters = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN)
    image, place = points // (H * WIDTH), points % (H * WIDTH)
    oh, ow = place // WIDTH, place % WIDTH
    total = tl.zeros((BM, BN), tl.float32)
    blocks: tl.constexpr = C // BK
    for step in range(KH * KW * blocks):
        window, channels = step // blocks, (step % blocks) * BK + tl.arange(0, BK)
        kh, kw = window // KW, window % KW
        h, w = oh - PAD + kh, ow - PAD + kw
        inside = (h >= 0) & (h < H) & (w >= 0) & (w < WIDTH)
        x = X + (image * C * H * WIDTH + h * WIDTH + w)[:, None] + (channels * (H * WIDTH))[None, :]
        k = W + (filters * (C * KH * KW))[None, :] + (channels * (KH * KW) + window)[:, None]
        total = tl.dot(tl.load(x, mask=inside[:, None], other=0.0), tl.load(k), total, input_precision="ieee")
    y = Y + (image * F * H * WIDTH + place)[:, None] + (filters * (H * WIDTH))[None, :]
    tl.store(y, total)


@triton.jit
def softmax(X, Y, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(X + at)
    e = tl.exp(x - tl.max(x, 0))
    tl.store(Y + at, e / tl.sum(e, 0))


@triton.jit
def row_sum(X, Y, N: tl.constexpr):
    row = tl.program_id(0)
    tl.store(Y + row, tl.sum(tl.load(X + row * N + tl.arange(0, N)), 0))


def compiled(function: Any, constants: dict[str, int], num_warps: int, num_stages: int) -> Any:
    """Compile a kernel whose arguments are pointers to f32, 16 bytes aligned, and constants."""
    names = function.arg_names
    pointers = [name for name in names if name not in constants]
    source = ASTSource(
        fn=function,
        signature={name: "*fp32" if name in pointers else "constexpr" for name in names},
        constexprs={(names.index(name),): value for name, value in constants.items()},
        attrs={(names.index(name),): [["tt.divisibility", 16]] for name in pointers},
    )
    return triton.compile(
        source, target=GPUTarget("cuda", 90, 32), options={"num_warps": num_warps, "num_stages": num_stages}
    )


def kernel(built: Any, tasks: int) -> dict[str, Any]:
    """Return a compiled kernel for the caller."""
    return {
        "name": built.metadata.name,
        "ptx": built.asm["ptx"],
        "threads": 32 * built.metadata.num_warps,
        "tasks": tasks,
        "dynamic_shared_bytes": built.metadata.shared,
    }


def variants(operator: dict[str, Any]) -> list[dict[str, Any]]:
    """Return an operator's programs, one per configuration."""
    kind, sizes = operator["kind"], operator["sizes"]
    found: list[dict[str, Any]] = []
    if kind in ("matmul", "conv2d"):
        for config in GRID:
            bm, bn, bk = config["BM"], config["BN"], config["BK"]
            constants = {"BM": bm, "BN": bn, "BK": bk}
            if kind == "matmul":
                rows, columns = sizes["M"], sizes["N"]
                constants |= {"M": rows, "N": columns, "K": sizes["K"], "G": GROUP}
            else:
                rows, columns = sizes["N"] * sizes["OH"] * sizes["OW"], sizes["F"]
                constants |= {name: sizes[name] for name in ("C", "H", "F", "KH", "KW")}
                constants |= {"WIDTH": sizes["W"], "PAD": sizes["pad_h"] // 2}
            if columns % bn or rows % bm:
                continue
            built = compiled(matmul if kind == "matmul" else conv, constants, config["num_warps"], config["num_stages"])
            name = f"{bm}x{bn}x{bk}, {config['num_warps']} warps, {config['num_stages']} stages"
            tile = {"kind": "product", "rows": bm, "columns": bn}
            found.append({"config": name, "kernels": [{**kernel(built, rows // bm * (columns // bn)), "tile": tile}]})
        return found
    function = softmax if kind == "softmax" else row_sum
    for warps in ROW_WARPS:
        built = compiled(function, {"N": sizes["N"]}, warps, 1)
        tile = {"kind": "rows"}
        found.append(
            {
                "config": f"a row, {warps} warp{'s' * (warps > 1)}",
                "kernels": [{**kernel(built, sizes["M"]), "tile": tile}],
            }
        )
    return found


def main() -> None:
    operators = json.loads(Path(sys.argv[1]).read_text())
    programs = {name: variants(operator) for name, operator in operators.items()}
    json.dump({"version": triton.__version__, "programs": programs}, sys.stdout)


if __name__ == "__main__":
    main()
