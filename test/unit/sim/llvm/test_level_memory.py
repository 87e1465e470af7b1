# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory, loops and faults at the LLVM level, on LLVM IR written by hand."""

import re

import numpy as np
import pytest
from llvm_kernels import NVIDIA, lanes, launch

from roller_mlir.sim import SimulationError

WORKGROUP = """
@w = internal addrspace(3) global [64 x float] undef, align 16
@d = external addrspace(3) global [0 x i8], align 16
@table = private addrspace(4) constant [2 x float] [float 1.0, float 2.0], align 4
define ptx_kernel void @k(ptr %0) {
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = sext i32 %2 to i64
  %4 = getelementptr float, ptr %0, i64 %3
  %5 = load float, ptr %4, align 4
  %6 = getelementptr float, ptr addrspace(3) @w, i64 %3
  store float %5, ptr addrspace(3) %6, align 4
  %7 = getelementptr float, ptr addrspace(3) @d, i64 %3
  store float %5, ptr addrspace(3) %7, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %8 = load float, ptr addrspace(3) getelementptr inbounds (i8, ptr addrspace(3) @w, i64 20), align 4
  %9 = load float, ptr addrspacecast (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @d, i64 8) to ptr), align 4
  %10 = load float, ptr addrspace(4) getelementptr ([2 x float], ptr addrspace(4) @table, i64 0, i64 1), align 4
  %11 = fadd float %8, %9
  %12 = fmul float %11, %10
  store float %12, ptr %4, align 4
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
"""


@pytest.mark.parametrize("seed", [None, 0, 1])
def test_constant_addresses_of_workgroup_memory_and_tables(seed: int | None) -> None:
    x = np.arange(64, dtype=np.float32)
    launch(WORKGROUP, [x], dynamic=256, seed=seed)
    assert (x == 14).all()
    without = re.sub(r"\n  call void @llvm.nvvm.barrier[^\n]*", "", WORKGROUP)
    x = np.arange(64, dtype=np.float32)
    launch(without, [x], dynamic=256, seed=seed)
    assert not (x == 14).all()


def test_addresses_in_structures_without_a_name() -> None:
    plain = "(i8, ptr addrspace(3) @w, i64 20)"
    assert plain in WORKGROUP
    x = np.arange(64, dtype=np.float32)
    text = WORKGROUP.replace(plain, "(%1, ptr addrspace(3) @w, i64 1, i32 0, i32 1)")
    launch("%0 = type { i32, float }\n%1 = type { %0, i64 }\n" + text, [x], dynamic=256)
    assert (x == 14).all()


def test_structures_of_addresses_of_workgroup_memory() -> None:
    """A memref of workgroup memory that joins at a block is a phi of constants."""
    kind = "{ ptr addrspace(3), i64, [1 x i64], ptr addrspace(3) }"
    inner = "getelementptr (i8, ptr addrspace(3) @w, i64 20)"
    value = f"{{ ptr addrspace(3) @w, i64 0, [1 x i64] [i64 64], ptr addrspace(3) {inner} }}"
    chosen = f"""
  %c = icmp slt i32 %2, 32
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %s = phi {kind} [ {value}, %1 ], [ {value}, %a ]
  %q = extractvalue {kind} %s, 3
  %8 = load float, ptr addrspace(3) %q, align 4
"""
    plain = "  %8 = load float, ptr addrspace(3) getelementptr inbounds (i8, ptr addrspace(3) @w, i64 20), align 4\n"
    x = np.arange(64, dtype=np.float32)
    launch(WORKGROUP.replace(plain, chosen), [x], dynamic=256, seed=1)
    assert (x == 14).all()


FAULTS = {
    "past a workgroup variable": (
        "i8, ptr addrspace(3) @w, i64 20",
        "i8, ptr addrspace(3) @w, i64 256",
        "out-of-bounds",
        "4 B from byte 256 on are outside the 256 B of workgroup memory '@w'",
    ),
    "past dynamic memory": (
        "@d, i64 8",
        "@d, i64 253",
        "out-of-bounds",
        "4 B from byte 253 on are outside the 256 B of workgroup memory '@d'",
    ),
    "past a table": (
        "i64 0, i64 1)",
        "i64 0, i64 2)",
        "out-of-bounds",
        "4 B from byte 8 on are outside the 8 B of @table",
    ),
    "before the argument": (
        "%4 = getelementptr float, ptr %0, i64 %3",
        "%4 = getelementptr i8, ptr %0, i64 -4",
        "out-of-bounds",
        "4 B from byte -4 on are outside the 256 B of argument 0",
    ),
    "behind a structure with an address": (
        "%4 = getelementptr float, ptr %0, i64 %3",
        "%4 = getelementptr { i32, ptr }, ptr %0, i64 16",
        "out-of-bounds",
        "4 B from byte 256 on are outside the 256 B of argument 0",
    ),
    "misaligned": (
        "%5 = load float, ptr %4, align 4",
        "%5 = load float, ptr %4, align 8",
        "misaligned",
        "multiple of 8 B",
    ),
    "parameter": ("ptr %0)", "ptr align 512 %0)", "misaligned", "is not a multiple of 512 B as promised"),
    "unreachable": ("ret void\n", "unreachable\n", "undefined", "what the kernel promises to LLVM does not hold"),
    "division": (
        "%6 = getelementptr float",
        "%q = udiv i32 5, %2\n%6 = getelementptr float",
        "undefined",
        "an integer is divided by 0",
    ),
    "unknown pointer": (
        "store float %12, ptr %4",
        "%p = inttoptr i64 4096 to ptr\nstore float %12, ptr %p",
        "out-of-bounds",
        "4 bytes at address 0x1000 are in no argument and no workgroup memory",
    ),
    "assumption": (
        "%6 = getelementptr float",
        "%q = icmp ne i32 %2, 9\ncall void @llvm.assume(i1 %q)\n%6 = getelementptr float",
        "undefined",
        "what the kernel promises to LLVM does not hold: thread (9, 0, 0)",
    ),
    "aligned bundle": (
        "%6 = getelementptr float",
        "%q = getelementptr i8, ptr %0, i64 8\n"
        'call void @llvm.assume(i1 true) [ "align"(ptr %q, i64 16) ]\n%6 = getelementptr float',
        "misaligned",
        "is not a multiple of 16 B as promised",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(fault: str) -> None:
    right, wrong, kind, message = FAULTS[fault]
    assert right in WORKGROUP
    memory = np.zeros(2048, np.uint8)
    start = -memory.ctypes.data % 512 + 256
    x = memory[start : start + 256].view(np.float32)
    with pytest.raises(SimulationError) as caught:
        launch(WORKGROUP.replace(right, wrong), [x], dynamic=256)
    assert caught.value.kind == kind
    assert message in str(caught.value)
    assert re.search(r"k\.ll", caught.value.site)


GRID_BARRIER = """
define amdgpu_kernel void @k(ptr %0, ptr %1) {
  %3 = call i32 @llvm.amdgcn.workgroup.id.x()
  %4 = call i32 @llvm.amdgcn.workitem.id.x()
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %6, label %11
6:
  %7 = getelementptr i32, ptr %0, i32 %3
  store i32 %3, ptr %7, align 4
  %8 = atomicrmw add ptr %1, i32 1 syncscope("agent") acq_rel, align 4
  br label %9
9:
  WAIT
  %10 = icmp slt i32 %now, 5
  br i1 %10, label %9, label %11
11:
  call void @llvm.amdgcn.s.barrier()
  br i1 %5, label %12, label %15
12:
  %13 = sub i32 4, %3
  %14 = getelementptr i32, ptr %0, i32 %13
  %other = load i32, ptr %14, align 4
  %at = getelementptr i32, ptr %1, i32 %3
  %next = getelementptr i32, ptr %at, i32 1
  store i32 %other, ptr %next, align 4
  br label %15
15:
  ret void
}
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
"""
WAITS = {
    "atomic load": '%now = load atomic i32, ptr %1 syncscope("agent") acquire, align 4',
    "atomic addition of 0": "%now = atomicrmw add ptr %1, i32 0 acquire, align 4",
    "volatile load": "%now = load volatile i32, ptr %1, align 4",
    "comparison": """%both = cmpxchg ptr %1, i32 -1, i32 -1 acquire acquire, align 4
  %now = extractvalue { i32, i1 } %both, 0""",
}


@pytest.mark.parametrize("wait", WAITS)
def test_blocks_wait_for_each_other(wait: str) -> None:
    text = GRID_BARRIER.replace("WAIT", WAITS[wait])
    data, flag = np.full(5, -1, np.int32), np.zeros(6, np.int32)
    launch(text, [data, flag], 96, 64, 5, resident_blocks=None)
    assert flag.tolist() == [5, 4, 3, 2, 1, 0]
    flag[:] = 0
    with pytest.raises(SimulationError) as caught:
        launch(text, [data, flag], 96, 64, 5, resident_blocks=2)
    assert caught.value.kind == "deadlock"
    assert len(caught.value.waits) == 2
    for wait in caught.value.waits:
        assert (wait.thread, wait.memory, wait.argument) == ((0, 0, 0), "byte 0 of argument 1", 1)
        assert (wait.has, wait.wants) == (2, "at least 5")
        assert str(wait) in str(caught.value)


def test_a_loop_without_end_is_ended() -> None:
    text = NVIDIA.format(
        body="br label %again\nagain:\n%v = load i32, ptr %0, align 4\n%c = icmp sge i32 %v, 0\n"
        "store i32 %v, ptr %5, align 4\nbr i1 %c, label %again, label %end\nend:\n%r = add i32 %v, 0"
    )
    with pytest.raises(SimulationError) as caught:
        launch(text, [np.ones(64, np.int32), np.zeros(64, np.int32)], timeout_s=0.2)
    assert caught.value.kind == "timeout"
    assert "loop at k.ll:" in str(caught.value)


def test_a_divergent_barrier() -> None:
    body = """%some = icmp ult i32 %3, 7
      br i1 %some, label %a, label %b
    a:
      call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
      br label %b
    b:
      call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
      %r = add i32 %6, 0"""
    with pytest.raises(SimulationError) as caught:
        lanes(NVIDIA.format(body=body) + "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n")
    assert caught.value.kind == "divergent-barrier"


def test_private_memory_and_atomics() -> None:
    text = """
    define amdgpu_kernel void @k(ptr %0, ptr %1, float %2) {
      %4 = alloca [4 x float], align 4, addrspace(5)
      %5 = call i32 @llvm.amdgcn.workitem.id.x()
      %6 = and i32 %5, 3
      %7 = getelementptr float, ptr addrspace(5) %4, i32 %6
      store float %2, ptr addrspace(5) %7, align 4
      %8 = load float, ptr addrspace(5) %7, align 4
      %9 = atomicrmw fadd ptr %0, float %8 syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !0
      %10 = atomicrmw umax ptr %1, i32 %5 monotonic, align 4
      fence syncscope("workgroup") release, !mmra !0
      ret void
    }
    declare i32 @llvm.amdgcn.workitem.id.x()
    !0 = !{}
    """.replace(", !mmra !0", "")
    total, most = np.zeros(1, np.float32), np.zeros(1, np.int32)
    launch(text, [total, most, 0.5], 100, 64, 3)
    assert (total[0], most[0]) == (150, 99)
    with pytest.raises(SimulationError, match="4 B from byte 16 on are outside the 16 B of private memory"):
        launch(text.replace("and i32 %5, 3", "and i32 %5, 7"), [total, most, 0.5], 100, 64)


POINTERS = """
define ptx_kernel void @k(ptr %0, ptr %1, i64 %2) {
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = alloca [8 x i32], align 4
  call void @llvm.lifetime.start.p0(ptr %5)
  call void @llvm.memset.p0.i64(ptr align 4 %5, i8 0, i64 32, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %5, ptr align 4 %0, i64 %2, i1 false)
  switch i32 %4, label %6 [
    i32 0, label %7
    i32 3, label %8
  ]
6:                                                ; preds = %3
  br label %8
7:                                                ; preds = %3
  br label %8
8:                                                ; preds = %3, %6, %7
  %9 = phi ptr [ %5, %3 ], [ %5, %6 ], [ %0, %7 ]
  %10 = icmp ult i32 %4, 32
  %11 = select i1 %10, ptr %9, ptr %5
  %12 = getelementptr i32, ptr %11, i32 1
  %13 = load i32, ptr %12, align 4
  %14 = getelementptr i32, ptr %1, i32 %4
  store i32 %13, ptr %14, align 4 ; the last one
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""


def test_copies_and_pointers_that_several_paths_give() -> None:
    x, out = np.arange(5, 9, dtype=np.int32), np.zeros(64, np.int32)
    launch(POINTERS, [x, out, 16])
    assert (out == 6).all()
    launch(POINTERS, [x, out, 4])
    assert out.tolist() == [6] + [0] * 63
    with pytest.raises(SimulationError, match=r"20 B from byte 0 on are outside the 16 B of argument 0.*memcpy"):
        launch(POINTERS, [x, out, 20])
    with pytest.raises(SimulationError, match=r"4 B from byte 252 on are outside the 252 B of argument 1"):
        launch(POINTERS, [x, out[:63], 16])
