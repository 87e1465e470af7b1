# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks before the memory accesses of a kernel: inside the variable or argument that the address comes from, aligned.

The address is followed back to an argument, a workgroup variable, an `alloca` or a constant; where it comes from
somewhere else, it must lie in any argument, in the block's workgroup memory or on the thread's own stack.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.llvm.text import TYPE, KernelText, split_top
from roller_mlir.sim.llvm.types import size_bytes

_POINTER = r"ptr(?: addrspace<(\d+)>)? ([^\s,]+)"
_ORDER = r"(?: syncscope\(\"[^\"]*\"\))?(?: \w+)*"
_ALIGN = r"(?:, align (\d+))?$"
POINTER = "%roller.?"
"""What stands for the address in an access that is written again."""
_LOAD = re.compile(rf"(%\S+) = load (atomic )?(volatile )?({TYPE}), {_POINTER}{_ORDER}{_ALIGN}")
_STORE = re.compile(rf"store (atomic )?(volatile )?(.*), {_POINTER}{_ORDER}{_ALIGN}")
_RMW = re.compile(rf"(%\S+) = atomicrmw (volatile )?\w+ {_POINTER}, ({TYPE}) ([^\s,]+){_ORDER}{_ALIGN}")
_CMPXCHG = re.compile(
    rf"(%\S+) = cmpxchg (?:weak )?(volatile )?{_POINTER}, ({TYPE}) (\S+), {TYPE} [^\s,]+{_ORDER}{_ALIGN}"
)
_DERIVED = re.compile(
    r"(?:getelementptr|addrspacecast|bitcast|freeze|extractelement)\b.*?"
    r"\bptr(?: addrspace<\d+>)?>? ([^\s,]+)(?:,.*| to .*)?$"
)
_SEEN = re.compile(r"(?:%\S+ = )?(?:atomicrmw|cmpxchg|(?:load|store) (?:atomic|volatile))\b")
BUFFER = 7
"""Address space of addresses in buffer resources."""
_MAKES_BUFFER = re.compile(
    rf"(?:tail )?call .*ptr addrspace<{BUFFER}> @(?:llvm\.)?amdgcn\.make\.buffer\.rsrc\.[^(]*\(ptr[^,]* ([^\s,]+), "
)
_Found = TypeVar("_Found")
WAITS_FOR_MEMORY = re.compile(r"\b(?:atomicrmw|cmpxchg|load (?:atomic|volatile))\b")
"""What a loop that waits for other threads has in it."""


@dataclass(frozen=True, kw_only=True)
class AddressRange:
    """Where an address may lie.

    Attributes:
        first: First address, an i64 value.
        last: Its end.
        label: What it is.
    """

    first: str
    last: str
    label: str


@dataclass(frozen=True, kw_only=True)
class RawBuffer:
    """A buffer resource of AMD (`calls/raw_buffers`).

    Attributes:
        first: Its first address, an i64 value.
        size: Its bytes, an i64 value.
    """

    first: str
    size: str

    @staticmethod
    def of(name: str) -> "RawBuffer":
        """Return the resource that the call with a result makes."""
        return RawBuffer(first=f"{name}.base", size=f"{name}.records")


@dataclass(frozen=True, kw_only=True)
class LlvmAccess:
    """A memory access.

    Attributes:
        op: The instruction.
        kind: LLVM type of what is moved.
        pointer: The address.
        space: Its address space.
        alignment: Promised, in bytes.
        line: The instruction, with `POINTER` for the address.
        after: Instructions behind it, which note that memory changed.
    """

    op: str
    kind: str
    pointer: str
    space: int
    alignment: int
    line: str
    after: tuple[str, ...] = ()

    @property
    def atomic(self) -> bool:
        """Whether other threads may look on: the access is atomic, or volatile."""
        return bool(_SEEN.match(self.line))


def _natural(kind: str) -> int:
    return 1 << max(0, (size_bytes(kind) or 1) - 1).bit_length()


def parse_access(line: str) -> LlvmAccess | None:
    """Return the access of an instruction, None for one that accesses nothing."""
    after: tuple[str, ...] = ()
    if match := _LOAD.match(line):
        _, _, _, kind, space, pointer, align = match.groups()
        op, place = "load", match.span(6)
    elif match := _STORE.match(line):
        atomic, volatile, value, space, pointer, align = match.groups()
        if (stored := re.match(TYPE, value)) is None:
            return None
        op, kind, place = "store", stored[0], match.span(5)
        after = (f"call void @{PREFIX}leave(i64 %roller.block)",) if atomic or volatile else ()
    elif match := _RMW.match(line):
        result, _, space, pointer, kind, _, align = match.groups()
        op, place = "atomicrmw", match.span(4)
        after = _changed(result, kind, POINTER, space)
    elif match := _CMPXCHG.match(line):
        result, _, space, pointer, kind, _, align = match.groups()
        op, place = "cmpxchg", match.span(4)
        after = (
            f"{result}.did = extractvalue {{ {kind}, i1 }} {result}, 1",
            f"call void @roller_llvm_changed(i64 %roller.block, i1 {result}.did)",
        )
    else:
        return None
    return LlvmAccess(
        op=op,
        kind=kind,
        pointer=pointer,
        space=int(space or 0),
        alignment=int(align or 0) or _natural(kind),
        line=line[: place[0]] + POINTER + line[place[1] :],
        after=after,
    )


def _changed(result: str, kind: str, pointer: str, space: str | None) -> tuple[str, ...]:
    """Tell the scheduler that an atomic changed memory: no other thread has run since."""
    where = f"ptr addrspace<{space}>" if space else "ptr"
    compare = "icmp ne" if kind.startswith(("i", "ptr")) else "fcmp une"
    if kind.startswith("<"):
        return (f"call void @{PREFIX}leave(i64 %roller.block)",)
    return (
        f"{result}.new = load {kind}, {where} {pointer}",
        f"{result}.did = {compare} {kind} {result}, {result}.new",
        f"call void @roller_llvm_changed(i64 %roller.block, i1 {result}.did)",
    )


class Roots:
    """Where the addresses of a kernel come from."""

    def __init__(self, kernel: KernelText, hoisted: list[str], ranges: dict[str, AddressRange]) -> None:
        """Take the kernel's instructions, those before it, and what is known of arguments and variables."""
        self._ranges = dict(ranges)
        self._buffers: dict[str, RawBuffer] = {}
        self._defined = dict(line.split(" = ", 1) for line in hoisted)
        for _, line in kernel.body:
            name, equals, rest = line.strip().partition(" = ")
            if equals and name.startswith("%"):
                self._defined[name] = rest
                if made := _MAKES_BUFFER.match(rest):
                    self._buffers[name], self._defined[name] = RawBuffer.of(name), f"freeze ptr {made[1]}"

    def add(self, name: str, one: AddressRange) -> None:
        """Say where a value points."""
        self._ranges[name] = one

    def define(self, name: str, instruction: str) -> None:
        """Say what makes a value that the kernel did not have."""
        self._defined[name] = instruction

    def find(self, pointer: str) -> AddressRange | None:
        """Return the range of an address, None where it is not known."""
        return self._find(pointer, set(), self._ranges)

    def find_buffer(self, pointer: str) -> RawBuffer | None:
        """Return the buffer resource that an address comes from, None where that is not known."""
        return self._find(pointer, set(), self._buffers)

    def _find(self, pointer: str, seen: set[str], known: Mapping[str, _Found]) -> _Found | None:
        while pointer not in known:
            if pointer in seen:
                return None
            seen.add(pointer)
            text = self._defined.get(pointer, "")
            if text.startswith(("phi ptr", "select i1")):
                return self._join(text, seen, known)
            derived = _DERIVED.match(text)
            if derived is None:
                return None
            pointer = derived[1]
        return known[pointer]

    def _join(self, text: str, seen: set[str], known: Mapping[str, _Found]) -> _Found | None:
        """A phi or select points where all of its operands do; an operand on a cycle adds nothing."""
        if text.startswith("phi"):
            values = re.findall(r"\[ (\S+), ", text)
        else:
            values = [operand.rsplit(" ", 1)[1] for operand in split_top(text)[1:]]
        found = {self._find(value, seen, known) for value in values if value not in seen}
        return found.pop() if len(found) == 1 else None
