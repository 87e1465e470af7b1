# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is shared while a kernel of the LLVM level is rewritten: sites, names, checks of addresses, what it needs."""

import re
from typing import NoReturn

from roller_mlir.sim.engine.sites import Site, SiteTable
from roller_mlir.sim.gpu.kernel_ir import LaunchNeeds
from roller_mlir.sim.llvm.memory import RawBuffer, Roots
from roller_mlir.sim.llvm.text.module import KernelText

HELPER = "roller_llvm_"
"""Prefix of the functions that are compiled with each kernel at this level."""

_OWN = "%roller.own"
_KINDS = {"load": "load", "store": "store"}


class Context:
    """A kernel that is being rewritten.

    Attributes:
        subgroup_size: Lanes of a subgroup.
        definitions: Functions that are compiled with it, by what asks for them once.
        needs: What its launches need, noted here.
    """

    def __init__(self, kernel: KernelText, table: SiteTable, roots: Roots, subgroup_size: int) -> None:
        """Take what is known of the kernel; sites are added to the table."""
        self.subgroup_size = subgroup_size
        self.definitions: dict[str, str] = {}
        self.needs = LaunchNeeds()
        self._own: dict[int, int] = {}
        self.roots = roots
        self._kernel, self._table, self._names = kernel, table, 0

    def refuse(self, at: int, message: str) -> NoReturn:
        """Raise the error of something that cannot be simulated."""
        self._kernel.refuse(at, message)

    def site(self, at: int, op: str, label: str = "", kind: str = "") -> int:
        """Number an instruction of a line."""
        number = len(self._table)
        place = f"{self._kernel.file}:{at}:1" if at else self._kernel.file
        self._table.sites.append(
            Site(number=number, kernel=self._kernel.name, op=op, label=label, place=place, kind=kind)
        )
        return number

    def fresh(self) -> str:
        """Return a new name of a value."""
        self._names += 1
        return f"%roller.{self._names}"

    def own(self, start: int, size: int) -> str:
        """Return a ptr to a part of the thread's own memory, in bytes; with `.address` behind it, its address."""
        self._own[start] = max(self._own.get(start, 0), size)
        return f"{_OWN}.{start}"

    def own_lines(self) -> list[str]:
        """Return what makes the own memory, for the start of the kernel."""
        if not self._own:
            return []
        end = max(start + size for start, size in self._own.items())
        lines = [f"{_OWN} = alloca [{end} x i8], align 16"]
        for start in self._own:
            lines.append(f"{_OWN}.{start} = getelementptr i8, ptr {_OWN}, i64 {start}")
            lines.append(f"{_OWN}.{start}.address = ptrtoint ptr {_OWN}.{start} to i64")
        return lines

    def aligned(self, site: int, pointer: str, alignment: int, when: str = "true") -> list[str]:
        """Return the check that an address is a multiple of `alignment`, where the i1 `when` holds."""
        address = self.fresh()
        lines = [f"{address} = ptrtoint {pointer} to i64"]
        if when != "true":
            chosen = self.fresh()
            lines.append(f"{chosen} = select i1 {when}, i64 {address}, i64 0")
            address = chosen
        return [
            *lines,
            f"call void @{HELPER}aligned(i64 %roller.block, i64 {site}, i64 {address}, i64 {alignment - 1})",
        ]

    def inside(self, at: int, op: str, pointer: str, size: str, when: str = "true") -> tuple[list[str], int]:
        """Return the check that bytes are inside what their address comes from, where `when` holds, and its site."""
        root = self.roots.find(pointer.rsplit(" ", 1)[1])
        address = self.fresh()
        lines = [f"{address} = ptrtoint {pointer} to i64"]
        site = self.site(at, op, root.label if root else "", _KINDS.get(op, "atomic"))
        guard = "" if when == "true" else "_if"
        span = f"i64 %roller.block, i64 {site}, i64 {address}, i64 {size}"
        if guard:
            span = f"i1 {when}, {span}"
        if root is None:
            return [*lines, f"call void @{HELPER}anywhere{guard}({span})"], site
        return [*lines, f"call void @{HELPER}inside{guard}({span}, i64 {root.first}, i64 {root.last})"], site


class InstructionContext:
    """An instruction, as its expansion sees the kernel around it.

    Attributes:
        needs: What launches of the kernel need, noted here.
    """

    def __init__(self, context: Context, at: int, op: str) -> None:
        """Take its line and name."""
        self._context, self._at, self._op = context, at, op
        self.needs = context.needs

    @property
    def subgroup_size(self) -> int:
        """Lanes of a subgroup."""
        return self._context.subgroup_size

    def site(self) -> int:
        """Number the instruction; one that waits needs it."""
        return self._context.site(self._at, self._op)

    def fresh(self) -> str:
        """Return a new name of a value."""
        return self._context.fresh()

    def emitted(self, instruction: str) -> tuple[str, str]:
        """Return a new name and the line that gives it an instruction's result; checks know where it points."""
        name = self._context.fresh()
        self._context.roots.define(name, instruction)
        return name, f"{name} = {instruction}"

    def frozen(self, kind: str, value: str, lines: list[str]) -> tuple[str, str]:
        """Return type and value of an operand; `lines` take what freezes an integer or address.

        What is checked is then what is used, also where it has no meaning.
        """
        if value.startswith("%") and re.match(r"ptr|i\d+$", kind):
            value, line = self.emitted(f"freeze {kind} {value}")
            lines.append(line)
        return kind, value

    def check(self, pointer: str, size: str, alignment: int, when: str = "true") -> list[str]:
        """Return checks that an access is inside what its address comes from, and aligned.

        Args:
            pointer: Type and value.
            size: In bytes, an i64.
            alignment: In bytes.
            when: An i1: whether it is accessed at all.
        """
        lines, site = self._context.inside(self._at, self._op, pointer, size, when)
        return lines + (self._context.aligned(site, pointer, alignment, when) if alignment > 1 else [])

    def buffer(self, pointer: str) -> RawBuffer | None:
        """Return the buffer resource that an address comes from, None where that is not known."""
        return self._context.roots.find_buffer(pointer)

    def aligned(self, pointer: str, alignment: int) -> list[str]:
        """Return the check that an address is a multiple of `alignment`."""
        return self._context.aligned(self.site(), pointer, alignment)

    def memory(self, start_bytes: int, size_bytes: int) -> str:
        """Return a ptr to a part of the thread's own memory, which all instructions share; it is aligned to 16 B.

        The ptr with `.address` behind it is the address, an i64.
        """
        return self._context.own(start_bytes, size_bytes)

    def define(self, key: str, text: str) -> None:
        """Compile functions with the kernel, once for a key."""
        self._context.definitions[key] = text
