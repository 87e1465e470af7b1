# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX's integers, as the gate follows them, and what is left unknown."""

import pytest

from roller_mlir.lowering.backend.checks.hopper.ptx_integers import Value, computed
from roller_mlir.lowering.backend.checks.hopper.ptx_text import read_kernel
from roller_mlir.lowering.backend.checks.hopper.ptx_thread import BoxCopy, ExpectTx, follow

LOW, MINUS = 0xFFFFFFFF, 0xFFFFFFFF
CASES: dict[str, tuple[list[Value], Value]] = {
    "sub.s32": ([3, 4], MINUS),
    "mul.lo.s32": ([LOW, LOW], 1),
    "mul.hi.u32": ([LOW, LOW], LOW - 1),
    "mul.hi.s32": ([MINUS, 2], MINUS),
    "mul.wide.u32": ([LOW, 2], 2 * LOW),
    "mad.lo.s32": ([3, 4, 5], 17),
    "mad.wide.s32": ([MINUS, 8, 16], 8),
    "shr.s32": ([1 << 31, 31], MINUS),
    "shr.u32": ([1 << 31, 31], 1),
    "shl.b32": ([1, 33], 0),
    "and.b64": ([None, 0], 0),
    "add.s64": ([None, 0], None),
    "cvt.u64.u32": ([1 << 40 | 7], 7),
    "cvt.s64.s32": ([MINUS], (1 << 64) - 1),
    "cvt.u32.u64": ([1 << 40 | 7], 7),
    "cvt.rn.f32.s32": ([7], None),
    "div.s32": ([MINUS - 6, 2], MINUS - 2),
    "rem.s32": ([MINUS - 6, 2], MINUS),
    "rem.u32": ([7, 0], None),
    "min.s32": ([MINUS, 1], MINUS),
    "min.u32": ([MINUS, 1], 1),
    "setp.gt.u32": ([MINUS, 1], 1),
    "setp.gt.s32": ([MINUS, 1], 0),
    "setp.lt.f32": ([0, 1], None),
    "not.pred": ([1], 0),
    "xor.b32": ([5, 1], 4),
    "bfe.u32": ([0xF0, 4, 4], 15),
    "shf.l.wrap.b32": ([1 << 31, 1, 1], 3),
    "ld.global.b32": ([16], None),
}


@pytest.mark.parametrize("name", CASES)
def test_an_instruction(name: str) -> None:
    values, expected = CASES[name]
    assert computed(name, values) == expected


KERNEL = """
.visible .entry k(
	.param .u64 .ptr .align 16 k_param_0,
	.param .align 64 .b8 k_param_1[128]
)
.maxntid 32, 1, 1
{
	.reg .b32 	%r<9>;
	.shared .align 256 .b8 arena[512];
	mov.b64 	%rd1, k_param_1;
	mov.u32 	%r1, %tid.x;
	mov.b32 	%r2, 0;
	mov.b32 	%r6, arena;
$L__BB0_1:
	// begin inline asm
	{
.reg .pred P1;
W0:
mbarrier.try_wait.parity.shared::cta.b64 P1, [%r6], %r2;
@!P1 bra W0;
}
	// end inline asm
	mov.b32 	%r5, 128;
	mbarrier.arrive.expect_tx.shared.b64 %rd3, [%r6+8], %r5;
	shl.b32 	%r4, %r2, 7;
	add.s32 	%r7, %r6, %r4;
	cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r7], [%rd1, {%r2, %r8}], [%r6+8];
	add.s32 	%r2, %r2, 1;
	setp.ne.b32 	%p1, %r2, 2;
	@%p1 bra 	$L__BB0_1;
	ret;
}
"""


def test_a_thread_is_followed_through_a_loop() -> None:
    kernel = read_kernel(KERNEL)
    assert kernel is not None and kernel.addresses == {"arena": 256}
    followed = follow(kernel, 0)
    assert followed.whole
    copies = [one for one in followed.events if isinstance(one, BoxCopy)]
    assert [(one.address, one.parameter, one.coordinates, one.barrier) for one in copies] == [
        (256, 1, (0, None), 264),
        (384, 1, (1, None), 264),
    ]
    assert [one.size_bytes for one in followed.events if isinstance(one, ExpectTx)] == [128, 128]


def test_a_branch_on_data_ends_the_way() -> None:
    kernel = read_kernel(KERNEL.replace("mov.b32 \t%r2, 0;", "ld.global.b32 \t%r2, [%rd2];"))
    assert kernel is not None
    followed = follow(kernel, 0)
    assert not followed.whole
    assert [one.address for one in followed.events if isinstance(one, BoxCopy)] == [None]
