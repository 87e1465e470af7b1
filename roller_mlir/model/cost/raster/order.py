# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order in which tasks run, and what of their inputs the last cache keeps for neighbours.

Tasks start in the order of their numbers, so that those that run together are neighbours in the raster; what several of
them load comes from global memory once. Paper: ROLLER section 3.2 (scaling out) leaves the order open.
"""

from collections.abc import Sequence
from math import gcd, prod

from roller_mlir.model.problem_context import AccessContext, ProblemContext

Order = tuple[int, ...]
"""Parallel loops with several tasks, outermost first: the last one runs fastest in the task's number."""

_LESS = 0.999
"""Share of the bytes of the order before that another one may move, to be taken: of orders that are as good as each
other, the one along rows is. Its tasks read what lies side by side; on an H100, poolings whose tasks went from image to
image read two to three times their input from memory."""


def cache_traffic(
    context: ProblemContext, blocks: Sequence[int], counts: Sequence[int], concurrent: int, times: int
) -> tuple[float, float, Order]:
    """Return the bytes that reach global memory, those that leave private caches for a shared one, and the order.

    As `global_traffic`, whose order stands where orders differ in what global memory moves; else the one that private
    caches miss least in is taken. Devices without private caches have 0 bytes between them.
    """
    key = tuple(blocks), tuple(counts), concurrent, times
    known = context.moved.get(key)
    if known is None:
        known = context.moved[key] = _cache_traffic(context, blocks, counts, concurrent, times)
    return known


def _cache_traffic(
    context: ProblemContext, blocks: Sequence[int], counts: Sequence[int], concurrent: int, times: int
) -> tuple[float, float, Order]:
    moved, order = global_traffic(context, blocks, counts, concurrent, times)
    if context.machine.private_caches < 2:
        return moved, 0.0, order
    orders = [order]
    if moved <= context.machine.cache_bytes and len(order) > 1:
        orders = [(*[loop for loop in order if loop != fastest], fastest) for fastest in reversed(order)]
    loads = [_loads(context, access, blocks, counts) for access in context.reads]
    shared, best = min((_private_misses(context, loads, counts, concurrent, one), -at) for at, one in enumerate(orders))
    return moved, max(moved, shared + times * context.written_bytes), orders[-best]


def _loads(context: ProblemContext, access: AccessContext, blocks: Sequence[int], counts: Sequence[int]) -> int:
    """Return the bytes of a tensor that a task loads in all of its steps."""
    return access.traffic(blocks) * prod([counts[i] for i in access.loops if context.reduction[i]])


def _private_misses(
    context: ProblemContext, loads: Sequence[int], counts: Sequence[int], concurrent: int, order: Order
) -> float:
    """Return the bytes that all private caches together read, of tensors of which a task loads so many.

    Tasks are dealt to the caches in turn, one each, so that a cache has every n-th of a wave: along the fastest loop as
    far as n and its tasks have divisors in common, along the next ones what is left of n. What it read for a wave it
    keeps for the next one if all that its tasks read fits half of it.
    """
    machine = context.machine
    caches = machine.private_caches
    tasks = prod([counts[i] for i in context.parallel])
    used = min(caches, tasks)
    own_tasks, own_concurrent = tasks / used, -(-min(concurrent, tasks) // caches)
    waves = max(1.0, tasks / concurrent)
    covered, left, skipped = dict.fromkeys(context.parallel, 1), min(concurrent, tasks), caches
    for loop in reversed(order):
        apart = gcd(skipped, counts[loop])
        covered[loop] = -(-min(counts[loop], left) // apart)
        left, skipped = max(1, left // counts[loop]), skipped // apart
    total = 0.0
    for access, task in zip(context.reads, loads, strict=True):
        all_of_it = task * own_tasks
        every = min(access.access.size_bytes, all_of_it)
        if every > machine.private_cache_bytes // 2:
            wave = task * min(own_concurrent, prod([covered[i] for i in access.parallel]))
            every = min(wave * waves, all_of_it)
        total += used * every
    return total


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
        (access, all_of_it, _loads(context, access, blocks, counts))
        for access, all_of_it in zip(context.reads, unique, strict=True)
        if all_of_it > capacity // 2
    ]
    if not loaded:
        return once, order
    once -= sum(all_of_it for _, all_of_it, _ in loaded)
    waves, least, best = tasks / concurrent, float("inf"), order
    for fastest in reversed(order):
        tried = (*[loop for loop in order if loop != fastest], fastest)
        covered, left = dict.fromkeys(context.parallel, 1.0), float(concurrent)
        for loop in reversed(tried):
            covered[loop] = min(counts[loop], left)  # the last one in part: else a wave would be fewer tasks than it is
            left = max(1.0, left / counts[loop])
        total = 0.0
        for access, all_of_it, task in loaded:
            wave = task * prod([covered[i] for i in access.parallel])
            total += min(max(all_of_it, wave * waves), task * tasks)
        if total < _LESS * least:
            least, best = total, tried
    return once + least, best
