# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies to workgroup memory past the registers (`amdgpu.gather_to_lds`): where they land, and when."""

import numpy as np
import pytest

from roller_mlir.sim import SanitizerError, SimulatedKernels, SimulationError
from roller_mlir.support.diagnostics import DiagnosedError

WORKGROUP = "#gpu.address_space<workgroup>"
MEMORY = f"memref<4x128xf16, {WORKGROUP}>"
COPY = f": vector<2xf16>, memref<2x256xf16>, {MEMORY}"
# Both subgroups copy a row of %x to a row of %w of their own, the pairs of elements in the order of %places, then
# another row; the lanes of the other subgroup store both, the first one maybe while the second is under way.
KERNEL = f"""gpu.module @kernels {{
  gpu.func @k(%x: memref<2x256xf16>, %places: memref<128xindex>, %y: memref<4x128xf16>)
      workgroup(%w: {MEMORY}) kernel {{
    %n = gpu.thread_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %lanes = arith.constant 64 : index
    %many = arith.constant 128 : index
    %lane = arith.remui %n, %lanes : index
    %subgroup = arith.divui %n, %lanes : index
    %other = arith.subi %one, %subgroup : index
    %place = memref.load %places[%n] : memref<128xindex>
    %from = arith.muli %place, %two : index
    %second = arith.addi %subgroup, %two : index
    amdgpu.gather_to_lds %x[%zero, %from], %w[%subgroup, %zero] {COPY}
    amdgpu.gather_to_lds %x[%one, %from], %w[%second, %zero] {COPY}
    amdgpu.memory_counter_wait load(1)
    gpu.barrier scope <subgroup>
    %to = arith.muli %lane, %two : index
    %v = vector.load %w[%subgroup, %to] : {MEMORY}, vector<2xf16>
    vector.store %v, %y[%subgroup, %to] : memref<4x128xf16>, vector<2xf16>
    amdgpu.lds_barrier
    %third = arith.addi %other, %two : index
    %u = vector.load %w[%third, %to] : {MEMORY}, vector<2xf16>
    vector.store %u, %y[%third, %to] : memref<4x128xf16>, vector<2xf16>
    gpu.return }} }}"""


def run(text, sanitize=True, **options):
    x = np.arange(512, dtype=np.float16).reshape(2, 256)
    places = np.random.default_rng(0).permutation(128)
    y = np.full((4, 128), np.nan, np.float16)
    result = SimulatedKernels(text, 64, sanitize=sanitize, **options).launch("k", 1, 128, 0, [x, places, y])
    wanted = x.reshape(2, 128, 2)[:, places].reshape(4, 128)
    return np.array_equal(y, wanted), result


@pytest.mark.parametrize("sanitize", [False, True])
def test_copies_land_behind_each_other(sanitize):
    assert run(KERNEL, sanitize)[0]


def test_every_barrier_of_the_block_waits():
    assert run(KERNEL.replace("amdgpu.memory_counter_wait load(1)", "gpu.barrier"))[0]


def test_counts():
    sites = run(KERNEL, sanitize=False, count=True)[1].counts.sites
    copies = [(one.space, one.kind, one.bytes, one.phases) for one in sites if "gather_to_lds" in one.site]
    assert sorted(copies) == [("global", "load", 512, 0)] * 2 + [("workgroup", "store", 512, 4)] * 2


@pytest.mark.parametrize("wrong", ["amdgpu.memory_counter_wait load(2)", "amdgpu.memory_counter_wait ds(0)", ""])
def test_a_wait_for_too_few(wrong):
    text = KERNEL.replace("amdgpu.memory_counter_wait load(1)", wrong)
    assert not run(text, sanitize=False)[0]
    with pytest.raises(SanitizerError) as caught:
        run(text)
    assert caught.value.findings[0].kind == "unfinished-copy"


def test_no_barrier():
    with pytest.raises(SanitizerError) as caught:
        run(KERNEL.replace("amdgpu.lds_barrier", "amdgpu.memory_counter_wait load(0)"))
    assert {one.kind for one in caught.value.findings} <= {"read-after-write", "write-after-read", "uninitialised-read"}


FAULTS = {
    r"thread \(\d+, 0, 0\) .* has operands of its own at amdgpu.gather": ("%w[%subgroup, %zero]", "%w[%odd, %zero]"),
    r"a view of 256 from 896 on is outside the 1024 that are there": ("%w[%second, %zero]", "%w[%three, %lanes]"),
    r"index \[1, \d+\], \[1, 2\] elements from there, is outside": ("%x[%one, %from]", "%x[%one, %far]"),
}  # fmt: skip


@pytest.mark.parametrize("message", FAULTS)
def test_faults(message):
    right, wrong = FAULTS[message]
    extra = "%three = arith.constant 3 : index\n%far = arith.addi %from, %two : index"
    extra += "\n%odd = arith.remui %n, %two : index\n%second = arith"
    text = KERNEL.replace(right, wrong).replace("%second = arith", extra)
    with pytest.raises(SimulationError, match=message):
        run(text, sanitize=False)


REFUSED = {
    "must copy 4 or 16 bytes a lane, not async": KERNEL.replace("vector<2xf16>, memref<2x", "f16, memref<2x"),
    "must copy global to whole workgroup memory": KERNEL.replace(
        f"gather_to_lds %x[%zero, %from], %w[%subgroup, %zero] {COPY}",
        f"gather_to_lds %x[%zero, %from], %v0[%subgroup, %zero] "
        f": vector<2xf16>, memref<2x256xf16>, memref<4x128xf16, strided<[256, 1]>, {WORKGROUP}>",
    ).replace(
        f"workgroup(%w: {MEMORY})",
        f"workgroup(%w: {MEMORY}, %v0: memref<4x128xf16, strided<[256, 1]>, {WORKGROUP}>)",
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refusals(message):
    with pytest.raises(DiagnosedError, match="error: ") as caught:
        SimulatedKernels(REFUSED[message], 64)
    assert message in str(caught.value)
