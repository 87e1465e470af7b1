# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites the instructions of a kernel of the LLVM level: calls, checks, and ticks or spins in its loops."""

import re
from itertools import groupby
from typing import NoReturn

from roller_mlir.sim.engine.layout import LaunchFault
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.gpu.kernel_ir import INLINE
from roller_mlir.sim.llvm.assembly.ptx import PtxError
from roller_mlir.sim.llvm.assembly.statement import rewrite_assembly
from roller_mlir.sim.llvm.assembly.table import find_statement, find_string
from roller_mlir.sim.llvm.call import Expansion, IntrinsicCall, UnknownIntrinsicError
from roller_mlir.sim.llvm.calls.copies import wait_for_copies
from roller_mlir.sim.llvm.calls.intrinsics import expansion
from roller_mlir.sim.llvm.calls.lds import COPIES, RELEASES
from roller_mlir.sim.llvm.calls.math import math_text
from roller_mlir.sim.llvm.calls.raw_buffers import access_buffer
from roller_mlir.sim.llvm.context import HELPER, Context, InstructionContext
from roller_mlir.sim.llvm.memory import BUFFER, AddressRange, LlvmAccess, is_seen
from roller_mlir.sim.llvm.polls import LoopPolls
from roller_mlir.sim.llvm.text.instruction import ASSEMBLY, LlvmInstruction
from roller_mlir.sim.llvm.text.known import ACCESSES, DIVISIONS
from roller_mlir.sim.llvm.text.module import KernelText
from roller_mlir.sim.llvm.text.types import TYPE, is_known, size_bytes

_ALLOCA = re.compile(rf"%\S+ = alloca (?:inalloca )?({TYPE}),.* align (\d+)")
_CALL_FLAGS = re.compile(r"(?:%\S+ = )?(?:\w+ )?call((?: (?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc))*) ")
_BUNDLE_ALIGN = re.compile(r'"align"\((ptr(?: addrspace<\d+>)? [^\s,]+), i\d+ (\d+)\)')
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
_MOST_PRIVATE_BYTES, _MOST_ALIGNMENT_BYTES = 64 << 10, 128
_Blocks = list[tuple[str, list[LlvmInstruction]]]


class Rewriter:
    """Rewrites one kernel."""

    def __init__(self, kernel: KernelText, context: Context) -> None:
        """Take the kernel; what it needs is noted in the context."""
        self._kernel, self._context = kernel, context
        self._private_bytes, self._in_entry = 0, True
        self._copies_to_lds = any(COPIES.match(one.callee) for one in kernel.body)
        context.needs.copies = self._copies_to_lds
        self._polls = LoopPolls(kernel.defined)
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
        parts = [(label, list(inside)) for label, inside in groupby(self._kernel.body, lambda one: one.block)]
        places = {label: number for number, (label, _) in enumerate(parts)}
        waits = self._loops(parts, places)
        lines: list[str] = []
        for number, (label, instructions) in enumerate(parts):
            lines.append(f"{label}:")
            started = False
            if number == 0:
                lines += [f"  {line}" for line in first]
            self._in_entry = number == 0
            for one in instructions:
                if number in waits and not started and one.opcode != "phi":
                    started = True
                    lines.append(f"  {self._loop(one.number, number, *waits[number])}")
                lines += [f"  {line}" for line in self._poll(number, one, places)]
                lines += [f"  {line}" for line in self._instruction(one)]
        return lines

    def _loops(self, parts: _Blocks, places: dict[str, int]) -> dict[int, tuple[bool, int]]:
        """Return the blocks that an own or later block branches to, whether the loop waits for memory, and its end."""
        found: dict[int, tuple[bool, int]] = {}
        for number, (_, instructions) in enumerate(parts):
            for label in instructions[-1].labels:
                head = places[label]
                if head <= number:
                    inside = (one for _, more in parts[head : number + 1] for one in more)
                    waits = any(one.opcode != "store" and is_seen(one) for one in inside)
                    before = found.get(head, (False, number))[0]
                    found[head] = before or waits, number
        return found

    def _loop(self, at: int, head: int, waits: bool, last: int) -> str:
        function, site = f"{PREFIX}spin" if waits else f"{INLINE}tick", self._context.site(at, "loop")
        if waits:
            self._spins[head] = last, site
        return f"call void @{function}(i64 %roller.block, i64 {site})"

    def _poll(self, number: int, one: LlvmInstruction, places: dict[str, int]) -> list[str]:
        """Note what a branch that may leave a spin loop looks at."""
        if one.opcode != "br" or len(one.labels) != 2:
            return []
        for head, (last, site) in reversed(self._spins.items()):
            stays = [head <= places[label] <= last for label in one.labels]
            if head <= number <= last and stays[0] != stays[1]:
                lines = self._polls.lines(one.operands[0][1], stays[1], site, self._context.fresh)
                self._context.needs.polls |= bool(lines)
                return lines
        return []

    def _refuse(self, at: int, message: str) -> NoReturn:
        self._context.refuse(at, message)

    def _instruction(self, one: LlvmInstruction) -> list[str]:
        at, opcode, line = one.number, one.opcode, one.line
        if opcode == "call":
            return self._assembly(one) if one.callee == ASSEMBLY else self._call(one)
        if opcode in ACCESSES:
            access = LlvmAccess.of(one)
            if access is None:
                self._refuse(at, f"this {opcode} cannot be simulated: {line[:80]}")
            return self._access(access)
        if opcode == "alloca":
            return self._alloca(one)
        if opcode in DIVISIONS:
            return self._divide(one)
        if opcode == "fence":
            waits = self._copies_to_lds and RELEASES.match(line)
            return [*(wait_for_copies(InstructionContext(self._context, at, "fence"), 0) if waits else []), line]
        if opcode == "unreachable":
            return [self._stop(at, "unreachable"), line]
        if opcode in ("br", "switch"):
            (kind, value), *_ = one.operands
            if kind != "label" and value.startswith("%"):
                # A value without meaning may not choose the way: behind it LLVM would leave out the rest.
                chosen = self._context.fresh()
                return [f"{chosen} = freeze {kind} {value}", f"{opcode} {kind} {chosen},{line.partition(',')[2]}"]
        return [line]

    def _divide(self, one: LlvmInstruction) -> list[str]:
        """Check a division of integers, element by element, and divide what was checked."""
        kind, below, signed = one.kind, one.constant(1), one.opcode.startswith("s")
        vector = one.vector()
        lines: list[str] = []
        values: list[str] = []
        for _, value in one.operands:
            values.append(self._context.fresh())
            lines.append(f"{values[-1]} = freeze {kind} {value}")
        if below is not None and below not in (0, -1):
            return [one.line]
        count, element = vector or (1, kind)
        if not element.startswith("i"):
            self._refuse(one.number, f"a division of {kind} cannot be simulated")
        for lane in range(count):
            pair = list(values)
            if vector:
                pair = [self._context.fresh(), self._context.fresh()]
                for name, value in zip(pair, values, strict=True):
                    lines.append(f"{name} = extractelement {kind} {value}, i64 {lane}")
            lines += self._check_division(one, element, pair, signed=signed)
        return [*lines, f"{one.result} = {one.opcode} {kind} {values[0]}, {values[1]}"]

    def _check_division(self, one: LlvmInstruction, kind: str, pair: list[str], *, signed: bool) -> list[str]:
        ok, (above, below) = self._context.fresh(), pair
        lines = [f"{ok} = icmp ne {kind} {below}, 0"]
        if signed:
            least, minus, both, fits = (self._context.fresh() for _ in range(4))
            lines += [
                f"{least} = icmp ne {kind} {above}, {-(1 << int(kind[1:]) - 1) if kind != 'i1' else 'true'}",
                f"{minus} = icmp ne {kind} {below}, {-1 if kind != 'i1' else 'true'}",
                f"{fits} = or i1 {least}, {minus}",
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
        site = self._context.site(one.number, one.opcode)
        values = f"i64 {wide[0]}, i64 {wide[1]}"
        return [*lines, f"call void @{HELPER}division(i64 %roller.block, i64 {site}, i1 {ok}, {values})"]

    def _stop(self, at: int, op: str) -> str:
        site = self._context.site(at, op)
        return f"call void @{PREFIX}fault(i64 %roller.block, i64 {int(LaunchFault.PROMISE)}, i64 {site})"

    def _call(self, one: LlvmInstruction) -> list[str]:
        at, callee, definitions = one.number, one.callee, self._context.definitions
        if callee == "llvm.assume":
            return self._assume(one)
        if callee in _TRAPS:
            return [self._stop(at, callee)]
        if known := expansion(callee):
            return self._expand(one, *known)
        if _DROPPED.fullmatch(callee):
            return []
        if _KNOWN.fullmatch(callee):
            return [self._plain_call(one)]
        if _MEMORY_COPIES.fullmatch(callee):
            return self._copy(one)
        if callee not in definitions:
            text = math_text(callee) if callee.startswith(("__nv_", "__ocml_")) else None
            if text is None:
                what = "intrinsic" if callee.startswith("llvm.") else "function"
                self._refuse(at, f"{what} '{callee}' is not known to the simulator")
            definitions[callee] = text
        return [self._plain_call(one)]

    def _require_types(self, one: LlvmInstruction) -> None:
        if not all(is_known(kind) for kind in (one.kind, *(kind for kind, _ in one.operands))):
            self._refuse(one.number, f"this call of '{one.callee}' cannot be simulated")

    def _expand(self, one: LlvmInstruction, expand: Expansion, match: re.Match[str]) -> list[str]:
        self._require_types(one)
        kernel, lines = InstructionContext(self._context, one.number, one.callee), list[str]()
        operands = tuple(kernel.frozen(*operand, lines) for operand in one.operands)
        call = IntrinsicCall(
            match=match, result=one.result, kind=one.kind, operands=operands, instruction=one, kernel=kernel
        )
        try:
            return [*lines, *expand(call)]
        except UnknownIntrinsicError as error:
            self._refuse(one.number, f"{error} is not known to the simulator")

    def _plain_call(self, one: LlvmInstruction) -> str:
        """Spell a call with types and values alone: what attributes promise is not checked."""
        self._require_types(one)
        flags = _CALL_FLAGS.match(one.line)
        assert flags is not None, one.line
        given = ", ".join(map(" ".join, one.operands))
        return f"{f'{one.result} = ' if one.result else ''}call{flags[1]} {one.kind} @{one.callee}({given})"

    def _assembly(self, one: LlvmInstruction) -> list[str]:
        kernel = InstructionContext(self._context, one.number, "asm")
        try:
            return rewrite_assembly(one, kernel, find_statement, find_string)
        except (PtxError, UnknownIntrinsicError) as error:
            self._refuse(one.number, f"inline assembly cannot be simulated: {error}")

    def _assume(self, one: LlvmInstruction) -> list[str]:
        lines: list[str] = []
        site, condition = self._context.site(one.number, one.callee), one.operands[0][1]
        if condition != "true":
            lines.append(f"call void @{HELPER}promise(i64 %roller.block, i64 {site}, i1 {condition})")
        for pointer, alignment in _BUNDLE_ALIGN.findall(one.line):
            lines += self._context.aligned(site, pointer, int(alignment))
        return lines

    def _alloca(self, one: LlvmInstruction) -> list[str]:
        at, name, count, found = one.number, one.result, one.constant(0), _ALLOCA.match(one.line)
        if found is None:
            self._refuse(at, f"this alloca cannot be simulated: {one.line[:80]}")
        kind, alignment = found.groups()
        element = size_bytes(kind)
        if count is None or count < 0:
            self._refuse(at, "an alloca of a size that is not constant cannot be simulated")
        if element is None:
            self._refuse(at, f"an alloca of type {kind} cannot be simulated")
        size = element * count
        self._private_bytes += size
        if self._private_bytes > _MOST_PRIVATE_BYTES:
            self._refuse(
                at, f"its threads need {self._private_bytes} B of memory of their own; {_MOST_PRIVATE_BYTES} fit"
            )
        if not self._in_entry:
            self._refuse(at, "an alloca outside the first block cannot be simulated")
        flat = name if one.kind == "ptr" else f"{name}.flat"
        lines = [f"{flat} = alloca [{size} x i8], align {min(int(alignment), _MOST_ALIGNMENT_BYTES)}"]
        if flat != name:
            lines.append(f"{name} = addrspacecast ptr {flat} to {one.kind}")
        lines.append(f"{name}.first = ptrtoint ptr {flat} to i64")
        lines.append(f"{name}.last = add i64 {name}.first, {size}")
        self._context.roots.add(name, AddressRange(first=f"{name}.first", last=f"{name}.last", label="private memory"))
        return lines

    def _access(self, access: LlvmAccess) -> list[str]:
        """Check an access, and access the address that was checked: a value without meaning is frozen first."""
        at, opcode, (kind, value) = access.instruction.number, access.instruction.opcode, access.pointer
        size = size_bytes(access.kind)
        if size is None:
            self._refuse(at, f"an access of type {access.kind} cannot be simulated")
        kernel = InstructionContext(self._context, at, opcode)
        frozen, defines = kernel.emitted(f"freeze {kind} {value}")
        pointer = f"{kind} {frozen}"
        if kind == BUFFER and (buffer := access_buffer(kernel, access, pointer, size)) is not None:
            aligned = kernel.aligned(pointer, access.alignment) if access.alignment > 1 else []
            return [defines, *aligned, *buffer]
        lines, site = self._context.inside(at, opcode, pointer, str(size))
        if access.alignment > 1:
            lines += self._context.aligned(site, pointer, access.alignment)
        return [defines, *lines, *access.at(frozen)]

    def _copy(self, one: LlvmInstruction) -> list[str]:
        """Check a copy or fill of memory, and copy what was checked."""
        at, callee, lines = one.number, one.callee, list[str]()
        kernel = InstructionContext(self._context, at, callee)
        spelled = [kernel.frozen(*operand, lines) for operand in one.operands]
        kind, size = spelled[2]
        if kind == "i32":
            wide = self._context.fresh()
            lines.append(f"{wide} = zext i32 {size} to i64")
            size = wide
        for operand in spelled[: 1 if "memset" in callee else 2]:
            lines += self._context.inside(at, callee, " ".join(operand), size)[0]
        return [*lines, f"call void @{callee.replace('.inline', '')}({', '.join(map(' '.join, spelled))})"]
