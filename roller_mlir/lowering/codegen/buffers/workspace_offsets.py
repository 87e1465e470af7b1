# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Offsets of buffers that live for a while in one workspace: buffers alive at the same time never overlap."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from roller_mlir.mapping.alignment import aligned

Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

_ALIGNMENT_BYTES = 256
"""Every offset is a multiple of it."""


@dataclass(frozen=True)
class Lifetime:
    """A buffer's size and the launches between which it must keep its content, both inclusive."""

    size_bytes: int
    first: int
    last: int


def assign_offsets(lifetimes: Sequence[Lifetime]) -> tuple[list[int], int]:
    """Give each buffer the lowest offset that is free during its lifetime, larger buffers first.

    Returns:
        One offset a buffer, and the size of the workspace, both in bytes.

    >>> assign_offsets([Lifetime(100, 0, 1), Lifetime(300, 1, 2), Lifetime(200, 2, 3)])
    ([512, 0, 512], 768)
    """
    first = np.array([lifetime.first for lifetime in lifetimes], np.int64)
    last = np.array([lifetime.last for lifetime in lifetimes], np.int64)
    placed = np.zeros(len(lifetimes), bool)

    def meanwhile(i: int) -> Ints:
        found = np.flatnonzero(placed & (first <= last[i]) & (last >= first[i]))
        placed[i] = True
        return found

    return place([lifetime.size_bytes for lifetime in lifetimes], meanwhile)


def place(sizes: Sequence[int], beside: Callable[[int], Sequence[int] | Ints]) -> tuple[list[int], int]:
    """Give each buffer the lowest offset at which it overlaps with none that it must not, larger buffers first.

    Args:
        sizes: Size of each buffer, in bytes.
        beside: Asked once for each buffer, in the order in which they are placed: those placed before it that it must
            not overlap with.

    Returns:
        One offset a buffer, and the size of the whole, both in bytes.
    """
    bytes_of, offsets = np.array(sizes, np.int64), np.zeros(len(sizes), np.int64)
    for i in np.argsort(-bytes_of, kind="stable").tolist():
        others = np.asarray(beside(i), np.int64)
        if not len(others):
            continue
        others = others[np.argsort(offsets[others], kind="stable")]
        ends = offsets[others] + bytes_of[others]
        behind = np.maximum.accumulate((ends + _ALIGNMENT_BYTES - 1) // _ALIGNMENT_BYTES * _ALIGNMENT_BYTES)
        free = np.concatenate([[0], behind[:-1]])  # before each of the others: where all in front of it have ended
        fits = np.flatnonzero(free + bytes_of[i] <= offsets[others])
        offsets[i] = free[fits[0]] if len(fits) else behind[-1]
    return offsets.tolist(), aligned(int((offsets + bytes_of).max(initial=0)), _ALIGNMENT_BYTES)
