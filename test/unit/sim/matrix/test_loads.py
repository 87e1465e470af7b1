# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ldmatrix: what every lane gets; what is refused or found: rows outside, misaligned, unwritten, raced for."""

import numpy as np
import pytest

from roller_mlir.sim import SanitizerError, SimulatedKernels, SimulationError
from roller_mlir.support.diagnostics import DiagnosedError

WORKGROUP = "#gpu.address_space<workgroup>"
NUMPY = {"f16": np.float16, "bf16": np.uint16, "f32": np.float32, "i8": np.int8}


def kernel(count, transposed=False, element="f16", *, columns=64, row="%l", column="%zero", before="gpu.barrier"):
    """Each lane writes its row of workgroup memory; then ldmatrix, whose result lanes store."""
    each = 4 // (np.dtype(NUMPY[element]).itemsize)
    memory = f"memref<32x{columns}x{element}, {WORKGROUP}>"
    return f"""gpu.module @kernels {{
      gpu.func @k(%x: memref<32x{columns}x{element}>, %y: memref<32x{count * each}x{element}>, %rows: memref<32xindex>)
          workgroup(%w: {memory}) kernel {{
        %l = gpu.thread_id x
        %zero = arith.constant 0 : index
        %row = memref.load %rows[%l] : memref<32xindex>
        %v = vector.load %x[%l, %zero] : memref<32x{columns}x{element}>, vector<{columns}x{element}>
        vector.store %v, %w[%l, %zero] : {memory}, vector<{columns}x{element}>
        {before}
        %m = nvgpu.ldmatrix %w[{row}, {column}] {{numTiles = {count} : i32, transpose = {str(transposed).lower()},
          rtile.site = "load W"}} : {memory} -> vector<{count}x{each}x{element}>
        %f = vector.shape_cast %m : vector<{count}x{each}x{element}> to vector<{count * each}x{element}>
        vector.store %f, %y[%l, %zero] : memref<32x{count * each}x{element}>, vector<{count * each}x{element}>
        gpu.return }} }}"""


def run(text, element="f16", *, count=4, rows=None, seed=0, columns=64, threads=32, **options):
    kind = np.dtype(NUMPY[element])
    random = np.random.default_rng(1)
    x = random.integers(-100, 100, (32, columns)).astype(kind)
    y = np.zeros((32, count * (4 // kind.itemsize)), kind)
    taken = np.arange(32) if rows is None else rows
    kernels = SimulatedKernels(text, **options)
    result = kernels.launch("k", 1, threads, 0, [x, y, taken.astype(np.int64)], seed=seed)
    return x, y, result


@pytest.mark.full(each=["element", "count", "sanitize"])
@pytest.mark.parametrize("element", NUMPY)
@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("sanitize", [False, True])
def test_words_of_rows(element, count, sanitize):
    x, y, _ = run(kernel(count, element=element), element, count=count, sanitize=sanitize)
    rows = x[:, : 16 // x.itemsize].view(np.uint32)
    for lane in range(32):
        wanted = [rows[8 * tile + lane // 4, lane % 4] for tile in range(count)]
        assert y[lane].view(np.uint32).tolist() == wanted


@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_transposed_tiles(element, count):
    x, y, _ = run(kernel(count, True, element), element, count=count)
    for lane in range(32):
        first = [8 * tile + 2 * (lane % 4) for tile in range(count)]
        assert y[lane].tolist() == [x[row + second, lane // 4] for row in first for second in (0, 1)]


def test_rows_in_any_order_with_an_offset():
    rows = np.random.default_rng(3).permutation(32)
    text = kernel(4, row="%row", column="%eight", before="gpu.barrier\n%eight = arith.constant 8 : index")
    x, y, _ = run(text, rows=rows)
    words = np.ascontiguousarray(x[rows, 8:16]).view(np.uint32)
    for lane in range(32):
        assert y[lane].view(np.uint32).tolist() == [words[8 * tile + lane // 4, lane % 4] for tile in range(4)]


@pytest.mark.parametrize(
    ("changes", "count", "kind", "message"),
    [
        ({"row": "%row"}, 4, "out-of-bounds", r"index \[32, 0\], \[1, 8\] elements from there, .* thread \(31, 0, 0\)"),
        ({"column": "%edge"}, 4, "out-of-bounds", r"index \[\d+, 60\], \[1, 8\] elements from there, is outside"),
        ({"column": "%four"}, 4, "misaligned", r"index \[\d+, 4\] .* not aligned .* at 'load W' \(nvgpu.ldmatrix at"),
    ],
)
def test_rows_that_cannot_be_loaded(changes, count, kind, message):
    before = "gpu.barrier\n%edge = arith.constant 60 : index\n%four = arith.constant 4 : index"
    with pytest.raises(SimulationError, match=message) as caught:
        run(kernel(count, **changes, before=before), count=count, rows=np.arange(32) + (np.arange(32) == 31))
    assert caught.value.kind == kind


def test_addresses_that_count_for_nothing():
    rows = np.where(np.arange(32) < 16, np.arange(32), 1000)
    x, y, _ = run(kernel(2, row="%row"), count=2, rows=rows, sanitize=True)
    assert y[5].view(np.uint32).tolist() == [x[row, :8].view(np.uint32)[1] for row in (1, 9)]


def test_rows_of_other_lanes_before_they_are_written():
    with pytest.raises(SanitizerError) as caught:
        run(kernel(4, before=""), sanitize=True)
    kinds = {one.kind for one in caught.value.findings}
    assert kinds == {"read-after-write"}
    assert "'load W' (nvgpu.ldmatrix at" in caught.value.findings[0].message


def test_a_barrier_of_the_subgroup_is_enough():
    run(kernel(4, before="gpu.barrier scope <subgroup>"), sanitize=True)


def test_rows_that_nobody_wrote():
    text = kernel(4).replace("vector.store %v, %w[%l, %zero]", "vector.store %v, %w[%zero, %zero]")
    first = "%first = arith.cmpi eq, %l, %zero : index\nscf.if %first {\n"
    text = text.replace("vector.store %v, %w", first + "vector.store %v, %w")
    text = text.replace("gpu.barrier", "}\ngpu.barrier")
    with pytest.raises(SanitizerError) as caught:
        run(text, sanitize=True)
    assert {one.kind for one in caught.value.findings} == {"uninitialised-read"}


@pytest.mark.parametrize(("columns", "phases"), [(64, 32), (72, 4), (40, 4)])
def test_bank_phases(columns, phases):
    counts = counted(kernel(4, columns=columns), columns)
    assert (counts.accesses, counts.bytes, counts.phases, counts.ideal) == (1, 512, phases, 4)


def counted(text, columns):
    x, y = np.zeros((32, columns), np.float16), np.zeros((32, 8), np.float16)
    result = SimulatedKernels(text, count=True).launch("k", 1, 32, 0, [x, y, np.arange(32)])
    return next(one for one in result.counts.sites if one.site == "load W")


def test_lanes_that_do_not_take_part():
    some = "%sixteen = arith.constant 16 : index\n%low = arith.cmpi ult, %l, %sixteen : index"
    text = kernel(4, before=f"gpu.barrier\n{some}\nscf.if %low {{").replace("gpu.return", "}\ngpu.return")
    with pytest.raises(SimulationError, match=r"did not take part in 'load W' \(nvgpu.ldmatrix") as caught:
        run(text)
    assert (caught.value.kind, caught.value.thread[0] >= 16) == ("divergent-subgroup", True)


def test_lanes_that_do_not_exist():
    with pytest.raises(SimulationError, match="needs a whole subgroup, but the last one of the block has fewer lanes"):
        run(kernel(4), threads=20)


REFUSED = {
    "needs subgroups of 32 lanes, but they have 64": (kernel(4), 64),
    "must load 1, 2 or 4 tiles, transposed only of 16 bits": (kernel(3), 32),
    "must load rows of workgroup memory, but got memref<32x64xf16, strided<[1, 32]>": ("""gpu.module @kernels {
      gpu.func @k() workgroup(%w: memref<32x64xf16, strided<[1, 32]>, #gpu.address_space<workgroup>>) kernel {
        %zero = arith.constant 0 : index
        %m = nvgpu.ldmatrix %w[%zero, %zero] {numTiles = 1 : i32, transpose = false}
          : memref<32x64xf16, strided<[1, 32]>, #gpu.address_space<workgroup>> -> vector<1x2xf16>
        gpu.return } }""", 32),
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_refusals(message):
    text, lanes = REFUSED[message]
    with pytest.raises(DiagnosedError, match="error: ") as caught:
        SimulatedKernels(text, lanes)
    assert message in str(caught.value)
