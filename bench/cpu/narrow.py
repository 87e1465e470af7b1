# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time products of bf16 and i8 on one thread of this machine's processor, ours beside oneDNN's, in turns.

    python bench/cpu/narrow.py [--rounds 7] [MxNxK ...]

Ours is what `roller compile --target host` chooses, and what it chooses without instructions for narrow factors. oneDNN
multiplies row-major factors ("plain"), and a second factor in the layout that it likes ("packed B"), which is brought
there before. The least processor time of the thread counts; results are compared with numpy's first. oneDNN is an
extra: `pip install 'roller-mlir[cpu-peers]'`.
"""

import argparse
import os
import time
from collections.abc import Callable
from ctypes import c_int, c_int64
from functools import partial
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # before oneDNN is loaded

import numpy as np

import roller_mlir
from roller_mlir.evaluation.measure.cpu_peers.interface import aligned
from roller_mlir.evaluation.measure.cpu_peers.libraries.onednn_library import DST, SRC, WEIGHTS, WEIGHTS_MD, OneDnn

DEFAULT = ("1024x1024x1024", "320x3072x4096", "128x2048x4096")
KINDS = {"bf16": ("f32", 2, 3, 2), "i8": ("i32", 5, 4, 1)}
"""By type of the factors: that of sums, both as oneDNN numbers them, and the bytes of a factor."""
ANY = 1


def text(m: int, n: int, k: int, kind: str) -> str:
    total = KINDS[kind][0]
    a, b, c = f"tensor<{m}x{k}x{kind}>", f"tensor<{k}x{n}x{kind}>", f"tensor<{m}x{n}x{total}>"
    return f"""func.func @product(%a: {a}, %b: {b}) -> {c} {{
  %z = arith.constant {"0" if total == "i32" else "0.0"} : {total}
  %e = tensor.empty() : {c}
  %s = linalg.fill ins(%z : {total}) outs(%e : {c}) -> {c}
  %c = linalg.matmul ins(%a, %b : {a}, {b}) outs(%s : {c}) -> {c}
  return %c : {c}
}}"""


def onednn(library: Any, a: Any, b: Any, kind: str, *, packed: bool) -> tuple[Callable[[], Any], Any, Any]:
    """Return a product of oneDNN, its result, and what must be kept as long."""
    (m, k), n = a.shape, b.shape[1]
    _, factor, total, _ = KINDS[kind]

    def described(shape: tuple[int, int], number: int) -> Any:
        dims, steps = (c_int64 * 12)(*shape), (c_int64 * 12)(shape[1], 1)
        return library._new("memory_desc_create_with_strides", c_int(2), dims, c_int(number), steps)

    plain = [described((m, k), factor), described((k, n), factor), described((m, n), total)]
    wanted = plain[1]
    if packed:
        wanted = library._new("memory_desc_create_with_tag", c_int(2), (c_int64 * 12)(k, n), c_int(factor), c_int(ANY))
    description = library.matmul([plain[0], wanted, None, plain[2]], None)
    result = np.zeros((m, n), np.float32 if kind == "bf16" else np.int32)
    weights, own = library.memory(plain[1], b), None
    if packed:
        layout = library.layout(description, WEIGHTS_MD)
        own = aligned((library.bytes_of(layout) // 4 + 1,))
        memory = library.memory(layout, own)
        library.reorder((plain[1], weights), (layout, memory))
        weights = memory
    memories = {SRC: library.memory(plain[0], a), WEIGHTS: weights, DST: library.memory(plain[2], result)}
    return library.execution(library.primitive(description), memories), result, own


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", default=DEFAULT, metavar="MxNxK")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    library = OneDnn()
    print(f"oneDNN {library.version}, {library.isa}; 10^9 operations a second, one thread")
    print("| product | factors | ours | by | ours without | onednn plain | onednn packed B | ours / plain |")
    print("| --- | --- | ---: | --- | ---: | ---: | ---: | ---: |")
    for size in given.sizes:
        m, n, k = map(int, size.split("x"))
        for kind in KINDS:
            numbers = np.random.default_rng(0)
            values = [numbers.integers(-4, 5, shape) for shape in ((m, k), (k, n))]
            if kind == "i8":
                a, b = (one.astype(np.int8) for one in values)
            else:
                a, b = ((one.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) for one in values)
            exact = values[0].astype(np.float64) @ values[1]
            best = roller_mlir.compile(text(m, n, k, kind), "host")
            plain = roller_mlir.compile(text(m, n, k, kind), "host", instructions=("fma",))
            calls: list[Callable[[], Any]] = []
            kept: list[Any] = []
            for artifact in (best, plain):
                calls.append(partial(artifact.run, a, b, on="cpu", threads=1))
                assert np.array_equal(calls[-1]()[0], exact)
            for packed in (False, True):
                run, result, own = onednn(library, a, b, kind, packed=packed)
                kept.append((result, own))
                run()
                assert np.array_equal(result, exact)
                calls.append(run)
            least = [float("inf")] * len(calls)
            for _ in range(given.rounds):
                for number, call in enumerate(calls):
                    start = time.thread_time()
                    call()
                    least[number] = min(least[number], time.thread_time() - start)
            rates = [2 * m * n * k / one * 1e-9 for one in least]
            plan = best.kernels[0].plan
            by = plan.instruction if plan is not None else ""
            print(
                f"| {size} | {kind} | {rates[0]:.0f} | {by} | {rates[1]:.0f} | {rates[2]:.0f} | {rates[3]:.0f} | "
                f"{rates[0] / rates[2]:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
