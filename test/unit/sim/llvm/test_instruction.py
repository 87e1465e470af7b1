# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What LLVM has of instructions, asked of LLVM, is spelled as LLVM prints it."""

import re

import pytest

from roller_mlir.sim.llvm.text.instruction import ASSEMBLY, LlvmInstruction
from roller_mlir.sim.llvm.text.module import read_kernel

TEXT = """
%named = type { i32, i32 }
%0 = type { i32, ptr }
@w = internal addrspace(3) global [4 x %0] undef
@x = internal global i32 0
define void @k(ptr %x, i1 %c, <2 x half> %h) {
entry:
  br i1 %c, label %loop, label %"an end"
loop:
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %more = add nsw i32 %i, 1
  store i32 %more, ptr addrspace(3) getelementptr (%0, ptr addrspace(3) @w, i64 1, i32 1), align 4
  store [2 x %0] zeroinitializer, ptr %x
  store %named { i32 1, i32 2 }, ptr @x
  %sum = tail call fast <2 x half> @llvm.fma.v2f16(<2 x half> noundef %h, <2 x half> splat (half 3.0), <2 x half> %h)
  %r = call i64 asm sideeffect "mov $0, $1;", "=r,r"(i64 -5)
  call void @llvm.assume(i1 true) [ "align"(ptr %x, i64 4) ]
  switch i32 %more, label %"an end" [
    i32 1, label %loop
    i32 2, label %"an end"
  ]
"an end":
  ret void
}
declare <2 x half> @llvm.fma.v2f16(<2 x half>, <2 x half>, <2 x half>)
declare void @llvm.assume(i1)
"""


@pytest.fixture(scope="module")
def body() -> list[LlvmInstruction]:
    return read_kernel("k", TEXT, "k.ll").body


def test_each_operand_stands_in_the_line(body: list[LlvmInstruction]) -> None:
    assert len(body) == 11
    for one in body:
        for kind, value in one.operands:
            assert re.search(rf"(?<![\w.%@]){re.escape(value)}(?![\w.])", one.line), (value, one.line)
            assert kind in one.line or one.opcode in ("br", "switch"), (kind, one.line)


def test_operands_and_results(body: list[LlvmInstruction]) -> None:
    _, phi, add, nameless, array, named, fma, asm, assume, *_ = body
    assert (phi.result, phi.kind, phi.operands) == ("%i", "i32", (("i32", "0"), ("i32", "%more")))
    assert add.operands == (("i32", "%i"), ("i32", "1"))
    inner = "getelementptr (%0, ptr addrspace<3> @w, i64 1, i32 1)"
    assert nameless.operands == (("i32", "%more"), ("ptr addrspace<3>", inner))
    assert array.operands == (("[2 x %0]", "zeroinitializer"), ("ptr", "%x"))
    assert named.operands == (("%named", "{ i32 1, i32 2 }"), ("ptr", "@x"))
    vector = "<2 x half>"
    assert fma.operands == ((vector, "%h"), (vector, "splat (half 0xH4200)"), (vector, "%h"))
    assert (fma.callee, fma.kind) == ("llvm.fma.v2f16", vector)
    assert (asm.callee, asm.result, asm.operands) == (ASSEMBLY, "%r", (("i64", "-5"),))
    assert (assume.callee, assume.result, assume.kind) == ("llvm.assume", "", "void")


CONSTANTS = """
@x = global i32 0
define void @k(i32 %n) {
  %a = insertelement <4 x ptr addrspace(3)> poison, ptr addrspace(3) null, i8 -1
  %b = insertelement <vscale x 4 x i1> poison, i1 true, i128 -5
  %c = select i1 false, i64 -9223372036854775808, i64 9223372036854775807
  %d = insertelement <2 x i32> poison, i32 %n, i32 poison
  store i16 200, ptr @x
  ret void
}
"""


def test_constants_are_as_llvm_prints_them() -> None:
    first, second, third, fourth, fifth, _ = read_kernel("k", CONSTANTS, "k.ll").body
    assert [first.constant(number) for number in range(3)] == [None, None, -1]
    assert [second.constant(number) for number in range(3)] == [None, 1, -5]
    assert [third.constant(number) for number in range(3)] == [0, -(1 << 63), (1 << 63) - 1]
    assert [fourth.constant(number) for number in range(3)] == [None, None, None]
    assert [fifth.constant(number) for number in range(2)] == [200, None]


def test_vectors() -> None:
    first, second, _, fourth, *_ = read_kernel("k", CONSTANTS, "k.ll").body
    assert first.vector() == first.vector(0) == (4, "ptr addrspace<3>")
    assert first.vector(1) is second.vector() is None
    assert fourth.vector() == (2, "i32")


def test_labels_of_branches(body: list[LlvmInstruction]) -> None:
    branch, *_, switch, end = body
    assert branch.labels == ["loop", end.block]  # first where it goes if the condition holds
    assert set(switch.labels) == {"loop", end.block}
    assert (end.labels, end.block) == ([], "n.0")
