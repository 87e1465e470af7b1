# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Offsets of buffers that live for a while in one workspace: buffers alive at the same time never overlap."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

# What each part of a task's workgroup memory is aligned to, in bytes: a row of all banks.
TILE_ALIGNMENT_BYTES = 128


def aligned(size_bytes: int, alignment: int = TILE_ALIGNMENT_BYTES) -> int:
    """Return a size rounded up to whole multiples of an alignment.

    >>> aligned(8448), aligned(129)
    (8448, 256)
    """
    return -(-size_bytes // alignment) * alignment


@dataclass(frozen=True)
class Lifetime:
    """A buffer's size and the launches between which it must keep its content, both inclusive."""

    size_bytes: int
    first: int
    last: int


def assign_offsets(lifetimes: Sequence[Lifetime], alignment: int = 256) -> tuple[list[int], int]:
    """Give each buffer the lowest offset that is free during its lifetime, larger buffers first.

    Args:
        lifetimes: The buffers.
        alignment: Every offset is a multiple of it, in bytes.

    Returns:
        One offset a buffer, and the size of the workspace, both in bytes.

    >>> assign_offsets([Lifetime(100, 0, 1), Lifetime(300, 1, 2), Lifetime(200, 2, 3)])
    ([512, 0, 512], 768)
    """
    alive: dict[int, list[int]] = {}  # by launch: the buffers placed so far that it must keep

    def meanwhile(i: int) -> set[int]:
        launches = range(lifetimes[i].first, lifetimes[i].last + 1)
        found = {j for launch in launches for j in alive.get(launch, ())}
        for launch in launches:
            alive.setdefault(launch, []).append(i)
        return found

    return place([lifetime.size_bytes for lifetime in lifetimes], meanwhile, alignment)


def place(sizes: Sequence[int], beside: Callable[[int], Iterable[int]], alignment: int = 256) -> tuple[list[int], int]:
    """Give each buffer the lowest offset at which it overlaps with none that it must not, larger buffers first.

    Args:
        sizes: Size of each buffer, in bytes.
        beside: Asked once for each buffer, in the order in which they are placed: those placed before it that it must
            not overlap with.
        alignment: Every offset is a multiple of it, in bytes.

    Returns:
        One offset a buffer, and the size of the whole, both in bytes.
    """
    offsets = [0] * len(sizes)
    for i in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
        at = 0
        for j in sorted(beside(i), key=lambda j: (offsets[j], j)):
            if at + sizes[i] <= offsets[j]:
                break
            at = max(at, aligned(offsets[j] + sizes[j], alignment))
        offsets[i] = at
    ends = [offset + size for offset, size in zip(offsets, sizes, strict=True)]
    return offsets, aligned(max(ends, default=0), alignment)
