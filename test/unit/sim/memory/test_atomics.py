# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic operations on global and workgroup memory: values, counts, what they order, who waits for whom."""

import numpy as np
import pytest

from roller_mlir.sim import SanitizerError, SimulatedKernels

WORKGROUP = "#gpu.address_space<workgroup>"
TYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}


def kernel(body, arguments, attributions=""):
    shared = f"workgroup({attributions})" if attributions else ""
    return f"""gpu.module @kernels {{ gpu.func @k({arguments}) {shared} kernel {{
    %i = gpu.thread_id x
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    {body}
    gpu.return }} }}"""


def run(text, args, *, grid=1, block=64, count=False, sanitize=True, **options):
    kernels = SimulatedKernels(text, count=count, sanitize=sanitize)
    return kernels.launch("k", grid, block, 0, args, **options)


COMBINERS = [
    ("addf", "f32", np.sum),
    ("addf", "f64", np.sum),
    ("maximumf", "f32", np.max),
    ("minimumf", "f64", np.min),
    ("maxnumf", "f32", np.max),
    ("addi", "i32", np.sum),
    ("maxs", "i64", np.max),
    ("mins", "i32", np.min),
    ("maxu", "i32", np.max),
    ("ori", "i32", np.bitwise_or.reduce),
    ("andi", "i32", np.bitwise_and.reduce),
]


@pytest.mark.full(every=2)
@pytest.mark.parametrize(("kind", "element", "reference"), COMBINERS)
def test_every_block_combines_into_one_element(kind, element, reference):
    """Within a block through workgroup memory, between blocks in global memory; both are clean and counted."""
    body = f"""%g = gpu.global_id x
    %v = memref.load %x[%g] : memref<256x{element}>
    %leader = arith.cmpi eq, %i, %c0 : index
    scf.if %leader {{
      memref.store %v, %w[%c0] : memref<1x{element}, {WORKGROUP}>
    }}
    gpu.barrier
    scf.if %leader {{
    }} else {{
      %o = memref.atomic_rmw {kind} %v, %w[%c0] {{rtile.site = "join"}}
        : ({element}, memref<1x{element}, {WORKGROUP}>) -> {element}
    }}
    gpu.barrier
    scf.if %leader {{
      %t = memref.load %w[%c0] : memref<1x{element}, {WORKGROUP}>
      %p = memref.atomic_rmw {kind} %t, %y[%c0] {{rtile.site = "total"}} : ({element}, memref<1x{element}>) -> {element}
    }}"""
    text = kernel(body, f"%x: memref<256x{element}>, %y: memref<1x{element}>", f"%w: memref<1x{element}, {WORKGROUP}>")
    x = np.random.default_rng(0).integers(1, 100, 256).astype(TYPES[element])
    y = np.array([reference(x[:1])] if kind not in ("addf", "addi") else [0], TYPES[element])
    counts = run(text, [x, y], grid=4, count=True).counts
    assert y[0] == reference(x)
    (join,) = [one for one in counts.sites if one.site == "join"]
    (total,) = [one for one in counts.sites if one.site == "total"]
    assert (join.kind, join.space, join.accesses, join.lanes) == ("atomic", "workgroup", 8, 252)
    assert (total.kind, total.space, total.accesses, total.sectors32) == ("atomic", "global", 4, 4)


def test_any_combiner():
    body = """%o = memref.generic_atomic_rmw %y[%c0] : memref<1xf32> {
    ^bb0(%now: f32):
      %f = arith.index_cast %i : index to i32
      %h = arith.sitofp %f : i32 to f32
      %half = arith.constant 0.5 : f32
      %n = arith.mulf %now, %half : f32
      %s = arith.addf %n, %h : f32
      memref.atomic_yield %s : f32
    }"""
    y = np.array([8.0], np.float32)
    run(kernel(body, "%y: memref<1xf32>"), [y], block=3, seed=None)
    assert y[0] == ((8 * 0.5 + 0) * 0.5 + 1) * 0.5 + 2


POINTER = """%base = memref.extract_aligned_pointer_as_index %y : memref<2xi32> -> index
    %raw = arith.index_cast %base : index to i64
    %p = llvm.inttoptr %raw : i64 to !llvm.ptr
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
"""


def test_bare_pointers():
    body = (
        POINTER
        + """%q = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, i32
    %old = llvm.atomicrmw add %p, %one acq_rel : !llvm.ptr, i32
    %r = llvm.cmpxchg %q, %zero, %old acq_rel monotonic : !llvm.ptr, i32"""
    )
    y = np.zeros(2, np.int32)
    counts = run(kernel(body, "%y: memref<2xi32>"), [y], grid=2, seed=0, count=True).counts
    assert y[0] == 128
    assert 0 < y[1] < 128
    assert [(one.kind, one.space, one.accesses, one.bytes) for one in counts.sites] == [
        ("atomic", "global", 4, 512),
        ("atomic", "global", 4, 512),
    ]


LOCK = (
    POINTER
    + """cf.br ^try
  ^try:
    %got = llvm.cmpxchg %p, %zero, %one ACQUIRE monotonic : !llvm.ptr, i32
    %ok = llvm.extractvalue %got[1] : !llvm.struct<(i32, i1)>
    cf.cond_br %ok, ^inside, ^try
  ^inside:
    %v = memref.load %n[%c0] : memref<1xi32>
    %s = arith.addi %v, %one : i32
    memref.store %s, %n[%c0] : memref<1xi32>
    UNLOCK
  """
)
UNLOCK = "llvm.store %zero, %p atomic release {alignment = 4 : i64} : i32, !llvm.ptr"


def locked(acquire="acquire", unlock=UNLOCK):
    body = LOCK.replace("ACQUIRE", acquire).replace("UNLOCK", unlock)
    return kernel(body, "%y: memref<2xi32>, %n: memref<1xi32>")


@pytest.mark.parametrize("sweep", [False, True])
def test_a_lock_of_one_thread_a_block(sweep):
    y, n = np.zeros(2, np.int32), np.zeros(1, np.int32)
    run(locked(), [y, n], grid=40, block=1, resident_blocks=None, sweep=sweep)
    assert n[0] == 40


def test_threads_of_a_block_take_a_lock_in_turn():
    y, n = np.zeros(2, np.int32), np.zeros(1, np.int32)
    run(locked(), [y, n], grid=2, block=33, resident_blocks=None)
    assert n[0] == 66


def test_a_fence_makes_a_relaxed_operation_release():
    relaxed = UNLOCK.replace("release", "monotonic")
    args = [np.zeros(2, np.int32), np.zeros(1, np.int32)]
    run(locked(unlock="llvm.fence release\n" + relaxed), args, grid=8, block=1, resident_blocks=None)
    for wrong in (locked(unlock=relaxed), locked(acquire="monotonic")):
        with pytest.raises(SanitizerError) as caught:
            run(wrong, [np.zeros(2, np.int32), np.zeros(1, np.int32)], grid=8, block=1, resident_blocks=None)
        assert {one.memory for one in caught.value.findings} == {"argument 1"}


def test_the_grid_barrier_of_a_persistent_kernel(persistent_text):
    """Both barriers of the block and the grid's flag are needed; removing any is a race between blocks."""
    x, flag = np.arange(1024, dtype=np.float32), np.zeros(1, np.int32)
    kernels = SimulatedKernels(persistent_text, sanitize=True)
    kernels.launch("two_ops", 8, 64, 0, [x, x.copy(), x.copy(), flag], resident_blocks=None)
    parts = persistent_text.split("gpu.barrier")
    for wrong in (parts[0] + parts[1] + "gpu.barrier" + parts[2], parts[0] + "gpu.barrier" + parts[1] + parts[2]):
        with pytest.raises(SanitizerError) as caught:
            SimulatedKernels(wrong, sanitize=True).launch(
                "two_ops", 8, 64, 0, [x, x.copy(), x.copy(), np.zeros(1, np.int32)], resident_blocks=None
            )
        found = caught.value.findings[0]
        assert found.block != found.other_block
        assert found.memory == "argument 1"


def test_a_volatile_flag_is_no_race_but_orders_nothing():
    body = (
        POINTER
        + """%first = arith.cmpi eq, %b, %c0 : index
    scf.if %first {
      memref.store %one, %n[%c0] : memref<1xi32>
      llvm.store volatile %one, %p : i32, !llvm.ptr
    } else {
      scf.while : () -> () {
        %now = llvm.load volatile %p : !llvm.ptr -> i32
        %more = arith.cmpi eq, %now, %zero : i32
        scf.condition(%more)
      } do {
        scf.yield
      }
      READ
    }"""
    )
    text = kernel(body, "%y: memref<2xi32>, %n: memref<1xi32>")
    args = [np.zeros(2, np.int32), np.zeros(1, np.int32)]
    run(text.replace("READ", ""), args, grid=2, block=1, resident_blocks=None)
    with pytest.raises(SanitizerError) as caught:
        run(text.replace("READ", "%v = memref.load %n[%c0] : memref<1xi32>"), [np.zeros(2, np.int32), args[1]], grid=2,
            block=1, resident_blocks=None)  # fmt: skip
    assert [one.memory for one in caught.value.findings] == ["argument 1"]


def test_a_queue_of_work_is_no_deadlock():
    """Each turn of the loop takes a new number: thousands of turns without a barrier are progress."""
    body = (
        POINTER
        + """%many = arith.constant 5000 : i32
    scf.while : () -> () {
      %mine = llvm.atomicrmw add %p, %one acq_rel : !llvm.ptr, i32
      %more = arith.cmpi slt, %mine, %many : i32
      scf.condition(%more)
    } do {
      scf.yield
    }"""
    )
    y = np.zeros(2, np.int32)
    run(kernel(body, "%y: memref<2xi32>"), [y], block=1, sanitize=False)
    assert y[0] == 5001
