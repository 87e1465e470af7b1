# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the sanitizer finds, what it must not find, and how it says so."""

import numpy as np
import pytest

from roller_mlir.plan.manifest import Buffer
from roller_mlir.runtime.findings import SanitizedRunError
from roller_mlir.sim import SanitizerError, SimulatedKernels
from roller_mlir.sim.launcher import SimulatorBackend

WORKGROUP = "#gpu.address_space<workgroup>"


def kernel(body, arguments="", attributions=""):
    shared = f"workgroup({attributions})" if attributions else ""
    return f"""gpu.module @kernels {{ gpu.func @k({arguments}) {shared} kernel {{
    %i = gpu.thread_id x
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    {body}
    gpu.return }} }}"""


def run(text, args=(), *, grid=1, block=64, subgroup=32, **options):
    SimulatedKernels(text, subgroup, sanitize=True).launch("k", grid, block, 0, list(args), **options)


def findings(text, args=(), **options):
    with pytest.raises(SanitizerError) as caught:
        run(text, args, **options)
    return caught.value.findings


EXCHANGE = """%x = arith.constant 63 : index
    %j = arith.subi %x, %i : index
    %v = arith.index_cast %i : index to i32
    memref.store %v, %w[%i] {{rtile.site = "put"}} : memref<64xi32, {space}>
    {between}
    %u = memref.load %w[%j] {{rtile.site = "take"}} : memref<64xi32, {space}>"""


def exchange(between, partner="subi %x, %i"):
    body = EXCHANGE.format(space=WORKGROUP, between=between).replace("subi %x, %i", partner)
    return kernel(body, attributions=f"%w: memref<64xi32, {WORKGROUP}>")


@pytest.mark.parametrize("seed", [None, 0, 1])
def test_threads_that_exchange_without_a_barrier(seed):
    run(exchange("gpu.barrier"), seed=seed)
    found = findings(exchange(""), seed=seed)
    assert {one.kind for one in found} <= {"read-after-write", "write-after-read", "uninitialised-read"}
    race = next(one for one in found if one.kind != "uninitialised-read")
    assert {race.site.split("'")[1], race.other_site.split("'")[1]} == {"put", "take"}
    assert race.thread[0] + race.other_thread[0] == 63
    assert race.memory == "workgroup memory"
    assert f"thread {race.other_thread}" in race.message
    assert f"byte {race.offset_bytes} of workgroup memory" in race.message


SYNC = "gpu.barrier scope <subgroup>"
SHUFFLE = """%o = arith.constant 1 : i32
    %n = arith.constant 32 : i32
    %s, %ok = gpu.shuffle xor %v, %o, %n : i32"""


@pytest.mark.parametrize("sync", [SYNC, SHUFFLE])
def test_a_wait_of_the_subgroup_orders_its_threads(sync):
    """Partners i ^ 31 share a subgroup of 32; partners 63 - i do not."""
    run(exchange("%m = arith.constant 31 : index\n" + sync, "xori %i, %x").replace("constant 63", "constant 31"))
    assert findings(exchange(sync))
    assert findings(exchange("", "xori %i, %x").replace("constant 63", "constant 31"))


def test_some_lanes_that_wait_for_each_other():
    """Lanes 0 to 7 shuffle among themselves: that orders them, and none of the others."""
    body = f"""%few = arith.constant 8 : index
    %o = arith.constant 1 : i32
    %n = arith.constant 8 : i32
    %v = arith.index_cast %i : index to i32
    memref.store %v, %w[%i] : memref<64xi32, {WORKGROUP}>
    %some = arith.cmpi ult, %i, %few : index
    scf.if %some {{
      %s, %ok = gpu.shuffle xor %v, %o, %n : i32
      %mask = arith.constant MASK : index
      %j = arith.xori %i, %mask : index
      %u = memref.load %w[%j] : memref<64xi32, {WORKGROUP}>
    }}"""
    text = kernel(body, attributions=f"%w: memref<64xi32, {WORKGROUP}>")
    run(text.replace("MASK", "7"))
    assert findings(text.replace("MASK", "15"))


@pytest.mark.parametrize(("element", "value"), [("f32", "1.0"), ("f16", "1.0"), ("i8", "1")])
def test_neighbouring_elements_do_not_race(element, value):
    body = f"""%v = arith.constant {value} : {element}
    memref.store %v, %w[%i] : memref<65x{element}, {WORKGROUP}>
    %j = arith.addi %i, %c1 : index
    NEXT"""
    text = kernel(body, attributions=f"%w: memref<65x{element}, {WORKGROUP}>")
    run(text.replace("NEXT", ""))
    second = f"memref.store %v, %w[%j] : memref<65x{element}, {WORKGROUP}>"
    found = findings(text.replace("NEXT", second), seed=None)
    assert {one.kind for one in found} == {"write-after-write"}
    assert abs(found[0].thread[0] - found[0].other_thread[0]) == 1


def test_a_barrier_in_every_turn_of_a_loop():
    body = f"""%c8 = arith.constant 8 : index
    %last = arith.constant 63 : index
    %j = arith.subi %last, %i : index
    scf.for %k = %c0 to %c8 step %c1 {{
      %v = arith.index_cast %k : index to i32
      memref.store %v, %w[%i] : memref<64xi32, {WORKGROUP}>
      gpu.barrier
      %u = memref.load %w[%j] : memref<64xi32, {WORKGROUP}>
      gpu.barrier
    }}"""
    text = kernel(body, attributions=f"%w: memref<64xi32, {WORKGROUP}>")
    run(text)
    parts = text.split("gpu.barrier")
    found = findings("gpu.barrier".join(parts[:2]) + parts[2])
    assert {one.kind for one in found} == {"write-after-read", "read-after-write"}


def test_workgroup_memory_that_nobody_has_written():
    """Memory of the block before does not count, and one report stands for all occurrences."""
    body = f"""%z = arith.constant 0.0 : f32
    %first = arith.cmpi eq, %b, %c0 : index
    scf.if %first {{
      memref.store %z, %w[%i] : memref<64xf32, {WORKGROUP}>
    }}
    %v = memref.load %w[%i] {{rtile.site = "read"}} : memref<64xf32, {WORKGROUP}>"""
    text = kernel(body, attributions=f"%w: memref<64xf32, {WORKGROUP}>")
    run(text)
    (found,) = findings(text, grid=3, seed=None)
    assert (found.kind, found.count, found.block, found.thread) == ("uninitialised-read", 128, (1, 0, 0), (0, 0, 0))
    assert found.other_thread is None
    assert found.message.endswith("reads byte 0 of workgroup memory, which nobody has written (128 times)")


def test_lanes_that_nobody_uses_may_be_unwritten():
    body = f"""%v = memref.load %x[%c0] : memref<8xf32>
    memref.store %v, %w[%c0] : memref<4xf32, {WORKGROUP}>
    %true = arith.constant true
    %wide = scf.if %true -> (vector<4xf32>) {{
      %loaded = vector.load %w[%c0] : memref<4xf32, {WORKGROUP}>, vector<4xf32>
      %twice = arith.addf %loaded, %loaded : vector<4xf32>
      scf.yield %twice : vector<4xf32>
    }} else {{
      %none = arith.constant dense<0.0> : vector<4xf32>
      scf.yield %none : vector<4xf32>
    }}
    %low = vector.extract_strided_slice %wide {{offsets = [0], sizes = [2], strides = [1]}}
      : vector<4xf32> to vector<2xf32>
    %r = vector.extract %low[LANE] : f32 from vector<2xf32>
    memref.store %r, %x[%c1] : memref<8xf32>"""
    text = kernel(body, "%x: memref<8xf32>", f"%w: memref<4xf32, {WORKGROUP}>")
    run(text.replace("LANE", "0"), [np.zeros(8, np.float32)], block=1)
    (found,) = findings(text.replace("LANE", "1"), [np.zeros(8, np.float32)], block=1)
    assert (found.kind, found.offset_bytes) == ("uninitialised-read", 4)


def test_global_memory_that_nobody_has_written():
    body = """%v = memref.load %x[%i] : memref<64xf16>
    memref.store %v, %y[%i] : memref<64xf16>"""
    text = kernel(body, "%x: memref<64xf16>, %y: memref<64xf16>")
    kernels = SimulatedKernels(text, sanitize=True)
    arrays = [np.zeros(64, np.float16), np.zeros(64, np.float16)]
    written = np.ones(128, np.uint8)
    written[66:70] = 0
    target = np.zeros(128, np.uint8)
    with pytest.raises(SanitizerError) as caught:
        kernels.launch("k", 1, 64, 0, arrays, written=[written, target])
    (found,) = caught.value.findings
    assert (found.kind, found.memory, found.count) == ("uninitialised-read", "argument 0", 2)
    assert "reads element [3" in found.message
    assert target.all()
    written[:] = 0
    kernels.launch("k", 1, 32, 0, arrays, written=[None, written])
    assert written.tolist() == [1] * 64 + [0] * 64


def test_blocks_that_write_the_same_element():
    body = """%v = arith.constant 1.0 : f32
    memref.store %v, %y[%c0, %i] {rtile.site = "result"} : memref<2x64xf32>"""
    text = kernel(body, "%y: memref<2x64xf32>")
    y = np.zeros((2, 64), np.float32)
    run(text, [y])
    (found,) = findings(text, [y], grid=2, seed=None)
    assert (found.kind, found.block, found.other_block) == ("write-after-write", (1, 0, 0), (0, 0, 0))
    assert "overwrites what thread (0, 0, 0) of block (0, 0, 0) wrote at 'result'" in found.message
    assert "element [0, 0] of argument 0 (64 times)" in found.message


@pytest.mark.parametrize("resident", [1, None])
@pytest.mark.parametrize("seed", [None, 0, 1])
def test_a_block_reads_what_another_one_writes(resident, seed):
    body = """%n = arith.constant 2 : index
    %v = memref.load %y[%b, %i] : memref<2x64xf32>
    %m = arith.addi %b, %c1 : index
    %o = arith.remui %m, %n : index
    memref.store %v, %y[ROW, %i] : memref<2x64xf32>"""
    text = kernel(body, "%y: memref<2x64xf32>")
    y = np.zeros((2, 64), np.float32)
    run(text.replace("ROW", "%b"), [y], grid=2, seed=seed, resident_blocks=resident)
    found = findings(text.replace("ROW", "%o"), [y], grid=2, seed=seed, resident_blocks=resident)
    assert {one.kind for one in found} <= {"read-after-write", "write-after-read"}
    assert {found[0].block, found[0].other_block} == {(0, 0, 0), (1, 0, 0)}


def test_many_readers_and_one_writer():
    """The writer is in the subgroup of most readers: readers of other subgroups are not forgotten."""
    body = f"""%v = arith.constant 1.0 : f32
    memref.store %v, %w[%i] : memref<96xf32, {WORKGROUP}>
    gpu.barrier
    %u = memref.load %w[%c0] : memref<96xf32, {WORKGROUP}>
    gpu.barrier scope <subgroup>
    %first = arith.cmpi eq, %i, %c0 : index
    scf.if %first {{
      memref.store %u, %w[%c0] : memref<96xf32, {WORKGROUP}>
    }}"""
    text = kernel(body, attributions=f"%w: memref<96xf32, {WORKGROUP}>")
    run(text, block=32)
    for seed in range(6):
        found = findings(text, block=96, seed=seed)
        assert all(max(one.thread[0], one.other_thread[0]) >= 32 for one in found)


def test_what_ends_a_launch_is_the_last_finding():
    body = f"""%v = memref.load %w[%i] : memref<64xf32, {WORKGROUP}>
    memref.store %v, %y[%i] : memref<16xf32>"""
    text = kernel(body, "%y: memref<16xf32>", f"%w: memref<64xf32, {WORKGROUP}>")
    found = findings(text, [np.zeros(16, np.float32)], seed=None)
    assert [one.kind for one in found] == ["uninitialised-read", "out-of-bounds"]
    assert found[1].message.startswith("index [16] is outside the memref's shape [16]")


def test_an_element_that_is_not_aligned():
    body = f"""%v = arith.constant 1.0 : f32
    %two = arith.constant 2 : index
    %view = memref.view %w[%two][] : memref<64xi8, {WORKGROUP}> to memref<4xf32, {WORKGROUP}>
    memref.store %v, %view[%c0] : memref<4xf32, {WORKGROUP}>"""
    (found,) = findings(kernel(body, attributions=f"%w: memref<64xi8, {WORKGROUP}>"), block=1)
    assert found.kind == "misaligned"


def test_a_wrong_kernel_is_told_once_for_each_pair_of_places(matmul_text):
    broken = matmul_text.replace("gpu.barrier  // read", "")
    arrays = [np.ones(shape, np.float32) for shape in ((64, 48), (48, 32), (64, 32))]
    kernels = SimulatedKernels(broken, sanitize=True, file="broken.mlir")
    with pytest.raises(SanitizerError, match="the sanitizer found 4 faults") as caught:
        kernels.launch("matmul", 8, 256, 0, arrays)
    assert len({(one.kind, one.site, one.other_site) for one in caught.value.findings}) == 4
    assert all(one.count > 1000 and "broken.mlir:" in one.site for one in caught.value.findings)
    kernels = SimulatedKernels(matmul_text, sanitize=True, count=True)
    counts = kernels.launch("matmul", 8, 256, 0, arrays).counts
    plain = SimulatedKernels(matmul_text, count=True).launch("matmul", 8, 256, 0, arrays).counts
    assert counts == plain


def test_memory_that_is_given_back_is_forgotten() -> None:
    """Uploaded arrays that lie where an unwritten one was have content."""
    backend = SimulatorBackend(sanitize=True)
    data = np.arange(300, dtype=np.float32)
    buffer = Buffer(name="x", role="output", element_type="f32", shape=(300,))
    for _ in range(20):
        kept = backend.allocate(1200, 16)
        del kept
        found = backend.download(backend.upload(data, 16), buffer)
        assert (found == data).all()
    with pytest.raises(SanitizedRunError):
        backend.download(backend.allocate(1200, 16), buffer)
