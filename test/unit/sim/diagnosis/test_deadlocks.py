# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A deadlock's report names the stuck waits: block, thread, what is polled, what it has, what it wants."""

import numpy as np
import pytest

from roller_mlir.sim import SimulatedKernels, SimulationError
from roller_mlir.support.diagnostics import DiagnosedError

WORKGROUP = "#gpu.address_space<workgroup>"


def kernel(body, attribution=""):
    shared = f"workgroup({attribution})" if attribution else ""
    return f"""gpu.module @kernels {{ gpu.func @k(%table: memref<2x4xi32>, %flag: memref<6xi32>) {shared} kernel {{
    %i = gpu.thread_id x
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %four = arith.constant 4 : i32
    %leads = arith.cmpi eq, %i, %c0 : index
    %base = memref.extract_aligned_pointer_as_index %flag : memref<6xi32> -> index
    %raw = arith.index_cast %base : index to i64
    %p = llvm.inttoptr %raw : i64 to !llvm.ptr<1>
    {body}
    gpu.return }} }}"""


def deadlock(text, blocks=1, threads=32, flag=(0, 1, 2, 3, 4, 5), table=0, **how):
    kernels = SimulatedKernels(text)
    table = np.full((2, 4), table, np.int32) + np.arange(8, dtype=np.int32).reshape(2, 4)
    with pytest.raises(SimulationError) as caught:
        kernels.launch("k", blocks, threads, 0, [table, np.array(flag, np.int32)], resident_blocks=None, **how)
    assert caught.value.kind == "deadlock"
    return caught.value


EVENT = """%task = memref.load %table[%b, %c0] {rtile.watch = "task"} : memref<2x4xi32>
    %event = memref.load %table[%b, %c1] {rtile.watch = "event"} : memref<2x4xi32>
    scf.if %leads {
      %number = arith.extsi %event : i32 to i64
      %at = llvm.getelementptr %p[%number] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
      scf.while : () -> () {
        %now = llvm.load %at atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32
        %more = arith.cmpi slt, %now, %event : i32
        scf.condition(%more)
      } do {
        scf.yield
      }
    }
    gpu.barrier"""


@pytest.mark.parametrize("sweep", [False, True])
def test_a_counter_that_stays_short(sweep):
    """Block 0 has task 0 and waits for event 1, block 1 task 4 and event 5: both counters are one short."""
    error = deadlock(kernel(EVENT), blocks=2, flag=(0, 0, 0, 0, 0, 4), sweep=sweep)
    first, second = error.waits
    assert (first.block, first.thread, first.argument, first.offset_bytes) == ((0, 0, 0), (0, 0, 0), 1, 4)
    assert (first.has, first.wants, first.wanted, first.watched) == (0, "at least 1", 1, {"task": 0, "event": 1})
    assert (second.block, second.has, second.wants) == ((1, 0, 0), 4, "at least 5")
    assert second.watched == {"task": 4, "event": 5}
    assert str(second) in str(error)
    assert str(second).endswith("for element [5] of argument 1: it has 4 and wants at least 5 (task 4, event 5)")
    assert "31 threads" in str(error) and "waiting at gpu.barrier" in str(error)


def spin(condition, read="%now = memref.load %flag[%c1] : memref<6xi32>", negate=False):
    change = "%true = arith.constant true\n%flip = arith.xori %more, %true : i1" if negate else ""
    return f"""scf.if %leads {{ scf.while : () -> () {{
      {read}
      {condition}
      {change}
      scf.condition({"%flip" if negate else "%more"})
    }} do {{
      scf.yield
    }} }}"""


CONDITIONS = [
    (spin("%more = arith.cmpi ne, %now, %four : i32"), "4"),
    (spin("%more = arith.cmpi eq, %now, %one : i32"), "anything but 1"),
    (spin("%more = arith.cmpi sgt, %four, %now : i32"), "at least 4"),
    (spin("%more = arith.cmpi ule, %now, %four : i32"), "above 4"),
    (spin("%more = arith.cmpi sge, %now, %four : i32", negate=True), "at least 4"),
    (spin("%x = arith.cmpi ne, %now, %four : i32\n%y = arith.cmpi eq, %i, %c0 : index\n%more = arith.andi %x, %y : i1"),
     "4"),
    (spin("%w = arith.extui %now : i32 to i64\n%f = arith.constant 9 : i64\n%more = arith.cmpi ult, %w, %f : i64"),
     "at least 9"),
    (spin("%more = arith.cmpi slt, %now, %four : i32",
          "%now = memref.atomic_rmw addi %zero, %flag[%c1] : (i32, memref<6xi32>) -> i32"), "at least 4"),
    (spin("%d = arith.subi %now, %four : i32\n%more = arith.cmpi slt, %d, %zero : i32"), "at least 4"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "wants"), CONDITIONS)
def test_every_way_to_compare(body, wants):
    (wait,) = deadlock(kernel(body)).waits
    assert (wait.memory, wait.has, wait.wants) == ("element [1] of argument 1", 1, wants)


LOOPS = {
    "a branch back that asks": """cf.br ^try
  ^try:
    %now = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %done = arith.cmpi eq, %now, %four : i32
    cf.cond_br %done, ^out, ^try
  ^out:""",
    "a head that asks": """cf.br ^try
  ^try:
    %now = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %more = arith.cmpi ne, %now, %four : i32
    cf.cond_br %more, ^again, ^out
  ^again:
    cf.br ^try
  ^out:""",
    "a lock": """cf.br ^try
  ^try:
    %pair = llvm.cmpxchg %p, %four, %one syncscope("device") acquire monotonic : !llvm.ptr<1>, i32
    %ok = llvm.extractvalue %pair[1] : !llvm.struct<(i32, i1)>
    cf.cond_br %ok, ^out, ^try
  ^out:""",
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_of_branches(name):
    (wait,) = deadlock(kernel(LOOPS[name]), threads=1, flag=(7, 0, 0, 0, 0, 0)).waits
    assert (wait.memory, wait.has, wait.wants) == ("element [0] of argument 1", 7, "4")


def test_workgroup_memory():
    body = f"""scf.if %leads {{ memref.store %one, %w[%c1] : memref<4xi32, {WORKGROUP}> }}
    gpu.barrier
    {spin("%more = arith.cmpi slt, %now, %four : i32", f"%now = memref.load %w[%c1] : memref<4xi32, {WORKGROUP}>")}"""
    (wait,) = deadlock(kernel(body, f"%w: memref<4xi32, {WORKGROUP}>")).waits
    assert (wait.memory, wait.argument, wait.has) == ("byte 4 of workgroup memory", None, 1)


def test_a_condition_that_compares_nothing_is_told_without_a_value():
    error = deadlock(kernel(spin("%more = arith.trunci %now : i32 to i1")))
    assert not error.waits and "spinning in scf.while" in str(error)


def test_what_may_be_watched():
    with pytest.raises(DiagnosedError, match="must mark an operation that gives one integer"):
        SimulatedKernels(kernel('%f = arith.constant {rtile.watch = "x"} 1.0 : f32'))
    many = "\n".join(f'%k{n} = arith.constant {{rtile.watch = "x{n}"}} {n} : i32' for n in range(9))
    with pytest.raises(DiagnosedError, match="marks values of more than 8 names in kernel 'k'"):
        SimulatedKernels(kernel(many))
