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
from roller_mlir.sim.llvm.text.instruction import LlvmInstruction
from roller_mlir.sim.llvm.text.module import KernelText
from roller_mlir.sim.llvm.text.types import is_known

_ALIGN = re.compile(r", align (\d+)$")
_SEEN = re.compile(r"(?:%\S+ = )?(?:load|store) (?:atomic|volatile)\b")
# Of instructions that are written here, not read.
_DERIVED = re.compile(
    r"(?:getelementptr|addrspacecast|bitcast|freeze|extractelement)\b.*?"
    r"\bptr(?: addrspace<\d+>)?>? ([^\s,]+)(?:,.*| to .*)?$"
)
_DERIVES = ("getelementptr", "addrspacecast", "bitcast", "freeze", "extractelement")
BUFFER = "ptr addrspace<7>"
"""Type of addresses in buffer resources."""
_MAKES_BUFFER = re.compile(r"(?:llvm\.)?amdgcn\.make\.buffer\.rsrc\.")
_Found = TypeVar("_Found")


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


def is_seen(one: LlvmInstruction) -> bool:
    """Return whether other threads may look on: an access is atomic, or volatile."""
    return one.opcode in ("atomicrmw", "cmpxchg") or _SEEN.match(one.line) is not None


@dataclass(frozen=True, kw_only=True)
class LlvmAccess:
    """A memory access.

    Attributes:
        instruction: The load, store, `atomicrmw` or `cmpxchg`.
        kind: LLVM type of what is moved.
        pointer: Type and value of the address.
    """

    instruction: LlvmInstruction
    kind: str
    pointer: tuple[str, str]

    @classmethod
    def of(cls, one: LlvmInstruction) -> "LlvmAccess | None":
        """Return the access of an instruction, None for one of a type or an address that is not known."""
        place = int(one.opcode == "store")
        pointer = one.operands[place]
        kind = one.kind if one.opcode == "load" else one.operands[1 - place][0]
        return cls(instruction=one, kind=kind, pointer=pointer) if is_known(kind) and " " not in pointer[1] else None

    @property
    def alignment(self) -> int:
        """What it promises, in bytes."""
        found = _ALIGN.search(self.instruction.line)
        assert found is not None, self.instruction.line
        return int(found[1])

    def at(self, address: str) -> list[str]:
        """Return the access of another address, and what notes behind it that memory changed."""
        one, (kind, value) = self.instruction, self.pointer
        cut = one.line.rpartition if one.opcode == "store" else one.line.partition
        before, _, behind = cut(f" {kind} {value}")
        return [f"{before} {kind} {address}{behind}", *self._note(address)]

    def _note(self, address: str) -> list[str]:
        """Tell the scheduler that an atomic changed memory: no other thread has run since."""
        one, result = self.instruction, self.instruction.result
        if one.opcode == "load" or not is_seen(one):
            return []
        if one.opcode == "store" or self.kind.startswith("<"):
            return [f"call void @{PREFIX}leave(i64 %roller.block)"]
        lines = [f"{result}.did = extractvalue {one.kind} {result}, 1"]
        if one.opcode == "atomicrmw":
            compare = "icmp ne" if self.kind.startswith(("i", "ptr")) else "fcmp une"
            lines = [
                f"{result}.new = load {self.kind}, {self.pointer[0]} {address}",
                f"{result}.did = {compare} {self.kind} {result}, {result}.new",
            ]
        return [*lines, f"call void @roller_llvm_changed(i64 %roller.block, i1 {result}.did)"]


class Roots:
    """Where the addresses of a kernel come from."""

    def __init__(self, kernel: KernelText, hoisted: list[str], ranges: dict[str, AddressRange]) -> None:
        """Take the kernel's instructions, those before it, and what is known of arguments and variables."""
        self._kernel, self._ranges = kernel, dict(ranges)
        self._buffers = {one.result: RawBuffer.of(one.result) for one in kernel.body if _MAKES_BUFFER.match(one.callee)}
        self._made = dict(line.split(" = ", 1) for line in hoisted)

    def add(self, name: str, one: AddressRange) -> None:
        """Say where a value points."""
        self._ranges[name] = one

    def define(self, name: str, instruction: str) -> None:
        """Say what makes a value that the kernel did not have."""
        self._made[name] = instruction

    def find(self, pointer: str) -> AddressRange | None:
        """Return the range of an address, None where it is not known."""
        return self._find(pointer, set(), self._ranges)

    def find_buffer(self, pointer: str) -> RawBuffer | None:
        """Return the buffer resource that an address comes from, None where that is not known."""
        return self._find(pointer, set(), self._buffers)

    def _find(self, pointer: str, seen: set[str], known: Mapping[str, _Found]) -> _Found | None:
        while pointer not in known:
            origins = self._origins(pointer)
            if pointer in seen or not origins:
                return None
            seen.add(pointer)
            if len(origins) > 1:
                # It points where all of them do; one on a cycle adds nothing.
                found = {self._find(one, seen, known) for one in origins if one not in seen}
                return found.pop() if len(found) == 1 else None
            (pointer,) = origins
        return known[pointer]

    def _origins(self, pointer: str) -> list[str]:
        """Return the addresses, one of which an address is or lies behind; none where that is not known."""
        if made := _DERIVED.match(self._made.get(pointer, "")):
            return [made[1]]
        one = self._kernel.defined.get(pointer)
        if one is None:
            return []
        values = [value for _, value in one.operands]
        if one.opcode in ("phi", "select"):
            return values[int(one.opcode == "select") :]
        return values[:1] if one.opcode in _DERIVES or pointer in self._buffers else []
