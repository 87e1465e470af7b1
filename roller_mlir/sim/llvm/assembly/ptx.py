# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the PTX of inline assembly: statements with predicate, opcode and operands, as LLVM spells registers (`$0`)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from roller_mlir.sim.llvm.text.module import split_top

_STATEMENT = re.compile(r"(?:@(!?)(\S+)\s+)?([a-z][\w.:]*)(?:\s+(.*))?$", re.DOTALL)
_REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+(.*)$", re.DOTALL)
_IMMEDIATE = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)U?$")
_FLOAT = re.compile(r"0([fd])([0-9a-fA-F]+)$")
_ADDRESS = re.compile(r"\[\s*([^\s+\],]+)\s*(?:\+\s*(-?\w+))?\s*\]$")


class PtxError(Exception):
    """PTX that the simulator does not read; the text says what."""


@dataclass(frozen=True, kw_only=True)
class AssemblyStatement:
    """One instruction.

    Attributes:
        opcode: With its modifiers.
        operands: As they are spelled; `{...}` and `[...]` are one operand.
        predicate: The register that decides whether it is executed, "" for always.
        negated: Whether it is executed where the register is false.
    """

    opcode: str
    operands: tuple[str, ...]
    predicate: str = ""
    negated: bool = False


NOTHING = AssemblyStatement(opcode="", operands=())


def unescape(text: str) -> str:
    r"""Return the string of assembly that LLVM IR spells with escapes.

    >>> unescape(r"mov.u32 $0, 1;\0A\09").split(";")
    ['mov.u32 $0, 1', '\n\t']
    """
    return re.sub(r"\\([0-9A-Fa-f]{2})", lambda match: chr(int(match[1], 16)), text)


def one_line(text: str) -> str:
    r"""Return assembly without comments, and with one space where there is any.

    >>> one_line("{ // a comment\n  exit;\n}")
    '{ exit; }'
    """
    return " ".join(re.sub(r"//[^\n]*", "", text).split())


def statements(text: str) -> Iterator[AssemblyStatement]:
    """Yield the statements of a string of assembly.

    >>> [one.opcode for one in statements("{ .reg .pred p; @$2 st.global.v2.b32 [ $1 + 0 ], { $0, $0 }; }")]
    ['st.global.v2.b32']

    Raises:
        PtxError: It has labels, or something that is no statement.
    """
    for piece in one_line(text).split(";"):
        one = piece.strip().lstrip("{").strip()
        if one in ("", "}") or _REGISTERS.match(one):
            continue
        found = _STATEMENT.match(one)
        if found is None:
            raise PtxError(f"'{one[:60]}' is no statement")
        negated, predicate, opcode, operands = found.groups()
        yield AssemblyStatement(
            opcode=opcode, operands=tuple(split_top(operands or "")), predicate=predicate or "", negated=bool(negated)
        )


def group(operand: str) -> tuple[str, ...]:
    """Return the registers of `{a, b}`, or the one that is an operand itself."""
    return tuple(split_top(operand[1:-1])) if operand.startswith("{") else (operand,)


def address(operand: str) -> tuple[str, int]:
    """Return register and offset of `[a + 16]`.

    >>> address("[ $1 + 0x10 ]"), address("[$0]")
    (('$1', 16), ('$0', 0))
    """
    found = _ADDRESS.match(operand)
    if found is None:
        raise PtxError(f"'{operand}' is no address")
    return found[1], int(found[2] or "0", 0)


def immediate(operand: str) -> int | None:
    """Return the bits of a constant, None for a register.

    >>> immediate("0x10"), immediate("-1"), hex(immediate("0f3F800000")), immediate("$0")
    (16, -1, '0x3f800000', None)
    """
    if found := _FLOAT.match(operand):
        return int(found[2], 16)
    return int(operand.rstrip("U"), 0) if _IMMEDIATE.match(operand) else None
