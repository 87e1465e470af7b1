# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes in memory, rounded up to whole units."""

# What each part of a task's workgroup memory is aligned to, in bytes: a row of all banks.
TILE_ALIGNMENT_BYTES = 128


def aligned(size_bytes: int, alignment: int = TILE_ALIGNMENT_BYTES) -> int:
    """Return a size rounded up to whole multiples of an alignment.

    >>> aligned(8448), aligned(129)
    (8448, 256)
    """
    return -(-size_bytes // alignment) * alignment
