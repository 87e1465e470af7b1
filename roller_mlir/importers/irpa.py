# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads IREE's parameter archives (.irpa), version 0: a header, a table of entries, their names, and their bytes.

The bytes stay in the file until they are read: each array is a part of one map of it.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

MOST_ENTRIES = 1_000_000
_HEADER = struct.Struct("<4sHHQQQQQQQQQQ")
_ENTRY = struct.Struct("<QIQQQQQQQQ")
_ENTRY_ALIGNMENT = 16
_DATA, _SKIP = 2, 0


def read_archive(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Return the bytes of each parameter, by name.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no archive of data.
    """
    data: Any = np.memmap(path, np.uint8, "r")
    return dict(_entries(memoryview(data), data))


def _entries(view: memoryview, data: np.ndarray[Any, Any]) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    if len(view) < _HEADER.size:
        raise ValueError(f"it has {len(view)} B, and a header alone has {_HEADER.size} B")
    magic, major, _, _, more, _, count, table, length, names, names_length, start, stored = _HEADER.unpack_from(view)
    if magic != b"IRPA" or major != 0:
        raise ValueError("it does not begin as a parameter archive of version 0 does")
    if more:
        raise ValueError("it is one archive of several that are linked; such are not read")
    parts = ((table, length), (names, names_length), (start, stored))
    if count > MOST_ENTRIES or any(first + size > len(view) for first, size in parts):
        raise ValueError("its parts lie outside of it")
    at, end = table, table + length
    for _ in range(count):
        if at + _ENTRY.size > end:
            raise ValueError("its table of entries is cut off")
        size, kind, _, name, name_length, _, _, _, offset, bytes_ = _ENTRY.unpack_from(view, at)
        at += size + -size % _ENTRY_ALIGNMENT
        if kind == _SKIP:
            continue
        if kind != _DATA or name + name_length > names_length or offset + bytes_ > stored or size < _ENTRY.size:
            raise ValueError("an entry is no data, or lies outside of the archive")
        label = bytes(view[names + name : names + name + name_length]).decode()
        yield label, data[start + offset : start + offset + bytes_]
