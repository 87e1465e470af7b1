# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PTX's integer instructions compute: the few that addresses, descriptors and loops are made of.

Values are numbers without sign; None is one that is not known, such as what was loaded. Source: PTX ISA, "Integer
Arithmetic", "Logic and Shift", "Comparison and Selection" and "Data Movement and Conversion Instructions".
"""

import operator
import re
from collections.abc import Callable, Sequence

Value = int | None

_TYPE = re.compile(r"([bsu])(\d+)|pred")
_FLOAT = re.compile(r"(?:b?f|tf|e\dm)\d+(?:x\d)?")
_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "lo": operator.lt,
    "ls": operator.le,
    "hi": operator.gt,
    "hs": operator.ge,
}
_OPERANDS = {
    **dict.fromkeys(("mov", "cvt", "cvta", "not", "neg", "abs"), 1),
    **dict.fromkeys(("selp", "mad", "bfe"), 3),
}
"""Of instructions that do not take two."""

_PLAIN: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "min": min,
    "max": max,
}


def computed(name: str, values: Sequence[Value]) -> Value:
    """Return the result of an instruction; None where it is not known, or no integer's.

    >>> computed("add.s32", [1, 0xFFFFFFFF]), computed("mul.wide.s32", [0xFFFFFFFF, 4]) == 2**64 - 4
    (0, True)
    >>> computed("setp.lt.s32", [0xFFFFFFFF, 0]), computed("selp.b32", [7, 8, 0]), computed("add.f32", [1, 2])
    (1, 8, None)
    """
    head, *rest = name.split(".")
    kinds = [found for part in rest if (found := _TYPE.fullmatch(part)) is not None]
    if any(_FLOAT.fullmatch(part) for part in rest):
        return None
    if not kinds or len(values) < _OPERANDS.get(head, 2) or any(value is None for value in values):
        return _known_by_one(head, kinds, values)
    signed = kinds[-1][1] == "s"
    bits = int(kinds[-1][2] or 1)
    plain = [_signed(value or 0, bits) if signed else (value or 0) & ((1 << bits) - 1) for value in values]
    wide = int(kinds[0][2] or 1) if head == "cvt" else 2 * bits if "wide" in rest else bits
    result = _result(head, rest, plain, values, bits)
    return None if result is None else result & ((1 << wide) - 1)


def _known_by_one(head: str, kinds: Sequence[object], values: Sequence[Value]) -> Value:
    """Return the result where one operand alone decides it: a product with 0, and so on."""
    return 0 if kinds and head in ("and", "mul") and 0 in values else None


def _result(head: str, rest: Sequence[str], plain: Sequence[int], raw: Sequence[Value], bits: int) -> Value:
    if head in _PLAIN and len(plain) == 2:
        return _PLAIN[head](*plain)
    if head in ("mov", "cvt", "cvta"):
        return plain[0]
    if head == "setp" and len(rest) == 2 and rest[0] in _COMPARED:
        return int(_COMPARED[rest[0]](*plain[:2]))
    if head == "selp":
        return plain[0] if raw[2] else plain[1]
    if head in ("mul", "mad"):
        product = plain[0] * plain[1] >> (bits if "hi" in rest else 0)
        return product + (raw[2] or 0 if len(plain) > 2 else 0)
    if head in ("shl", "shr"):
        by = min(raw[1] or 0, bits)
        return plain[0] << by if head == "shl" else plain[0] >> by
    if head in ("div", "rem"):
        return _divided(head, plain[0], plain[1])
    if head in ("not", "neg", "abs"):
        return {"not": ~plain[0], "neg": -plain[0], "abs": abs(plain[0])}[head]
    if head == "bfe":
        at, length = (raw[1] or 0) & 255, (raw[2] or 0) & 255
        taken = (raw[0] or 0) >> at & ((1 << length) - 1)
        return _signed(taken, length) if rest[0][0] == "s" and length else taken
    if head == "shf" and len(plain) == 3:
        joined, by = (plain[1] << 32 | plain[0]) & ((1 << 64) - 1), (raw[2] or 0) & 31
        return joined << by >> 32 if "l" in rest else joined >> by
    return None


def _divided(head: str, left: int, right: int) -> Value:
    """Return a quotient or remainder, rounded to 0."""
    if right == 0:
        return None
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return quotient if head == "div" else left - quotient * right


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value
