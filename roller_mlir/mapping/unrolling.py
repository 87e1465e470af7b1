# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which reduction loops of a step stay loops: what code generation emits, and what a plan promises of it."""

from collections.abc import Mapping, Sequence


def rolled_loops(
    reductions: Sequence[int], runs: Mapping[int, int], inner: Mapping[int, int], unroll: int
) -> frozenset[int]:
    """Return the reduction loops that stay loops: the innermost ones are unrolled while at most `unroll` points result.

    Args:
        reductions: The reduction loops of a thread's box, outermost first.
        runs: Chunks that a thread holds along each of them.
        inner: Points of a chunk, 1 where it is a vector.
        unroll: Points that may be unrolled.

    >>> sorted(rolled_loops([0, 1], {0: 4, 1: 3}, {0: 1, 1: 1}, 6))
    [0]
    """
    points = 1
    for loop in reductions:
        points *= inner[loop]
    rolled: set[int] = set()
    for loop in reversed(reductions):
        if points * runs[loop] <= unroll and not rolled:
            points *= runs[loop]
        elif runs[loop] > 1:
            rolled.add(loop)
    return frozenset(rolled)
