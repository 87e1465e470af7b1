# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hopper at the LLVM level, one piece at a time: mbarriers, bulk copies, elections, named barriers, refusals."""

from typing import Any

import numpy as np
import pytest
from llvm_kernels import NVIDIA, lanes, launch

from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.sim import SimulatedKernels, SimulationError
from roller_mlir.sim.llvm.level import lower_llvm
from roller_mlir.support.diagnostics import DiagnosedError

WAIT = "{\\0A.reg .pred P1;\\0AW${:uid}:\\0Ambarrier.try_wait.parity.shared::cta.b64 P1, [$0], $1;\\0A"
WAIT += "@!P1 bra W${:uid};\\0A}"
# Thread 0 has 512 bytes copied; all wait for them and store them, reversed; a copy in the other direction follows.
_BULK = f"""
@w = external addrspace(3) global [0 x i8], align 1024
define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y, ptr addrspace(1) %z) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bar = getelementptr i8, ptr addrspace(3) @w, i32 512
  %far = addrspacecast ptr addrspace(3) @w to ptr addrspace(7)
  %first = icmp eq i32 %t, 0
  br i1 %first, label %one, label %all
one:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %bar, i32 1)
  call void @llvm.nvvm.fence.mbarrier_init.release.cluster()
  %state = call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3) %bar, i32 512)
  call void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(ptr addrspace(7) %far, ptr addrspace(3) %bar,
    ptr addrspace(1) %x, i32 512, i16 0, i64 0, i1 false, i1 false)
  br label %all
all:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void asm sideeffect "{WAIT}", "r,r,~{{memory}}"(ptr addrspace(3) %bar, i32 0)
  %r = sub i32 127, %t
  %a = getelementptr i32, ptr addrspace(3) @w, i32 %r
  %v = load i32, ptr addrspace(3) %a, align 4
  %o = getelementptr i32, ptr addrspace(1) %y, i32 %t
  store i32 %v, ptr addrspace(1) %o, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 128)
  br i1 %first, label %two, label %end
two:
  call void @llvm.nvvm.cp.async.bulk.shared.cta.to.global(ptr addrspace(1) %z, ptr addrspace(3) @w, i32 512,
    i64 0, i1 false)
  call void @llvm.nvvm.cp.async.bulk.commit.group()
  call void @llvm.nvvm.cp.async.bulk.wait.group(i32 0)
  br label %end
end:
  ret void
}}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare void @llvm.nvvm.fence.mbarrier_init.release.cluster()
declare i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32)
declare void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(ptr addrspace(7), ptr addrspace(3), ptr addrspace(1),
  i32, i16, i64, i1, i1)
declare void @llvm.nvvm.cp.async.bulk.shared.cta.to.global(ptr addrspace(1), ptr addrspace(3), i32, i64, i1)
declare void @llvm.nvvm.cp.async.bulk.commit.group()
declare void @llvm.nvvm.cp.async.bulk.wait.group(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
"""
BULK = _BULK.replace(",\n ", ",")


def run(text: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    x = np.arange(128, dtype=np.int32)
    y, z = np.zeros_like(x), np.zeros_like(x)
    launch(text, [x, y, z], 128, dynamic=1024, seed=3)
    return y, z


def test_bulk_copies_and_their_mbarrier() -> None:
    y, z = run(BULK)
    assert y.tolist() == list(range(127, -1, -1))
    assert z.tolist() == list(range(128))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            f'"{WAIT}", "r,r,~{{memory}}"(ptr addrspace(3) %bar, i32 0)',
            '"", ""()',
            "which a copy may still write",
        ),
        ("%bar, i32 512)", "%bar, i32 256)", "can never end"),
        ("%bar, i32 1)\n", "%bar, i32 2)\n", "can never end"),
    ],
)
def test_faults(old: str, new: str, message: str) -> None:
    assert old in BULK
    with pytest.raises(SimulationError) as caught:
        run(BULK.replace(old, new))
    assert message in str(caught.value)
    assert "k.ll:" in str(caught.value)


def test_a_store_that_nobody_waits_for() -> None:
    y, z = run(BULK.replace("  call void @llvm.nvvm.cp.async.bulk.wait.group(i32 0)\n", ""))
    assert y.tolist() == list(range(127, -1, -1))
    assert not z.any()


def test_one_lane_of_each_warp_is_elected() -> None:
    body = """%pair = call {{ i32, i1 }} @llvm.nvvm.elect.sync(i32 -1)
      %p = extractvalue {{ i32, i1 }} %pair, 1
      %r = zext i1 %p to i32"""
    text = NVIDIA.format(body=body.format()) + "declare { i32, i1 } @llvm.nvvm.elect.sync(i32)\n"
    assert lanes(text).tolist() == [int(thread % 32 == 0) for thread in range(64)]


def test_a_comparison_gives_a_predicate() -> None:
    body = """%low = and i32 %3, 1
      %r = call i32 asm "{ .reg .pred p; setp.ne.b32 p, $1, 0; mov.u32 $0, 7; @p mov.u32 $0, 9; }", "=r,r"(i32 %low)"""
    text = NVIDIA.format(body="BODY").replace("BODY", body)
    assert lanes(text).tolist() == [9 if thread % 2 else 7 for thread in range(64)]


def product(rest: str = "$6, $7, 1, 1, 1, 0, 0", shape: str = "m64n8k16.f32.f16.f16", count: int = 4) -> str:
    """A product with zeros for descriptors; registers $0 to $3 are the sums."""
    registers = ", ".join(f"${number}" for number in range(count))
    whole = "{ float, float, float, float }"
    return (
        f'%d = call {whole} asm sideeffect "wgmma.mma_async.sync.aligned.{shape} {{{registers}}}, {rest};", '
        '"=f,=f,=f,=f,0,1,l,l,b"(float 0.0, float 0.0, i64 0, i64 0, i1 true)\n  %r = add i32 0, 0'
    )


REFUSED = {
    "an election among some lanes": (
        "%pair = call { i32, i1 } @llvm.nvvm.elect.sync(i32 15)\n  %r = add i32 0, 0",
        "'llvm.nvvm.elect.sync' of some lanes is not known",
    ),
    "a state of an mbarrier": (
        '%s = call i64 asm "mbarrier.arrive.shared::cta.b64 $0, [$1];", "=l,r"(i32 %6)\n  %r = add i32 0, 0',
        "'mbarrier.arrive.shared::cta.b64' whose result is used",
    ),
    "A in registers": (product("{$6, $6, $6, $6}, $7, 1, 1, 1, 0"), "with A in registers"),
    "another number of registers": (product(shape="m64n16k16.f32.f16.f16"), "with 4 registers is not known"),
    "another depth": (product(shape="m64n8k32.f32.f16.f16"), "with 4 registers is not known"),
    "two types": (
        product(shape="m64n8k16.f32.f16.bf16"),
        "m64n8k16.f32.f16.bf16' is not known",
    ),
    "a sum of another type": (product(shape="m64n8k16.f16.bf16.bf16"), "is not known to the simulator"),
    "transposed bytes": (product("$6, $7, 1, 1, 1, 0, 1", "m64n8k8.f32.tf32.tf32"), "with the constants [1, 1, 0, 1]"),
    "another wait": (
        'call void asm sideeffect "W: mbarrier.test_wait.shared.b64 p, [$0], $1; @!p bra W;", "r,r"(i32 0, i32 0)\n'
        "  %r = add i32 0, 0",
        "with labels",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_known_is_refused(what: str) -> None:
    body, message = REFUSED[what]
    text = NVIDIA.format(body="BODY").replace("BODY", body)
    if "elect" in body:
        text += "declare { i32, i1 } @llvm.nvvm.elect.sync(i32)\n"
    with pytest.raises(DiagnosedError) as caught:
        lower_llvm("k", text, subgroup_size=32)
    assert message in str(caught.value)
    assert "k.ll:7:1: error: kernel 'k': " in str(caught.value)


def test_multicast_is_refused() -> None:
    text = BULK.replace("i64 0, i1 false, i1 false)", "i64 0, i1 true, i1 false)")
    with pytest.raises(DiagnosedError, match="bulk.global.to.shared.cluster' with a multicast mask"):
        lower_llvm("k", text, subgroup_size=32)


MAPPED = """
define ptx_kernel void @k(ptr %0, ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %1) {
  ret void
}
"""


def test_grid_constants_and_tensor_maps_belong_together() -> None:
    one = TensorMap(
        argument=0, element="f16", extents=(64, 64), strides=(128,), box=(64, 64), steps=(1, 1), swizzle=128
    )
    lowered = lower_llvm("k", MAPPED, subgroup_size=32, tensor_maps=[one])
    SimulatedKernels(lowered, 32).launch("k", 1, 32, 0, [np.zeros((64, 64), np.float16)])
    with pytest.raises(DiagnosedError, match="its parameter 1 is a grid constant, but no tensor map is given for it"):
        lower_llvm("k", MAPPED, subgroup_size=32)
    with pytest.raises(DiagnosedError, match="2 tensor maps are given, but it has fewer grid constants"):
        lower_llvm("k", MAPPED, subgroup_size=32, tensor_maps=[one, one])
