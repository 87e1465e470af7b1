# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asynchronous copies of NVIDIA at the LLVM level: `cp.async` as intrinsics and as inline assembly.

    cp.async.cg.shared.global [target], [source], 16, %n;

puts the copy into the thread's queue; its wait carries it out, and not before, so that a wait for too few groups leaves
the old bytes behind. Of the source only `n` bytes are read, the rest of the target becomes 0.
"""

from collections.abc import Callable

from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.llvm.assembly.statement import Assembly, Rewrite
from roller_mlir.sim.llvm.call import Expansion, IntrinsicCall, UnknownIntrinsicError
from roller_mlir.sim.llvm.context import HELPER, InstructionContext
from roller_mlir.sim.llvm.text.types import to_bits

_DECLARED = f"""
declare void @{PREFIX}copy_issue(i64, i64, i64, i64, i64, i64)
declare void @{PREFIX}copy_commit(i64)
declare void @{PREFIX}copy_wait(i64, i64)
define internal void @{HELPER}copy(i64 %block, i64 %site, i1 %when, i64 %to, i64 %from, i64 %bytes, i64 %given) {{
  br i1 %when, label %yes, label %no
yes:
  call void @{PREFIX}copy_issue(i64 %block, i64 %site, i64 %to, i64 %from, i64 %bytes, i64 %given)
  br label %no
no:
  ret void
}}
"""
_SIZES = {"cg": (16,), "ca": (4, 8, 16)}


def _use(kernel: InstructionContext) -> None:
    kernel.needs.copies = True
    kernel.define("copies", _DECLARED)


def issue_copy(
    kernel: InstructionContext, target: str, source: str, size: int, given: str, when: str = "true", alignment: int = 0
) -> list[str]:
    """Return the lines that check and queue a copy.

    Args:
        kernel: The kernel around it.
        target: Type and value of the pointer.
        source: The same.
        size: Bytes of the target.
        given: Bytes of the source, an i64.
        when: An i1: whether it is made at all.
        alignment: Of both pointers, in bytes; 0: the size.
    """
    _use(kernel)
    to, start, none, present = (kernel.fresh() for _ in range(4))
    lines = [
        *kernel.check(target, str(size), alignment or size, when),
        f"{none} = icmp eq i64 {given}, 0",
        f"{present} = select i1 {none}, i1 false, i1 {when}",
        *kernel.check(source, given, alignment or size, present),
        f"{to} = ptrtoint {target} to i64",
        f"{start} = ptrtoint {source} to i64",
    ]
    operands = f"i1 {when}, i64 {to}, i64 {start}, i64 {size}, i64 {given}"
    return [*lines, f"call void @{HELPER}copy(i64 %roller.block, i64 {kernel.site()}, {operands})"]


def commit_copies(kernel: InstructionContext) -> list[str]:
    """Return the lines that make a group of the copies that are in none."""
    _use(kernel)
    return [f"call void @{PREFIX}copy_commit(i64 %roller.block)"]


def wait_for_copies(kernel: InstructionContext, groups: int) -> list[str]:
    """Return the lines that carry out all but the last `groups` groups."""
    _use(kernel)
    return [f"call void @{PREFIX}copy_wait(i64 %roller.block, i64 {groups})"]


def _wait_all(kernel: InstructionContext) -> list[str]:
    """Return the lines that wait for all copies, also those that are in no group."""
    return [*commit_copies(kernel), *wait_for_copies(kernel, 0)]


def _copy(call: IntrinsicCall) -> list[str]:
    """Expand `cp.async.cg.shared.global.16[.s](target, source[, bytes of the source])`."""
    kind, spelled, some = call.match.groups()
    size = int(spelled)
    if size not in _SIZES[kind]:
        raise UnknownIntrinsicError(f"'{call.callee}'")
    lines, given = list[str](), str(size)
    if some:
        wide, given = call.fresh(), call.fresh()
        lines = to_bits("i32", call.value(2), wide)
        lines.append(f"{given} = call i64 @llvm.umin.i64(i64 {wide}, i64 {size})")
    return [*lines, *issue_copy(call.kernel, call.typed(0), call.typed(1), size, given)]


INTRINSICS: dict[str, Expansion] = {
    r"llvm\.nvvm\.cp\.async\.(c[ag])\.shared\.global\.(\d+)(\.s)?": _copy,
    r"llvm\.nvvm\.cp\.async\.commit\.group": lambda call: commit_copies(call.kernel),
    r"llvm\.nvvm\.cp\.async\.wait\.group": lambda call: wait_for_copies(call.kernel, call.constant(0)),
    r"llvm\.nvvm\.cp\.async\.wait\.all": lambda call: _wait_all(call.kernel),
}


def _copy_statement(assembly: Assembly) -> None:
    """Expand `cp.async.cg.shared.global[.hints] [target], [source], 16[, bytes of the source]`."""
    size = assembly.constant(2)
    operands = assembly.statement.operands
    if size not in _SIZES[assembly.statement.opcode.split(".")[2]] or len(operands) > 4:
        raise assembly.refuse(f"with the operands {', '.join(operands)}")
    given, when = str(size), assembly.when()
    if len(operands) == 4:
        wide = assembly.read(operands[3], "i64")
        given = assembly.emitted(f"call i64 @llvm.umin.i64(i64 {wide}, i64 {size})")
    target, source = assembly.pointer(0, 3), assembly.pointer(1, 1)
    assembly.lines += issue_copy(assembly.kernel, target, source, size, given, when)


def _statement(made: Callable[[Assembly], list[str]]) -> Rewrite:
    def rewrite(assembly: Assembly) -> None:
        assembly.always()
        assembly.lines += made(assembly)

    return rewrite


STATEMENTS: dict[str, Rewrite] = {
    r"cp\.async\.c[ag]\.shared(?:::cta)?\.global(?:\.L2::\w+)*": _copy_statement,
    r"cp\.async\.commit_group": _statement(lambda assembly: commit_copies(assembly.kernel)),
    r"cp\.async\.wait_group": _statement(lambda assembly: wait_for_copies(assembly.kernel, assembly.constant(0))),
    r"cp\.async\.wait_all": _statement(lambda assembly: _wait_all(assembly.kernel)),
}
