# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ONNX file without the bytes of its large weights, which are mapped where they lie in it.

    ModelProto    graph = 7
    GraphProto    node = 1, initializer = 5
    NodeProto     attribute = 5
    Attribute     t = 5
    TensorProto   raw_data = 9

A protocol buffer is a sequence of fields: a key, which is the number and the kind of the field, and its value, before
which its length stands where it is bytes or another message. What is left of the file is one again, with other lengths.
"""

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from roller_mlir.importers.onnx.tensors import element_kind, tensor_bytes
from roller_mlir.support.foreign.bounded import read_bytes

_GRAPH, _NODE, _INITIALIZER, _ATTRIBUTE, _TENSOR, _DATA = 7, 1, 5, 5, 5, 9
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class _UnknownError(ValueError):
    """The file is damaged, or has what is not looked into; the library of protocol buffers says which."""


@dataclass(frozen=True)
class _Place:
    """Where the bytes of a tensor lie.

    Attributes:
        path: Numbers of the initializer, or of the node and its attribute.
        start: In the file.
        size: In bytes.
    """

    path: tuple[int, ...]
    start: int
    size: int


@dataclass(frozen=True)
class ModelBytes:
    """A file, its large weights apart.

    Attributes:
        rest: The file without them.
        data: The file, mapped; empty where nothing is apart.
        places: Where they lie.
    """

    rest: bytes
    data: "np.ndarray[Any, Any]"
    places: tuple[_Place, ...]

    def map_weights(self, graph: Any, least_bytes: int) -> dict[str, "np.ndarray[Any, Any]"]:
        """Return initializers and constants by name; what is no weight gets its bytes back.

        Args:
            graph: Of the model that `rest` is.
            least_bytes: Bytes of the smallest weight.
        """
        found: dict[str, np.ndarray[Any, Any]] = {}
        for place in self.places:
            tensor, name = _tensor(graph, place.path)
            held = self.data[place.start : place.start + place.size]
            if name and place.size >= least_bytes and _is_plain(tensor, place.size):
                found[name] = held.view(element_kind(tensor)).reshape(tensor.dims)
            else:
                tensor.raw_data = held.tobytes()
        return found


def read_model(path: Path, most_bytes: int, least_bytes: int) -> ModelBytes:
    """Read a file.

    Args:
        path: The file.
        most_bytes: What it may have.
        least_bytes: Bytes of the smallest weight.

    Raises:
        OSError: It cannot be read.
        BoundsError: It has more bytes.
    """
    size = path.stat().st_size if path.is_file() else 0
    if least_bytes <= size <= most_bytes:
        data = np.memmap(path, np.uint8, "r")
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            try:
                parts = _FileWalk(content, least_bytes)
            except _UnknownError:
                return ModelBytes(content[:], data[:0], ())
            return ModelBytes(b"".join(parts.rest), data, tuple(parts.places))
    return ModelBytes(read_bytes(path, most_bytes), np.empty(0, np.uint8), ())


class _FileWalk:
    """Walks through a file once."""

    def __init__(self, content: mmap.mmap, least_bytes: int) -> None:
        self._content, self._least = content, least_bytes
        self.places: list[_Place] = []
        self._nodes = self._initializers = 0
        self.rest = self._message(0, len(content), {_GRAPH: self._graph})

    def _graph(self, start: int, end: int) -> list[bytes]:
        return self._message(start, end, {_NODE: self._node, _INITIALIZER: self._initializer})

    def _initializer(self, start: int, end: int) -> list[bytes]:
        self._initializers += 1
        return self._tensor((self._initializers - 1,), start, end)

    def _node(self, start: int, end: int) -> list[bytes]:
        self._nodes += 1
        number, attributes = self._nodes - 1, 0
        if end - start < self._least:
            return [self._content[start:end]]

        def attribute(start: int, end: int) -> list[bytes]:
            nonlocal attributes
            attributes += 1
            path = (number, attributes - 1)
            return self._message(start, end, {_TENSOR: partial(self._tensor, path)})

        return self._message(start, end, {_ATTRIBUTE: attribute})

    def _tensor(self, path: tuple[int, ...], start: int, end: int) -> list[bytes]:
        if any(place.path == path for place in self.places[-1:]):
            raise _UnknownError  # a message in two parts, which are one
        if end - start < self._least:
            return [self._content[start:end]]
        data = [field for field in self._fields(start, end) if field[1] == _DATA]
        if len(data) != 1 or data[0][3] - data[0][2] < self._least:
            return [self._content[start:end]]
        first, _, begin, after = data[0]
        self.places.append(_Place(path, begin, after - begin))
        return [self._content[start:first], self._content[after:end]]

    def _message(self, start: int, end: int, inside: dict[int, Any]) -> list[bytes]:
        """Return a message, its fields of some numbers as functions give them."""
        found: list[bytes] = []
        kept = start
        for first, number, begin, after in self._fields(start, end):
            if number in inside:
                parts = inside[number](begin, after)
                size = sum(map(len, parts))
                found += [self._content[kept:first], _varint(number << 3 | _BYTES), _varint(size), *parts]
                kept = after
        return [*found, self._content[kept:end]]

    def _fields(self, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield where each field begins, its number (0: it is no bytes), and where its value begins and ends."""
        at = start
        while at < end:
            first = at
            key, at = self._number(at, end)
            kind, number = key & 7, key >> 3
            if kind == _BYTES:
                size, at = self._number(at, end)
                begin, at = at, at + size
            elif kind == _VARINT:
                number, begin = 0, at
                _, at = self._number(at, end)
            elif kind in (_FIXED32, _FIXED64):
                number, begin = 0, at
                at += 4 if kind == _FIXED32 else 8
            else:
                raise _UnknownError
            if at > end:
                raise _UnknownError
            yield first, number, begin, at

    def _number(self, at: int, end: int) -> tuple[int, int]:
        """Return a number of variable length, and where it ends."""
        value = 0
        for shift in range(0, 70, 7):
            if at >= end:
                break
            byte = self._content[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value, at
        raise _UnknownError


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes((*found, value))


def _tensor(graph: Any, path: tuple[int, ...]) -> tuple[Any, str]:
    """Return a tensor, and the name of its value; "" where it is none."""
    if len(path) == 1:
        tensor = graph.initializer[path[0]]
        return tensor, tensor.name
    node = graph.node[path[0]]
    attribute = node.attribute[path[1]]
    is_value = node.op_type == "Constant" and attribute.name == "value" and len(node.output) > 0
    return attribute.t, node.output[0] if is_value else ""


def _is_plain(tensor: Any, size: int) -> bool:
    """Return whether bytes are just the elements of a tensor; those of less than a byte are packed."""
    from onnx.external_data_helper import uses_external_data

    try:
        return not uses_external_data(tensor) and tensor_bytes(tensor) == size
    except ValueError:
        return False
