# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Workgroup memory of a kernel whose blocks join parts: partial sums of threads, and who is the last block."""

from roller_mlir.mapping.alignment import aligned

WORD_BYTES = 4
"""A counter of a tile, and what says whether a block is the last one of it."""


def flag_offset(combine_bytes: int) -> int:
    """Return where the flag lies, in bytes behind the beginning of what threads join sums in."""
    return aligned(combine_bytes, WORD_BYTES)


def joined_bytes(first_bytes: int, combine_bytes: int, *, apart: bool) -> int:
    """Return the workgroup memory of a block that runs both stages.

    Args:
        first_bytes: What the first stage needs.
        combine_bytes: What threads of the second join sums in.
        apart: Whether that lies behind the first stage's, which copies may still fill; else over it.

    >>> joined_bytes(9216, 0, apart=False), joined_bytes(0, 130, apart=False), joined_bytes(1000, 128, apart=True)
    (9216, 136, 1132)
    """
    own = flag_offset(combine_bytes) + WORD_BYTES
    return first_bytes + own if apart else max(first_bytes, own)
