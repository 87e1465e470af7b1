# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of warpgroups (wgmma) at the LLVM level: inline assembly, and the intrinsics around it.

    wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, ...}, $64, $65, p, 1, 1, 0, 1;

The sums are complete at once here; what is checked is that operands are not overwritten before the wait.
"""

import re

from roller_mlir.sim.hopper.layout import ELEMENT_BYTES, ELEMENTS, K_BYTES, SUMS, ProductField, multiplies
from roller_mlir.sim.llvm.assembly.statement import Assembly, Rewrite
from roller_mlir.sim.llvm.call import Expansion, IntrinsicCall
from roller_mlir.sim.llvm.calls.async_units import call_async_unit, require_warps
from roller_mlir.sim.llvm.calls.matrix import LaneBuffers

_WGMMA = re.compile(r"wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k(\d+)\.(f32|f16|s32)\.(\w+)\.(\w+)")


def _form(assembly: Assembly, registers: int) -> int:
    """Return the word that describes a product, see `hopper.layout.ProductField`."""
    match = _WGMMA.fullmatch(assembly.statement.opcode)
    assert match is not None, assembly.statement.opcode
    n, k = int(match[1]), int(match[2])
    total, left, right = match.groups()[2:]
    if not multiplies(left, right, total):
        raise assembly.refuse("is not known to the simulator")
    size = ELEMENT_BYTES[ELEMENTS[left]]
    if k * size != K_BYTES or n % 8 or not 8 <= n <= 256 or registers != n // (4 if total == "f16" else 2):
        raise assembly.refuse(f"with {registers} registers is not known to the simulator")
    # Where they are: the signs of A and B, and whether M or N is their inner axis.
    rest = [assembly.constant(number) for number in range(4, len(assembly.statement.operands))]
    signs, transposed = (rest[:2] or [1, 1]), (rest[2:] or [0, 0])
    if len(signs) != 2 or len(transposed) != 2 or (any(transposed) and size != 2):
        raise assembly.refuse(f"with the constants {rest}")
    fields = {
        ProductField.N: n,
        ProductField.A: ELEMENTS[left],
        ProductField.B: ELEMENTS[right],
        ProductField.SUM: SUMS[total],
        ProductField.A_TRANSPOSED: transposed[0],
        ProductField.B_TRANSPOSED: transposed[1],
        ProductField.NEGATIVE: signs[0] != signs[1],
        ProductField.K: k,
    }
    return sum(int(value) << int(place) for place, value in fields.items())


def _product(assembly: Assembly) -> None:
    assembly.always()
    kernel = assembly.kernel
    require_warps(kernel, assembly.statement.opcode)
    registers = assembly.group(0)
    if assembly.operand(1).startswith("{"):
        raise assembly.refuse("with A in registers")
    form = _form(assembly, len(registers))
    word = "float" if ".f32." in assembly.statement.opcode else "i32"
    descriptors = [assembly.read(assembly.operand(number), "i64") for number in (1, 2)]
    adds = assembly.read(assembly.operand(3), "i1")
    keeps = assembly.emitted(f"zext i1 {adds} to i64")
    fragments = LaneBuffers(kernel, 4 * len(registers))
    fragments.put(0, [(word, assembly.read(one, word)) for one in registers])
    operands = [str(kernel.site()), str(form), keeps, *descriptors, fragments.address(0)]
    fragments.lines += call_async_unit(kernel, "product", operands)
    found = fragments.take(0, [word] * len(registers))
    assembly.lines += fragments.lines
    for register, value in zip(registers, found, strict=True):
        assembly.write(register, word, value)


def _group(function: str) -> Rewrite:
    def rewrite(assembly: Assembly) -> None:
        assembly.always()
        left = [str(assembly.constant(0))] if assembly.statement.operands else []
        assembly.lines += call_async_unit(assembly.kernel, function, [str(assembly.kernel.site()), *left])

    return rewrite


def _group_intrinsic(function: str) -> Expansion:
    def expand(call: IntrinsicCall) -> list[str]:
        left = [str(call.constant(0))] if call.operands else []
        return call_async_unit(call.kernel, function, [str(call.site()), *left])

    return expand


INTRINSICS: dict[str, Expansion] = {
    r"llvm\.nvvm\.wgmma\.fence\.sync\.aligned": _group_intrinsic("group_fence"),
    r"llvm\.nvvm\.wgmma\.commit_group\.sync\.aligned": _group_intrinsic("group_commit"),
    r"llvm\.nvvm\.wgmma\.wait_group\.sync\.aligned": _group_intrinsic("group_wait"),
}
STATEMENTS: dict[str, Rewrite] = {
    _WGMMA.pattern: _product,
    r"wgmma\.fence\.sync\.aligned": _group("group_fence"),
    r"wgmma\.commit_group\.sync\.aligned": _group("group_commit"),
    r"wgmma\.wait_group\.sync\.aligned": _group("group_wait"),
}
