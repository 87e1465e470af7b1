# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which functions object code needs from outside: LLVM calls a missing one at address 0, without a word."""

import struct
from collections.abc import Iterator

_SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOL_TABLE = 2
_UNDEFINED = 0


def undefined_symbols(code: bytes) -> frozenset[str]:
    """Return the names that a 64-bit ELF object uses and does not define.

    Args:
        code: The object file.

    Raises:
        ValueError: It is not a little-endian 64-bit ELF file.
    """
    if code[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"object code must be little-endian 64-bit ELF, but starts with {code[:6]!r}")
    return frozenset(name for name in _undefined(code) if name)


def _undefined(code: bytes) -> Iterator[str]:
    (table,) = struct.unpack_from("<Q", code, 40)
    size, count = struct.unpack_from("<HH", code, 58)
    headers = [_SECTION_HEADER.unpack_from(code, table + size * number) for number in range(count)]
    for _, kind, _, _, start, length, link, _, _, entry in headers:
        if kind != _SYMBOL_TABLE:
            continue
        names = headers[link][4]
        for place in range(start, start + length, entry):
            name, _, _, section, _, _ = _SYMBOL.unpack_from(code, place)
            if section == _UNDEFINED:
                begin = names + name
                yield code[begin : code.index(b"\0", begin)].decode()
