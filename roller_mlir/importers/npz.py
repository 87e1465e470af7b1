# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads numpy's archives (.npz): arrays that are stored as they are stay in the file, which is mapped."""

import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from roller_mlir.support.constants.array_bytes import byte_pieces

_LOCAL_HEADER = struct.Struct("<26xHH")
"""Of what stands before a member: the lengths of its name and of what else is said of it."""


def read_npz(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays by name.

    Raises:
        OSError: The file cannot be read.
        ValueError, EOFError, zipfile.BadZipFile: It is no archive of arrays.
    """
    data: Any = np.memmap(path, np.uint8, "r")
    with np.load(path, allow_pickle=False) as read, zipfile.ZipFile(path) as archive:
        members = {one.filename.removesuffix(".npy"): one for one in archive.infolist()}
        found = {name: _mapped(archive, members[name], data) for name in read.files}
        return {name: read[name] if array is None else array for name, array in found.items()}


def _mapped(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, data: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any] | None:
    """Return a member as a part of the map; None where it is compressed, or no plain array in row-major order."""
    if member.compress_type != zipfile.ZIP_STORED:
        return None
    with archive.open(member) as stream:
        if np.lib.format.read_magic(stream) != (1, 0):
            return None
        shape, is_fortran, kind = np.lib.format.read_array_header_1_0(stream)
        head = stream.tell()
    if is_fortran or kind.hasobject:
        return None
    start = member.header_offset + _LOCAL_HEADER.size
    start += sum(_LOCAL_HEADER.unpack(data[member.header_offset : start].tobytes()))
    checksum = 0
    for piece in byte_pieces(data[start : start + member.file_size]):
        checksum = zlib.crc32(piece, checksum)
    if checksum != member.CRC:
        raise zipfile.BadZipFile(f"'{member.filename}' is damaged")
    return data[start + head : start + member.file_size].view(kind).reshape(shape)
