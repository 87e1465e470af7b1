# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order in which a block's threads run brings out what a kernel does not order: a race gives a wrong result."""

import numpy as np
import pytest

from roller_mlir.sim import SimulatedKernels

THREADS = 128
SEEDS = [None, *range(10)]
WORKGROUP = "#gpu.address_space<workgroup>"


def reduction(name, source):
    """Sum `source` over the block through %w: over each subgroup by shuffles, then over the subgroups' sums."""
    halves = "".join(
        f"""%{name}w{n} = arith.constant {16 >> n} : i32
        %{name}s{n}, %{name}ok{n} = gpu.shuffle xor %{name}{n}, %{name}w{n}, %lanes : f32
        %{name}{n + 1} = arith.addf %{name}{n}, %{name}s{n} : f32
        """
        for n in range(5)
    )
    return f"""%{name}0 = memref.load %{source}[%i] : memref<{THREADS}xf32>
        {halves}
        scf.if %leads {{
          memref.store %{name}5, %w[%subgroup] : memref<4xf32, {WORKGROUP}>
        }}
        gpu.barrier
        %{name} = scf.for %k = %c0 to %c4 step %c1 iter_args(%sum = %zero) -> (f32) {{
          %part = memref.load %w[%k] : memref<4xf32, {WORKGROUP}>
          %more = arith.addf %sum, %part : f32
          scf.yield %more : f32
        }}"""


REDUCTIONS = f"""gpu.module @kernels {{
      gpu.func @k(%x: memref<{THREADS}xf32>, %y: memref<{THREADS}xf32>, %out: memref<{THREADS}x2xf32>)
          workgroup(%w: memref<4xf32, {WORKGROUP}>) kernel {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %c32 = arith.constant 32 : index
        %lanes = arith.constant 32 : i32
        %zero = arith.constant 0.0 : f32
        %i = gpu.thread_id x
        %subgroup = arith.divui %i, %c32 : index
        %lane = arith.remui %i, %c32 : index
        %leads = arith.cmpi eq, %lane, %c0 : index
        {reduction("a", "x")}
        gpu.barrier  // read
        {reduction("b", "y")}
        memref.store %a, %out[%i, %c0] : memref<{THREADS}x2xf32>
        memref.store %b, %out[%i, %c1] : memref<{THREADS}x2xf32>
        gpu.return
      }}
    }}"""


def right_seeds(text, count):
    """The seeds for which both sums are right in every thread."""
    kernels = SimulatedKernels(text, count=count)
    x = np.arange(THREADS, dtype=np.float32)
    y = x[::-1] * 3 + 1
    right = []
    for seed in SEEDS:
        out = np.zeros((THREADS, 2), np.float32)
        kernels.launch("k", 1, THREADS, 0, [x, y.copy(), out], seed=seed)
        if (out == (x.sum(), y.sum())).all():
            right.append(seed)
    return right


@pytest.mark.parametrize("count", [False, True])
def test_reuse_without_a_barrier_shows_behind_shuffles(count):
    """Every subgroup waits at shuffles between its last read of the first sums and its write of the second ones."""
    assert right_seeds(REDUCTIONS, count) == SEEDS
    assert "gpu.barrier  // read" in REDUCTIONS
    assert right_seeds(REDUCTIONS.replace("gpu.barrier  // read", ""), count) == []


TURNS = """gpu.module @kernels {
      gpu.func @k(%x: memref<1xi64>, %out: memref<2x4xi64>) kernel {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c32 = arith.constant 32 : index
        %one = arith.constant 1 : i64
        %i = gpu.thread_id x
        %subgroup = arith.divui %i, %c32 : index
        %lane = arith.remui %i, %c32 : index
        %leads = arith.cmpi eq, %lane, %c0 : index
        scf.for %phase = %c0 to %c2 step %c1 {
          scf.if %leads {
            %turn = memref.atomic_rmw addi %one, %x[%c0] : (i64, memref<1xi64>) -> i64
            memref.store %turn, %out[%phase, %subgroup] : memref<2x4xi64>
          }
          gpu.barrier
        }
        gpu.return
      }
    }"""


def test_every_barrier_changes_the_order_of_the_subgroups():
    kernels = SimulatedKernels(TURNS)
    orders = {}
    for seed in SEEDS:
        out = np.zeros((2, 4), np.int64)
        kernels.launch("k", 1, THREADS, 0, [np.zeros(1, np.int64), out], seed=seed)
        assert sorted(out[0]) == [0, 1, 2, 3]
        orders[seed] = [tuple(row) for row in out % 4]
    assert orders[None] == [(0, 1, 2, 3)] * 2
    assert len({first for first, _ in orders.values()}) > 2
    assert any(first != second for first, second in orders.values())


SCRATCH = f"""gpu.module @kernels {{{{
      gpu.func @k(%out: memref<{THREADS}xindex>) workgroup(%w: memref<{THREADS}xindex, {WORKGROUP}>) kernel {{{{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c32 = arith.constant 32 : index
        %i = gpu.thread_id x
        %mine = arith.{{place}} : index
        %other = arith.xori %mine, %c1 : index
        memref.store %i, %w[%mine] : memref<{THREADS}xindex, {WORKGROUP}>
        gpu.barrier scope <subgroup>
        %v = memref.load %w[%other] : memref<{THREADS}xindex, {WORKGROUP}>
        memref.store %v, %out[%i] : memref<{THREADS}xindex>
        gpu.return
      }}}}
    }}}}"""


@pytest.mark.full(every=4)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_sweep_shows_scratch_memory_that_subgroups_share(seed):
    for place, right in (("remui %i, %c32", False), ("addi %i, %c0", True)):
        out = np.zeros(THREADS, np.int64)
        SimulatedKernels(SCRATCH.format(place=place)).launch("k", 1, THREADS, 0, [out], seed=seed, sweep=True)
        assert np.array_equal(out, np.arange(THREADS) ^ 1) == right


UNEVEN = """gpu.module @kernels { gpu.func @k(%x: memref<64xf32>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c300 = arith.constant 300 : index
  %one = arith.constant 1 : i32
  %lanes = arith.constant 32 : i32
  %i = gpu.thread_id x
  %often = arith.muli %i, %c300 : index
  scf.for %k = %c0 to %often step %c1 {
    %v = memref.load %x[%i] {rtile.site = "load X"} : memref<64xf32>
  }
  %u = memref.load %x[%i] : memref<64xf32>
  %s, %ok = gpu.shuffle xor %u, %one, %lanes : f32
  memref.store %s, %x[%i] {rtile.site = "store X"} : memref<64xf32>
  gpu.return } }"""


@pytest.mark.full(each=["sweep"], every=7)
@pytest.mark.parametrize("sweep", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_lanes_with_full_logs_reach_a_shuffle_late(seed, sweep):
    x = np.arange(64, dtype=np.float32)
    kernels = SimulatedKernels(UNEVEN, count=True)
    result = kernels.launch("k", 1, 64, 0, [x], seed=seed, sweep=sweep)
    assert np.array_equal(x, np.arange(64) ^ 1)
    sites = {one.site: one for one in result.counts.sites}
    assert sites["load X"].lanes == 300 * 63 * 64 // 2
    assert sites["load X"].accesses == 300 * (31 + 63)
    assert sites["store X"].accesses == 2
