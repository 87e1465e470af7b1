# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements of inline assembly that move data: `mov`, `ld`, `st`, and conversions that LLVM has no intrinsic for."""

import re

from roller_mlir.sim.llvm.assembly.statement import Assembly, Rewrite

_SPACES = {"global": 1, "shared": 3, "shared::cta": 3, "": 0}
_ACCESS = re.compile(
    r"(?:ld|st)(?:\.(?:weak|volatile|relaxed|cta|gpu|nc))*(?:\.(global|shared|shared::cta))?"
    r"(?:\.(?:ca|cg|cs|lu|cv|wb|wt|L1::\w+|L2::\w+))*(?:\.v([248]))?\.[bsuf](8|16|32|64)"
)


def _access(assembly: Assembly) -> tuple[int, int, str]:
    """Return the address space, the number of words and the type of one."""
    found = _ACCESS.fullmatch(assembly.statement.opcode)
    assert found is not None, assembly.statement.opcode
    return _SPACES[found[1] or ""], int(found[2] or 1), f"i{found[3]}"


def _checked(assembly: Assembly, operand: int, space: int, count: int, kind: str) -> str:
    """Check an access, and return the address of it, or of own memory where it is not executed."""
    pointer, when = assembly.pointer(operand, space), assembly.when()
    size = count * int(kind[1:]) // 8
    assembly.lines += assembly.kernel.check(pointer, str(size), size, when)
    plain = pointer if not space else f"ptr {assembly.emitted(f'addrspacecast {pointer} to ptr')}"
    if when == "true":
        return plain.split(" ")[1]
    own = assembly.kernel.memory(0, size)
    return assembly.emitted(f"select i1 {when}, {plain}, ptr {own}")


def _load(assembly: Assembly) -> None:
    space, count, kind = _access(assembly)
    registers = assembly.group(0)
    if len(registers) != count:
        raise assembly.refuse(f"with {len(registers)} registers")
    where = _checked(assembly, 1, space, count, kind)
    for number, register in enumerate(registers):
        at = assembly.emitted(f"getelementptr {kind}, ptr {where}, i64 {number}")
        assembly.write(register, kind, assembly.emitted(f"load {kind}, ptr {at}"))


def _store(assembly: Assembly) -> None:
    space, count, kind = _access(assembly)
    registers = assembly.group(1)
    if len(registers) != count:
        raise assembly.refuse(f"with {len(registers)} registers")
    where = _checked(assembly, 0, space, count, kind)
    for number, register in enumerate(registers):
        value = assembly.read(register, kind)
        at = assembly.emitted(f"getelementptr {kind}, ptr {where}, i64 {number}")
        assembly.emit(f"store {kind} {value}, ptr {at}")


def _move(assembly: Assembly) -> None:
    kind = f"i{assembly.statement.opcode.rsplit('.', 1)[1][1:]}"
    assembly.write(assembly.operand(0), kind, assembly.read(assembly.operand(1), kind))


def _reciprocal(assembly: Assembly) -> None:
    value = assembly.read(assembly.operand(1), "float")
    assembly.write(assembly.operand(0), "float", assembly.emitted(f"fdiv float 1.0, {value}"))


def _round_to_tf32(assembly: Assembly) -> None:
    """Expand `cvt.rna.tf32.f32 d, a`: to the nearest with 10 bits behind the point, ties away from 0."""
    bits = assembly.read(assembly.operand(1), "i32")
    exponent = assembly.emitted(f"and i32 {bits}, 2139095040")
    finite = assembly.emitted(f"icmp ne i32 {exponent}, 2139095040")
    up = assembly.emitted(f"add i32 {bits}, 4096")
    rounded = assembly.emitted(f"and i32 {up}, -8192")
    assembly.write(assembly.operand(0), "i32", assembly.emitted(f"select i1 {finite}, i32 {rounded}, i32 {bits}"))


STATEMENTS: dict[str, Rewrite] = {
    _ACCESS.pattern.replace("(?:ld|st)", "ld", 1): _load,
    _ACCESS.pattern.replace("(?:ld|st)", "st", 1): _store,
    r"mov\.[bsuf](?:16|32|64)": _move,
    r"rcp\.(?:rn|approx)(?:\.ftz)?\.f32": _reciprocal,
    r"cvt\.rna\.tf32\.f32": _round_to_tf32,
}
