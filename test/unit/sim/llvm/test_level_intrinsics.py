# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Intrinsics of both vendors at the LLVM level, on LLVM IR written by hand, against their manuals."""

from typing import Any

import numpy as np
import pytest
from llvm_kernels import AMD, NVIDIA, lanes, launch

from roller_mlir.sim import SimulationError
from roller_mlir.support.diagnostics import DiagnosedError


def shfl(mode: str, b: Any, c: int, lane: int) -> tuple[int, bool]:
    """The PTX manual's definition: source lane, and whether it is in range."""
    clamp, segment = c & 31, c >> 8 & 31
    most, least = (lane & segment) | (clamp & ~segment), lane & segment
    j = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": least | (b & ~segment)}[mode]
    valid = j >= most if mode == "up" else j <= most
    return (j if valid else lane), valid


@pytest.mark.full(each=["mode", "b"])
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


@pytest.mark.full(each=["rows", "banks", "bound", "control"])
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
