# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the processor time that the model takes for a variant: working sets, assignment, costs.

python bench/polydl/model_time.py
"""

import sys
import time
from statistics import median

from nest_problems import Problem, problems, variants

from roller_mlir.model.polydl.caches import Cache, assign
from roller_mlir.model.polydl.cost import seconds_by_layer
from roller_mlir.model.polydl.nest import TiledNest
from roller_mlir.model.polydl.working_sets import working_sets

PANEL = 32
CACHES = tuple(
    Cache(name=name, capacity_bytes=size, latency_s=1e-9, bandwidth_bytes_per_s=1e11)
    for name, size in (("l1", 32 << 10), ("l2", 1 << 20), ("l3", 32 << 20), ("global", None))
)


def main() -> int:
    print("| problem | loops | dependences | us, median of variants | us, worst |\n|---|---|---|---|---|")
    for problem in problems(PANEL):
        nests = nests_of(problem)
        loops = max(sum(loop.count > 1 for loop in nest.loops) for nest in nests)
        reuses = max(len(working_sets(nest)) for nest in nests)
        taken = [least(nest) * 1e6 for nest in nests]
        print(f"| {problem.name} | {loops} | {reuses} | {median(taken):.0f} | {max(taken):.0f} |")
    return 0


def nests_of(problem: Problem) -> list[TiledNest]:
    """Return 48 variants of a problem."""
    rows = next(n for n in (8, 7) if problem.expression.bounds[problem.rows] % n == 0)
    return variants(problem, rows, 48, seed=len(problem.name))


def least(nest: TiledNest) -> float:
    """Return the least processor seconds of seven evaluations of a nest, which is made anew each time."""
    found = []
    for _ in range(7):
        start = time.thread_time()
        fresh = TiledNest(nest.expression, nest.loops)
        sets = working_sets(fresh)
        seconds_by_layer(fresh, sets, assign(sets, CACHES))
        found.append(time.thread_time() - start)
    return min(found)


if __name__ == "__main__":
    sys.exit(main())
