# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads code objects: ELF sections and symbols, and AMD kernels' metadata in the note of the AMDGPU ABI (MessagePack).

Sources: System V ABI, chapters 4 and 5 (ELF-64); "User Guide for AMDGPU Backend", Code Object Metadata; MessagePack
specification.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

_SECTION_SYMBOLS = 2
_SECTION_NOTE = 7
_NOTE_AMDGPU_METADATA = 32
_MAX_DEPTH = 32


@dataclass(frozen=True)
class _Section:
    name: int
    kind: int
    offset: int
    size: int
    link: int


def _sections(data: bytes) -> list[_Section]:
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("a code object must be little-endian ELF-64")
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    found: list[_Section] = []
    for number in range(count):
        name, kind, _, _, offset, length, link = struct.unpack_from("<IIQQQQI", data, table + number * size)
        found.append(_Section(name, kind, offset, length, link))
    return found


def section_names(data: bytes) -> tuple[str, ...]:
    """Return the names of the sections.

    Raises:
        ValueError: the data is not ELF-64.
    """
    sections = _sections(data)
    (names_at,) = struct.unpack_from("<H", data, 0x3E)
    starts = [sections[names_at].offset + one.name for one in sections]
    return tuple(data[start : data.index(b"\0", start)].decode() for start in starts)


def section(data: bytes, name: str) -> bytes:
    """Return the contents of a section.

    Raises:
        ValueError: the data is not ELF-64, or has no such section.
    """
    sections = _sections(data)
    (names_at,) = struct.unpack_from("<H", data, 0x3E)
    wanted = name.encode() + b"\0"
    for one in sections:
        if data.startswith(wanted, sections[names_at].offset + one.name):
            return data[one.offset : one.offset + one.size]
    raise ValueError(f"the code object must have a section {name}, but has none")


def undefined_symbols(data: bytes) -> tuple[str, ...]:
    """Return the names that an object needs from others.

    Args:
        data: an ELF object.

    Raises:
        ValueError: it is not ELF-64.
    """
    sections = _sections(data)
    names: set[str] = set()
    for section in sections:
        if section.kind != _SECTION_SYMBOLS:
            continue
        strings = sections[section.link].offset
        for offset in range(section.offset, section.offset + section.size, 24):
            name, _, _, index = struct.unpack_from("<IBBH", data, offset)
            if name and index == 0:
                names.add(data[strings + name : data.index(b"\0", strings + name)].decode())
    return tuple(sorted(names))


def _notes(data: bytes) -> Iterator[tuple[bytes, int, bytes]]:
    for section in _sections(data):
        if section.kind != _SECTION_NOTE:
            continue
        offset, end = section.offset, section.offset + section.size
        while offset + 12 <= end:
            name_size, content_size, kind = struct.unpack_from("<III", data, offset)
            name_at = offset + 12
            content_at = name_at + (name_size + 3) // 4 * 4
            offset = content_at + (content_size + 3) // 4 * 4
            yield data[name_at : name_at + name_size].rstrip(b"\0"), kind, data[content_at : content_at + content_size]


def kernel_metadata(data: bytes) -> dict[str, dict[str, Any]]:
    """Return what a code object says about its kernels.

    Args:
        data: an object or a linked code object.

    Returns:
        Per kernel the metadata without the leading dots, such as {"vgpr_count": 112, "group_segment_fixed_size":
        16640}.

    Raises:
        ValueError: it is no code object, or has no metadata.
    """
    for name, kind, content in _notes(data):
        if name == b"AMDGPU" and kind == _NOTE_AMDGPU_METADATA:
            kernels: list[dict[str, Any]] = _MessagePack(content).read().get("amdhsa.kernels", [])
            return {kernel[".name"]: {key.lstrip("."): value for key, value in kernel.items()} for kernel in kernels}
    raise ValueError("the code object must have AMDGPU metadata, but has none")


class _MessagePack:
    """Reads the part of MessagePack that the metadata use: nil, booleans, integers, strings, arrays and maps."""

    _INTEGERS: ClassVar[dict[int, str]] = {
        0xCC: ">B",
        0xCD: ">H",
        0xCE: ">I",
        0xCF: ">Q",
        0xD0: ">b",
        0xD1: ">h",
        0xD2: ">i",
        0xD3: ">q",
    }
    _LENGTHS: ClassVar[dict[int, str]] = {
        0xD9: ">B",
        0xDA: ">H",
        0xDB: ">I",
        0xDC: ">H",
        0xDD: ">I",
        0xDE: ">H",
        0xDF: ">I",
    }

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def _number(self, form: str) -> int:
        (value,) = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return value

    def _text(self, length: int) -> str:
        self._at += length
        return self._data[self._at - length : self._at].decode()

    def read(self, depth: int = 0) -> Any:
        """Read the next value."""
        if depth > _MAX_DEPTH:
            raise ValueError(f"metadata must not nest deeper than {_MAX_DEPTH}")
        tag = self._number(">B")
        if tag < 0x80:
            return tag
        if tag >= 0xE0:
            return tag - 0x100
        if tag in self._INTEGERS:
            return self._number(self._INTEGERS[tag])
        if tag in (0xC0, 0xC2, 0xC3):
            return {0xC0: None, 0xC2: False, 0xC3: True}[tag]
        length = (
            self._number(self._LENGTHS[tag]) if tag in self._LENGTHS else tag & (0x1F if 0xA0 <= tag < 0xC0 else 0x0F)
        )
        if tag < 0x90 or tag in (0xDE, 0xDF):
            return {self.read(depth + 1): self.read(depth + 1) for _ in range(length)}
        if tag < 0xA0 or tag in (0xDC, 0xDD):
            return [self.read(depth + 1) for _ in range(length)]
        if tag < 0xC0 or tag in (0xD9, 0xDA, 0xDB):
            return self._text(length)
        raise ValueError(
            f"metadata must be MessagePack without floats, binaries and extensions, but got tag 0x{tag:02x}"
        )
