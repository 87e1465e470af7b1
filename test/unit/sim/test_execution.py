# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulator computes what kernels say: memory, barriers, shuffles, element types, launches."""

import ml_dtypes
import numpy as np
import pytest

from roller_mlir.sim import SimulatedKernels
from roller_mlir.support.bindings import ir, make_context


def matmul_operands():
    random = np.random.default_rng(0)
    a, b = (random.integers(-4, 5, shape).astype(np.float32) for shape in ((64, 48), (48, 32)))
    return a, b, np.full((64, 32), np.nan, np.float32)


@pytest.mark.parametrize("seed", [None, 0, 1])
def test_matmul(matmul_text, seed):
    a, b, c = matmul_operands()
    result = SimulatedKernels(matmul_text).launch("matmul", 8, 256, 0, [a, b, c], seed=seed)
    np.testing.assert_array_equal(c, a @ b)
    assert result.seconds > 0
    assert result.counts is None


@pytest.mark.parametrize("removed", ["gpu.barrier  // written", "gpu.barrier  // read"])
@pytest.mark.parametrize("seed", [None, 0])
def test_a_missing_barrier_changes_the_result(matmul_text, removed, seed):
    assert removed in matmul_text
    a, b, c = matmul_operands()
    SimulatedKernels(matmul_text.replace(removed, "")).launch("matmul", 8, 256, 0, [a, b, c], seed=seed)
    assert not np.array_equal(c, a @ b)


def test_kernels_of_a_module_in_memory_are_not_changed(matmul_text):
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse(matmul_text)
        before = str(module)
        for _ in range(2):
            kernels = SimulatedKernels(module)
        inner = SimulatedKernels(next(iter(module.body.operations)))
        assert str(module) == before
    a, b, c = matmul_operands()
    for compiled in (kernels, inner, kernels):
        c[:] = np.nan
        compiled.launch("matmul", 8, 256, 0, [a, b, c])
        np.testing.assert_array_equal(c, a @ b)
    assert kernels.names == ("matmul",)


REDUCTION = """
gpu.module @kernels {{
  gpu.func @sums(%x: memref<{n}xf32>, %out: memref<{n}xf32>, %ok: memref<{n}xi32>) kernel {{
    %i = gpu.global_id x
    %width = arith.constant {width} : i32
    %v0 = memref.load %x[%i] : memref<{n}xf32>
    {steps}
    %flag = arith.extui %valid{last} : i1 to i32
    memref.store %v{last}, %out[%i] : memref<{n}xf32>
    memref.store %flag, %ok[%i] : memref<{n}xi32>
    gpu.return
  }}
}}
"""


@pytest.mark.parametrize("subgroup", [32, 64])
def test_reduction_by_shuffles(subgroup):
    offsets = [subgroup >> step for step in range(1, subgroup.bit_length())]
    steps = "".join(
        f"""%o{n} = arith.constant {offset} : i32
    %s{n}, %valid{n} = gpu.shuffle xor %v{n - 1}, %o{n}, %width : f32
    %v{n} = arith.addf %v{n - 1}, %s{n} : f32
    """
        for n, offset in enumerate(offsets, 1)
    )
    text = REDUCTION.format(n=512, width=subgroup, steps=steps, last=len(offsets))
    x = np.arange(512, dtype=np.float32)
    out, ok = np.zeros(512, np.float32), np.zeros(512, np.int32)
    SimulatedKernels(text, subgroup).launch("sums", 4, 128, 0, [x, out, ok])
    np.testing.assert_array_equal(out, np.repeat(x.reshape(-1, subgroup).sum(1), subgroup))
    assert ok.all()


def shuffled(mode, offset, width, threads, subgroup=32):
    text = f"""
    gpu.module @kernels {{
      gpu.func @shuffle(%x: memref<{threads}xf32>, %out: memref<{threads}xf32>, %ok: memref<{threads}xi32>) kernel {{
        %i = gpu.thread_id x
        %v = memref.load %x[%i] : memref<{threads}xf32>
        %offset = arith.constant {offset} : i32
        %width = arith.constant {width} : i32
        %s, %valid = gpu.shuffle {mode} %v, %offset, %width : f32
        %flag = arith.extui %valid : i1 to i32
        memref.store %s, %out[%i] : memref<{threads}xf32>
        memref.store %flag, %ok[%i] : memref<{threads}xi32>
        gpu.return
      }}
    }}"""
    x = np.arange(threads, dtype=np.float32)
    out, ok = np.zeros(threads, np.float32), np.zeros(threads, np.int32)
    SimulatedKernels(text, subgroup).launch("shuffle", 1, threads, 0, [x, out, ok])
    return out, ok.astype(bool)


@pytest.mark.full(every=2)
@pytest.mark.parametrize(
    ("mode", "source"),
    [
        ("xor", lambda lane: lane ^ 3),
        ("up", lambda lane: lane - 3),
        ("down", lambda lane: lane + 3),
        ("idx", lambda lane: 3 + 0 * lane),
    ],
)
@pytest.mark.parametrize("width", [32, 16])
@pytest.mark.parametrize("threads", [64, 40])
def test_every_shuffle_mode(mode, source, width, threads):
    """Results that the operation leaves unspecified come as NaN: other lanes than the first `width`, missing lanes."""
    thread = np.arange(threads)
    lane = thread % 32
    partner = source(lane)
    valid = (lane < width) & (partner >= 0) & (partner < width)
    exists = valid & (thread - lane + partner < threads)
    out, ok = shuffled(mode, 3, width, threads)
    np.testing.assert_array_equal(ok, valid)
    np.testing.assert_array_equal(out, np.where(exists, thread - lane + partner, np.nan))


def test_shuffle_over_a_subgroup_of_64():
    out, ok = shuffled("xor", 32, 64, 128, subgroup=64)
    np.testing.assert_array_equal(out, np.arange(128) ^ 32)
    assert ok.all()


ELEMENTS = """
gpu.module @kernels {{
  gpu.func @double(%x: memref<64x{type}>, %out: memref<64x{type}>, %w: {type}) kernel {{
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<64x{type}>
    %none = arith.constant 0 : i32
    %width = arith.constant 32 : i32
    %s, %valid = gpu.shuffle xor %v, %none, %width : {type}
    %r = arith.{add} %s, %w : {type}
    memref.store %r, %out[%i] : memref<64x{type}>
    gpu.return
  }}
}}
"""


@pytest.mark.parametrize(
    ("name", "dtype", "add"),
    [
        ("f64", np.float64, "addf"),
        ("f32", np.float32, "addf"),
        ("f16", np.float16, "addf"),
        ("bf16", ml_dtypes.bfloat16, "addf"),
        ("i64", np.int64, "addi"),
        ("i32", np.int32, "addi"),
        ("i16", np.int16, "addi"),
        ("i8", np.int8, "addi"),
    ],
)
def test_element_types(name, dtype, add):
    x, out = np.arange(64).astype(dtype), np.zeros(64, dtype)
    kernels = SimulatedKernels(ELEMENTS.format(type=name, add=add))
    kernels.launch("double", 1, 64, 0, [x, out, dtype(3)])
    np.testing.assert_array_equal(out.astype(np.float64), np.arange(64) + 3.0)


WORKGROUP = """
gpu.module @kernels {{
  gpu.func @copy(%out: memref<64xf32>) {attribution} kernel {{
    %i = gpu.thread_id x
    %c64 = arith.constant 64 : index
    {arena}
    %tile = memref.view %arena[%c64][] : {kind} to memref<64xf32, #gpu.address_space<workgroup>>
    %v = memref.load %tile[%i] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %v, %out[%i] : memref<64xf32>
    gpu.return
  }}
}}
"""
STATIC = "memref<320xi8, #gpu.address_space<workgroup>>"
DYNAMIC = "memref<?xi8, #gpu.address_space<workgroup>>"


@pytest.mark.parametrize("dynamic", [False, True])
def test_workgroup_memory_starts_as_nan(dynamic):
    if dynamic:
        text = WORKGROUP.format(attribution="", arena=f"%arena = gpu.dynamic_shared_memory : {DYNAMIC}", kind=DYNAMIC)
    else:
        text = WORKGROUP.format(attribution=f"workgroup(%arena: {STATIC})", arena="", kind=STATIC)
    out = np.zeros(64, np.float32)
    SimulatedKernels(text).launch("copy", 1, 64, 320 if dynamic else 0, [out])
    assert np.isnan(out).all()


def test_grid_and_block_have_three_dimensions():
    text = """
    gpu.module @kernels {
      gpu.func @places(%out: memref<4x3x2x2x3x4xindex>) kernel {
        %tx = gpu.thread_id x
        %ty = gpu.thread_id y
        %tz = gpu.thread_id z
        %bx = gpu.block_id x
        %by = gpu.block_id y
        %bz = gpu.block_id z
        %lane = gpu.lane_id
        memref.store %lane, %out[%bz, %by, %bx, %tz, %ty, %tx] : memref<4x3x2x2x3x4xindex>
        gpu.return
      }
    }"""
    out = np.full((4, 3, 2, 2, 3, 4), -1, np.int64)
    SimulatedKernels(text, 8).launch("places", (2, 3, 4), (4, 3, 2), 0, [out])
    np.testing.assert_array_equal(out.reshape(24, 24), np.tile(np.arange(24) % 8, (24, 1)))


def test_math_functions_and_vectors():
    text = """
    gpu.module @kernels {
      gpu.func @math(%x: memref<128xf32>, %out: memref<128xf32>) kernel {
        %i = gpu.thread_id x
        %c4 = arith.constant 4 : index
        %at = arith.muli %i, %c4 : index
        %v = vector.load %x[%at] {alignment = 16 : i64} : memref<128xf32>, vector<4xf32>
        %e = math.exp %v : vector<4xf32>
        %t = math.tanh %e : vector<4xf32>
        %r = math.erf %t : vector<4xf32>
        %limit = arith.constant dense<0xFF800000> : vector<4xf32>
        %m = arith.maximumf %r, %limit : vector<4xf32>
        %p = vector.fma %m, %v, %v : vector<4xf32>
        vector.store %p, %out[%at] {alignment = 16 : i64} : memref<128xf32>, vector<4xf32>
        gpu.return
      }
    }"""
    x, out = np.linspace(-1, 1, 128, dtype=np.float32), np.zeros(128, np.float32)
    SimulatedKernels(text).launch("math", 1, 32, 0, [x, out])
    from math import erf

    expected = [erf(np.tanh(np.exp(value))) * value + value for value in x.astype(np.float64)]
    np.testing.assert_allclose(out, expected, rtol=1e-5)


def test_unaligned_arrays_and_shared_arrays():
    """Arrays that do not start at a multiple of 256 bytes are moved there; one array given twice stays one."""
    text = """
    gpu.module @kernels {
      gpu.func @shift(%x: memref<64xf32>, %y: memref<64xf32>) kernel {
        %i = gpu.thread_id x
        %one = arith.constant 1.0 : f32
        %v = memref.load %x[%i] : memref<64xf32>
        gpu.barrier
        %w = arith.addf %v, %one : f32
        memref.store %w, %y[%i] : memref<64xf32>
        %again = memref.load %x[%i] : memref<64xf32>
        memref.store %again, %y[%i] : memref<64xf32>
        gpu.return
      }
    }"""
    memory = np.zeros(65, np.float32)
    x = memory[1:]
    SimulatedKernels(text).launch("shift", 1, 64, 0, [x, x])
    np.testing.assert_array_equal(x, np.ones(64))
    assert memory[0] == 0


def test_private_memory_makes_the_stack_larger():
    """256 threads with 40 KB each, and an attribution; every element keeps what its own thread wrote."""
    private = "#gpu.address_space<private>"
    text = f"""
    gpu.module @kernels {{
      gpu.func @own(%out: memref<256xindex>) private(%p: memref<16xindex, {private}>) kernel {{
        %i = gpu.thread_id x
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c7 = arith.constant 7 : index
        %c5000 = arith.constant 5000 : index
        %large = memref.alloca() : memref<5000xindex>
        memref.store %i, %p[%c7] : memref<16xindex, {private}>
        scf.for %k = %c0 to %c5000 step %c1 {{
          memref.store %i, %large[%k] : memref<5000xindex>
        }}
        gpu.barrier
        %sum = scf.for %k = %c0 to %c5000 step %c1 iter_args(%s = %c0) -> (index) {{
          %v = memref.load %large[%k] : memref<5000xindex>
          %t = arith.addi %s, %v : index
          scf.yield %t : index
        }}
        %own = memref.load %p[%c7] : memref<16xindex, {private}>
        %all = arith.addi %sum, %own : index
        memref.store %all, %out[%i] : memref<256xindex>
        gpu.return
      }}
    }}"""
    out = np.zeros(256, np.int64)
    result = SimulatedKernels(text, count=True).launch("own", 1, 256, 0, [out])
    np.testing.assert_array_equal(out, 5001 * np.arange(256))
    assert [one.kind for one in result.counts.sites] == ["store"]


NEIGHBOURS = """
gpu.module @kernels {{
  gpu.func @turn(%out: memref<96xindex>) workgroup(%w: memref<96xindex, #gpu.address_space<workgroup>>) kernel {{
    %i = gpu.thread_id x
    %one = arith.constant 1 : index
    memref.store %i, %w[%i] : memref<96xindex, #gpu.address_space<workgroup>>
    {sync}
    %j = arith.xori %i, %one : index
    %v = memref.load %w[%j] : memref<96xindex, #gpu.address_space<workgroup>>
    memref.store %v, %out[%i] : memref<96xindex>
    gpu.return
  }}
}}
"""


@pytest.mark.parametrize("sync", ["gpu.barrier scope <subgroup>", ""])
def test_barrier_of_a_subgroup(sync):
    out = np.zeros(96, np.int64)
    SimulatedKernels(NEIGHBOURS.format(sync=sync)).launch("turn", 1, 96, 0, [out])
    assert np.array_equal(out, np.arange(96) ^ 1) == bool(sync)
