# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Questions about LLVM types, asked of their text: sizes, and their bits as an integer."""

import re
from functools import lru_cache

_SCALARS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
MLIR_NAMES = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
"""What the simulator's arguments call LLVM's floating-point types."""


def _aggregate(depth: int) -> str:
    """Return a pattern for what brackets enclose, with so many brackets inside."""
    inside = r"[^\[\]{}<>]"
    return rf"[\[{{<](?:{f'{inside}|{_aggregate(depth - 1)}' if depth else inside})*[\]}}>]"


TYPE = rf"(?:void|half|bfloat|float|double|i\d+|ptr(?: addrspace<\d+>)?|{_aggregate(3)})"


@lru_cache(maxsize=256)
def is_known(kind: str) -> bool:
    """Return whether values of a type can be simulated.

    >>> is_known("<4 x ptr addrspace<1>>"), is_known("x86_fp80")
    (True, False)
    """
    return re.fullmatch(TYPE, kind) is not None


def respelled(text: str) -> str:
    """Return text in which parentheses only enclose operands."""
    return re.sub(r"addrspace\((\d+)\)", r"addrspace<\1>", text)


def restore(text: str) -> str:
    """Spell address spaces as LLVM does."""
    return re.sub(r"addrspace<(\d+)>", r"addrspace(\1)", text)


def size_bits(kind: str) -> int | None:
    """Return the bits of a type in memory, None for a structure.

    llvmlite's `type_width` is 0 for pointers, what holds them, and arrays, and what an `alloca` or `getelementptr`
    names has no type there: sizes are read from the text.

    >>> size_bits("<4 x half>"), size_bits("[3 x [2 x i8]]"), size_bits("ptr addrspace<3>"), size_bits("{ i32, i1 }")
    (64, 48, 64, None)
    """
    if kind in _SCALARS:
        return _SCALARS[kind]
    if re.fullmatch(r"i\d+", kind):
        return int(kind[1:])
    if kind.startswith("ptr"):
        return 64
    if found := re.fullmatch(r"[<\[](\d+) x (.*)[>\]]", kind):
        inner = size_bits(found[2])
        if inner is not None and kind.startswith("[") and not found[2].startswith("["):
            # Elements of arrays lie at multiples of their alignment, which is at most the next power of 2.
            inner = 8 << max(0, -(-inner // 8) - 1).bit_length()
        return None if inner is None else int(found[1]) * inner
    return None


def size_bytes(kind: str) -> int | None:
    """Return the bytes that a load or store of a type touches, None for a structure.

    >>> size_bytes("<3 x float>"), size_bytes("i1")
    (12, 1)
    """
    bits = size_bits(kind)
    return None if bits is None else -(-bits // 8)


def to_bits(kind: str, value: str, name: str) -> list[str]:
    """Return the lines that make `name` the 64-bit integer with the bits of a value of at most 64 bits."""
    width = size_bits(kind)
    assert width is not None and width <= 64, kind
    lines: list[str] = []
    if not kind.startswith("i"):
        lines.append(f"{name}.raw = bitcast {kind} {value} to i{width}")
        value = f"{name}.raw"
    cast = f"zext i{width} {value} to i64" if width < 64 else f"add i64 {value}, 0"
    return [*lines, f"{name} = {cast}"]


def from_bits(kind: str, value: str, name: str) -> list[str]:
    """Return the lines that make `name` the value of a type from its bits in a 64-bit integer."""
    width = size_bits(kind)
    assert width is not None and width <= 64, kind
    narrow = f"trunc i64 {value} to i{width}" if width < 64 else f"add i64 {value}, 0"
    if kind.startswith("i"):
        return [f"{name} = {narrow}"]
    return [f"{name}.low = {narrow}", f"{name} = bitcast i{width} {name}.low to {kind}"]
