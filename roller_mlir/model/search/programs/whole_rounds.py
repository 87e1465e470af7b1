# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles of a matrix instruction whose sizes are any multiples of it, so that the last round of tasks fills the units.

Beyond the ROLLER paper: aligned tiles grow by doubling (section 3.2), and a product of 3072 x 3072 has 2.2 rounds of
128 x 256 tiles on 132 units but 1.8 of 256 x 160. Here sizes between the powers of two are tried where the programs
that were found leave units idle in the last round, fewest points on the busiest unit first.
"""

from collections.abc import Callable, Iterator
from heapq import nsmallest
from math import prod

from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.estimates import Estimate
from roller_mlir.model.search.programs.tiled import TiledSearch

LOOKS = 8
"""Programs that are evaluated."""

IDLE = 0.04
"""Share of the busiest unit's time in which the others wait for it, up to which nothing is looked for."""

LARGEST = 256
"""Points of a tile along rows or columns, at most."""

Side = tuple[int, int, int]
"""Points of a tile along a loop, those of one thread, and threads."""


def fill_rounds(
    search: TiledSearch, found: dict[Candidate, Estimate], evaluate: Callable[[Candidate], Estimate | None]
) -> None:
    """Add to evaluated programs those with sizes between powers of two whose tasks fill the units better.

    Args:
        search: What makes programs of the expression.
        found: The evaluated programs; receives the new ones.
        evaluate: Evaluates a program; None where it does not fit.
    """
    atom = search.context.atom
    if not (found and atom.is_matrix and atom.extra_axis < 0 and search.aligned):
        return
    best = min(found.values(), key=lambda one: one.seconds)
    machine = search.context.machine
    units, tasks = machine.units, best.work.tasks
    if best.seconds < 2 * machine.launch_s:
        return  # most of it is the launch
    if tasks < units // 2 or 1 - tasks / (-(-tasks // units) * units) <= IDLE:
        return
    for candidate in _candidates(search, best):
        if candidate not in found:
            one = evaluate(candidate)
            if one is not None:
                found[candidate] = one
                search.refined[candidate] = best.candidate


def _candidates(search: TiledSearch, best: Estimate) -> Iterator[Candidate]:
    """Yield programs like the best one with other rows and columns, the most promising first."""
    context, start = search.context, best.candidate
    row, column, _ = context.atom.loops
    units, bounds = context.machine.units, context.bounds
    others = prod([-(-bounds[loop] // start.blocks[loop]) for loop in context.parallel if loop not in (row, column)])
    # Subgroups that take factors from workgroup memory by themselves gain nothing from more work for each.
    fewer = start.thread_count if context.atom.reads_memory else start.thread_count // 2
    threads = {start.thread_count, max(search.lanes, fewer)}
    area = start.blocks[row] * start.blocks[column]
    most = -(-best.work.tasks // units) * area * (1 - IDLE)
    ranked: list[tuple[float, float, int, Side, Side]] = []
    for one in _sides(search, row):
        for other in _sides(search, column):
            count = one[2] * other[2] * (start.thread_count // (start.threads[row] * start.threads[column]))
            if count not in threads:
                continue
            tasks = others * -(-bounds[row] // one[0]) * -(-bounds[column] // other[0])
            busiest = -(-tasks // units) * one[0] * other[0]
            if busiest > most:
                continue
            # What a tile loads for each of its points, and what a subgroup reads for each of its own.
            loaded = (one[0] + other[0]) / (one[0] * other[0])
            read = (one[1] / context.atom.lanes[0] + other[1] / context.atom.lanes[1]) / (one[1] * other[1])
            ranked.append((busiest * (1 + 32 * loaded), read, count, one, other))
    yield from _made(search, start, nsmallest(LOOKS, ranked))


def _made(
    search: TiledSearch, start: Candidate, ranked: list[tuple[float, float, int, Side, Side]]
) -> Iterator[Candidate]:
    row, column, _ = search.context.atom.loops
    for *_, one, other in ranked:
        registers = [1 if r else n for r, n in zip(search.context.reduction, start.registers, strict=True)]
        blocks = list(start.blocks)
        blocks[row], registers[row] = one[:2]
        blocks[column], registers[column] = other[:2]
        own, box = tuple(registers), tuple(blocks)
        made = search.make(own, box) if search.block_fits(own, box) else None
        if made is not None:
            yield made


def _sides(search: TiledSearch, loop: int) -> list[Side]:
    """Return the sizes of a tile along rows or columns, with the threads that they are spread over."""
    context = search.context
    found: list[Side] = []
    threads = search.least_threads[loop]
    while threads * search.smallest[loop] <= LARGEST:
        own = search.smallest[loop]
        while own * threads <= LARGEST and own <= search.max_extent:
            if own * threads < 2 * context.bounds[loop] and search.is_shapely(loop, own * threads):
                found.append((own * threads, own, threads))
            own += search.smallest[loop]
        threads *= 2
    return found
