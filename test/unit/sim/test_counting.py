# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts of kernels small enough to count by hand, and of random ones against a plain model."""

from dataclasses import replace

import numpy as np
import pytest

from roller_mlir.mapping.layout.bank_phases import Banks, phases
from roller_mlir.sim import SimulatedKernels

WORKGROUP = "#gpu.address_space<workgroup>"


def counted(text, grid=1, block=32, args=(), subgroup=32, **options):
    result = SimulatedKernels(text, subgroup, count=True, **options).launch("k", grid, block, 0, list(args))
    assert result.counts is not None
    return {one.site: one for one in result.counts.sites}, result.counts


def copy(kind, size, stride, vector=1, offset=0):
    value = kind if vector == 1 else f"vector<{vector}x{kind}>"
    aligned = ", alignment = 16 : i64" if vector > 2 and not offset else ""
    types = f"memref<{size}x{kind}>" + (f", {value}" if vector > 1 else "")
    dialect = "memref" if vector == 1 else "vector"
    return f"""gpu.module @kernels {{ gpu.func @k(%x: memref<{size}x{kind}>, %y: memref<{size}x{kind}>) kernel {{
      %thread = gpu.global_id x
      %stride = arith.constant {stride} : index
      %offset = arith.constant {offset} : index
      %start = arith.muli %thread, %stride : index
      %i = arith.addi %start, %offset : index
      %v = {dialect}.load %x[%i] {{rtile.site = "load X"{aligned}}} : {types}
      {dialect}.store %v, %y[%i] {{rtile.site = "store Y"{aligned}}} : {types}
      gpu.return }} }}"""


@pytest.mark.parametrize(
    ("name", "vector", "stride", "offset", "sectors", "ideal", "size"),
    [
        ("f32", 1, 1, 0, 4, 4, 4),
        ("f32", 1, 1, 1, 5, 4, 4),
        ("f32", 1, 2, 0, 8, 4, 4),
        ("f32", 1, 8, 0, 32, 4, 4),
        ("f32", 1, 0, 0, 1, 1, 4),
        ("f32", 4, 4, 0, 16, 16, 16),
        ("f32", 2, 2, 0, 8, 8, 8),
        ("f32", 4, 4, 2, 17, 16, 16),
        ("f64", 1, 1, 0, 8, 8, 8),
        ("i8", 1, 1, 0, 1, 1, 1),
    ],
)
def test_sectors_of_a_copy(name, vector, stride, offset, sectors, ideal, size):
    dtype = {"f32": np.float32, "f64": np.float64, "i8": np.int8}[name]
    x, y = np.zeros(1024, dtype), np.zeros(1024, dtype)
    sites, counts = counted(copy(name, 1024, stride, vector, offset), 2, 64, [x, y])
    subgroups = 4
    for site, kind in (("load X", "load"), ("store Y", "store")):
        found = sites[site]
        assert (found.kind, found.space) == (kind, "global")
        assert found.accesses == subgroups
        assert found.lanes == 128
        assert found.bytes == 128 * size
        assert found.sectors32 == subgroups * sectors
        assert found.ideal == subgroups * ideal
        assert found.phases == 0
    assert counts.total("global").accesses == 2 * subgroups
    assert counts.total("global", "load").bytes == 128 * size
    assert counts.total("workgroup").accesses == 0


def workgroup(index, vector=1, threads=32):
    """Thread t stores zeros to workgroup memory, at the %i that `index` computes."""
    value, zero = (
        ("f32", "0.0 : f32") if vector == 1 else (f"vector<{vector}xf32>", f"dense<0.0> : vector<{vector}xf32>")
    )
    types = f"memref<4096xf32, {WORKGROUP}>" + (f", {value}" if vector > 1 else "")
    dialect, aligned = ("memref", "") if vector == 1 else ("vector", f", alignment = {4 * vector} : i64")
    return f"""gpu.module @kernels {{ gpu.func @k(%map: memref<{threads}xindex>)
        workgroup(%w: memref<4096xf32, {WORKGROUP}>) kernel {{
      %thread = gpu.thread_id x
      %v = arith.constant {zero}
      {index}
      {dialect}.store %v, %w[%i] {{rtile.site = "store W"{aligned}}} : {types}
      gpu.return }} }}"""


def stride(count):
    return f"%c = arith.constant {count} : index\n %i = arith.muli %thread, %c : index"


@pytest.mark.parametrize(
    ("step", "vector", "expected", "ideal"),
    [
        (1, 1, 1, 1),
        (2, 1, 2, 1),
        (33, 1, 1, 1),
        (32, 1, 32, 1),
        (0, 1, 1, 1),
        (2, 2, 2, 2),
        (4, 4, 4, 4),
        (8, 4, 8, 4),
        (0, 4, 4, 4),
    ],
)
def test_bank_phases(step, vector, expected, ideal):
    sites, counts = counted(workgroup(stride(step), vector), args=[np.zeros(32, np.int64)])
    found = sites["store W"]
    assert (found.space, found.kind, found.accesses, found.lanes) == ("workgroup", "store", 1, 32)
    assert found.bytes == 32 * 4 * vector
    assert found.phases == expected
    assert found.ideal == ideal
    assert found.sectors32 == 0
    assert counts.total("workgroup", "store") == replace(found, site="total")


@pytest.mark.full(every=3)
@pytest.mark.parametrize("vector", [1, 2, 4])
@pytest.mark.parametrize("banks", [Banks(), Banks(count=64, bank_bytes=4)])
@pytest.mark.parametrize("subgroup", [32, 64])
def test_random_bank_phases_against_the_model(vector, banks, subgroup):
    places = vector * np.random.default_rng(vector + subgroup).integers(0, 500, 128)
    text = workgroup("%i = memref.load %map[%thread] : memref<128xindex>", vector, 128)
    sites, _ = counted(text, block=128, args=[places.astype(np.int64)], subgroup=subgroup, banks=banks)
    expected = sum(
        phases([4 * int(place) for place in part], 4 * vector, banks, load=False)
        for part in places.reshape(-1, subgroup)
    )
    assert sites["store W"].phases == expected


def test_a_vector_wider_than_an_instruction_is_several_accesses():
    x, y = np.zeros(1024, np.float32), np.zeros(1024, np.float32)
    sites, _ = counted(copy("f32", 1024, 8, 8), 1, 32, [x, y])
    assert sites["load X"].accesses == 2
    assert sites["load X"].bytes == 1024
    assert sites["load X"].sectors32 == 64  # 16 of 32 bytes each time


DIVERGENT = """gpu.module @kernels { gpu.func @k(%x: memref<64xf32>) kernel {
  %thread = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %z = arith.constant 0.0 : f32
  %low = arith.cmpi ult, %thread, %c16 : index
  scf.if %low {
    memref.store %z, %x[%thread] {rtile.site = "then"} : memref<64xf32>
  } else {
    memref.store %z, %x[%thread] {rtile.site = "else"} : memref<64xf32>
  }
  memref.store %z, %x[%thread] {rtile.site = "after"} : memref<64xf32>
  %often = arith.addi %thread, %c1 : index
  scf.for %k = %c0 to %often step %c1 {
    memref.store %z, %x[%k] {rtile.site = "loop"} : memref<64xf32>
  }
  memref.store %z, %x[%thread] {rtile.site = "end"} : memref<64xf32>
  gpu.return } }"""


def test_lanes_that_part_come_together_again():
    """48 threads: a full subgroup and one of 16 lanes, which counts as a subgroup of its own."""
    sites, _ = counted(DIVERGENT, block=48, args=[np.zeros(64, np.float32)])
    issued = {name: (one.accesses, one.lanes) for name, one in sites.items()}
    assert issued == {
        "then": (1, 16),
        "else": (2, 32),
        "after": (2, 48),
        "loop": (32 + 48, 48 * 49 // 2),
        "end": (2, 48),
    }
    # Iteration k writes x[k] from every lane that is still there: one sector each time.
    assert sites["loop"].sectors32 == 32 + 48


IN_TURN = """gpu.module @kernels { gpu.func @k(%x: memref<64xf32>) kernel {
  %thread = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %z = arith.constant 0.0 : f32
  %odd = arith.remui %thread, %c2 : index
  %often = arith.addi %odd, %c1 : index
  scf.for %k = %c0 to %c6 step %c1 {
    memref.store %z, %x[%thread] {rtile.site = "each"} : memref<64xf32>
    %sum = arith.addi %thread, %k : index
    %turn = arith.remui %sum, %c2 : index
    %mine = arith.cmpi eq, %turn, %c0 : index
    scf.if %mine {
      memref.store %z, %x[%thread] {rtile.site = "in turn"} : memref<64xf32>
    }
    scf.for %j = %c0 to %often step %c1 {
      memref.store %z, %x[%j] {rtile.site = "inside"} : memref<64xf32>
    }
  }
  %end = scf.while (%k = %c0) : (index) -> index {
    %more = arith.cmpi ult, %k, %c6 : index
    scf.condition(%more) %k : index
  } do {
  ^bb0(%k: index):
    memref.store %z, %x[%thread] {rtile.site = "while"} : memref<64xf32>
    %turn = arith.remui %k, %c2 : index
    %mine = arith.cmpi eq, %turn, %odd : index
    scf.if %mine {
      memref.store %z, %x[%thread] {rtile.site = "in turn there"} : memref<64xf32>
    }
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  gpu.return } }"""


def test_no_lane_is_an_iteration_ahead():
    """Half of the lanes skip a store each time, and leave a loop inside early: the others' next ones wait for them."""
    sites, _ = counted(IN_TURN, args=[np.zeros(64, np.float32)])
    assert {name: (one.accesses, one.lanes) for name, one in sites.items()} == {
        "each": (6, 6 * 32),
        "in turn": (6, 6 * 16),
        "inside": (12, 6 * 48),
        "while": (6, 6 * 32),
        "in turn there": (6, 6 * 16),
    }


def test_matmul_moves_what_its_tiles_say(matmul_text):
    a, b, c = np.ones((64, 48), np.float32), np.ones((48, 32), np.float32), np.zeros((64, 32), np.float32)
    result = SimulatedKernels(matmul_text, count=True).launch("matmul", 8, 256, 0, [a, b, c])
    assert (c == 48).all()
    sites = {one.site: one for one in result.counts.sites}
    assert sites["load A"].bytes == 64 * 48 * 4 * 2  # two columns of blocks
    assert sites["load B"].bytes == 48 * 32 * 4 * 4  # four rows of blocks
    assert sites["store C"].bytes == 64 * 32 * 4
    for name in ("load A", "load B", "store C"):
        assert sites[name].sectors32 == sites[name].ideal == sites[name].bytes // 32
    shared = [one for one in result.counts.sites if one.space == "workgroup" and one.kind == "load"]
    assert sum(one.bytes for one in shared) == result.counts.total("workgroup", "load").bytes == 2 * 4 * 64 * 32 * 48
    assert result.counts.total("workgroup").phases == result.counts.total("workgroup").ideal


def test_counting_survives_more_accesses_than_a_log_holds():
    text = """gpu.module @kernels { gpu.func @k(%x: memref<32xf32>) kernel {
      %thread = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %many = arith.constant 20000 : index
      scf.for %k = %c0 to %many step %c1 {
        %v = memref.load %x[%thread] {rtile.site = "load X"} : memref<32xf32>
        memref.store %v, %x[%thread] {rtile.site = "store X"} : memref<32xf32>
      }
      gpu.return } }"""
    sites, _ = counted(text, args=[np.zeros(32, np.float32)])
    assert {(one.accesses, one.lanes, one.sectors32) for one in sites.values()} == {(20000, 640000, 80000)}
