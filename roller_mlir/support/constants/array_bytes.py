# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bytes of large arrays in pieces, so that nobody holds all of an array that lies in a mapped file."""

import mmap
from collections.abc import Iterator
from typing import Any

import numpy as np

_PIECE_BYTES = 4 << 20


def stored_bytes(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array as its bytes in row-major order, without a copy where they lie so."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def byte_pieces(array: np.ndarray[Any, Any]) -> Iterator[memoryview]:
    """Yield the bytes of an array in row-major order; those of a mapped file leave memory once they were taken."""
    data: Any = stored_bytes(array)
    mapped = _map_of(array)
    for start in range(0, len(data), _PIECE_BYTES):
        yield memoryview(data[start : start + _PIECE_BYTES])
        if mapped is not None:
            mapped.madvise(mmap.MADV_DONTNEED)


def _map_of(array: np.ndarray[Any, Any]) -> mmap.mmap | None:
    """Return the map of a file that an array is a part of; of one that is written to only memory holds the content."""
    owner: Any = None if array.flags.writeable else array
    while isinstance(owner, np.ndarray | memoryview):
        owner = owner.obj if isinstance(owner, memoryview) else owner.base
    return owner if isinstance(owner, mmap.mmap) else None
