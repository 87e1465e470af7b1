# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inline assembly of the LLVM level: its statements are looked up in tables, as intrinsics are.

    %3 = call { i32, i32 } asm sideeffect "@$5 ld.global.v2.b32 { $0, $1 }, [ $4 + 0 ];", "=r,=r,0,1,l,b"(...)

Registers are values of the rewritten kernel: `Assembly` gives a statement those that it reads, and takes those that it
writes. Assembly with labels is known as a whole or not at all.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from roller_mlir.sim.llvm.assembly.ptx import (
    NOTHING,
    AssemblyStatement,
    PtxError,
    address,
    group,
    immediate,
    one_line,
    statements,
    unescape,
)
from roller_mlir.sim.llvm.context import InstructionContext
from roller_mlir.sim.llvm.text.instruction import LlvmInstruction
from roller_mlir.sim.llvm.text.module import split_top
from roller_mlir.sim.llvm.text.types import is_known, size_bits

_ASM = re.compile(r' asm(?: \w+)* "([^"]*)", "([^"]*)"\(')
_LABEL = re.compile(r"[\w${}:]+:(?:\s|$)")


@dataclass(kw_only=True)
class Assembly:
    """Inline assembly while it is rewritten.

    Attributes:
        kernel: The kernel around it.
        lines: What has been written of it.
        values: Types and values of registers.
        statement: The statement that is being rewritten.
    """

    kernel: InstructionContext
    lines: list[str] = field(default_factory=list[str])
    values: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    statement: AssemblyStatement = NOTHING

    def emit(self, line: str) -> None:
        """Append an instruction."""
        self.lines.append(line)

    def emitted(self, instruction: str) -> str:
        """Append an instruction with a result, and return the result."""
        name, line = self.kernel.emitted(instruction)
        self.lines.append(line)
        return name

    def refuse(self, why: str) -> PtxError:
        """Return the error of a statement that is not known."""
        return PtxError(f"'{self.statement.opcode}' {why}")

    def operand(self, number: int) -> str:
        """Return an operand of the statement as it is spelled."""
        if number >= len(self.statement.operands):
            raise self.refuse(f"has {len(self.statement.operands)} operands")
        return self.statement.operands[number]

    def group(self, number: int) -> tuple[str, ...]:
        """Return the registers of an operand."""
        return group(self.operand(number))

    def constant(self, number: int) -> int:
        """Return an operand that must be a constant, itself or as what LLVM passes for it."""
        spelled = self.operand(number)
        found = immediate(self.values.get(spelled, ("", spelled))[1])
        if found is None:
            raise self.refuse(f"whose operand {number} is not constant")
        return found

    def read(self, register: str, kind: str) -> str:
        """Return the bits of a register or constant as a value of an integer or floating-point type."""
        width = size_bits(kind)
        assert width is not None
        constant = immediate(register)
        if constant is not None:
            value = str(constant % 2**width)
            return value if kind.startswith("i") else self.emitted(f"bitcast i{width} {value} to {kind}")
        if register not in self.values:
            raise self.refuse(f"reads '{register}', which has no value")
        given, value = self.values[register]
        if given == kind:
            return value
        if given.startswith("ptr"):
            value, given = self.emitted(f"ptrtoint {given} {value} to i64"), "i64"
        bits = size_bits(given)
        assert bits is not None, given
        if not given.startswith("i"):
            value = self.emitted(f"bitcast {given} {value} to i{bits}")
        if bits != width:
            value = self.emitted(f"{'trunc' if bits > width else 'zext'} i{bits} {value} to i{width}")
        return value if kind.startswith("i") else self.emitted(f"bitcast i{width} {value} to {kind}")

    def write(self, register: str, kind: str, value: str) -> None:
        """Give a register a value; where the statement has a predicate that is false, it keeps its own."""
        when = self.when()
        if when != "true" and register in self.values:
            value = self.emitted(f"select i1 {when}, {kind} {value}, {kind} {self.read(register, kind)}")
        self.values[register] = kind, value

    def when(self) -> str:
        """Return an i1: whether the statement is executed."""
        register = self.statement.predicate
        if not register:
            return "true"
        value = self.read(register, "i1")
        return self.emitted(f"xor i1 {value}, true") if self.statement.negated else value

    def always(self) -> None:
        """Refuse a predicate."""
        if self.statement.predicate:
            raise self.refuse("with a predicate")

    def pointer(self, number: int, space: int) -> str:
        """Return type and value of the pointer of an operand `[a + 16]`."""
        register, offset = address(self.operand(number))
        kind = f"ptr addrspace<{space}>" if space else "ptr"
        given, value = self.values.get(register, ("", ""))
        if not given.startswith("ptr"):
            value = self.emitted(f"inttoptr i64 {self.read(register, 'i64')} to {kind}")
        elif given != kind:
            value = self.emitted(f"addrspacecast {given} {value} to {kind}")
        if offset:
            value = self.emitted(f"getelementptr i8, {kind} {value}, i64 {offset}")
        return f"{kind} {value}"


Rewrite = Callable[[Assembly], None]
Lookup = Callable[[str], Rewrite | None]


def rewrite_assembly(call: LlvmInstruction, kernel: InstructionContext, find: Lookup, find_whole: Lookup) -> list[str]:
    """Return what becomes of a call of inline assembly.

    Args:
        call: The call.
        kernel: The kernel around it.
        find: What rewrites a statement, by its opcode.
        find_whole: What rewrites a whole string, on one line.

    Raises:
        PtxError: The assembly holds what is not known.
    """
    found = _ASM.search(call.line)
    if found is None or not is_known(call.kind):
        raise PtxError("its form is not known")
    template, constraints = found.groups()
    names = [one for one in constraints.split(",") if one and not one.startswith("~")]
    outputs = [one for one in names if one.startswith("=")]
    assembly, inputs = Assembly(kernel=kernel), names[len(outputs) :]
    if len(inputs) != len(call.operands) or not all(is_known(kind) for kind, _ in call.operands):
        raise PtxError("its operands are not known")
    for number, (name, operand) in enumerate(zip(inputs, call.operands, strict=True), start=len(outputs)):
        value = kernel.frozen(*operand, assembly.lines)
        assembly.values[f"${number}"] = value
        if name.isdigit():
            assembly.values[f"${name}"] = value
    plain = unescape(template)
    if whole := find_whole(one_line(plain)):
        whole(assembly)
    elif _LABEL.search(one_line(plain)):
        raise PtxError("with labels")
    else:
        for statement in statements(plain):
            assembly.statement = statement
            rewrite = find(statement.opcode)
            if rewrite is None:
                raise PtxError(f"'{statement.opcode}' is not known to the simulator")
            rewrite(assembly)
    _give(assembly, call.result, call.kind, outputs)
    return assembly.lines


def _give(assembly: Assembly, result: str, kind: str, outputs: list[str]) -> None:
    """Make the result of the registers that are outputs."""
    if not outputs:
        return
    if len(outputs) == 1:
        bits = assembly.read("$0", kind)
        assembly.emit(f"{result} = {_same(kind, bits)}")
        return
    kinds = split_top(kind[1:-1].strip())
    whole = "poison"
    for number, one in enumerate(kinds):
        value = assembly.read(f"${number}", one)
        name = result if number + 1 == len(kinds) else assembly.kernel.fresh()
        assembly.emit(f"{name} = insertvalue {kind} {whole}, {one} {value}, {number}")
        whole = name


def _same(kind: str, value: str) -> str:
    """Return an instruction whose result is a value."""
    return f"add {kind} {value}, 0" if kind.startswith("i") else f"freeze {kind} {value}"
