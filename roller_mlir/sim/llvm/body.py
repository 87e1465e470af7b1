# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites the instructions of a kernel of the LLVM level: calls, checks, and ticks or spins in its loops."""

import re
from typing import NoReturn

from roller_mlir.sim.engine.layout import LaunchFault
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.gpu.kernel_ir import INLINE
from roller_mlir.sim.llvm.assembly.ptx import PtxError
from roller_mlir.sim.llvm.assembly.statement import rewrite_assembly
from roller_mlir.sim.llvm.assembly.table import find_statement, find_string
from roller_mlir.sim.llvm.call import IntrinsicCall, UnknownIntrinsicError
from roller_mlir.sim.llvm.calls.copies import wait_for_copies
from roller_mlir.sim.llvm.calls.intrinsics import expansion
from roller_mlir.sim.llvm.calls.lds import COPIES, RELEASES
from roller_mlir.sim.llvm.calls.math import math_text
from roller_mlir.sim.llvm.calls.raw_buffers import access_buffer
from roller_mlir.sim.llvm.context import HELPER, Context, InstructionContext
from roller_mlir.sim.llvm.known import ACCESSES, ASSEMBLY, DIVISIONS, callee_of, opcode_of
from roller_mlir.sim.llvm.memory import BUFFER, POINTER, WAITS_FOR_MEMORY, AddressRange, LlvmAccess, parse_access
from roller_mlir.sim.llvm.polls import LoopPolls
from roller_mlir.sim.llvm.text import NAME, TYPE, KernelText, blocks, enclosed, plain, split_top
from roller_mlir.sim.llvm.types import operand_value, size_bytes

_CALL = re.compile(r"(?:(%\S+) = )?(?:(?:tail|musttail|notail) )?(?:call|invoke|callbr)\b(.*)$")
_ALLOCA = re.compile(
    rf"(%\S+) = alloca (?:inalloca )?({TYPE})(?:, i\d+ (\S+?))?(?:, align \d+)?(?:, addrspace<(\d+)>)?$"
)
_DIVIDE = re.compile(rf"(%\S+) = ([us])(div|rem) (?:exact )?({TYPE}) (.+)$")
_BRANCH = re.compile(r"(br i1|switch i\d+) (%[^\s,]+),(.*)$")
_CALL_FLAGS = r"(?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc)"
_BUNDLE_ALIGN = re.compile(r'"align"\((ptr(?: addrspace<\d+>)? [^\s,]+), i\d+ (\d+)\)')
_ALIGN = re.compile(r"\balign (\d+) ")
_KNOWN = re.compile(
    r"llvm\.(?:fma|fmuladd|exp|exp2|exp10|log|log2|log10|sqrt|sin|cos|tan|sinh|cosh|tanh|asin|acos|atan|atan2|pow|powi|"
    r"floor|ceil|trunc|rint|round|roundeven|nearbyint|fabs|copysign|minnum|maxnum|minimum|maximum|minimumnum|"
    r"maximumnum|canonicalize|abs|smax|smin|umax|umin|ctlz|cttz|ctpop|bswap|bitreverse|fshl|fshr|ldexp|frexp|is\.fpclass|"
    r"[us](?:add|sub|mul)\.(?:sat|with\.overflow)|[us]shl\.sat|fpto[us]i\.sat|"
    r"vector\.(?:reduce\.\w+|insert|extract|reverse|splice(?:\.\w+)?|(?:de)?interleave\d)|[us]cmp|expect)(?:\.\w+)*"
)
_DROPPED = re.compile(
    r"llvm\.(?:lifetime\.\w+|invariant\.\w+|experimental\.noalias\.scope\.decl|sideeffect|donothing|fake\.use|dbg)(?:\.\w+)*"
)
_TRAPS = ("llvm.trap", "llvm.debugtrap", "llvm.ubsantrap")
_MEMORY_COPIES = re.compile(r"llvm\.(?:memcpy|memmove|memset)(?:\.inline)?(?:\.p\d+)+\.i(?:32|64)")
_MOST_PRIVATE_BYTES = 64 << 10


class Rewriter:
    """Rewrites one kernel."""

    def __init__(self, kernel: KernelText, context: Context) -> None:
        """Take the kernel; what it needs is noted in the context."""
        self._kernel, self._context = kernel, context
        self._private_bytes, self._in_entry = 0, True
        self._copies_to_lds = any(COPIES.search(line) for _, line in kernel.body)
        context.needs.copies = self._copies_to_lds
        self._polls = LoopPolls.of(kernel.body)
        self._spins: dict[int, tuple[int, int]] = {}

    def check_arguments(self) -> list[str]:
        """Return checks of the alignment that parameters promise."""
        lines: list[str] = []
        for number, parameter in enumerate(self._kernel.parameters):
            found = re.search(r"\balign (\d+)", parameter.attributes)
            if found and int(found[1]) > 1 and not parameter.by_value:
                site = self._context.site(0, "parameter", f"argument {number}")
                lines += self._context.aligned(site, f"{parameter.kind} {parameter.name}", int(found[1]))
        return lines

    def body(self, first: list[str]) -> list[str]:
        """Return the kernel's blocks.

        Args:
            first: Instructions for the start of the first block.
        """
        parts = list(blocks(self._kernel.body, self._kernel.entry))
        places = {label: number for number, (label, _) in enumerate(parts)}
        waits = self._loops(parts, places)
        lines: list[str] = []
        for number, (label, instructions) in enumerate(parts):
            lines.append(f"{label}:" if re.fullmatch(r"[\w.$-]+", label) else f'"{label}":')
            started = False
            if number == 0:
                lines += [f"  {line}" for line in first]
            self._in_entry = number == 0
            for at, line in instructions:
                if number in waits and not started and " = phi " not in line:
                    started = True
                    lines.append(f"  {self._loop(at, number, *waits[number])}")
                lines += [f"  {one}" for one in self._poll(number, line.strip(), places)]
                lines += [f"  {one}" for one in self._instruction(at, line.strip())]
        return lines

    def _loops(
        self, parts: list[tuple[str, list[tuple[int, str]]]], places: dict[str, int]
    ) -> dict[int, tuple[bool, int]]:
        """Return the blocks that an own or later block branches to, whether the loop waits for memory, and its end."""
        found: dict[int, tuple[bool, int]] = {}
        for number, (_, instructions) in enumerate(parts):
            for _, line in instructions:
                for label in re.findall(rf"label %({NAME})", line):
                    head = places[plain(label)]
                    if head <= number:
                        inside = [line for _, more in parts[head : number + 1] for _, line in more]
                        waits = any(WAITS_FOR_MEMORY.search(line) for line in inside)
                        before = found.get(head, (False, number))[0]
                        found[head] = before or waits, number
        return found

    def _loop(self, at: int, head: int, waits: bool, last: int) -> str:
        function, site = f"{PREFIX}spin" if waits else f"{INLINE}tick", self._context.site(at, "loop")
        if waits:
            self._spins[head] = last, site
        return f"call void @{function}(i64 %roller.block, i64 {site})"

    def _poll(self, number: int, line: str, places: dict[str, int]) -> list[str]:
        """Note what a branch that may leave a spin loop looks at."""
        found = _BRANCH.match(line)
        labels = [places[plain(label)] for label in re.findall(rf"label %({NAME})", line)]
        if found is None or found[1] != "br i1" or len(labels) != 2:
            return []
        for head, (last, site) in reversed(self._spins.items()):
            stays = [head <= label <= last for label in labels]
            if head <= number <= last and stays[0] != stays[1]:
                lines = self._polls.lines(found[2], stays[1], site, self._context.fresh)
                self._context.needs.polls |= bool(lines)
                return lines
        return []

    def _refuse(self, at: int, message: str) -> NoReturn:
        self._context.refuse(at, message)

    def _instruction(self, at: int, line: str) -> list[str]:
        opcode = opcode_of(line)
        if opcode == "call":
            if callee_of(line) == ASSEMBLY:
                return self._assembly(at, line)
            call = _CALL.match(line)
            assert call is not None, line
            return self._call(at, line, call[1] or "", call[2])
        if opcode in ACCESSES:
            access = parse_access(line)
            if access is None or access.op != opcode:
                self._refuse(at, f"this {opcode} cannot be simulated: {line[:80]}")
            return self._access(at, access)
        if opcode == "alloca":
            found = _ALLOCA.match(line)
            if found is None:
                self._refuse(at, f"this alloca cannot be simulated: {line[:80]}")
            return self._alloca(at, line, found)
        if opcode in DIVISIONS:
            return self._divide(at, line)
        if opcode == "fence":
            waits = self._copies_to_lds and RELEASES.match(line)
            return [*(wait_for_copies(InstructionContext(self._context, at, "fence"), 0) if waits else []), line]
        if opcode == "unreachable":
            return [self._stop(at, "unreachable"), line]
        if found := _BRANCH.match(line):
            # A value without meaning may not choose the way: behind it LLVM would leave out the rest.
            chosen, kind = self._context.fresh(), found[1].split(" ")[1]
            return [f"{chosen} = freeze {kind} {found[2]}", f"{found[1]} {chosen},{found[3]}"]
        return [line]

    def _divide(self, at: int, line: str) -> list[str]:
        """Check a division of integers, element by element, and divide what was checked."""
        found = _DIVIDE.match(line)
        assert found is not None, line
        result, sign, operation, kind, rest = found.groups()
        above, below = split_top(rest)
        vector = re.match(r"<(\d+) x i(\d+)>$", kind)
        lines: list[str] = []
        values: list[str] = []
        for value in (above, below):
            values.append(self._context.fresh())
            lines.append(f"{values[-1]} = freeze {kind} {value}")
        if not vector and re.fullmatch(r"-?\d+", below) and int(below) not in (0, -1):
            return [line]
        element = f"i{vector[2]}" if vector else kind
        for lane in range(int(vector[1]) if vector else 1):
            pair = list(values)
            if vector:
                pair = [self._context.fresh(), self._context.fresh()]
                for name, value in zip(pair, values, strict=True):
                    lines.append(f"{name} = extractelement {kind} {value}, i64 {lane}")
            lines += self._check_division(at, line, element, pair, signed=sign == "s")
        return [*lines, f"{result} = {sign}{operation} {kind} {values[0]}, {values[1]}"]

    def _check_division(self, at: int, line: str, kind: str, pair: list[str], *, signed: bool) -> list[str]:
        ok, (above, below) = self._context.fresh(), pair
        lines = [f"{ok} = icmp ne {kind} {below}, 0"]
        if signed:
            least, one, both, fits = (self._context.fresh() for _ in range(4))
            lines += [
                f"{least} = icmp ne {kind} {above}, {-(1 << int(kind[1:]) - 1) if kind != 'i1' else 'true'}",
                f"{one} = icmp ne {kind} {below}, {-1 if kind != 'i1' else 'true'}",
                f"{fits} = or i1 {least}, {one}",
                f"{both} = and i1 {ok}, {fits}",
            ]
            ok = both
        wide: list[str] = []
        width, extend = int(kind[1:]), "sext" if signed else "zext"
        for value in pair:
            wide.append(self._context.fresh())
            how = "trunc" if width > 64 else extend
            lines.append(
                f"{wide[-1]} = add i64 {value}, 0" if width == 64 else f"{wide[-1]} = {how} {kind} {value} to i64"
            )
        site = self._context.site(at, line.split()[2])
        values = f"i64 {wide[0]}, i64 {wide[1]}"
        return [*lines, f"call void @{HELPER}division(i64 %roller.block, i64 {site}, i1 {ok}, {values})"]

    def _stop(self, at: int, op: str) -> str:
        site = self._context.site(at, op)
        return f"call void @{PREFIX}fault(i64 %roller.block, i64 {int(LaunchFault.PROMISE)}, i64 {site})"

    def _call(self, at: int, line: str, result: str, rest: str) -> list[str]:
        found = re.search(rf"@({NAME})\(", rest)
        assert found is not None, line
        callee = plain(found[1])
        operands = split_top(enclosed(rest, found.end() - 1))
        if callee == "llvm.assume":
            return self._assume(at, operands[0], rest)
        if callee in _TRAPS:
            return [self._stop(at, callee)]
        if known := expansion(callee):
            expand, match = known
            kind = re.search(rf"({TYPE})\s*$", rest[: found.start()])
            if kind is None:
                self._refuse(at, f"this call of '{callee}' cannot be simulated")
            kinds = [re.match(TYPE, operand) for operand in operands]
            kernel = InstructionContext(self._context, at, callee)
            lines: list[str] = []
            pairs = tuple(
                self._freeze(kernel, given[0] if given else "", operand_value(operand), lines)
                for given, operand in zip(kinds, operands, strict=True)
            )
            alignments = tuple(int(given[1]) if (given := _ALIGN.search(one)) else 1 for one in operands)
            call = IntrinsicCall(
                match=match, result=result, kind=kind[1], operands=pairs, alignments=alignments, kernel=kernel
            )
            try:
                return [*lines, *expand(call)]
            except UnknownIntrinsicError as error:
                self._refuse(at, f"{error} is not known to the simulator")
        if _DROPPED.fullmatch(callee):
            return []
        if _KNOWN.fullmatch(callee):
            return [self._plain_call(at, result, rest[: found.start()], callee, operands)]
        if _MEMORY_COPIES.fullmatch(callee):
            return self._copy(at, callee, operands)
        if callee not in self._context.definitions:
            text = math_text(callee) if callee.startswith(("__nv_", "__ocml_")) else None
            if text is None:
                what = "intrinsic" if callee.startswith("llvm.") else "function"
                self._refuse(at, f"{what} '{callee}' is not known to the simulator")
            self._context.definitions[callee] = text
        return [self._plain_call(at, result, rest[: found.start()], callee, operands)]

    @staticmethod
    def _freeze(kernel: InstructionContext, kind: str, value: str, lines: list[str]) -> tuple[str, str]:
        """Freeze an integer or address: what is checked is then what is used, also where it has no meaning."""
        if value.startswith("%") and re.match(r"ptr|i\d+$", kind):
            value, line = kernel.emitted(f"freeze {kind} {value}")
            lines.append(line)
        return kind, value

    def _plain_call(self, at: int, result: str, before: str, callee: str, operands: list[str]) -> str:
        """Spell a call with types and values alone: what attributes promise is not checked."""
        kind = re.search(rf"({TYPE})\s*$", before)
        kinds = [re.match(TYPE, operand) for operand in operands]
        if kind is None or None in kinds:
            self._refuse(at, f"this call of '{callee}' cannot be simulated")
        flags = "".join(f"{flag} " for flag in re.findall(rf"\b{_CALL_FLAGS}\b", before))
        given = ", ".join(
            f"{one[0]} {operand_value(operand)}" for one, operand in zip(kinds, operands, strict=True) if one
        )
        return f"{f'{result} = ' if result else ''}call {flags}{kind[1]} @{callee}({given})"

    def _assembly(self, at: int, line: str) -> list[str]:
        result, equals, text = line.partition(" = ")
        kernel = InstructionContext(self._context, at, "asm")
        try:
            return rewrite_assembly(
                result if equals else "", text if equals else line, kernel, find_statement, find_string
            )
        except (PtxError, UnknownIntrinsicError) as error:
            self._refuse(at, f"inline assembly cannot be simulated: {error}")

    def _assume(self, at: int, operand: str, rest: str) -> list[str]:
        lines: list[str] = []
        site = self._context.site(at, "llvm.assume")
        condition = operand.rsplit(" ", 1)[-1]
        if condition != "true":
            lines.append(f"call void @{HELPER}promise(i64 %roller.block, i64 {site}, i1 {condition})")
        for pointer, alignment in _BUNDLE_ALIGN.findall(rest):
            lines += self._context.aligned(site, pointer, int(alignment))
        return lines

    def _alloca(self, at: int, line: str, found: re.Match[str]) -> list[str]:
        name, kind, count, space = found.groups()
        size = size_bytes(kind)
        if count is not None and not count.isdigit():
            self._refuse(at, "an alloca of a size that is not constant cannot be simulated")
        if size is None:
            self._refuse(at, f"an alloca of type {kind} cannot be simulated")
        self._private_bytes += size * int(count or 1)
        if self._private_bytes > _MOST_PRIVATE_BYTES:
            self._refuse(
                at, f"its threads need {self._private_bytes} B of memory of their own; {_MOST_PRIVATE_BYTES} fit"
            )
        if not self._in_entry:
            self._refuse(at, "an alloca outside the first block cannot be simulated")
        flat = f"{name}.flat" if space else name
        lines = [f"{flat} = alloca [{size * int(count or 1)} x i8], align {_alignment(line)}"]
        if space:
            lines.append(f"{name} = addrspacecast ptr {flat} to ptr addrspace<{space}>")
        lines.append(f"{name}.first = ptrtoint ptr {flat} to i64")
        lines.append(f"{name}.last = add i64 {name}.first, {size * int(count or 1)}")
        self._context.roots.add(name, AddressRange(first=f"{name}.first", last=f"{name}.last", label="private memory"))
        return lines

    def _access(self, at: int, access: LlvmAccess) -> list[str]:
        """Check an access, and access the address that was checked: a value without meaning is frozen first."""
        size = size_bytes(access.kind)
        if size is None:
            self._refuse(at, f"an access of type {access.kind} cannot be simulated")
        pointer = f"ptr addrspace<{access.space}>" if access.space else "ptr"
        kernel = InstructionContext(self._context, at, access.op)
        frozen, defines = kernel.emitted(f"freeze {pointer} {access.pointer}")
        if (
            access.space == BUFFER
            and (buffer := access_buffer(kernel, access, f"{pointer} {frozen}", size)) is not None
        ):
            aligned = kernel.aligned(f"{pointer} {frozen}", access.alignment) if access.alignment > 1 else []
            return [defines, *aligned, *buffer]
        lines, site = self._context.inside(at, access.op, f"{pointer} {frozen}", str(size))
        if access.alignment > 1:
            lines += self._context.aligned(site, f"{pointer} {frozen}", access.alignment)
        return [defines, *lines, *(one.replace(POINTER, frozen) for one in (access.line, *access.after))]

    def _copy(self, at: int, callee: str, operands: list[str]) -> list[str]:
        """Check a copy or fill of memory, and copy what was checked."""
        lines: list[str] = []
        spelled: list[str] = []
        for operand in operands:
            kind = re.match(TYPE, operand)
            assert kind is not None, operand
            kernel = InstructionContext(self._context, at, callee)
            spelled.append(" ".join(self._freeze(kernel, kind[0], operand_value(operand), lines)))
        size = spelled[2].rsplit(" ", 1)[1]
        if spelled[2].startswith("i32"):
            wide = self._context.fresh()
            lines.append(f"{wide} = zext i32 {size} to i64")
            size = wide
        for operand in spelled[: 1 if "memset" in callee else 2]:
            lines += self._context.inside(at, callee, operand, size)[0]
        plain_callee = callee.replace(".inline", "")
        return [*lines, f"call void @{plain_callee}({', '.join(spelled)})"]


def _alignment(line: str) -> int:
    found = re.search(r", align (\d+)", line)
    return min(int(found[1]), 128) if found else 16
