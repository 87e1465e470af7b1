# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The messages between the compiler and its code generation child.

A frame is: length of the header (8 bytes, little endian), header, blobs. The header is JSON: the fields of the
message, and name and length of each blob. Text and objects travel as blobs, so that nothing is escaped and nothing is
executed while reading.
"""

import json
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from roller_mlir.support.foreign.bounded import read_json

_LENGTH = struct.Struct("<Q")
_MAX_HEADER_BYTES = 1 << 24


@dataclass(frozen=True, kw_only=True)
class Message:
    """One message.

    Attributes:
        fields: what JSON can hold.
        blobs: named bytes.
    """

    fields: dict[str, Any]
    blobs: dict[str, bytes] = field(default_factory=dict[str, bytes])


def encode(message: Message) -> bytes:
    """Return the frame of a message."""
    lengths = [[name, len(blob)] for name, blob in message.blobs.items()]
    header = json.dumps({"fields": message.fields, "blobs": lengths}).encode()
    return b"".join((_LENGTH.pack(len(header)), header, *message.blobs.values()))


def decode(read_exactly: Callable[[int], bytes]) -> Message:
    """Read one frame.

    Args:
        read_exactly: gives that many bytes, or raises EOFError.

    Raises:
        EOFError: the other side is gone.
        ValueError: what came is no frame.
    """
    (length,) = _LENGTH.unpack(read_exactly(_LENGTH.size))
    if length > _MAX_HEADER_BYTES:
        raise ValueError(f"a frame's header must be at most {_MAX_HEADER_BYTES} B, but got {length} B")
    header = read_json(read_exactly(length))
    return Message(fields=header["fields"], blobs={name: read_exactly(size) for name, size in header["blobs"]})
