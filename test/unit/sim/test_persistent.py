# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks that wait for each other: all resident, scheduled greedily or in turns."""

import re

import numpy as np
import pytest

from roller_mlir.sim import SimulatedKernels, SimulationError

BLOCKS, THREADS = 8, 64


def run(kernels, **options):
    x = np.arange(1024, dtype=np.float32)
    y, z = np.full(1024, np.nan, np.float32), np.full(1024, np.nan, np.float32)
    flag = np.zeros(1, np.int32)
    kernels.launch("two_ops", BLOCKS, THREADS, 0, [x, y, z, flag], **options)
    expected = 2 * x + 1
    return np.array_equal(z, expected + expected[::-1])


@pytest.mark.parametrize("sweep", [False, True])
@pytest.mark.parametrize("seed", [None, 0, 1])
def test_grid_barrier(persistent_text, sweep, seed):
    assert run(SimulatedKernels(persistent_text), resident_blocks=None, sweep=sweep, seed=seed)


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_greedy_schedule_finds_a_missing_grid_barrier(persistent_text, seed):
    broken, loops = re.subn(r"scf\.while.*?scf\.yield\s*\}", "", persistent_text, flags=re.DOTALL)
    assert loops == 1
    assert not run(SimulatedKernels(broken), resident_blocks=None, seed=seed)


@pytest.mark.parametrize("resident", [1, BLOCKS - 1])
def test_blocks_that_are_not_all_resident_deadlock(persistent_text, resident):
    kernels = SimulatedKernels(persistent_text)
    with pytest.raises(SimulationError) as caught:
        run(kernels, resident_blocks=resident)
    assert caught.value.kind == "deadlock"
    states = {(one.threads, one.state) for one in caught.value.positions}
    assert states == {(1, "spinning in"), (THREADS - 1, "waiting at")}
    assert len({one.block for one in caught.value.positions}) == resident
    assert run(kernels, resident_blocks=BLOCKS)


SPIN = """
gpu.module @kernels {
  gpu.func @pass_on(%out: memref<2xf32>)
      workgroup(%flag: memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %thread = gpu.thread_id x
    %first = arith.cmpi eq, %thread, %c0 : index
    scf.if %first {
      memref.store %i0, %flag[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    scf.if %first {
      memref.store %one, %out[%c0] : memref<2xf32>
      memref.store %i1, %flag[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
    } else {
      scf.while : () -> () {
        %now = memref.load %flag[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
        %more = arith.cmpi ne, %now, %i1 : i32
        scf.condition(%more)
      } do {
        scf.yield
      }
      %v = memref.load %out[%c0] : memref<2xf32>
      %w = arith.addf %v, %two : f32
      memref.store %w, %out[%c1] : memref<2xf32>
    }
    gpu.return
  }
}
"""


@pytest.mark.parametrize("seed", range(4))
def test_threads_of_a_block_wait_for_each_other(seed):
    out = np.zeros(2, np.float32)
    SimulatedKernels(SPIN).launch("pass_on", 1, 2, 0, [out], seed=seed)
    assert out.tolist() == [1, 3]


def test_more_blocks_than_are_resident(matmul_text):
    a, b, c = np.ones((64, 48), np.float32), np.ones((48, 32), np.float32), np.zeros((64, 32), np.float32)
    SimulatedKernels(matmul_text).launch("matmul", 8, 256, 0, [a, b, c], resident_blocks=3, sweep=True)
    assert (c == 48).all()
