# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules the operators with TVM's dlight, without a GPU, and prints CUDA C++ of each as JSON.

python bench/peers/peer_tvm.py OPERATORS.json             (with an interpreter that has tvm)

Dlight is TVM's set of default GPU schedules, applied without tuning: what a user gets who does not search. The
operators are TVM's own (`topi`); the convolution is NCHW, its padding is inlined. The caller compiles the C++ with
nvcc.
"""

import json
import math
import re
import sys
from pathlib import Path
from typing import Any

import tvm
from tvm import te, topi
from tvm.s_tir import dlight

TARGET = {
    "kind": "cuda",
    "arch": "sm_90",
    "max_threads_per_block": 1024,
    "max_shared_memory_per_block": 49152,
    "max_num_threads": 1024,
    "thread_warp_size": 32,
}


def arguments(operator: dict[str, Any]) -> list[Any]:
    """Return an operator's tensors, the result last."""
    kind, sizes = operator["kind"], operator["sizes"]
    if kind == "matmul":
        a, b = te.placeholder((sizes["M"], sizes["K"])), te.placeholder((sizes["K"], sizes["N"]))
        k = te.reduce_axis((0, sizes["K"]))
        return [a, b, te.compute((sizes["M"], sizes["N"]), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k))]
    if kind == "conv2d":
        x = te.placeholder((sizes["N"], sizes["C"], sizes["H"], sizes["W"]))
        w = te.placeholder((sizes["F"], sizes["C"], sizes["KH"], sizes["KW"]))
        return [x, w, topi.nn.conv2d_nchw(x, w, sizes["stride"], sizes["pad_h"] // 2, 1)]
    x = te.placeholder((sizes["M"], sizes["N"]))
    return [x, topi.nn.softmax(x, axis=-1) if kind == "softmax" else topi.sum(x, axis=-1)]


def extents(script: str, prefix: str) -> dict[str, int]:
    """Return the extents of the axes that a scheduled module binds to "blockIdx" or "threadIdx"."""
    found = re.findall(rf'thread_binding\((\d+), thread="{prefix}\.([xyz])"', script)
    return {axis: int(extent) for extent, axis in found}


def program(operator: dict[str, Any]) -> dict[str, Any]:
    """Return an operator's program."""
    target = tvm.target.Target(TARGET)
    module = tvm.IRModule({"main": te.create_prim_func(arguments(operator))})
    gpu = dlight.gpu
    with target:
        rules = gpu.Matmul(), gpu.GEMV(), gpu.Reduction(), gpu.GeneralReduction(), gpu.Fallback()
        scheduled = dlight.ApplyDefaultSchedule(*rules)(module)
    script = scheduled.script()
    tasks, threads = extents(script, "blockIdx"), extents(script, "threadIdx")
    kind = operator["kind"]
    if kind in ("matmul", "conv2d"):
        # Rows of the product run along x and its columns along y; a thread has 4 x 4 points.
        config = gpu.Matmul().get_configs(target)
        rows = config.block_size_x * config.vthread_x * config.micro_size_x
        columns = config.block_size_y * config.vthread_y * config.micro_size_y
        tile: dict[str, Any] = {"kind": "product", "rows": rows, "columns": columns}
        name = f"{rows}x{columns}x{config.micro_size_k}, dlight Matmul"
    else:
        tile = {"kind": "rows"}
        name = "a row, dlight reduction"
    built = tvm.compile(scheduled, target=target)
    kernel = {
        "name": "main_kernel",
        "cuda": built.mod.imports[0].inspect_source(),
        "threads": math.prod(threads.values()),
        "tasks": math.prod(tasks.values()),
        "dynamic_shared_bytes": 0,
        "tile": tile,
    }
    return {"config": name, "kernels": [kernel]}


def main() -> None:
    operators = json.loads(Path(sys.argv[1]).read_text())
    programs = {name: [program(operator)] for name, operator in operators.items()}
    json.dump({"version": tvm.__version__, "programs": programs}, sys.stdout)


if __name__ == "__main__":
    main()
