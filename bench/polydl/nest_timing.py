# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The times of variants of a problem, each checked, one thread, in turns."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from nest_kernel import Kernel
from nest_problems import Problem, variants

from roller_mlir.model.polydl.nest import TiledNest

LEAST_S = 2e-3
"""Processor time of a sample: as many runs as fill it."""


def measured(problem: Problem, count: int, rounds: int) -> list[tuple[TiledNest, float]]:
    """Return variants of a problem and their seconds; each result is compared with the first's."""
    draw = np.random.default_rng(0)
    shapes = [one.static_shape for one in (*problem.expression.inputs, problem.expression.output)]
    a, b, c = [_aligned(shape) for shape in shapes]
    a[...], b[...] = draw.integers(-4, 5, a.shape), draw.integers(-4, 5, b.shape)
    rows = next(n for n in (8, 7) if problem.expression.bounds[problem.rows] % n == 0)
    kernel = Kernel(rows)
    nests = variants(problem, rows, count, seed=len(problem.name))
    runs = [kernel.bound(problem, nest, (a, b, c)) for nest in nests]
    expected = None
    for nest, run in zip(nests, runs, strict=True):
        c[...] = 0
        run()
        expected = c.copy() if expected is None else expected
        if not np.array_equal(c, expected):
            raise RuntimeError(f"{problem.name} {nest.loops} computes something else than the first variant")
    least = [float("inf")] * len(runs)
    for _ in range(rounds):
        for number, run in enumerate(runs):
            least[number] = min(least[number], sample(run))
    return list(zip(nests, least, strict=True))


def sample(run: Callable[[], None]) -> float:
    """Return the processor seconds of one run, of as many as fill a sample; the first warms caches."""
    run()
    count, start = 0, time.thread_time()
    while True:
        run()
        count += 1
        passed = time.thread_time() - start
        if passed > LEAST_S:
            return passed / count


def _aligned(shape: tuple[int, ...]) -> Any:
    """Return an array that starts at a page."""
    size = int(np.prod(shape)) * 4
    room = np.zeros(size + 4096, np.uint8)
    start = -room.ctypes.data % 4096
    return room[start : start + size].view(np.float32).reshape(shape)
