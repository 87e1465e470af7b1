# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ruff: noqa: N803 - Triton's kernels name compile-time arguments in capitals
"""Compiles small matrix multiplications with Triton, without a GPU, and prints the LLVM IR of each as JSON.

python bench/peers/witness_triton.py                        (with an interpreter that has triton)

For `witness.py`. The kernels are the shortest that use a target's matrix unit: C = A B of any M and N, in tiles; what
is outside is masked. Where the target has a tensor memory accelerator, one takes descriptors instead of pointers, and
one makes them.
"""

import json
import os
import sys
import tempfile
from typing import Any

# A cache of its own: a kernel that another run left there would not be compiled.
os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="witness-triton-")
os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

TARGETS = {
    "sm_80": GPUTarget("cuda", 80, 32),
    "sm_90": GPUTarget("cuda", 90, 32),
    "gfx90a": GPUTarget("hip", "gfx90a", 64),
    "gfx942": GPUTarget("hip", "gfx942", 64),
}
KINDS = {"f32": tl.float32, "f16": tl.float16, "i32": tl.int32}
POINTERS = {"f16": "*fp16", "bf16": "*bf16", "f32": "*fp32", "i8": "*i8", "i32": "*i32"}


@triton.jit
def product(
    A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SUM: tl.constexpr, PRECISION: tl.constexpr
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    steps = tl.arange(0, BK)
    total = tl.zeros((BM, BN), SUM)
    for k in range(0, K, BK):
        inside = k + steps < K
        a = tl.load(A + rows[:, None] * K + (k + steps)[None, :], (rows < M)[:, None] & inside[None, :], 0)
        b = tl.load(B + (k + steps)[:, None] * N + columns[None, :], (columns < N)[None, :] & inside[:, None], 0)
        total = tl.dot(a, b, total, input_precision=PRECISION, out_dtype=SUM)
    tl.store(C + rows[:, None] * N + columns[None, :], total, (rows < M)[:, None] & (columns < N)[None, :])


@triton.jit
def product_of_descriptors(A, B, C, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SUM: tl.constexpr):
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), SUM)
    for k in range(0, K, BK):
        total = tl.dot(A.load([row, k]), B.load([k, column]), total)
    C.store([row, column], total.to(tl.float16))


@triton.jit
def product_of_made_descriptors(
    A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SUM: tl.constexpr
):
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    a = tl.make_tensor_descriptor(A, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(B, [K, N], [N, 1], [BK, BN])
    c = tl.make_tensor_descriptor(C, [M, N], [N, 1], [BM, BN])
    total = tl.zeros((BM, BN), SUM)
    for k in range(0, K, BK):
        total = tl.dot(a.load([row, k]), b.load([k, column]), total)
    c.store([row, column], total.to(C.dtype.element_ty))


# Name: target, element, sum, tile, warps, stages, options.
CASES: dict[str, tuple[str, str, str, tuple[int, int, int], int, int, dict[str, Any]]] = {
    "sm_80-f16": ("sm_80", "f16", "f32", (32, 32, 32), 2, 3, {}),
    "sm_80-f16-f16": ("sm_80", "f16", "f16", (32, 32, 16), 2, 2, {}),
    "sm_80-bf16": ("sm_80", "bf16", "f32", (32, 32, 16), 2, 3, {}),
    "sm_80-tf32": ("sm_80", "f32", "f32", (32, 32, 16), 2, 2, {"PRECISION": "tf32"}),
    "sm_80-i8": ("sm_80", "i8", "i32", (32, 32, 32), 2, 3, {}),
    "sm_90-f16": ("sm_90", "f16", "f32", (64, 32, 32), 4, 3, {}),
    "sm_90-bf16": ("sm_90", "bf16", "f32", (64, 16, 32), 4, 2, {}),
    "sm_90-tf32": ("sm_90", "f32", "f32", (64, 16, 16), 4, 2, {"PRECISION": "tf32"}),
    "sm_90-i8": ("sm_90", "i8", "i32", (64, 16, 32), 4, 2, {}),
    "sm_90-f16-descriptors": ("sm_90", "f16", "f16", (64, 32, 64), 4, 3, {}),
    "sm_90-bf16-made": ("sm_90", "bf16", "bf16", (64, 32, 64), 4, 2, {}),
    "gfx90a-i8": ("gfx90a", "i8", "i32", (32, 32, 32), 2, 2, {}),
    "gfx90a-f32": ("gfx90a", "f32", "f32", (32, 32, 16), 2, 2, {"PRECISION": "ieee"}),
    "gfx942-f16": ("gfx942", "f16", "f32", (32, 32, 16), 2, 2, {}),
    "gfx942-bf16": ("gfx942", "bf16", "f32", (32, 32, 16), 2, 2, {}),
    "gfx942-i8": ("gfx942", "i8", "i32", (32, 32, 32), 2, 2, {}),
    "gfx942-f32-16": ("gfx942", "f32", "f32", (32, 32, 16), 2, 2, {"PRECISION": "ieee", "matrix_instr_nonkdim": 16}),
    "gfx942-bf16-16": ("gfx942", "bf16", "f32", (32, 32, 16), 2, 2, {"matrix_instr_nonkdim": 16}),
}


def compiled(name: str) -> dict[str, Any]:
    """Compile a case."""
    target, element, total, (bm, bn, bk), warps, stages, given = CASES[name]
    options = {key: value for key, value in given.items() if key.islower()}
    options |= {"num_warps": warps, "num_stages": stages}
    constants: dict[str, Any] = {"BM": bm, "BN": bn, "BK": bk, "SUM": KINDS["f32" if total.endswith("f16") else total]}
    if name.endswith("descriptors"):
        function: Any = product_of_descriptors
        tiles = {"A": (bm, bk), "B": (bk, bn), "C": (bm, bn)}
        types = {key: f"tensordesc<fp16[{rows}, {columns}]>" for key, (rows, columns) in tiles.items()}
    elif name.endswith("made"):
        function, types = product_of_made_descriptors, dict.fromkeys("ABC", POINTERS[element])
    else:
        function = product
        constants |= {"SUM": KINDS[total], "PRECISION": given.get("PRECISION", "ieee")}
        types = {"A": POINTERS[element], "B": POINTERS[element], "C": POINTERS[total]}
    names: list[str] = function.arg_names
    aligned = [
        key for key in names if key not in constants and (key in "MNK" or function is not product_of_descriptors)
    ]
    source = ASTSource(
        fn=function,
        signature={key: "constexpr" if key in constants else types.get(key, "i32") for key in names},
        constexprs={(names.index(key),): value for key, value in constants.items()},
        attrs={(names.index(key),): [["tt.divisibility", 16]] for key in aligned},
    )
    built: Any = triton.compile(source, target=TARGETS[target], options=options)
    return {
        "text": built.asm["llir"],
        "kernel": built.metadata.name,
        "target": target,
        "element": "tf32" if given.get("PRECISION") == "tf32" else element,
        "sum": total,
        "tile": [bm, bn, bk],
        "threads": TARGETS[target].warp_size * warps,
        "dynamic_bytes": built.metadata.shared,
        "stages": stages,
        **({"scratch_bytes": built.metadata.global_scratch_size} if name.endswith("made") else {}),
    }


if __name__ == "__main__":
    json.dump({"version": triton.__version__, "kernels": {name: compiled(name) for name in CASES}}, sys.stdout)
