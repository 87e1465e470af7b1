# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/evaluation/matrix-code.md: what the vendors' tools make of matrix kernels. Nothing is a speed.

python bench/peers/matrix/static.py --only 'M*,C*'

Needs ptxas and nvdisasm, and for sm_70 an older ptxas on PATH (pip's nvidia-cuda-nvcc-cu12==12.9.86); no GPU.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import roller_mlir
from roller_mlir.evaluation.suites import find_suite, function_text
from roller_mlir.evaluation.suites.select import select
from roller_mlir.evaluation.suites.stages.compile import warm_up
from roller_mlir.plan.manifest import Kernel

PAGE = Path(__file__).parents[3] / "docs" / "evaluation" / "matrix-code.md"
TARGETS = ("a100", "h200", "v100", "mi300x")
TRITON = {("a100", (128, 256, 64)): 268}
"""Instructions of Triton's loop for a tile, around as many products."""

# Target, tile, family, whether the second factor lies transposed.
LOOPS = (
    ("a100", (128, 256, 64), "mma", False),
    ("a100", (128, 128, 64), "mma", False),
    ("h200", (128, 256, 64), "wgmma", False),
    ("h200", (128, 256, 64), "mma", False),
    ("mi300x", (128, 128, 32), "mfma", True),
    ("mi300x", (128, 128, 32), "mfma", False),
)
KINDS = (
    ("products", ("HMMA", "IMMA", "HGMMA", "v_mfma")),
    ("loads of matrices", ("LDSM",)),
    ("other reads", ("LDS.", "LDS", "ds_read")),
    ("writes", ("STS", "ds_write")),
    ("copies", ("LDGSTS", "UTMALDG", "LDG.", "global_load")),
)

HEAD = """# Machine code of matrix kernels

What ptxas and LLVM make of kernels with matrix instructions: counts of instructions, registers and spills. Nothing here
was run on a GPU, and nothing is a speed. Made by `python bench/peers/matrix/static.py` on {date}.

## Main loops

Products of f16 with sums in f32, 4096 x 4096 x 4096, by a given tile. A loop holds one step of one subgroup; of `wgmma`
only the loop of the threads that multiply, whose copies another warpgroup starts. "B^T": the second factor is K-major.

| target | tile | instructions of the loop | {kinds} | other | registers | spills | Triton |
|---|---|---:|{rules}---:|---:|---:|---:|
"""

SUITE = """
## Over the suite `roller119`

Its {count} matrix products and convolutions ({only}) in f16 with the plan of the construction. "Mismatches" counts what
the machine code does not keep of the plan: matrix instructions and loads of a step, widths of copies, registers for the
expected number of tasks, workgroup memory, no local memory. Seconds are from the text of an operator to its binaries,
for each kernel, in a warm process.

| target | kernels | with matrix instructions | spilled bytes | mismatches | median s | worst s | of |
|---|---:|---:|---:|---:|---:|---:|---|
"""


def product(transposed: bool) -> str:
    """Return the text of a product of f16."""
    second = "(n, k)" if transposed else "(k, n)"
    maps = ", ".join(f"affine_map<(m, n, k) -> {one}>" for one in ("(m, k)", second, "(m, n)"))
    half, single = "tensor<4096x4096xf16>", "tensor<4096x4096xf32>"
    return f"""func.func @product(%a: {half}, %b: {half}) -> {single} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {single}
  %f = linalg.fill ins(%z : f32) outs(%e : {single}) -> {single}
  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%a, %b : {half}, {half}) outs(%f : {single}) {{
  ^bb0(%x: f16, %y: f16, %s: f32):
    %xw = arith.extf %x : f16 to f32
    %yw = arith.extf %y : f16 to f32
    %p = arith.mulf %xw, %yw : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  }} -> {single}
  return %r : {single}
}}"""


def loop_row(target: str, tile: tuple[int, int, int], family: str, transposed: bool) -> str:
    """Return the line of one main loop."""
    options = roller_mlir.CompileOptions(
        tile_sizes=tile, instructions=(family,), split=False, disassemble=True, cache=False
    )
    kernel: Kernel = roller_mlir.compile(product(transposed), target=target, options=options).kernels[0]
    loop, counts = kernel.statistics.main_loop, [0] * len(KINDS)
    for name, count in loop.items():
        for number, (_, starts) in enumerate(KINDS):
            if name.startswith(starts):
                counts[number] += count
                break
    total = sum(loop.values())
    layout = ", B^T" if transposed else ""
    cells = [
        target, f"{'x'.join(map(str, tile))} {family}{layout}", total, *counts, total - sum(counts),
        kernel.statistics.registers, f"{kernel.statistics.spill_bytes} B", TRITON.get((target, tile), ""),
    ]  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |\n"


def suite_row(target: str, only: str) -> str:
    """Return the line of a target over the suite."""
    warm_up(target)
    kernels: list[tuple[str, Kernel, float]] = []
    for operator in select(find_suite("roller119"), tuple(only.split(","))):
        text = function_text(operator, "f16")
        begun = time.perf_counter()
        artifact = roller_mlir.compile(text, target=target, options=roller_mlir.CompileOptions(cache=False))
        each = (time.perf_counter() - begun) / len(artifact.kernels)
        kernels += [(operator.id, kernel, each) for kernel in artifact.kernels]
    matrix = sum(kernel.plan is not None and kernel.plan.atom is not None for _, kernel, _ in kernels)
    spills = {name: kernel.statistics.spill_bytes for name, kernel, _ in kernels if kernel.statistics.spill_bytes != 0}
    spilled = ", ".join(f"{size} ({name})" for name, size in spills.items()) or "0"
    wrong = [note for _, kernel, _ in kernels for note in kernel.notes if note.startswith("warning: ")]
    seconds = [each for _, _, each in kernels]
    worst, name = max((each, name) for name, _, each in kernels)
    middle = statistics.median(seconds)
    cells = [target, len(kernels), matrix, spilled, len(wrong), f"{middle:.2f}", f"{worst:.2f}", name]
    return f"| {' | '.join(map(str, cells))} |\n"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="M*,C*", help="operators of the suite (M*,C*)")
    parser.add_argument("--target", action="append", help="device; may be given several times (all)")
    options = parser.parse_args(arguments)
    kinds = " | ".join(kind for kind, _ in KINDS)
    text = HEAD.format(date=date.today(), kinds=kinds, rules="---:|" * len(KINDS))
    text += "".join(loop_row(*one) for one in LOOPS)
    count = len(select(find_suite("roller119"), tuple(options.only.split(","))))
    text += SUITE.format(count=count, only=options.only)
    text += "".join(suite_row(target, options.only) for target in options.target or TARGETS)
    PAGE.write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
