# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Offsets of buffers that live for a while in one workspace: buffers alive at the same time never overlap."""

from collections.abc import Sequence
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
    offsets = [0] * len(lifetimes)
    alive: dict[int, list[int]] = {}  # by launch: the buffers placed so far that it must keep
    for i in sorted(range(len(lifetimes)), key=lambda i: -lifetimes[i].size_bytes):
        here = lifetimes[i]
        at = 0
        meanwhile = {j for launch in range(here.first, here.last + 1) for j in alive.get(launch, ())}
        for j in sorted(meanwhile, key=lambda j: (offsets[j], j)):
            other = lifetimes[j]
            if at + here.size_bytes <= offsets[j]:
                break
            at = max(at, aligned(offsets[j] + other.size_bytes, alignment))
        offsets[i] = at
        for launch in range(here.first, here.last + 1):
            alive.setdefault(launch, []).append(i)
    ends = [offset + lifetime.size_bytes for offset, lifetime in zip(offsets, lifetimes, strict=True)]
    return offsets, aligned(max(ends, default=0), alignment)
