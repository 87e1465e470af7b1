# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites the instructions of a kernel of the LLVM level: calls, checks, and ticks or spins in its loops."""

import re
from typing import NoReturn

from roller_mlir.sim.kernel_ir import INLINE
from roller_mlir.sim.layout import Fault
from roller_mlir.sim.llvm_assembly import rewrite_assembly
from roller_mlir.sim.llvm_assembly_table import find_statement, find_string
from roller_mlir.sim.llvm_call import HELPER, Call, UnknownIntrinsicError
from roller_mlir.sim.llvm_context import Context, Instruction
from roller_mlir.sim.llvm_copies import wait_for_copies
from roller_mlir.sim.llvm_intrinsics import expansion
from roller_mlir.sim.llvm_lds import COPIES, RELEASES
from roller_mlir.sim.llvm_math import math_text
from roller_mlir.sim.llvm_memory import WAITS_FOR_MEMORY, Access, Range, parse_access
from roller_mlir.sim.llvm_ptx import PtxError
from roller_mlir.sim.llvm_text import NAME, TYPE, KernelText, blocks, enclosed, plain, split_top
from roller_mlir.sim.llvm_types import operand_value, size_bytes
from roller_mlir.sim.runtime_ir import PREFIX

_CALL = re.compile(r"(?:(%\S+) = )?(?:(?:tail|musttail|notail) )?(?:call|invoke|callbr)\b(.*)$")
_ALLOCA = re.compile(
    rf"(%\S+) = alloca (?:inalloca )?({TYPE})(?:, i\d+ (\S+?))?(?:, align \d+)?(?:, addrspace<(\d+)>)?$"
)
_DIVIDE = re.compile(r"%\S+ = [us](?:div|rem) (?:exact )?(i\d+) \S+, (%\S+)$")
_BUNDLE_ALIGN = re.compile(r'"align"\((ptr(?: addrspace<\d+>)? [^\s,]+), i\d+ (\d+)\)')
_KNOWN = re.compile(
    r"llvm\.(?:fma|fmuladd|exp|exp2|exp10|log|log2|log10|sqrt|sin|cos|tan|sinh|cosh|tanh|asin|acos|atan|atan2|pow|powi|"
    r"floor|ceil|trunc|rint|round|roundeven|nearbyint|fabs|copysign|minnum|maxnum|minimum|maximum|minimumnum|"
    r"maximumnum|canonicalize|abs|smax|smin|umax|umin|ctlz|cttz|ctpop|bswap|bitreverse|fshl|fshr|ldexp|is\.fpclass|"
    r"[us](?:add|sub|mul)\.(?:sat|with\.overflow)|[us]shl\.sat|fpto[us]i\.sat|vector\.reduce\.\w+|vector\.insert|"
    r"vector\.extract|expect)(?:\.\w+)*"
)
_DROPPED = re.compile(
    r"llvm\.(?:lifetime\.\w+|invariant\.\w+|experimental\.noalias\.scope\.decl|sideeffect|donothing|fake\.use|dbg)(?:\.\w+)*"
)
_TRAPS = ("llvm.trap", "llvm.debugtrap", "llvm.ubsantrap")
_MEMORY_COPIES = re.compile(r"llvm\.(?:memcpy|memmove|memset)(?:\.inline)?(?:\.\w+)*")


class Rewriter:
    """Rewrites one kernel."""

    def __init__(self, kernel: KernelText, context: Context) -> None:
        """Take the kernel; what it needs is noted in the context."""
        self._kernel, self._context = kernel, context
        self._copies_to_lds = any(COPIES.search(line) for _, line in kernel.body)
        context.copies = self._copies_to_lds

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
        waits = self._loops(parts)
        lines: list[str] = []
        for number, (label, instructions) in enumerate(parts):
            lines.append(f"{label}:" if re.fullmatch(r"[\w.$-]+", label) else f'"{label}":')
            started = False
            if number == 0:
                lines += [f"  {line}" for line in first]
            for at, line in instructions:
                if number in waits and not started and " = phi " not in line:
                    started = True
                    lines.append(f"  {self._loop(at, waits[number])}")
                lines += [f"  {one}" for one in self._instruction(at, line.strip())]
        return lines

    def _loops(self, parts: list[tuple[str, list[tuple[int, str]]]]) -> dict[int, bool]:
        """Return the blocks that an own or later block branches to, and whether the loop waits for memory."""
        places = {label: number for number, (label, _) in enumerate(parts)}
        found: dict[int, bool] = {}
        for number, (_, instructions) in enumerate(parts):
            for _, line in instructions:
                for label in re.findall(rf"label %({NAME})", line):
                    head = places[plain(label)]
                    if head <= number:
                        inside = [line for _, more in parts[head : number + 1] for _, line in more]
                        waits = any(WAITS_FOR_MEMORY.search(line) for line in inside)
                        found[head] = found.get(head, False) or waits
        return found

    def _loop(self, at: int, waits: bool) -> str:
        function = f"{PREFIX}spin" if waits else f"{INLINE}tick"
        return f"call void @{function}(i64 %roller.block, i64 {self._context.site(at, 'loop')})"

    def _refuse(self, at: int, message: str) -> NoReturn:
        self._context.refuse(at, message)

    def _instruction(self, at: int, line: str) -> list[str]:
        if " asm " in line and _CALL.match(line):
            return self._assembly(at, line)
        if call := _CALL.match(line):
            return self._call(at, line, call[1] or "", call[2])
        if access := parse_access(line):
            return [*self._check(at, access), line, *access.after]
        if found := _ALLOCA.match(line):
            return self._alloca(at, line, found)
        if found := _DIVIDE.match(line):
            ok = self._context.fresh()
            check = (
                f"call void @{HELPER}nonzero(i64 %roller.block, i64 {self._context.site(at, line.split()[2])}, i1 {ok})"
            )
            return [f"{ok} = icmp ne {found[1]} {found[2]}, 0", check, line]
        if self._copies_to_lds and RELEASES.match(line):
            return [*wait_for_copies(Instruction(self._context, at, "fence"), 0), line]
        if line == "unreachable":
            return [self._stop(at, "unreachable"), line]
        return [line]

    def _stop(self, at: int, op: str) -> str:
        site = self._context.site(at, op)
        return f"call void @{PREFIX}fault(i64 %roller.block, i64 {int(Fault.PROMISE)}, i64 {site})"

    def _call(self, at: int, line: str, result: str, rest: str) -> list[str]:
        found = re.search(rf"@({NAME})\(", rest)
        if found is None:
            self._refuse(at, "an indirect call cannot be simulated")
        callee = plain(found[1])
        operands = split_top(enclosed(rest, found.end() - 1))
        if callee == "llvm.assume":
            return self._assume(at, operands[0], rest)
        if callee in _TRAPS:
            return [self._stop(at, callee)]
        if expand := expansion(callee):
            kind = re.search(rf"({TYPE})\s*$", rest[: found.start()])
            assert kind is not None, line
            kinds = [re.match(TYPE, operand) for operand in operands]
            pairs = tuple(
                (given[0] if given else "", operand_value(operand))
                for given, operand in zip(kinds, operands, strict=True)
            )
            kernel = Instruction(self._context, at, callee)
            call = Call(callee=callee, result=result, kind=kind[1], operands=pairs, kernel=kernel)
            try:
                return expand(call)
            except UnknownIntrinsicError as error:
                self._refuse(at, f"{error} is not known to the simulator")
        if _DROPPED.fullmatch(callee):
            return []
        if _KNOWN.fullmatch(callee):
            return [line]
        if _MEMORY_COPIES.fullmatch(callee):
            return [*self._check_copy(at, callee, operands), line]
        if callee not in self._context.definitions:
            text = math_text(callee) if callee.startswith(("__nv_", "__ocml_")) else None
            if text is None:
                what = "intrinsic" if callee.startswith("llvm.") else "function"
                self._refuse(at, f"{what} '{callee}' is not known to the simulator")
            self._context.definitions[callee] = text
        return [line]

    def _assembly(self, at: int, line: str) -> list[str]:
        result, equals, text = line.partition(" = ")
        kernel = Instruction(self._context, at, "asm")
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
        lines = [line]
        if space:
            plain_line = line.replace(f", addrspace<{space}>", "").replace(name, f"{name}.flat", 1)
            lines = [plain_line, f"{name} = addrspacecast ptr {name}.flat to ptr addrspace<{space}>"]
        if size is not None:
            where = f"ptr {name}.flat" if space else f"ptr {name}"
            lines.append(f"{name}.first = ptrtoint {where} to i64")
            lines.append(f"{name}.last = add i64 {name}.first, {size * int(count or 1)}")
            self._context.roots.add(name, Range(first=f"{name}.first", last=f"{name}.last", label="private memory"))
        return lines

    def _check(self, at: int, access: Access) -> list[str]:
        size = size_bytes(access.kind)
        if size is None:
            self._refuse(at, f"an access of type {access.kind} cannot be simulated")
        pointer = f"ptr addrspace<{access.space}>" if access.space else "ptr"
        lines, site = self._context.inside(at, access.op, f"{pointer} {access.pointer}", str(size))
        if access.alignment > 1:
            lines += self._context.aligned(site, f"{pointer} {access.pointer}", access.alignment)
        return lines

    def _check_copy(self, at: int, callee: str, operands: list[str]) -> list[str]:
        lines: list[str] = []
        size = operands[2].rsplit(" ", 1)[1]
        if operands[2].startswith("i32"):
            wide = self._context.fresh()
            lines.append(f"{wide} = zext i32 {size} to i64")
            size = wide
        for operand in operands[: 1 if "memset" in callee else 2]:
            kind = re.match(TYPE, operand)
            assert kind is not None, operand
            lines += self._context.inside(at, callee, f"{kind[0]} {operand.rsplit(' ', 1)[1]}", size)[0]
        return lines
