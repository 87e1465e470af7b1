# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies in several groups, ldmatrix and mma.sync together, with edges; and the faults that such kernels have."""

import numpy as np
import pytest

from roller_mlir.sim import SanitizerError, SimulatedKernels, SimulationError

DEPTH, TILES, STAGES = 56, 4, 3
WORKGROUP = "#gpu.address_space<workgroup>"
A, B = f"memref<{STAGES}x16x16xf16, {WORKGROUP}>", f"memref<{STAGES}x8x16xf16, {WORKGROUP}>"


def issue(name, tile):
    """The lanes copy a tile of A and of B in pieces of 8 elements; what lies behind the edge becomes 0."""
    return f"""
      %{name}k0 = arith.muli {tile}, %c16 : index
      %{name}k = arith.addi %{name}k0, %part : index
      %{name}left0 = arith.subi %depth, %{name}k : index
      %{name}left1 = arith.minsi %{name}left0, %c8 : index
      %{name}left = arith.maxsi %{name}left1, %c0 : index
      %{name}slot = arith.remui {tile}, %stages : index
      %{name}a = nvgpu.device_async_copy %x[%row, %{name}k], %sa[%{name}slot, %row, %part], 8, %{name}left
        {{bypassL1}} : memref<16x{DEPTH}xf16> to {A}
      scf.if %low {{
        %{name}b = nvgpu.device_async_copy %y[%row, %{name}k], %sb[%{name}slot, %row, %part], 8, %{name}left
          {{bypassL1}} : memref<8x{DEPTH}xf16> to {B}
      }}"""


KERNEL = f"""gpu.module @kernels {{
  gpu.func @k(%x: memref<16x{DEPTH}xf16>, %y: memref<8x{DEPTH}xf16>, %z: memref<16x8xf32>)
      workgroup(%sa: {A}, %sb: {B}) kernel {{
    %n = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %depth = arith.constant {DEPTH} : index
    %tiles = arith.constant {TILES} : index
    %stages = arith.constant {STAGES} : index
    %zero = arith.constant dense<0.0> : vector<2x2xf32>
    %row = arith.divui %n, %c2 : index
    %half = arith.remui %n, %c2 : index
    %part = arith.muli %half, %c8 : index
    %low = arith.cmpi ult, %n, %c16 : index
    %group = arith.divui %n, %c4 : index
    %pair0 = arith.remui %n, %c4 : index
    %pair = arith.muli %pair0, %c2 : index
    %ra = arith.remui %n, %c16 : index
    %ca0 = arith.divui %n, %c16 : index
    %ca = arith.muli %ca0, %c8 : index
    %rb = arith.remui %n, %c8 : index
    %cb0 = arith.divui %ra, %c8 : index
    %cb = arith.muli %cb0, %c8 : index
    {issue("p", "%c0")}
    %g0 = nvgpu.device_async_create_group %pa
    {issue("q", "%c1")}
    %g1 = nvgpu.device_async_create_group %qa
    %sum = scf.for %t = %c0 to %tiles step %c1 iter_args(%s = %zero) -> (vector<2x2xf32>) {{
      nvgpu.device_async_wait %g0 {{numGroups = 1 : i32}}
      gpu.barrier
      %next = arith.addi %t, %c2 : index
      %more = arith.cmpi ult, %next, %tiles : index
      scf.if %more {{
        {issue("n", "%next")}
      }}
      %g2 = nvgpu.device_async_create_group %g1
      %slot = arith.remui %t, %stages : index
      %a = nvgpu.ldmatrix %sa[%slot, %ra, %ca] {{numTiles = 4 : i32, transpose = false}} : {A} -> vector<4x2xf16>
      %b = nvgpu.ldmatrix %sb[%slot, %rb, %cb] {{numTiles = 2 : i32, transpose = false}} : {B} -> vector<2x2xf16>
      %d = nvgpu.mma.sync(%a, %b, %s) {{mmaShape = [16, 8, 16]}}
        : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      scf.yield %d : vector<2x2xf32>
    }}
    %s0 = vector.extract %sum[0] : vector<2xf32> from vector<2x2xf32>
    %s1 = vector.extract %sum[1] : vector<2xf32> from vector<2x2xf32>
    %below = arith.addi %group, %c8 : index
    vector.store %s0, %z[%group, %pair] : memref<16x8xf32>, vector<2xf32>
    vector.store %s1, %z[%below, %pair] : memref<16x8xf32>, vector<2xf32>
    gpu.return }} }}"""


def run(text, sanitize=True, seed=0):
    random = np.random.default_rng(seed)
    x, y = (random.integers(-4, 5, (rows, DEPTH)).astype(np.float16) for rows in (16, 8))
    z = np.full((16, 8), np.nan, np.float32)
    SimulatedKernels(text, sanitize=sanitize).launch("k", 1, 32, 0, [x, y, z], seed=seed)
    return np.array_equal(z, x.astype(np.float64) @ y.T.astype(np.float64))


@pytest.mark.parametrize("sanitize", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
def test_product(sanitize, seed):
    assert run(KERNEL, sanitize, seed)


FAULTS = {
    "no wait": ("nvgpu.device_async_wait %g0 {numGroups = 1 : i32}", "", {"unfinished-copy"}),
    "a wait for too few": ("numGroups = 1", "numGroups = 2", {"unfinished-copy"}),
    "no barrier": ("gpu.barrier", "", {"read-after-write", "write-after-read", "write-after-write"}),
    "a stage too few": (
        "%stages = arith.constant 3", "%stages = arith.constant 2", {"write-after-read", "unfinished-copy"}),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults(fault):
    right, wrong, kinds = FAULTS[fault]
    assert KERNEL.count(right) == 1
    with pytest.raises(SanitizerError) as caught:
        run(KERNEL.replace(right, wrong))
    found = {one.kind for one in caught.value.findings}
    assert found and found <= kinds


def test_a_wait_for_too_few_gives_a_wrong_result_too():
    assert not run(KERNEL.replace("numGroups = 1", "numGroups = 2"), sanitize=False)


def test_too_few_elements_of_the_source_give_a_wrong_result():
    right = "%pleft0 = arith.subi %depth"
    assert not run(KERNEL.replace(right, "%pleft0 = arith.subi %c4"))


def test_more_elements_than_are_copied():
    text = KERNEL.replace("%nleft1 = arith.minsi %nleft0, %c8", "%nleft1 = arith.minsi %c16, %c16")
    with pytest.raises(SimulationError, match="a view of 32 from 0 on is outside the 16 that are there"):
        run(text)


def test_a_source_behind_the_edge():
    text = KERNEL.replace("%nleft1 = arith.minsi %nleft0, %c8", "%nleft1 = arith.minsi %c8, %c8")
    with pytest.raises(SimulationError, match=r"index \[\d+, 56\], \[1, 8\] elements from there, is outside"):
        run(text, sanitize=False)
