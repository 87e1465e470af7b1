# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which reduction loops of a step stay loops, and which copies: what code is generated, and what a plan expects."""

from collections.abc import Mapping, Sequence

MOST_UNROLLED_ROUNDS = 16
"""Rounds of a copy up to which they are unrolled even where nothing is computed meanwhile."""

ROUNDS_AT_ONCE = 16
"""Rounds at most of one trip of a copy in a loop: with their addresses they fit into `COPY_LOOP_REGISTERS`."""

ISSUED_AT_ONCE = 8
"""Rounds at most of one trip of an asynchronous copy in a loop, which waits for none of them."""

COPIED_AT_ONCE = 32
"""Registers of elements that a thread loads before it stores them, where nothing is computed meanwhile."""

MOVED_AT_ONCE = 16
"""Registers of elements on their way while a sub-step of matrix instructions is computed."""


HELD_EARLY = 32
"""Registers of elements that a thread of a persistent kernel loads before its task's waits are over."""

LEAST_POINTS_INSIDE = 32
"""Points inside of a trip of a loop over a window from which it pays to ask whether the trip reads padding alone."""


def rounds_at_once(rounds: int, words: int) -> int:
    """Return the rounds of one trip of a copy during which nothing is computed; all of them where it is unrolled.

    Args:
        rounds: Rounds of the copy.
        words: Registers of one round.

    >>> rounds_at_once(16, 1), rounds_at_once(90, 1), rounds_at_once(20, 8)
    (16, 15, 4)
    """
    if rounds <= MOST_UNROLLED_ROUNDS:
        return rounds
    return trip_rounds(rounds, max(1, min(ROUNDS_AT_ONCE, COPIED_AT_ONCE // words)))


def trip_rounds(rounds: int, most: int) -> int:
    """Return the rounds of one trip, at most so many, where the fewest trips share them evenly.

    >>> trip_rounds(90, 8), trip_rounds(17, 16)
    (8, 9)
    """
    return -(-rounds // -(-rounds // most))


def copy_waits(copies: Sequence[tuple[int, int]]) -> int:
    """Return how often a thread waits for memory while it copies tiles through registers, and nothing is computed.

    What is unrolled is loaded as far as `COPIED_AT_ONCE` registers hold it, then stored; a loop waits in each trip.

    Args:
        copies: Rounds of each copy, and registers of one round.

    >>> copy_waits([(16, 1), (4, 4)]), copy_waits([(16, 1), (5, 4)]), copy_waits([(90, 1), (2, 1)])
    (1, 2, 7)
    """
    waits, held = 0, 0
    for rounds, words in copies:
        at_once = rounds_at_once(rounds, words)
        if at_once < rounds:
            waits += -(-rounds // at_once)
            continue
        for _ in range(rounds):
            if not held or held + words > COPIED_AT_ONCE:
                waits, held = waits + 1, 0
            held += words
    return waits


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


def copy_parts(registers: int, sub_steps: int) -> int:
    """Return in how many parts a step's copies pass registers while matrix instructions compute.

    A part is loaded before a sub-step of the step's arithmetic and stored after it, when the next one is loaded, so
    that no more than `MOVED_AT_ONCE` registers are taken at a time, where the step has as many sub-steps. Copies of no
    more than `COPIED_AT_ONCE` registers are one part.

    Args:
        registers: Registers of all copies of the step, of one thread.
        sub_steps: Sub-steps of the reduction that the step's arithmetic is unrolled to, see `matrix_sub_steps`.

    >>> copy_parts(128, 18), copy_parts(128, 3), copy_parts(32, 18), copy_parts(128, 1)
    (8, 3, 1, 1)
    """
    return 1 if registers <= COPIED_AT_ONCE else min(-(-registers // MOVED_AT_ONCE), sub_steps)


def copy_registers(vectors: int, elements: int, element_bytes: int) -> int:
    """Return the registers that hold vectors on their way to workgroup memory; an element alone takes a whole one.

    >>> copy_registers(8, 1, 2), copy_registers(8, 8, 2), copy_registers(4, 1, 8)
    (8, 32, 8)
    """
    return vectors * max(1, elements * element_bytes // 4)


MOST_INSTRUCTIONS = 512
"""Matrix instructions of a step that are unrolled; reduction loops beyond that stay loops."""


def rolled_reductions(blocks: Sequence[int], count: int) -> int:
    """Return how many of the reduction loops beside a matrix instruction's own stay loops: the outermost ones.

    Args:
        blocks: Points of each of them in a step, outermost first.
        count: Matrix instructions of one point of them all.

    >>> rolled_reductions([3, 3], 64), rolled_reductions([3, 3], 32)
    (1, 0)
    """
    for rolled in range(len(blocks), 0, -1):
        count *= blocks[rolled - 1]
        if count > MOST_INSTRUCTIONS:
            return rolled
    return 0
