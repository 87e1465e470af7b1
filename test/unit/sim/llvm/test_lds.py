# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AMD's copies from global to workgroup memory at the LLVM level: where they land, and when."""

from typing import Any

import numpy as np
import pytest
from llvm_kernels import launch

from roller_mlir.sim import SimulationError
from roller_mlir.sim.llvm.level import lower_llvm
from roller_mlir.support.diagnostics import DiagnosedError

# Each wave of 64 copies 64 words, in another order, then 64 more; each thread reads a word of another wave.
_TEXT = """
@w = internal addrspace(3) global [1024 x i8] undef, align 16
define amdgpu_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %wave = lshr i32 %t, 6
  %r = xor i32 %t, 3
  %p = getelementptr i32, ptr addrspace(1) %x, i32 %r
  %q = getelementptr i32, ptr addrspace(1) %p, i32 128
  %w0 = getelementptr [64 x i32], ptr addrspace(3) @w, i32 %wave
  %w1 = getelementptr i8, ptr addrspace(3) %w0, i32 512
  call void @llvm.amdgcn.load.to.lds.p1(ptr addrspace(1) %p, ptr addrspace(3) %w0, i32 4, i32 0, i32 0)
  call void @llvm.amdgcn.load.to.lds.p1(ptr addrspace(1) %q, ptr addrspace(3) %w1, i32 4, i32 0, i32 0)
  WAIT
  call void @llvm.amdgcn.s.barrier()
  %other = xor i32 %t, 64
  %a0 = getelementptr i32, ptr addrspace(3) @w, i32 %other
  %a1 = getelementptr i32, ptr addrspace(3) %a0, i32 128
  %v0 = load i32, ptr addrspace(3) %a0, align 4
  %v1 = load i32, ptr addrspace(3) %a1, align 4
  %y0 = getelementptr i32, ptr addrspace(1) %y, i32 %t
  %y1 = getelementptr i32, ptr addrspace(1) %y0, i32 128
  store i32 %v0, ptr addrspace(1) %y0, align 4
  store i32 %v1, ptr addrspace(1) %y1, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.waitcnt(i32)
declare void @llvm.amdgcn.load.to.lds.p1(ptr addrspace(1), ptr addrspace(3), i32, i32, i32)
"""
X = np.arange(1000, 1256, dtype=np.int32).reshape(2, 128)
RIGHT = X[:, np.arange(128) ^ 64 ^ 3]
FENCE = 'fence syncscope("workgroup") release'


def run(wait: str, text: str = _TEXT) -> np.ndarray[Any, Any]:
    y = np.zeros_like(X)
    launch(text.replace("WAIT", wait), [X, y], 128, 64, seed=4)
    return y


def vmcnt(count: int) -> str:
    """The counter of gfx9; all others without limit."""
    return f"call void @llvm.amdgcn.s.waitcnt(i32 {0x0F70 | count & 15 | count >> 4 << 14})"


@pytest.mark.parametrize("wait", [FENCE, FENCE.replace("release", "acq_rel"), "fence seq_cst", vmcnt(0)])
def test_copies_land_at_their_wait(wait: str) -> None:
    np.testing.assert_array_equal(run(wait), RIGHT)


def test_the_last_copies_may_be_under_way() -> None:
    y = run(vmcnt(1))
    np.testing.assert_array_equal(y[0], RIGHT[0])
    assert not (y[1] == RIGHT[1]).any()


@pytest.mark.parametrize("wait", ["", FENCE.replace("release", "acquire"), vmcnt(2), vmcnt(63)])
def test_a_barrier_alone_waits_for_nothing(wait: str) -> None:
    assert not (run(wait) == RIGHT).any()


def test_a_base_that_lanes_do_not_share_and_places_outside() -> None:
    with pytest.raises(SimulationError) as caught:
        run(FENCE, _TEXT.replace("ptr addrspace(3) @w, i32 %wave", "ptr addrspace(3) @w, i32 %r"))
    assert "has operands of its own at llvm.amdgcn.load.to.lds.p1 at k.ll:11:1" in str(caught.value)
    with pytest.raises(SimulationError) as caught:
        run(FENCE, _TEXT.replace("%w0, i32 512", "%w0, i32 528"))
    assert caught.value.kind == "out-of-bounds"
    assert "of workgroup memory '@w'" in str(caught.value)


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(DiagnosedError, match="'llvm.amdgcn.load.to.lds.p1' of 3 B is not known"):
        lower_llvm("k", _TEXT.replace("%w0, i32 4", "%w0, i32 3").replace("WAIT", ""), subgroup_size=64)
