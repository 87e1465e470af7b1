# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order in which tasks run, and what of their inputs the last cache keeps for neighbours.

Tasks start in the order of their numbers, so that those that run together are neighbours in the raster; what several of
them load comes from global memory once. Paper: ROLLER section 3.2 (scaling out) leaves the order open.
"""

from collections.abc import Sequence
from math import prod

from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.timing import CandidateWork
from roller_mlir.model.problem_context import ProblemContext

Order = tuple[int, ...]
"""Parallel loops with several tasks, outermost first: the last one runs fastest in the task's number."""


def raster(context: ProblemContext, candidate: Candidate, work: CandidateWork) -> Order:
    """Return the order of a program's tasks that reads least from global memory."""
    counts = [-(-extent // block) for extent, block in zip(context.bounds, candidate.blocks, strict=True)]
    times = 2 if context.expression.accumulates else 1
    return global_traffic(context, candidate.blocks, counts, context.machine.units * work.resident, times)[1]


def global_traffic(
    context: ProblemContext, blocks: Sequence[int], counts: Sequence[int], concurrent: int, times: int
) -> tuple[float, Order]:
    """Return the bytes that reach global memory in the best order of tasks, and that order.

    Each tensor is read once, and again by every wave of tasks that the cache cannot span.

    Args:
        context: The expression.
        blocks: Points per loop of a task's step.
        counts: Boxes along each loop.
        concurrent: Tasks that run at the same time on all units.
        times: Passes over the output: 1 written, 2 also read.
    """
    order = tuple([loop for loop in context.parallel if counts[loop] > 1])
    unique = [min(a.access.size_bytes, a.traffic(blocks) * prod([counts[i] for i in a.loops])) for a in context.reads]
    written = times * context.written_bytes
    capacity = context.machine.cache_bytes
    tasks = prod([counts[i] for i in context.parallel])
    once = sum(unique) + written
    if once <= capacity or tasks <= concurrent:
        return once, order
    loaded = [
        (access, all_of_it, access.traffic(blocks) * prod([counts[i] for i in access.loops if context.reduction[i]]))
        for access, all_of_it in zip(context.reads, unique, strict=True)
        if all_of_it > capacity // 2
    ]
    if not loaded:
        return once, order
    once -= sum(all_of_it for _, all_of_it, _ in loaded)
    waves, least, best = tasks / concurrent, float("inf"), order
    for fastest in reversed(order):
        tried = (*[loop for loop in order if loop != fastest], fastest)
        covered, left = dict.fromkeys(context.parallel, 1), concurrent
        for loop in reversed(tried):
            covered[loop] = min(counts[loop], left)
            left = max(1, left // counts[loop])
        total = 0.0
        for access, all_of_it, task in loaded:
            wave = task * prod([covered[i] for i in access.parallel])
            total += min(max(all_of_it, wave * waves), task * tasks)
        if total < least:
            least, best = total, tried
    return once + least, best
