# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies of AMD from global to workgroup memory at the LLVM level, and what waits for them.

    call void @llvm.amdgcn.load.to.lds.p1(ptr addrspace(1) %x, ptr addrspace(3) %w, i32 4, i32 0, i32 0)

Lane l copies from its own address to the bytes at 4 l behind `%w`, which is the same in all lanes. A copy lands at the
latest time that is allowed: at `s.waitcnt` all but the thread's last ones that its vmcnt allows (other loads do not
count here), and at a release fence all of them, since LLVM waits for them there. A barrier alone waits for nothing.
"""

import re

from roller_mlir.sim.gpu.lds_copies import SameOperand
from roller_mlir.sim.llvm.call import Expansion, IntrinsicCall, UnknownIntrinsicError
from roller_mlir.sim.llvm.calls.copies import commit_copies, issue_copy, wait_for_copies
from roller_mlir.sim.llvm.calls.matrix import call_subgroup_op

COPIES = re.compile(r"llvm\.amdgcn\.(?:load\.to\.lds|global\.load\.lds)\b")
RELEASES = re.compile(r'fence (?:syncscope\("[^"]*"\) )?(?:release|acq_rel|seq_cst)\b')
_SIZES = (1, 2, 4, 12, 16)
_NO_LIMIT = 63


def _copy(call: IntrinsicCall) -> list[str]:
    size, offset = call.constant(2), call.constant(3)
    if size not in _SIZES:
        raise UnknownIntrinsicError(f"'{call.callee}' of {size} B")
    kernel = call.kernel
    space, same = call.operands[1][0], SameOperand(call.subgroup_size)
    kernel.needs.subgroup_ops.add(same)
    base, skipped, place = call.fresh(), call.fresh(), call.fresh()
    source, from_line = kernel.emitted(f"getelementptr i8, {call.typed(0)}, i64 {offset}")
    target, to_line = kernel.emitted(f"getelementptr i8, {call.typed(1)}, i64 {place}")
    return [
        f"{base} = ptrtoint {call.typed(1)} to i64",
        *call_subgroup_op(kernel, same.name, base, "0", "0"),
        f"{skipped} = mul i64 %roller.lane, {size}",
        f"{place} = add i64 {skipped}, {offset}",
        from_line,
        to_line,
        *issue_copy(
            kernel, f"{space} {target}", f"{call.operands[0][0]} {source}", size, str(size), alignment=min(size, 4)
        ),
        *commit_copies(kernel),
    ]


def _waitcnt(call: IntrinsicCall) -> list[str]:
    """Wait for copies by vmcnt, which is bits 0 to 3 and 14 to 15 on gfx9."""
    counters = call.constant(0)
    left = counters & 15 | (counters >> 14 & 3) << 4
    return wait_for_copies(call.kernel, left) if call.kernel.needs.copies and left < _NO_LIMIT else []


INTRINSICS: dict[str, Expansion] = {
    r"llvm\.amdgcn\.(?:load\.to\.lds|global\.load\.lds)(?:\.p[01])?": _copy,
    r"llvm\.amdgcn\.s\.waitcnt": _waitcnt,
}
