# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The statements of a PTX kernel as LLVM prints it: guards, operations, operands, labels, and addresses of symbols."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_ENTRY = re.compile(r"\.entry\s+([\w.$]+)\s*\(([^)]*)\)")
_PARAMETER = re.compile(r"([\w.$]+)(?:\[\d+\])?\s*$")
_SHARED = re.compile(r"\.shared\s+\.align\s+(\d+)\s+\.b8\s+([\w.$]+)\[(\d*)\]")
_THREADS = re.compile(r"^\s*\.(?:max|req)ntid\s+(\d+)", re.MULTILINE)
_LABEL = re.compile(r"^\s*([\w.$]+):(?!:)")
_STATEMENT = re.compile(r"(?:@(!?)([%\w]+)\s+)?([a-z][\w.:]*)\s*(.*)", re.DOTALL)
_COMMENT = re.compile(r"//.*$", re.MULTILINE)
_PLUS = re.compile(r"\s*([+-])\s*")


@dataclass(frozen=True)
class PtxStatement:
    """One instruction.

    Attributes:
        name: Such as "add.s32".
        operands: As they are written; of `{...}` and `[...]` the whole.
        guard: Register that must be true for it to be executed, empty for none.
        negated: Whether that must be false instead.
    """

    name: str
    operands: tuple[str, ...]
    guard: str = ""
    negated: bool = False


@dataclass(frozen=True)
class PtxKernel:
    """A kernel.

    Attributes:
        statements: In the order of the text.
        labels: Number of the statement behind each label.
        parameters: Names, in order.
        addresses: Of each symbol in workgroup memory: such that it is aligned as it says, and no better.
        threads: Threads of a block, 0 where nothing says it.
    """

    statements: tuple[PtxStatement, ...]
    labels: dict[str, int]
    parameters: tuple[str, ...]
    addresses: dict[str, int]
    threads: int


def read_kernel(text: str) -> PtxKernel | None:
    """Read the one kernel of a PTX text; None where there is none.

    >>> kernel = read_kernel(".entry k(.param .u64 a) { @%p1 bra $L; add.s32 %r1, %r2, 1; $L: ret; }")
    >>> kernel.statements[1], kernel.labels, kernel.parameters
    (PtxStatement(name='add.s32', operands=('%r1', '%r2', '1'), guard='', negated=False), {'$L': 2}, ('a',))
    """
    text = _COMMENT.sub("", text)
    entry = _ENTRY.search(text)
    if entry is None:
        return None
    parameters = tuple(found[1] for part in entry[2].split(",") if (found := _PARAMETER.search(part.strip())))
    threads = _THREADS.search(text, entry.end())
    statements: list[PtxStatement] = []
    labels: dict[str, int] = {}
    for part in _parts(text[text.find("{", entry.end()) + 1 :]):
        if part.endswith(":"):
            labels[part[:-1]] = len(statements)
        elif found := _STATEMENT.fullmatch(part):
            statements.append(PtxStatement(found[3], tuple(_operands(found[4])), found[2] or "", bool(found[1])))
    return PtxKernel(
        tuple(statements), labels, parameters, _addresses(text), int(threads[1]) if threads is not None else 0
    )


def address_parts(operand: str) -> tuple[str, int]:
    """Return the register or symbol of an address, and the bytes behind it.

    >>> address_parts("[%r154+229376]"), address_parts("[arena-8]"), address_parts("[%rd4]")
    (('%r154', 229376), ('arena', -8), ('%rd4', 0))
    """
    inside = operand.strip().removeprefix("[").removesuffix("]")
    name, sign, offset = ([*_PLUS.split(inside, maxsplit=1), "", ""])[:3]
    return name.strip(), int(sign + offset) if offset.strip().isdigit() else 0


@lru_cache(maxsize=1024)
def parts_of(operand: str) -> tuple[str, ...]:
    """Return what `{...}`, `[...]` or `a|b` holds; of anything else the operand itself.

    >>> parts_of("[%rd6, {%r6, %r156}]"), parts_of("%r67|%p6"), parts_of("%r1")
    (('%rd6', '{%r6, %r156}'), ('%r67', '%p6'), ('%r1',))
    """
    if operand[:1] in ("{", "["):
        return tuple(_operands(operand[1:-1]))
    return tuple(part.strip() for part in operand.split("|"))


def _parts(body: str) -> Iterator[str]:
    """Return statements without their semicolon, and labels with their colon; declarations and scopes are left out."""
    for piece in body.split(";"):
        rest = piece
        while True:
            rest = rest.lstrip(" \t\n}")
            if rest.startswith("{"):  # a scope: no statement begins with operands
                rest = rest[1:]
            elif (label := _LABEL.match(rest)) is not None:
                yield f"{label[1]}:"
                rest = rest[label.end() :]
            else:
                break
        rest = rest.strip()
        if rest and not rest.startswith("."):
            yield rest


def _operands(text: str) -> Iterator[str]:
    """Return what commas outside of brackets part."""
    depth, start = 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "{[(") - (letter in "}])")
        if letter == "," and not depth:
            yield text[start:at].strip()
            start = at + 1
    if text[start:].strip():
        yield text[start:].strip()


def _addresses(text: str) -> dict[str, int]:
    """Lay workgroup memory out, from an address on that no fewer bytes divide than the first symbol's alignment."""
    found: dict[str, int] = {}
    at = 0
    for alignment, name, size in _SHARED.findall(text):
        step = int(alignment)
        at = at or step
        at = -(-at // step) * step
        found[name] = at
        at += int(size or 0)
    return found
