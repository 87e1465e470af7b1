# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The blobs of `dense_resource` attributes, which MLIR's bindings hold but do not hand out.

MLIR's bytecode stores blobs as they lie in memory, so that writing an attribute as bytecode and finding the blob in it
costs two copies, where the printed form costs two characters a byte. Format: "MLIR Bytecode Format", sections
"Resource" and "Resource Offset".
"""

import io
from typing import Any

from roller_mlir.support.bindings import ir

_RESOURCES, _RESOURCE_OFFSETS = 5, 6
_ALIGNED = 0x80


class ResourceError(Exception):
    """A resource cannot be read; the text says why."""


def resource_name(attribute: Any) -> str | None:
    """Return the name of the resource that a `dense_resource` attribute stands for, None of another attribute."""
    if isinstance(attribute, ir.DenseElementsAttr):
        return None  # without its text, which holds the elements
    prefix, text = "dense_resource<", str(attribute)
    return text.removeprefix(prefix).rsplit("> : ", 1)[0].strip('"') if text.startswith(prefix) else None


def read_resource(attribute: Any) -> memoryview:
    """Return the blob of a `dense_resource` attribute as it lies in memory.

    Raises:
        ResourceError: The module that was parsed holds no blob of that name, as where it was printed without.
    """
    with attribute.context, ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            ir.Operation.create("arith.constant", results=[attribute.type], attributes={"value": attribute})
        stream = io.BytesIO()
        module.operation.write_bytecode(stream)
    return _only_blob(stream.getbuffer())


def _only_blob(data: memoryview) -> memoryview:
    """Return the one blob of a bytecode file; of a name without data the file has an entry of size 0."""
    sections = _sections(data)
    offsets = _Cursor(sections.get(_RESOURCE_OFFSETS, memoryview(b"")))
    if not offsets.is_done:
        offsets.number()  # groups of the producer: none
        offsets.number()  # dialect
        offsets.number()  # entries: one
        offsets.number()  # name
        if offsets.number():
            entry = _Cursor(sections[_RESOURCES])
            alignment, size = entry.number(), entry.number()
            entry.align(alignment)
            return entry.bytes(size)
    raise ResourceError("has no data: the module was printed with its resources left out; print it with them")


def _sections(data: memoryview) -> dict[int, memoryview]:
    cursor = _Cursor(data, 4)
    cursor.number()  # version
    cursor.text()  # producer
    found: dict[int, memoryview] = {}
    while not cursor.is_done:
        head = cursor.byte()
        length = cursor.number()
        if head & _ALIGNED:
            cursor.align(cursor.number())
        found[head & ~_ALIGNED] = cursor.bytes(length)
    return found


class _Cursor:
    """A place in bytecode, from which its numbers and bytes are read."""

    def __init__(self, data: memoryview, at: int = 0) -> None:
        self._data, self._at = data, at

    @property
    def is_done(self) -> bool:
        """Whether nothing is left."""
        return self._at >= len(self._data)

    def byte(self) -> int:
        """Return the next byte."""
        self._at += 1
        return self._data[self._at - 1]

    def bytes(self, count: int) -> memoryview:
        """Return the next bytes, without a copy."""
        self._at += count
        return self._data[self._at - count : self._at]

    def number(self) -> int:
        """Return the next variable-length number: as many zero bits as bytes follow, a one, then its bits."""
        first = self._data[self._at]
        more = 8 if not first else (first & -first).bit_length() - 1
        value = int.from_bytes(self.bytes(more + 1), "little")
        return value >> 8 if not first else value >> (more + 1)

    def text(self) -> None:
        """Skip a text that ends with a zero byte."""
        while self.byte():
            pass

    def align(self, alignment: int) -> None:
        """Skip to the next multiple of an alignment."""
        self._at += -self._at % alignment
