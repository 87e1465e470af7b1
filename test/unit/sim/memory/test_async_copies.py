# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asynchronous copies land where they are waited for, and not before."""

import numpy as np
import pytest

from roller_mlir.sim import SanitizerError, SimulatedKernels, SimulationError
from roller_mlir.support.diagnostics import DiagnosedError

WORKGROUP = "#gpu.address_space<workgroup>"
TEXT = f"""
gpu.module @kernels {{
  gpu.func @k(%x: memref<4x256xf32>, %y: memref<4x256xf32>)
      workgroup(%w: memref<2x256xf32, {WORKGROUP}>) kernel {{
    %i = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %last = arith.constant 252 : index
    %at = arith.muli %i, %c4 : index
    %other = arith.subi %last, %at : index
    %t0 = nvgpu.device_async_copy %x[%c0, %at], %w[%c0, %at], 4
      : memref<4x256xf32> to memref<2x256xf32, {WORKGROUP}>
    %g0 = nvgpu.device_async_create_group %t0
    %end = scf.for %k = %c0 to %c4 step %c1 iter_args(%group = %g0) -> (!nvgpu.device.async.token) {{
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi ult, %next, %c4 : index
      %slot = arith.remui %k, %c2 : index
      %free = arith.remui %next, %c2 : index
      scf.if %more {{
        %t = nvgpu.device_async_copy %x[%next, %at], %w[%free, %at], 4
          : memref<4x256xf32> to memref<2x256xf32, {WORKGROUP}>
      }}
      %g = nvgpu.device_async_create_group
      nvgpu.device_async_wait %group {{numGroups = 1 : i32}}
      gpu.barrier
      %v = vector.load %w[%slot, %other] : memref<2x256xf32, {WORKGROUP}>, vector<4xf32>
      vector.store %v, %y[%k, %other] : memref<4x256xf32>, vector<4xf32>
      gpu.barrier  // free again
      scf.yield %g : !nvgpu.device.async.token
    }}
    gpu.return
  }}
}}
"""


def run(text, sanitize=True, seed=0):
    x = np.arange(1024, dtype=np.float32).reshape(4, 256)
    y = np.full((4, 256), np.nan, np.float32)
    SimulatedKernels(text, sanitize=sanitize).launch("k", 1, 64, 0, [x, y], seed=seed)
    return np.array_equal(x, y)


@pytest.mark.parametrize("sanitize", [False, True])
def test_two_stages(sanitize):
    assert run(TEXT, sanitize)


def test_a_wait_for_too_few_groups():
    wrong = TEXT.replace("numGroups = 1", "numGroups = 2")
    assert not run(wrong, sanitize=False)
    with pytest.raises(SanitizerError) as caught:
        run(wrong)
    found = caught.value.findings[0]
    assert found.kind == "unfinished-copy"
    assert "is still copying, without a wait for it at nvgpu.device_async_copy" in found.message


def test_a_wait_without_a_number_is_for_all():
    assert run(TEXT.replace("{numGroups = 1 : i32}", ""))


@pytest.mark.parametrize("removed", ["gpu.barrier\n", "gpu.barrier  // free again"])
def test_a_removed_barrier(removed):
    assert TEXT.count(removed) == 1
    with pytest.raises(SanitizerError) as caught:
        run(TEXT.replace(removed, ""))
    kinds = {one.kind for one in caught.value.findings}
    assert kinds & {"read-after-write", "write-after-read", "unfinished-copy"}


def test_fewer_elements_of_the_source_leave_zeros():
    text = f"""
    gpu.module @kernels {{ gpu.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
        workgroup(%w: memref<8xf32, {WORKGROUP}>) kernel {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = nvgpu.device_async_copy %x[%c0], %w[%c0], 4, %c1 : memref<8xf32> to memref<8xf32, {WORKGROUP}>
      %g = nvgpu.device_async_create_group %t
      nvgpu.device_async_wait %g
      %v = vector.load %w[%c0] : memref<8xf32, {WORKGROUP}>, vector<4xf32>
      vector.store %v, %y[%c0] : memref<8xf32>, vector<4xf32>
      gpu.return }} }}"""
    y = np.full(8, np.nan, np.float32)
    SimulatedKernels(text, sanitize=True).launch("k", 1, 1, 0, [np.arange(1, 9, dtype=np.float32), y])
    assert y[:4].tolist() == [1, 0, 0, 0]


def test_copies_without_a_wait_never_land():
    text = TEXT.replace("nvgpu.device_async_wait %group {numGroups = 1 : i32}", "")
    assert not run(text, sanitize=False)


def test_refusals():
    within = f"%w[%c1, %at], %w[%c0, %at], 4\n      : memref<2x256xf32, {WORKGROUP}> to"
    text = TEXT.replace("%x[%c0, %at], %w[%c0, %at], 4\n      : memref<4x256xf32> to", within)
    assert text != TEXT
    with pytest.raises(DiagnosedError, match="must copy global to workgroup memory, but copies memref"):
        SimulatedKernels(text)


def test_more_copies_than_there_is_room_for():
    many = TEXT.replace("%c4 = arith.constant 4", "%c1100 = arith.constant 1100 : index\n    %c4 = arith.constant 4")
    many = many.replace(
        "%end = scf.for",
        """scf.for %n = %c0 to %c1100 step %c1 {
      %t = nvgpu.device_async_copy %x[%c0, %at], %w[%c0, %at], 4
        : memref<4x256xf32> to memref<2x256xf32, #gpu.address_space<workgroup>>
    }
    %end = scf.for""",
    )
    with pytest.raises(SimulationError, match="more asynchronous copies are under way than the simulator keeps"):
        run(many, sanitize=False)
