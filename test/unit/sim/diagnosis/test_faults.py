# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels do wrong is found, with the operation, the thread and the numbers."""

import time

import numpy as np
import pytest

from roller_mlir.sim import SimulatedKernels, SimulationError


def fault(text, grid=1, block=64, dynamic=0, args=(), **options):
    kernels = SimulatedKernels(text)
    with pytest.raises(SimulationError) as caught:
        kernels.launch("k", grid, block, dynamic, list(args), **options)
    assert caught.value.kernel == "k"
    return caught.value


def kernel(body, arguments="", attributions=""):
    return f"gpu.module @kernels {{ gpu.func @k({arguments}) {attributions} kernel {{\n{body}\ngpu.return }} }}"


def test_index_outside_a_row_but_inside_the_buffer():
    text = kernel(
        """%i = gpu.thread_id x
        %c0 = arith.constant 0 : index
        %v = memref.load %x[%c0, %i] {rtile.site = "load X"} : memref<4x16xf32>""",
        "%x: memref<4x16xf32>",
    )
    error = fault(text, grid=2, block=17, args=[np.zeros((4, 16), np.float32)], seed=None)
    assert error.kind == "out-of-bounds"
    assert error.thread == (16, 0, 0)
    assert error.block == (0, 0, 0)
    assert "index [0, 16] is outside the memref's shape [4, 16]" in str(error)
    assert "'load X' (memref.load at -:4:" in str(error)


def test_negative_index():
    text = kernel(
        """%i = arith.constant -1 : index
        %z = arith.constant 0.0 : f32
        memref.store %z, %x[%i] : memref<4xf32>""",
        "%x: memref<4xf32>",
    )
    assert "index [-1] is outside the memref's shape [4]" in str(fault(text, args=[np.zeros(4, np.float32)]))


def test_vector_past_the_end_of_a_row():
    text = kernel(
        """%i = arith.constant 5 : index
        %c0 = arith.constant 0 : index
        %v = vector.load %x[%c0, %i] : memref<2x8xf32>, vector<4xf32>""",
        "%x: memref<2x8xf32>",
    )
    error = fault(text, args=[np.zeros((2, 8), np.float32)])
    assert "index [0, 5], [1, 4] elements from there, is outside the memref's shape [2, 8]" in str(error)


def test_vector_that_is_not_aligned_as_promised():
    text = kernel(
        """%i = arith.constant 2 : index
        %v = vector.load %x[%i] {alignment = 16 : i64} : memref<8xf32>, vector<4xf32>""",
        "%x: memref<8xf32>",
    )
    error = fault(text, args=[np.zeros(8, np.float32)])
    assert error.kind == "misaligned"
    assert "index [2] of shape [8] gives address" in str(error)


WORKGROUP = "#gpu.address_space<workgroup>"


def test_index_outside_workgroup_memory():
    text = kernel(
        f"""%i = gpu.thread_id x
        %z = arith.constant 0.0 : f32
        memref.store %z, %w[%i] : memref<32xf32, {WORKGROUP}>""",
        attributions=f"workgroup(%w: memref<32xf32, {WORKGROUP}>)",
    )
    assert "index [32] is outside the memref's shape [32]" in str(fault(text, block=33))


def test_view_outside_the_arena():
    text = kernel(
        f"""%shift = arith.constant 16 : index
        %arena = gpu.dynamic_shared_memory : memref<?xi8, {WORKGROUP}>
        %v = memref.view %arena[%shift][] : memref<?xi8, {WORKGROUP}> to memref<32xf32, {WORKGROUP}>""",
    )
    assert "a view of 128 from 16 on is outside the 143 that are there" in str(fault(text, dynamic=143))
    SimulatedKernels(text).launch("k", 1, 64, 144, [])


def test_subview_outside_its_source():
    text = kernel(
        """%i = gpu.thread_id x
        %v = memref.subview %x[%i] [4] [2] : memref<16xf32> to memref<4xf32, strided<[2], offset: ?>>
        %c3 = arith.constant 3 : index
        %z = arith.constant 1.0 : f32
        memref.store %z, %v[%c3] : memref<4xf32, strided<[2], offset: ?>>""",
        "%x: memref<16xf32>",
    )
    x = np.zeros(16, np.float32)
    SimulatedKernels(text).launch("k", 1, 10, 0, [x])
    np.testing.assert_array_equal(np.flatnonzero(x), np.arange(6, 16))
    assert "a view of 7 from 10 on is outside the 16 that are there" in str(fault(text, block=11, args=[x]))


def test_pointer_outside_every_buffer():
    text = kernel(
        """%at = memref.extract_aligned_pointer_as_index %x : memref<4xi32> -> index
        %i = arith.constant 4 : i64
        %one = arith.constant 1 : i32
        %base = arith.index_cast %at : index to i64
        %p = llvm.inttoptr %base : i64 to !llvm.ptr
        %q = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
        %old = llvm.atomicrmw add %p, %one acq_rel : !llvm.ptr, i32
        %new = llvm.load %q atomic acquire {alignment = 4 : i64} : !llvm.ptr -> i32""",
        "%x: memref<4xi32>",
    )
    x = np.zeros(4, np.int32)
    error = fault(text, args=[x], seed=None)
    assert "4 bytes at address" in str(error)
    assert "llvm.load at -:9" in str(error)
    assert x[0] == 1


def test_divergent_barrier():
    text = kernel(
        """%i = gpu.thread_id x
        %c7 = arith.constant 7 : index
        %some = arith.cmpi ult, %i, %c7 : index
        scf.if %some {
          gpu.barrier
        }
        gpu.barrier"""
    )
    error = fault(text)
    assert error.kind == "divergent-barrier"
    assert error.block == (0, 0, 0)
    assert {(one.threads, one.state) for one in error.positions} == {(57, "waiting at"), (7, "waiting at")}
    assert len({one.site for one in error.positions}) == 2


def test_barrier_that_some_threads_never_reach():
    text = kernel(
        """%i = gpu.thread_id x
        %c7 = arith.constant 7 : index
        %some = arith.cmpi ult, %i, %c7 : index
        scf.if %some {
          gpu.barrier
        }"""
    )
    error = fault(text)
    assert error.kind == "divergent-barrier"
    assert {(one.threads, one.state) for one in error.positions} == {(57, "at the end"), (7, "waiting at")}


def test_divergent_shuffle():
    body = """%i = gpu.thread_id x
        %c7 = arith.constant 20 : index
        %some = arith.cmpi ult, %i, %c7 : index
        %v = arith.constant 1.0 : f32
        %o = arith.constant 1 : i32
        scf.if %some {{
          %w = arith.constant {width} : i32
          %s, %valid = gpu.shuffle xor %v, %o, %w : f32
        }}"""
    error = fault(kernel(body.format(width=32)), block=32)
    assert error.kind == "divergent-subgroup"
    assert error.thread == (31, 0, 0)
    SimulatedKernels(kernel(body.format(width=16))).launch("k", 1, 32, 0, [])


LOOPS = {
    "scf.for": """%c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %end = arith.constant 9000000000000000000 : index
        %one = arith.constant 1.0 : f32
        scf.for %i = %c0 to %end step %c1 {
          %v = memref.load %x[%c0] : memref<1xf32>
          %w = arith.addf %v, %one : f32
          memref.store %w, %x[%c0] : memref<1xf32>
        }""",
    "cf.cond_br": """%c0 = arith.constant 0 : index
        %zero = arith.constant 0.0 : f32
        cf.br ^again
      ^again:
        %v = memref.load %x[%c0] : memref<1xf32>
        %more = arith.cmpf one, %v, %zero : f32
        cf.cond_br %more, ^again, ^end
      ^end:""",
}


@pytest.mark.parametrize("loop", LOOPS)
def test_watchdog_ends_a_loop_without_end(loop):
    started = time.monotonic()
    error = fault(kernel(LOOPS[loop], "%x: memref<1xf32>"), block=48, args=[np.ones(1, np.float32)], timeout_s=0.3)
    assert time.monotonic() - started >= 0.3
    assert error.kind == "timeout"
    assert "did not end within 0.3 s" in str(error)
    assert sum(one.threads for one in error.positions) == 48
    assert f" {loop} at -:" in str(error)  # the thread that spins is running in it, or was stopped at its tick


def test_watchdog_ends_threads_that_wait_for_each_other():
    """A block's loop of barriers yields all the time, and still ends."""
    text = kernel(
        """%c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %end = arith.constant 9000000000000000000 : index
        scf.for %i = %c0 to %end step %c1 {
          gpu.barrier
        }"""
    )
    assert fault(text, timeout_s=0.2).kind == "timeout"


def test_the_simulator_works_after_a_fault(matmul_text):
    kernels = SimulatedKernels(matmul_text)
    a, b, c = np.ones((64, 48), np.float32), np.ones((48, 32), np.float32), np.zeros((64, 32), np.float32)
    for _ in range(2):
        with pytest.raises(SimulationError, match="outside the memref's shape"):
            kernels.launch("matmul", 8, 512, 0, [a, b, c])
        c[:] = np.nan
        kernels.launch("matmul", 8, 256, 0, [a, b, c])
        assert (c == 48).all()
