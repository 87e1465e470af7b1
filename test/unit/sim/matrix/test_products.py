# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix instructions against numpy: exact for integers, for reals in the order that the simulator promises."""

import numpy as np
import pytest
from matrix_cases import CASES, HALF_K16, NUMPY, kernel, mfma, mma, rows_of_16

from roller_mlir.sim import SimulatedKernels, SimulationError
from roller_mlir.sim.matrix import fragments as matrix_fragments
from roller_mlir.support.diagnostics import DiagnosedError


def run(case, a, b, c, **options):
    (m, n, k, element, sums, *shapes), *layouts = CASES[case]
    is_mfma = "mfma" in case
    instruction = mfma(m, k) if is_mfma else mma(m, n, k, element == "tf32")
    lanes = 64 if is_mfma else 32
    text = kernel(instruction, shapes, (element, element, sums))
    held = []
    for whole, shape, layout in zip((a, b, c), shapes, layouts, strict=True):
        places = [[layout(lane, i) for i in range(int(np.prod(shape)))] for lane in range(lanes)]
        rows, columns = np.moveaxis(np.array(places), 2, 0)
        held.append(np.ascontiguousarray(whole[rows, columns]))
    SimulatedKernels(text, lanes, **options).launch("k", 1, lanes, 0, held)
    result = np.zeros_like(c)
    result[rows, columns] = held[2]
    return result


def operands(case):
    """Random operands: integers for i8, else reals."""
    m, n, k, element, sums, *_ = CASES[case][0]
    random = np.random.default_rng(1)
    if element == "i8":
        a, b = (random.integers(-128, 128, shape) for shape in ((m, k), (k, n)))
        c = random.integers(-(2**20), 2**20, (m, n))
    else:
        a, b, c = (random.standard_normal(shape) for shape in ((m, k), (k, n), (m, n)))
    return a.astype(NUMPY[element]), b.astype(NUMPY[element]), c.astype(NUMPY[sums])


@pytest.mark.full(every=4)
@pytest.mark.parametrize("sanitize", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_integers_are_exact(case, sanitize):
    m, n, k, element, sums, *_ = CASES[case][0]
    random = np.random.default_rng(0)
    a, b = (random.integers(-8, 8, shape).astype(NUMPY[element]) for shape in ((m, k), (k, n)))
    c = random.integers(-100, 100, (m, n)).astype(NUMPY[sums])
    found = run(case, a, b, c, sanitize=sanitize)
    assert np.array_equal(found, a.astype(np.float64) @ b.astype(np.float64) + c)


def tf32(values):
    return (values.view(np.uint32) & 0xFFFFE000).view(np.float32)


@pytest.mark.parametrize("case", CASES)
def test_sums_follow_k_and_are_rounded_once_a_product(case):
    _, _, k, element, sums, *_ = CASES[case][0]
    a, b, c = operands(case)
    found = run(case, a, b, c)
    if element == "i8":
        assert np.array_equal(found, a.astype(np.int64) @ b.astype(np.int64) + c)
        return
    left, right = (tf32(one) if element == "tf32" else one for one in (a, b))
    wide = np.longdouble if element in ("f32", "f64") else np.float64
    step = np.float64 if sums == "f64" else np.float32
    total = c.astype(step)
    for number in range(k):
        product = left[:, number, None].astype(wide) * right[None, number].astype(wide)
        total = (total.astype(wide) + product).astype(step)
    if wide is np.longdouble:  # which may round once more
        np.testing.assert_allclose(found, total, rtol=2 * np.finfo(step).eps)
    else:
        assert np.array_equal(found, total.astype(NUMPY[sums]))


def test_bits_of_tf32_that_do_not_count():
    case = "mma k8 tf32"
    a, b, c = (np.ones(shape, np.float32) for shape in ((16, 8), (8, 8), (16, 8)))
    a += np.float32(2.0**-10)  # the last bit of tf32 stays, all below is cut off
    a.view(np.uint32)[...] |= 0x1FFF
    assert np.array_equal(run(case, a, b, c), np.full((16, 8), 1 + 8 * (1 + 2.0**-10), np.float32))


def test_sums_of_integers_wrap():
    ends = np.iinfo(np.int32)
    for case in ("mma k32 i8", "mfma 32x32x16 i8"):
        m, n, k, *_ = CASES[case][0]
        a, b, c = np.ones((m, k), np.int8), np.ones((k, n), np.int8), np.full((m, n), ends.max - 5, np.int32)
        b[:, 1], c[:, 1] = -1, ends.min + 5
        found = run(case, a, b, c)
        above, below = ends.min + k - 6, ends.max - k + 6
        assert (found[:, 0] == above).all() and (found[:, 1] == below).all()


def test_infinities_and_nans_spread_only_in_their_row_and_column():
    case = "mma k16 f16"
    a, b, c = operands(case)
    a[3, 5], b[2, 6] = np.inf, np.nan
    found = run(case, a, b, c)
    assert np.isnan(found[:, 6]).all() and np.isinf(np.delete(found[3], 6)).all()
    assert np.isfinite(np.delete(np.delete(found, 3, 0), 6, 1)).all()


CHAIN = """gpu.module @kernels {
  gpu.func @k(%x: memref<128x8xf16>, %y: memref<128x12xf32>) kernel {
    %n = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : vector<2x2xf32>
    %v = vector.load %x[%n, %c0] : memref<128x8xf16>, vector<8xf16>
    %a = vector.shape_cast %v : vector<8xf16> to vector<4x2xf16>
    %b0 = vector.extract_strided_slice %a {offsets = [0], sizes = [2], strides = [1]}
      : vector<4x2xf16> to vector<2x2xf16>
    %b1 = vector.extract_strided_slice %a {offsets = [2], sizes = [2], strides = [1]}
      : vector<4x2xf16> to vector<2x2xf16>
    %s:3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %zero, %q = %zero, %r = %zero)
        -> (vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>) {
      %p1 = MMA(%a, %b0, %p) AS
      %p2 = MMA(%a, %b1, %p1) AS
      %q1 = MMA(%a, %b0, %p1) AS
      %q2 = arith.addf %q1, %q : vector<2x2xf32>
      scf.yield %p2, %r, %q2 : vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>
    }
    %f0 = vector.shape_cast %s#0 : vector<2x2xf32> to vector<4xf32>
    %f1 = vector.shape_cast %s#1 : vector<2x2xf32> to vector<4xf32>
    %f2 = vector.shape_cast %s#2 : vector<2x2xf32> to vector<4xf32>
    vector.store %f0, %y[%n, %c0] : memref<128x12xf32>, vector<4xf32>
    vector.store %f1, %y[%n, %c4] : memref<128x12xf32>, vector<4xf32>
    vector.store %f2, %y[%n, %c8] : memref<128x12xf32>, vector<4xf32>
    gpu.return } }""".replace("MMA", "nvgpu.mma.sync").replace(
    "AS", "{mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>"
)


@pytest.mark.parametrize("home_bytes", [0, 64, 16384])
def test_sums_that_several_instructions_read_and_loops_carry(monkeypatch, home_bytes):
    monkeypatch.setattr(matrix_fragments, "_MOST_BYTES", home_bytes)
    x = np.random.default_rng(0).integers(-3, 4, (128, 8)).astype(np.float16)
    y = np.zeros((128, 12), np.float32)
    SimulatedKernels(CHAIN).launch("k", 1, 128, 0, [x, y], sweep=True)
    for first in range(0, 128, 32):
        fragments = {}
        for name, layout, part in (
            ("a", HALF_K16[0], range(8)),
            ("b0", HALF_K16[1], range(4)),
            ("b1", HALF_K16[1], range(4, 8)),
        ):
            fragments[name] = np.zeros((16, 16 if name == "a" else 8))
            for lane in range(32):
                for number, i in enumerate(part):
                    fragments[name][layout(lane, number)] = x[first + lane, i]
        a, b0, b1 = fragments["a"], fragments["b0"], fragments["b1"]
        p, q, r = (np.zeros((16, 8)) for _ in range(3))
        for _ in range(3):
            p1 = a @ b0 + p
            p, q, r = a @ b1 + p1, r, a @ b0 + p1 + q
        for lane in range(32):
            for i in range(12):
                assert y[first + lane, i] == (p, q, r)[i // 4][rows_of_16(lane, i % 4)]


def text_of(case):
    (m, _, k, element, sums, *shapes), *_ = CASES[case]
    return kernel(mfma(m, k) if "mfma" in case else mma(m, 8, k, element == "tf32"), shapes, (element, element, sums))


@pytest.mark.parametrize("case", ["mma k16 f16", "mfma 32x32x8 f16"])
def test_lanes_that_do_not_take_part(case):
    lanes = 64 if "mfma" in case else 32
    text = text_of(case)
    operation = next(line for line in text.splitlines() if "%d1 = " in line)
    kind = operation.rsplit("-> " if "mma.sync" in operation else ", ", 1)[1]
    guarded = f"""%last = arith.constant {lanes - 1} : index
      %some = arith.cmpi ne, %l, %last : index
      %d1 = scf.if %some -> ({kind}) {{
        {operation.replace("%d1", "%d2")}
        scf.yield %d2 : {kind}
      }} else {{
        scf.yield %c1 : {kind}
      }}"""
    text = text.replace(operation, guarded)
    a, b, c = operands(case)
    shapes = [(lanes, int(np.prod(shape))) for shape in CASES[case][0][5:]]
    held = [np.zeros(shape, one.dtype) for shape, one in zip(shapes, (a, b, c), strict=True)]
    with pytest.raises(SimulationError, match="did not take part in (nvgpu.mma.sync|amdgpu.mfma) at -:") as caught:
        SimulatedKernels(text, lanes).launch("k", 1, 2 * lanes, 0, held)
    assert (caught.value.kind, caught.value.thread[0] % lanes) == ("divergent-subgroup", lanes - 1)


REFUSED = {
    "'nvgpu.mma.sync' needs subgroups of 32 lanes, but they have 64": (text_of("mma k16 f16"), 64),
    "'amdgpu.mfma' needs subgroups of 64 lanes, but they have 32": (text_of("mfma 32x32x8 f16"), 32),
    "is no instruction that the simulator knows": (text_of("mma k8 tf32").replace(", tf32Enabled", ""), 32),
    "must have blocks = 1, but got 2": (
        text_of("mfma 32x32x2 f32").replace("mfma 32x32x2 ", "mfma 32x32x1 ").replace("16xf32", "32xf32").replace(
            "%c1 blgp", "%c1 {blocks = 2 : i32} blgp"), 64),
    "must not permute, negate or round its operands": (
        text_of("mfma 16x16x4 f64").replace("blgp = none", "{negateA} blgp = none"), 64),
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_refusals(message):
    text, lanes = REFUSED[message]
    with pytest.raises(DiagnosedError, match="error: ") as caught:
        SimulatedKernels(text, lanes)
    assert message in str(caught.value)
