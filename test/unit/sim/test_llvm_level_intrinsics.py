# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The LLVM level alone, on LLVM IR written by hand: intrinsics, memory, faults, and what is refused."""

import re
from typing import Any

import numpy as np
import pytest

from roller_mlir.sim import SimulatedKernels, SimulationError
from roller_mlir.sim.llvm_level import lower_llvm
from roller_mlir.support.diagnostics import DiagnosedError


def launch(text: str, args: list[Any], block: Any = 64, subgroup: int = 32, grid: Any = 1, **options: Any) -> None:
    """Runs the kernel @k."""
    lowered = lower_llvm("k", text, subgroup_size=subgroup)
    dynamic = options.pop("dynamic", 0)
    SimulatedKernels(lowered, subgroup).launch("k", grid, block, dynamic, args, **options)


NVIDIA = """
define ptx_kernel void @k(ptr noalias align 16 %0, ptr %1) {{
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds i32, ptr %0, i64 %4
  %6 = load i32, ptr %5, align 4
  {body}
  %out = getelementptr inbounds i32, ptr %1, i64 %4
  store i32 %r, ptr %out, align 4
  ret void
}}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""
AMD = NVIDIA.replace("ptx_kernel", "amdgpu_kernel").replace(
    "llvm.nvvm.read.ptx.sreg.tid.x", "llvm.amdgcn.workitem.id.x"
)


def lanes(text: str, threads: int = 64, subgroup: int = 32) -> np.ndarray[Any, Any]:
    """Returns what each thread finds; each gives 100 plus its number."""
    x, out = np.arange(100, 100 + threads, dtype=np.int32), np.zeros(threads, np.int32)
    launch(text, [x, out], threads, subgroup)
    return out


def shfl(mode: str, b: Any, c: int, lane: int) -> tuple[int, bool]:
    """The PTX manual's definition: source lane, and whether it is in range."""
    clamp, segment = c & 31, c >> 8 & 31
    most, least = (lane & segment) | (clamp & ~segment), lane & segment
    j = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": least | (b & ~segment)}[mode]
    valid = j >= most if mode == "up" else j <= most
    return (j if valid else lane), valid


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
@pytest.mark.parametrize(("b", "c"), [(1, 31), (5, 31), (3, 0x1C03), (2, 0x1807), (3, 0), (16, 15)])
def test_shfl_sync(mode: str, b: int, c: int) -> None:
    body = f"""%pair = call {{ i32, i1 }} @llvm.nvvm.shfl.sync.{mode}.i32p(i32 -1, i32 %6, i32 {b}, i32 {c})
      %v = extractvalue {{ i32, i1 }} %pair, 0
      %p = extractvalue {{ i32, i1 }} %pair, 1
      %w = zext i1 %p to i32
      %s = mul i32 %w, 1000
      %r = add i32 %v, %s"""
    declared = f"declare {{ i32, i1 }} @llvm.nvvm.shfl.sync.{mode}.i32p(i32, i32, i32, i32)\n"
    found = lanes(NVIDIA.format(body=body) + declared)
    expected = [shfl(mode, b, c, thread % 32) for thread in range(64)]
    assert found.tolist() == [
        100 + thread - thread % 32 + lane + 1000 * valid for thread, (lane, valid) in enumerate(expected)
    ]


def test_shfl_of_the_first_lanes_only() -> None:
    """The lanes of the mask take part, the others are elsewhere."""
    body = """%few = icmp ult i32 %3, 8
      br i1 %few, label %inside, label %after
    inside:
      %v = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 255, i32 %6, i32 4, i32 7)
      br label %after
    after:
      %r = phi i32 [ %6, %2 ], [ %v, %inside ]"""
    text = NVIDIA.format(body=body) + "declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)\n"
    threads = np.arange(32)
    assert lanes(text, 32).tolist() == np.where(threads < 8, 100 + (threads ^ 4), 100 + threads).tolist()
    with pytest.raises(SimulationError) as caught:
        lanes(text.replace("i32 255", "i32 -1"), 32)
    assert caught.value.kind == "divergent-subgroup"
    assert "llvm.nvvm.shfl.sync.bfly.i32 at k.ll:10:1" in str(caught.value)
    with pytest.raises(DiagnosedError, match="k.ll:10:1: error: kernel 'k': .*a mask that is not of the first lanes"):
        lanes(text.replace("i32 255", "i32 254"), 32)


SWIZZLES = {
    0x041F: lambda lane: lane ^ 1,
    0x401F: lambda lane: lane ^ 16,
    0x0018: lambda lane: lane & 24,
    0x00F8: lambda lane: lane & 24 | 7,
    0x801B: lambda lane: lane ^ 3,
}


@pytest.mark.parametrize("pattern", SWIZZLES)
def test_ds_swizzle(pattern: int) -> None:
    body = f"%r = call i32 @llvm.amdgcn.ds.swizzle(i32 %6, i32 {pattern})"
    text = AMD.format(body=body) + "declare i32 @llvm.amdgcn.ds.swizzle(i32, i32 immarg)\n"
    expected = [100 + (thread & 96) + SWIZZLES[pattern](thread % 32) for thread in range(128)]
    assert lanes(text, 128, 64).tolist() == expected


def test_lane_number_and_bpermute() -> None:
    """Each lane reads the one three above it, round the wave of 64."""
    body = """%lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
      %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
      %above = add i32 %lane, 3
      %byte = shl i32 %above, 2
      %r = call i32 @llvm.amdgcn.ds.bpermute(i32 %byte, i32 %6)"""
    text = (
        AMD.format(body=body)
        + """declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
    declare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)
    declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)"""
    )
    threads = np.arange(128)
    assert lanes(text, 128, 64).tolist() == (100 + (threads & 64) + (threads + 3) % 64).tolist()


@pytest.mark.parametrize(
    ("intrinsic", "operands", "lane"),
    [("readlane.i32", ", i32 41", 41), ("readfirstlane.i32", "", 0)],
)
def test_readlane(intrinsic: str, operands: str, lane: int) -> None:
    body = f"%r = call i32 @llvm.amdgcn.{intrinsic}(i32 %6{operands})"
    declared = f"declare i32 @llvm.amdgcn.{intrinsic}(i32{', i32' if operands else ''})"
    threads = np.arange(128)
    assert lanes(AMD.format(body=body) + declared, 128, 64).tolist() == (100 + (threads & 64) + lane).tolist()


DPP = {
    0x1B: lambda lane: lane ^ 3,
    0x103: lambda lane: lane + 3 if lane % 16 + 3 < 16 else None,
    0x111: lambda lane: lane - 1 if lane % 16 else None,
    0x124: lambda lane: lane // 16 * 16 + (lane - 4) % 16,
    0x140: lambda lane: lane ^ 15,
    0x141: lambda lane: lane ^ 7,
    0x142: lambda lane: lane // 16 * 16 - 1 if lane >= 16 else None,
    0x143: lambda lane: 31 if lane >= 32 else None,
    0x155: lambda lane: lane // 16 * 16 + 5,
}


@pytest.mark.parametrize("control", DPP)
@pytest.mark.parametrize(
    ("rows", "banks", "bound"), [(15, 15, "false"), (15, 15, "true"), (10, 15, "false"), (15, 3, "true")]
)
def test_update_dpp(control: int, rows: int, banks: int, bound: str) -> None:
    body = (
        f"%r = call i32 @llvm.amdgcn.update.dpp.i32(i32 7, i32 %6, i32 {control}, i32 {rows}, i32 {banks}, i1 {bound})"
    )
    text = AMD.format(body=body) + "declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)\n"

    def expected(lane: int) -> int:
        if not (rows >> lane // 16 & 1 and banks >> lane // 4 % 4 & 1):
            return 7
        source = DPP[control](lane)
        return 100 + source if source is not None else 0 if bound == "true" else 7

    assert lanes(text, 64, 64).tolist() == [expected(lane) for lane in range(64)]


PLACES = """
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %tz = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %ny = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %nz = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %gx = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %a = mul i32 %by, %gx
  %b = add i32 %a, %bx
  %c = mul i32 %b, %nz
  %d = add i32 %c, %tz
  %e = mul i32 %d, %ny
  %f = add i32 %e, %ty
  %g = mul i32 %f, %nx
  %h = add i32 %g, %tx
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %h
  store i32 %lane, ptr addrspace(1) %at, align 4
  ret void
}
""" + "".join(
    f"declare i32 @llvm.nvvm.read.ptx.sreg.{name}()\n"
    for name in ("laneid", *(f"{group}.{axis}" for group in ("tid", "ntid", "ctaid", "nctaid") for axis in "xyz"))
)


def test_places() -> None:
    out = np.full(6 * 24, -1, np.int32)
    launch(PLACES, [out], (4, 3, 2), 16, (2, 3, 1))
    np.testing.assert_array_equal(out.reshape(6, 24), np.tile(np.arange(24) % 16, (6, 1)))


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


REFUSED = {
    "inline assembly": (
        '%r = call i32 asm sideeffect "mov.u32 $0, %smid;", "=r"()',
        "inline assembly cannot be simulated: asm sideeffect",
    ),
    "an intrinsic of NVPTX": (
        "%r = call i32 @llvm.nvvm.activemask()",
        "intrinsic 'llvm.nvvm.activemask' is not known to the simulator",
    ),
    "an intrinsic of LLVM": ("%r = call i32 @llvm.vscale.i32()", "intrinsic 'llvm.vscale.i32' is not known"),
    "a function": ("%r = call i32 @vprintf(ptr %0, ptr %1)", "function 'vprintf' is not known to the simulator"),
    "an indirect call": ("%r = call i32 %0(i32 1)", "an indirect call cannot be simulated"),
    "a control of DPP": (
        "%r = call i32 @llvm.amdgcn.mov.dpp.i32(i32 %6, i32 304, i32 15, i32 15, i1 true)",
        "with the control 0x130",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_known_is_refused(what: str) -> None:
    body, message = REFUSED[what]
    text = NVIDIA.format(body=body)
    if what == "a function":
        text += "declare i32 @vprintf(ptr, ptr)\n"
    with pytest.raises(DiagnosedError) as caught:
        lower_llvm("k", text, subgroup_size=32)
    assert message in str(caught.value)
    assert "k.ll:" in str(caught.value)
    assert "kernel 'k'" in str(caught.value)


def test_text_that_is_not_llvm_ir_and_kernels_that_are_not_there() -> None:
    with pytest.raises(DiagnosedError, match="k.ll:1:1: error: kernel 'k': its LLVM IR is not valid"):
        lower_llvm("k", "define void @k(", subgroup_size=32)
    with pytest.raises(DiagnosedError, match="its LLVM IR defines k, not the kernel"):
        lower_llvm("other", NVIDIA.format(body="%r = add i32 %6, 0"), subgroup_size=32)


def test_library_functions_of_half_precision_and_questions() -> None:
    text = """
    define amdgpu_kernel void @k(ptr %0, ptr %1) {
      %3 = call i32 @llvm.amdgcn.workitem.id.x()
      %4 = getelementptr half, ptr %0, i32 %3
      %5 = load half, ptr %4, align 2
      %6 = call half @__ocml_tanh_f16(half %5)
      %7 = fpext half %6 to float
      %8 = call i32 @__ocml_isnan_f32(float %7)
      %9 = call float @__ocml_pown_f32(float %7, i32 2)
      %10 = sitofp i32 %8 to float
      %11 = fadd float %9, %10
      %12 = getelementptr float, ptr %1, i32 %3
      store float %11, ptr %12, align 4
      ret void
    }
    declare i32 @llvm.amdgcn.workitem.id.x()
    declare half @__ocml_tanh_f16(half)
    declare i32 @__ocml_isnan_f32(float)
    declare float @__ocml_pown_f32(float, i32)
    """
    x, out = np.linspace(-2, 2, 64).astype(np.float16), np.zeros(64, np.float32)
    launch(text, [x, out], 64, 64)
    np.testing.assert_allclose(out, np.tanh(x.astype(np.float32)).astype(np.float16).astype(np.float32) ** 2, rtol=2e-3)


HELPER = """
define internal float @twice(float %0) {
  %2 = fmul float %0, 2.0
  ret float %2
}
define ptx_kernel void @k(ptr %0) {
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = getelementptr float, ptr %0, i32 %2
  %4 = load float, ptr %3, align 4
  %5 = call float @twice(float %4)
  store float %5, ptr %3, align 4
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""


def test_functions_of_the_module_are_put_into_the_kernel() -> None:
    x = np.arange(64, dtype=np.float32)
    launch(HELPER, [x])
    np.testing.assert_array_equal(x, 2 * np.arange(64))
    recursive = HELPER.replace("%2 = fmul float %0, 2.0", "%2 = call float @twice(float %0)")
    with pytest.raises(DiagnosedError, match="its function 'twice' cannot be put into it; recursion"):
        lower_llvm("k", recursive, subgroup_size=32)


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
