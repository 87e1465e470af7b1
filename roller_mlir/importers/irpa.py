# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IREE's parameter archives (.irpa), version 0: a header, a table of entries, their names, and their bytes.

What is read stays in the file until it is used: each array is a part of one map of it. What is written goes to the
file piece by piece.
"""

import struct
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from roller_mlir.support.constants.array_bytes import byte_pieces

MOST_ENTRIES = 1_000_000
_HEADER = struct.Struct("<4sHHQQQQQQQQQQ")
_ENTRY = struct.Struct("<QIQQQQQQQQ")
_ENTRY_ALIGNMENT = 16
_DATA_ALIGNMENT, _FILE_ALIGNMENT = 64, 4096
_DATA, _SPLAT, _SKIP = 2, 1, 0
_SPLAT_ENTRY = struct.Struct("<QIQQQQQQQ16sB")
MOST_SPLAT_BYTES = 1 << 31


def read_archive(path: Path, names: Container[str] | None = None) -> dict[str, np.ndarray[Any, Any]]:
    """Return the bytes of each parameter, by name.

    Args:
        path: The archive.
        names: Which are read; None: all.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no archive of data and splats.
    """
    data: Any = np.memmap(path, np.uint8, "r")
    return dict(_entries(memoryview(data), data, names))


def write_archive(path: Path, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Write an archive of the bytes of arrays in row-major order, as IREE's own tools write it.

    Raises:
        OSError: It cannot be written.
    """
    names = {name: name.encode() for name in arrays}
    table, table_bytes = _aligned(_HEADER.size, _ENTRY_ALIGNMENT), 0
    label = stored = 0
    entries: list[tuple[int, bytes]] = []
    for name, array in arrays.items():
        stored = _aligned(stored, _DATA_ALIGNMENT)
        place = (label, len(names[name]), 0, 0, _DATA_ALIGNMENT, stored, array.nbytes)
        at = _aligned(table_bytes, _ENTRY_ALIGNMENT)
        entries.append((at, _ENTRY.pack(_ENTRY.size, _DATA, 0, *place)))
        table_bytes, label, stored = at + _ENTRY.size, label + len(names[name]), stored + array.nbytes
    start = _aligned(table + table_bytes + label, _DATA_ALIGNMENT) if arrays else table
    parts = (table, table_bytes, table + table_bytes, label, start, stored)
    with path.open("wb") as file:
        file.write(_HEADER.pack(b"IRPA", 0, 0, _HEADER.size, 0, 0, len(arrays), *parts))
        for at, entry in entries:
            file.seek(table + at)
            file.write(entry)
        file.write(b"".join(names.values()))
        file.seek(start)
        for array in arrays.values():
            file.seek(_aligned(file.tell() - start, _DATA_ALIGNMENT) + start)
            file.writelines(byte_pieces(array))
        file.truncate(_aligned(start + stored, _FILE_ALIGNMENT))


def _aligned(size: int, alignment: int) -> int:
    return size + -size % alignment


def _entries(
    view: memoryview, data: np.ndarray[Any, Any], wanted: Container[str] | None
) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
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
        if kind not in (_DATA, _SPLAT, _SKIP):
            raise ValueError(f"an entry is of kind {kind}; read are data and splats")
        if kind != _SKIP:
            is_outside = name + name_length > names_length or at + size > end
            if is_outside or size < (_ENTRY if kind == _DATA else _SPLAT_ENTRY).size:
                raise ValueError("an entry lies outside of the archive")
            label = bytes(view[names + name : names + name + name_length]).decode()
            if wanted is None or label in wanted:
                if kind == _SPLAT:
                    yield label, _splat(*_SPLAT_ENTRY.unpack_from(view, at)[-3:])
                elif offset + bytes_ > stored:
                    raise ValueError("the data of an entry lie outside of the archive")
                else:
                    yield label, data[start + offset : start + offset + bytes_]
        at += _aligned(size, _ENTRY_ALIGNMENT)


def _splat(bytes_: int, pattern: bytes, length: int) -> np.ndarray[Any, Any]:
    """Return the bytes of a parameter whose elements are equal."""
    if not 0 < length <= len(pattern) or bytes_ % length or bytes_ > MOST_SPLAT_BYTES:
        raise ValueError(
            f"a splat of {bytes_} B repeats {length} B; at most {MOST_SPLAT_BYTES} B of whole elements are read"
        )
    return np.tile(np.frombuffer(pattern[:length], np.uint8), bytes_ // length)
