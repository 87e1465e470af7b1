# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bank phases of accesses whose lanes lie at the digits of their numbers: so many steps of so many bytes each."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from roller_mlir.mapping.layout.bank_phases import Banks, phases


def spread_places(digits: Sequence[tuple[int, int]], most: int) -> list[int]:
    """Return the first sums of digits times steps, in the order of mixed-radix numbers, fastest digit first.

    >>> spread_places([(2, 1), (3, 10)], 5)
    [0, 1, 10, 11, 20]
    """
    places = [0]
    for count, step in digits:
        if len(places) >= most:
            break
        if count > 1:
            needed = min(count, -(-most // len(places)))
            places = [at + number * step for number in range(needed) for at in places]
    return places[:most]


def crossing_phases(digits: Iterable[tuple[int, int]], vectors: int, lanes: int, width_bytes: int, banks: Banks) -> int:
    """Return the phases in which the subgroups of a copy access its first vectors, some across the end of a row.

    Args:
        digits: Vectors per dimension, innermost first, each with the bytes from one to the next.
        vectors: Vectors that are looked at.
        lanes: Lanes of a subgroup, which are served in groups of neighbours.
        width_bytes: Bytes of a vector, of which the steps are multiples.
        banks: The device's banks.
    """
    steps = first_digits(digits, vectors)
    if width_bytes >= banks.bank_bytes:  # each lane has words of its own: only their banks matter
        line = banks.count * banks.bank_bytes
        steps = tuple([(count, step % line) for count, step in steps])
    return _crossing_phases(steps, vectors, lanes, width_bytes, banks)


@lru_cache(maxsize=4096)
def _crossing_phases(
    digits: tuple[tuple[int, int], ...], vectors: int, lanes: int, width_bytes: int, banks: Banks
) -> int:
    import numpy as np

    unit = max(width_bytes, banks.bank_bytes)
    slots = banks.count * banks.bank_bytes // unit
    places = np.array([0])
    for count, step in digits:
        places = np.add.outer(np.arange(count) * step, places).ravel()
    words = places[:vectors] // unit
    lane = np.arange(len(words))
    groups = lane // lanes * -(-lanes // slots) + lane % lanes // slots
    if width_bytes < banks.bank_bytes:  # lanes of a group may share words
        together = np.unique(np.stack((groups, words)), axis=1)
        groups, words = together[0], together[1]
    served = np.bincount(groups * slots + words % slots, minlength=(int(groups[-1]) + 1) * slots)
    return int(served.reshape(-1, slots).max(axis=1).sum())


def first_digits(digits: Iterable[tuple[int, int]], most: int) -> tuple[tuple[int, int], ...]:
    """Return the digits that tell `most` lanes apart, fastest first, without those of one value."""
    found: list[tuple[int, int]] = []
    places = 1
    for count, step in digits:
        if places >= most:
            break
        if count > 1:
            found.append((min(count, -(-most // places)), step))
            places *= count
    return tuple(found)


@lru_cache(maxsize=8192)
def spread_phases(
    digits: tuple[tuple[int, int], ...], lanes: int, width_bytes: int, banks: Banks, *, load: bool
) -> tuple[int, int]:
    """Return the phases of one access of lanes at these steps, and the fewest that any access of its width has."""
    places = spread_places(digits, lanes)
    least = len(banks.served_together(len(places), width_bytes, load=load))
    return phases(places, width_bytes, banks, load=load), least
