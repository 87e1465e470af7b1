# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time products of bf16 and i8 on one thread of this machine's processor, ours beside oneDNN's, in turns.

    python bench/cpu/narrow.py [--rounds 7] [MxNxK ...]

Ours is what `roller compile --target host` chooses, what it chooses where the second factor is a constant of the module
("constant B"), and without instructions for narrow factors ("by FMA"). oneDNN multiplies row-major factors ("plain"),
and a second factor in the layout that it likes ("packed B"), which is brought there before. Programs and primitives are
made once, arrays are prepared, and a sample is as many calls as last four milliseconds; the least processor time of the
thread counts. Results are compared with numpy's first. oneDNN is an extra: `pip install 'roller-mlir[cpu-peers]'`.
"""

import argparse
import os
import time
from collections.abc import Callable
from ctypes import c_int, c_int64
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
SAMPLE_S = 4e-3
"""Processor time of a sample, about."""


def text(m: int, n: int, k: int, kind: str, b: Any = None) -> str:
    """Return a product; where its second factor is given, that is a constant of the module."""
    total = KINDS[kind][0]
    left, right, result = f"tensor<{m}x{k}x{kind}>", f"tensor<{k}x{n}x{kind}>", f"tensor<{m}x{n}x{total}>"
    given, made, section = f", %b: {right}", "", ""
    if b is not None:
        given, made = "", f"  %b = arith.constant dense_resource<b> : {right}\n"
        data = f"{(64).to_bytes(4, 'little').hex()}{b.tobytes().hex()}"
        section = f'{{-# dialect_resources: {{ builtin: {{ b: "0x{data}" }} }} #-}}\n'
    return f"""func.func @product(%a: {left}{given}) -> {result} {{
{made}  %z = arith.constant {"0" if total == "i32" else "0.0"} : {total}
  %e = tensor.empty() : {result}
  %s = linalg.fill ins(%z : {total}) outs(%e : {result}) -> {result}
  %c = linalg.matmul ins(%a, %b : {left}, {right}) outs(%s : {result}) -> {result}
  return %c : {result}
}}
{section}"""


def factor(values: Any, kind: str) -> Any:
    """Return whole numbers as a factor, in memory that begins at a cache line."""
    narrow = values.astype(np.int8) if kind == "i8" else (values.astype(np.float32).view(np.uint32) >> 16)
    found = aligned((-(-values.size * KINDS[kind][3] // 4),)).view(np.int8 if kind == "i8" else np.uint16)
    found = found[: values.size].reshape(values.shape)
    found[...] = narrow
    return found


def call_s(call: Callable[[], Any], times: int) -> float:
    """Return the processor seconds of a call, the mean of so many that follow each other."""
    start = time.thread_time()
    for _ in range(times):
        call()
    return (time.thread_time() - start) / times


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
    columns = ("product", "factors", "ours", "by", "constant B", "by FMA", "onednn plain", "onednn packed B")
    print(f"| {' | '.join(columns)} | ours / plain | constant B / packed B |")
    print("| --- | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for size in given.sizes:
        m, n, k = map(int, size.split("x"))
        for kind in KINDS:
            numbers = np.random.default_rng(0)
            values = [numbers.integers(-4, 5, shape) for shape in ((m, k), (k, n))]
            a, b = (factor(one, kind) for one in values)
            exact = values[0].astype(np.float64) @ values[1]
            plain, constant = text(m, n, k, kind), text(m, n, k, kind, b)
            artifacts = (
                (roller_mlir.compile(plain, "host", max_units=1), (a, b)),
                (roller_mlir.compile(constant, "host", max_units=1), (a,)),
                (roller_mlir.compile(plain, "host", max_units=1, instructions=("fma",)), (a, b)),
            )
            calls: list[Callable[[], Any]] = []
            kept: list[Any] = []
            for artifact, arrays in artifacts:
                result = aligned((m, n)).view(np.float32 if kind == "bf16" else np.int32)
                program = artifact.open("cpu", threads=1)
                calls.append(program.prepare(*arrays, outputs=[result]))
                calls[-1]()
                assert np.array_equal(result, exact)
                kept.append(program)
            for packed in (False, True):
                run, result, own = onednn(library, a, b, kind, packed=packed)
                kept.append((result, own))
                run()
                assert np.array_equal(result, exact)
                calls.append(run)
            counts = [max(1, int(SAMPLE_S / max(min(call_s(call, 1) for _ in range(5)), 1e-7))) for call in calls]
            least = [float("inf")] * len(calls)
            for _ in range(given.rounds):
                for number, call in enumerate(calls):
                    least[number] = min(least[number], call_s(call, counts[number]))
            ours, given_b, fma, loose, packed_b = (2 * m * n * k / one * 1e-9 for one in least)
            plan = artifacts[0][0].kernels[0].plan
            by = plan.instruction if plan is not None else ""
            print(
                f"| {size} | {kind} | {ours:.0f} | {by} | {given_b:.0f} | {fma:.0f} | {loose:.0f} | {packed_b:.0f} | "
                f"{ours / loose:.2f} | {given_b / packed_b:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
