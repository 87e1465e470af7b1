# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Permutation of the 16-byte pieces of a staged tile's rows: by the row's number, so that columns meet all banks.

Eight rows of 16 bytes are read together by NVIDIA's `ldmatrix`: they lie in different banks if their pieces differ
modulo 8 (128 bytes, one line of banks). In rows of fewer pieces several rows share a line.
"""

PIECE_BYTES = 16
LINE_PIECES = 8
"""Pieces of one line of banks."""


def row_period(pieces: int) -> int:
    """Return after how many turns the permutation of rows of so many pieces (a power of two) repeats.

    >>> [row_period(pieces) for pieces in (1, 2, 4, 8, 32)]
    [1, 2, 4, 8, 8]
    """
    return min(pieces, LINE_PIECES)


def row_run(pieces: int) -> int:
    """Return how many neighbouring rows are permuted alike: those of one line of banks.

    >>> [row_run(pieces) for pieces in (1, 2, 4, 8, 32)]
    [8, 4, 2, 1, 1]
    """
    return max(1, LINE_PIECES // pieces)
