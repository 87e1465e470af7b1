# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cp.async at the LLVM level, as intrinsics and as inline assembly: copies land where they are waited for."""

import numpy as np
import pytest
from llvm_kernels import launch

from roller_mlir.sim import SimulationError
from roller_mlir.sim.llvm.level import lower_llvm
from roller_mlir.support.diagnostics import DiagnosedError

# Two groups are copied, one is waited for; then each thread stores both of its places.
_TEXT = """
@w = internal addrspace(3) global [2048 x i8] undef, align 16
define ptx_kernel void @k(ptr addrspace(1) %x, ptr %y, i32 %n) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x0 = getelementptr <4 x i32>, ptr addrspace(1) %x, i32 %t
  %x1 = getelementptr <4 x i32>, ptr addrspace(1) %x0, i32 32
  %w0 = getelementptr <4 x i32>, ptr addrspace(3) @w, i32 %t
  %w1 = getelementptr <4 x i32>, ptr addrspace(3) %w0, i32 32
  store <4 x i32> splat (i32 7), ptr addrspace(3) %w0, align 16
  store <4 x i32> splat (i32 7), ptr addrspace(3) %w1, align 16
  {first}
  {commit}
  {second}
  {commit}
  {wait}
  %y0 = getelementptr <4 x i32>, ptr %y, i32 %t
  %y1 = getelementptr <4 x i32>, ptr %y0, i32 32
  %v0 = load <4 x i32>, ptr addrspace(3) %w0, align 16
  %v1 = load <4 x i32>, ptr addrspace(3) %w1, align 16
  store <4 x i32> %v0, ptr %y0, align 16
  store <4 x i32> %v1, ptr %y1, align 16
  ret void
}}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.ca.shared.global.8(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
declare void @llvm.nvvm.cp.async.wait.all()
"""

X = np.arange(256, dtype=np.int32).reshape(2, 32, 4)


def intrinsic(which: int, size: int) -> str:
    level = "cg" if size == 16 else "ca"
    pointers = f"ptr addrspace(3) %w{which}, ptr addrspace(1) %x{which}"
    return f"call void @llvm.nvvm.cp.async.{level}.shared.global.{size}({pointers})"


def assembly(which: int, size: int, rest: str = "", constraints: str = "", values: str = "") -> str:
    level = "cg" if size == 16 else "ca"
    return (
        f'call void asm sideeffect "cp.async.{level}.shared.global [ $0 + 0 ], [ $1 + 0 ], {size:#x}{rest};", '
        f'"r,l{constraints}"(ptr addrspace(3) %w{which}, ptr addrspace(1) %x{which}{values})'
    )


COMMIT = "call void @llvm.nvvm.cp.async.commit.group()"
WAIT = "call void @llvm.nvvm.cp.async.wait.group(i32 {})"
COMMIT_PTX, WAIT_PTX = (
    f'call void asm sideeffect "cp.async.{name};", ""()' for name in ("commit_group", "wait_group {}")
)


def run(
    first: str, second: str, commit: str = COMMIT, wait: str = WAIT.format(0), n: int = 0, **options: int
) -> np.ndarray:
    y = np.full_like(X, -1)
    text = _TEXT.format(first=first, second=second, commit=commit, wait=wait)
    launch(text, [X, y, n], 32)
    return y


@pytest.mark.parametrize("made", [intrinsic, assembly])
@pytest.mark.parametrize("size", [4, 8, 16])
def test_sizes(size: int, made: object) -> None:
    assert callable(made)
    y = run(made(0, size), made(1, 16))
    words = size // 4
    np.testing.assert_array_equal(y[0, :, :words], X[0, :, :words])
    assert (y[0, :, words:] == 7).all()
    np.testing.assert_array_equal(y[1], X[1])


@pytest.mark.parametrize(("commit", "wait"), [(COMMIT, WAIT), (COMMIT_PTX, WAIT_PTX)])
def test_copies_land_where_they_are_waited_for(commit: str, wait: str) -> None:
    for groups, landed in ((0, 2), (1, 1), (2, 0)):
        y = run(assembly(0, 16), intrinsic(1, 16), commit, wait.format(groups))
        for which in range(2):
            assert np.array_equal(y[which], X[which]) == (which < landed)
            assert (y[which] == 7).all() == (which >= landed)


@pytest.mark.parametrize(
    "wait", ["call void @llvm.nvvm.cp.async.wait.all()", 'call void asm sideeffect "cp.async.wait_all;", ""()']
)
def test_a_wait_for_all_waits_for_what_is_in_no_group(wait: str) -> None:
    np.testing.assert_array_equal(run(intrinsic(0, 16), intrinsic(1, 16), "", wait), X)


@pytest.mark.parametrize("given", [0, 4, 12, 16, 20])
def test_what_is_not_read_becomes_0(given: int) -> None:
    y = run(
        "call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %w0, ptr addrspace(1) %x0, i32 %n)",
        assembly(1, 16, ", $2", ",r", ", i32 %n"),
        n=given,
    )
    words = min(given, 16) // 4
    np.testing.assert_array_equal(y[:, :, :words], X[:, :, :words])
    assert (y[:, :, words:] == 0).all()


def test_where_nothing_is_read_the_source_may_be_anywhere() -> None:
    """Triton's copies of rows that are masked point behind the tensor."""
    far = "%far = getelementptr i8, ptr addrspace(1) %x0, i32 4096\n  "
    masked = far + assembly(0, 16, ", $2", ",r", ", i32 %n").replace("%x0", "%far")
    assert (run(masked, intrinsic(1, 16), n=0)[0] == 0).all()
    with pytest.raises(SimulationError) as caught:
        run(masked, intrinsic(1, 16), n=4)
    assert caught.value.kind == "out-of-bounds"
    assert "outside the 1024 B of argument 0" in str(caught.value)


def test_a_predicate() -> None:
    odd = "%low = and i32 %t, 1\n  %odd = icmp eq i32 %low, 1\n  "
    masked = odd + assembly(0, 16, "", ",b", ", i1 %odd").replace("cp.async", "@$2 cp.async", 1)
    y = run(masked, intrinsic(1, 16))
    np.testing.assert_array_equal(y[0, 1::2], X[0, 1::2])
    assert (y[0, ::2] == 7).all()


def test_targets_outside_and_addresses_that_are_not_aligned() -> None:
    far = "%far = getelementptr i8, ptr addrspace(3) %w0, i32 1552\n  "
    with pytest.raises(SimulationError) as caught:
        run(far + assembly(0, 16).replace("%w0", "%far"), intrinsic(1, 16))
    assert caught.value.kind == "out-of-bounds"
    assert "of workgroup memory '@w'" in str(caught.value)
    odd = "%odd = getelementptr i8, ptr addrspace(1) %x0, i32 4\n  "
    with pytest.raises(SimulationError) as caught:
        run(odd + assembly(0, 8).replace("%x0", "%odd"), intrinsic(1, 16))
    assert caught.value.kind == "misaligned"


@pytest.mark.parametrize(
    ("first", "message"),
    [
        (assembly(0, 8).replace("cp.async.ca", "cp.async.cg"), "'cp.async.cg.shared.global' with the operands"),
        (assembly(0, 32), "'cp.async.ca.shared.global' with the operands"),
        (assembly(0, 16).replace("0x10", "$0"), "whose operand 2 is not constant"),
        (COMMIT_PTX.replace("commit_group", "mbarrier.arrive"), "'cp.async.mbarrier.arrive' is not known"),
    ],
)
def test_what_is_not_known_is_refused(first: str, message: str) -> None:
    text = _TEXT.format(first=first, second="", commit=COMMIT, wait=WAIT.format(0))
    with pytest.raises(DiagnosedError) as caught:
        lower_llvm("k", text, subgroup_size=32)
    assert message in str(caught.value)
    assert "k.ll:11:1: error: kernel 'k': inline assembly cannot be simulated: " in str(caught.value)
