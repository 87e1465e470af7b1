# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs next to one with reuse, among which `refine` and `splitting` descend along the predicted time."""

from collections.abc import Iterator

from roller_mlir.model.candidate import Candidate
from roller_mlir.model.search.programs.tiled import TiledSearch
from roller_mlir.model.tile import Tile

MAX_WHOLE_EXTENT = 24
"""Largest register tile along one loop that is all of it."""


def neighbours(search: TiledSearch, candidate: Candidate) -> Iterator[Candidate]:
    """Yield the programs that are one aligned step away.

    A step doubles or halves the threads or the register tile of an axis, moves a factor of two between the two or
    from the threads of one axis to those of another, gives an axis a register tile that divides its extent, or takes
    the next step of a reduction.
    """
    context = search.context
    registers = tuple([1 if r else size for r, size in zip(context.reduction, candidate.registers, strict=True)])
    axes = [loop for loop in context.parallel if context.bounds[loop] > 1 and loop in search.cut]
    for loop in axes:
        yield from _divisors(search, candidate, registers, loop)
        for more, wider in ((2, 1), (0.5, 1), (1, 2), (1, 0.5), (0.5, 2), (2, 0.5)):
            yield from _moved(search, candidate, registers, {loop: (more, wider)})
    for loop in axes:
        for other in axes:
            if other != loop:
                yield from _moved(search, candidate, registers, {loop: (0.5, 1), other: (2, 1)})
    if context.atom.is_matrix:
        # The same block, its subgroups along the other axis: what they read of either factor changes.
        row, column, _ = context.atom.loops
        for loop, other in ((row, column), (column, row)):
            yield from _moved(search, candidate, registers, {loop: (2, 0.5), other: (0.5, 2)})
    for loop in context.reductions:
        sizes = search.step_sizes(loop)
        at = sizes.index(candidate.blocks[loop]) if candidate.blocks[loop] in sizes else 0
        for size in sizes[max(0, at - 1) : at + 2]:
            if size != candidate.blocks[loop]:
                blocks = (*candidate.blocks[:loop], size, *candidate.blocks[loop + 1 :])
                made = search.make(registers, blocks) if search.block_fits(registers, blocks) else None
                if made is not None:
                    yield made


def _divisors(search: TiledSearch, candidate: Candidate, registers: Tile, loop: int) -> Iterator[Candidate]:
    """Yield the programs whose register tile along an axis is a near divisor of its extent that doubling misses.

    A whole axis of up to `MAX_WHOLE_EXTENT` points is near, too: of 17 or 21 no doubling leaves less than a fifth idle.
    """
    extent, now = search.context.bounds[loop], registers[loop]
    if loop not in search.grown or search.context.atom.is_matrix or not extent & (extent - 1):
        return
    near = [size for size in range(now // 2 + 1, min(2 * now, search.max_extent + 1)) if extent % size == 0]
    whole = [extent] if search.max_extent < extent <= MAX_WHOLE_EXTENT else []
    for size in (*near, *whole):
        if size != now and size & (size - 1):
            own = (*registers[:loop], size, *registers[loop + 1 :])
            threads = candidate.threads[loop]
            for count in (threads, threads // 2):
                blocks = (*candidate.blocks[:loop], size * count, *candidate.blocks[loop + 1 :])
                if count and blocks[loop] < 2 * extent and search.block_fits(own, blocks):
                    made = search.make(own, blocks)
                    if made is not None:
                        yield made


def _moved(
    search: TiledSearch, candidate: Candidate, registers: Tile, factors: dict[int, tuple[float, float]]
) -> Iterator[Candidate]:
    """Yield the program with threads and register tiles of some axes multiplied, if it is allowed."""
    own, blocks = list(registers), list(candidate.blocks)
    for loop, (more, wider) in factors.items():
        threads, points = candidate.threads[loop] * more, registers[loop] * wider
        if threads < search.least_threads[loop] or points < search.smallest[loop] or threads % 1 or points % 1:
            return
        if points % search.smallest[loop] or points > search.max_extent or (wider > 1 and loop not in search.grown):
            return
        own[loop], blocks[loop] = int(points), int(threads * points)
        if blocks[loop] >= 2 * search.context.bounds[loop] and (more > 1 or wider > 1):
            return
    made = search.make(tuple(own), tuple(blocks)) if search.block_fits(tuple(own), tuple(blocks)) else None
    if made is not None:
        yield made
