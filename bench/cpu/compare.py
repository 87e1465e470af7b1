# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and convolutions on this machine beside OpenBLAS and oneDNN: one thread, interleaved, least CPU time.

    python bench/cpu/compare.py --products -o products.md    OpenBLAS is numpy's; oneDNN: pip install onednn-cpu-gomp
    python bench/cpu/compare.py --convolutions --rounds 5

Each round runs every contestant in turn; of all rounds the least CPU time of the thread counts, so that others on the
machine hardly matter. What is missing is said. Our time includes the runtime's work for a call, a new array for the
result among it; the C library keeps freed memory, so that no contestant pays for fresh pages.
"""

import argparse
import ctypes
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "ROLLER_NUM_THREADS"):
    os.environ[_name] = "1"

import numpy as np  # noqa: E402 - the libraries read their threads when they are loaded

import roller_mlir  # noqa: E402
from roller_mlir import CompileOptions  # noqa: E402
from roller_mlir.runtime import find_backend  # noqa: E402
from roller_mlir.runtime.sequence import LoadedSequence  # noqa: E402

sys.path.insert(0, str(Path(__file__).parent))
from onednn import OneDnn  # noqa: E402

PRODUCTS = (
    *((128, 2048, 4096), (320, 3072, 4096), (2048, 4096, 32), (1024, 16, 50000)),
    *((512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (1024, 1024, 8192)),
)
"""Rows, columns and depth: four of PolyDL's (the last with a tenth of its depth), and squares."""
CONVOLUTIONS = (
    *(((1, 58, 58, 64), 64, 3, 1), ((1, 30, 30, 128), 128, 3, 1), ((1, 16, 16, 256), 256, 3, 1)),
    *(((1, 9, 9, 512), 512, 3, 1), ((1, 14, 14, 256), 1024, 1, 1), ((1, 56, 56, 256), 512, 1, 2)),
    *(((8, 30, 30, 128), 128, 3, 1), ((8, 16, 16, 256), 256, 3, 1)),
)
"""Images as NHWC with their padding, filters, window, stride: layers of ResNet."""
SECONDS = 0.2
_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1


@dataclass
class Problem:
    """One problem and who solves it.

    Attributes:
        name: For the table.
        flops: Arithmetic operations.
        contestants: What runs it once, by name; ours is "ours".
        plan: Our tile.
    """

    name: str
    flops: int
    contestants: dict[str, Callable[[], object]]
    plan: str
    seconds: dict[str, float] = field(default_factory=dict[str, float])


def ours(text: str, target: str) -> tuple[Callable[..., tuple[np.ndarray, ...]], str]:
    """Compile a text; return what runs it, and its tile."""
    artifact = roller_mlir.compile(text, target=target, options=CompileOptions(cache=False))
    loaded = LoadedSequence(artifact.manifest, artifact.files, find_backend("cpu"))
    plan = artifact.kernels[0].plan
    assert plan is not None
    tile = "x".join(str(axis.block) for axis in plan.axes)
    return lambda *inputs: loaded.run(inputs).outputs, f"{tile}{', packed' if plan.inner_order else ''}"


def products(target: str, peer: OneDnn | None) -> Iterator[Problem]:
    """Yield the products."""
    for m, n, k in PRODUCTS:
        a, b, c = (f"tensor<{x}x{y}xf32>" for x, y in ((m, k), (k, n), (m, n)))
        text = f"""func.func @product(%a: {a}, %b: {b}) -> {c} {{
          %zero = arith.constant 0.0 : f32
          %e = tensor.empty() : {c}
          %i = linalg.fill ins(%zero : f32) outs(%e : {c}) -> {c}
          %r = linalg.matmul ins(%a, %b : {a}, {b}) outs(%i : {c}) -> {c}
          return %r : {c}
        }}"""
        run, plan = ours(text, target)
        numbers = np.random.default_rng(0)
        x, y = (numbers.random(shape, np.float32) - np.float32(0.5) for shape in ((m, k), (k, n)))
        result = np.empty((m, n), np.float32)
        assert np.abs(run(x, y)[0] - x @ y).max() < 1e-3 * k**0.5
        contestants: dict[str, Callable[[], object]] = {
            "ours": lambda run=run, x=x, y=y: run(x, y),
            "OpenBLAS": lambda x=x, y=y, result=result: np.matmul(x, y, out=result),
        }
        if peer is not None:
            contestants["oneDNN"] = peer.product(m, n, k, packed=False)
            contestants["oneDNN packed"] = peer.product(m, n, k, packed=True)
        yield Problem(f"{m}x{n}x{k}", 2 * m * n * k, contestants, plan)


def convolutions(target: str, peer: OneDnn | None) -> Iterator[Problem]:
    """Yield the convolutions."""
    for (images, h, w, c), f, window, stride in CONVOLUTIONS:
        oh, ow = (h - window) // stride + 1, (w - window) // stride + 1
        x, k, y = f"{images}x{h}x{w}x{c}", f"{window}x{window}x{c}x{f}", f"{images}x{oh}x{ow}x{f}"
        x, k, y = (f"tensor<{shape}xf32>" for shape in (x, k, y))
        text = f"""func.func @convolution(%x: {x}, %k: {k}) -> {y} {{
          %zero = arith.constant 0.0 : f32
          %e = tensor.empty() : {y}
          %i = linalg.fill ins(%zero : f32) outs(%e : {y}) -> {y}
          %r = linalg.conv_2d_nhwc_hwcf {{strides = dense<{stride}> : tensor<2xi64>}}
            ins(%x, %k : {x}, {k}) outs(%i : {y}) -> {y}
          return %r : {y}
        }}"""
        run, plan = ours(text, target)
        numbers = np.random.default_rng(0)
        images_, filters = (numbers.random(s, np.float32) for s in ((images, h, w, c), (window, window, c, f)))
        contestants: dict[str, Callable[[], object]] = {"ours": lambda run=run, x=images_, y=filters: run(x, y)}
        if peer is not None:
            shape = (images, h, w, c)
            contestants["oneDNN nhwc"] = peer.convolution(shape, f, window, stride, chosen=False)
            contestants["oneDNN any"] = peer.convolution(shape, f, window, stride, chosen=True)
        name = f"{images}x{h}x{w}x{c}, {window}x{window} to {f}{f', stride {stride}' if stride > 1 else ''}"
        yield Problem(name, 2 * images * oh * ow * c * f * window**2, contestants, plan)


def measure(problem: Problem, rounds: int) -> None:
    """Note the least CPU time of each contestant."""
    for _ in range(rounds):
        for name, run in problem.contestants.items():
            end, runs = time.perf_counter() + SECONDS, 0
            while runs < 2 or time.perf_counter() < end:
                runs += 1
                started = time.thread_time()
                run()
                problem.seconds[name] = min(problem.seconds.get(name, 1e9), time.thread_time() - started)


def table(problems: list[Problem]) -> str:
    """Return a table of rates, and of ours to the best that is given the same layouts, and to the best of all."""
    names = [name for name in problems[0].contestants if name != "ours"]
    lines = [f"| problem | ours, GF/s | {' | '.join(names)} | ours / best in the given layouts | / best | tile |"]
    lines.append("|---|" + "---|" * (len(names) + 4))
    for one in problems:
        rates = {name: one.flops / seconds / 1e9 for name, seconds in one.seconds.items()}
        given = [rate for name, rate in rates.items() if name not in ("ours", "oneDNN packed", "oneDNN any")]
        others = [rate for name, rate in rates.items() if name != "ours"]
        ratios = [f"{rates['ours'] / max(known):.2f}" if known else "-" for known in (given, others)]
        shown = " | ".join(f"{rates[name]:.0f}" for name in names)
        lines.append(f"| {one.name} | {rates['ours']:.0f} | {shown} | {' | '.join(ratios)} | {one.plan} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--products", action="store_true", help="products of matrices")
    parser.add_argument("--convolutions", action="store_true", help="convolutions of images as NHWC")
    parser.add_argument("--target", default="host", help="device to compile for (host)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (3)")
    parser.add_argument("-o", "--output", help="write the tables there")
    given = parser.parse_args()
    for option in (_MMAP_THRESHOLD, _TRIM_THRESHOLD):
        ctypes.CDLL(None).mallopt(option, 1 << 30)
    peer: OneDnn | None = None
    with suppress(OSError):
        peer = OneDnn()
    if peer is None:
        print(
            "oneDNN is not installed (pip install onednn-cpu-gomp), so it is not among the contestants", file=sys.stderr
        )
    text = ""
    for wanted, make in ((given.products, products), (given.convolutions, convolutions)):
        found: list[Problem] = []
        for problem in make(given.target, peer) if wanted else ():
            measure(problem, given.rounds)
            problem.contestants = dict.fromkeys(problem.contestants, lambda: None)  # their arrays are large
            found.append(problem)
        text += f"{table(found)}\n" if found else ""
    print(text)
    if given.output:
        Path(given.output).write_text(text)


if __name__ == "__main__":
    main()
