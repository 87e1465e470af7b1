# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vectors with masks at the LLVM level, and what else kernels of IREE call, on LLVM IR written by hand."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from llvm_kernels import AMD, NVIDIA, launch

from roller_mlir.sim import SimulationError
from roller_mlir.support.diagnostics import DiagnosedError

# Thread t moves 4 elements at 4 t of %0, or the addresses 4 t + (3, 1, 0, 2); the mask is (t > 0, 1, t odd, 0).
KERNEL = """
define ptx_kernel void @k(ptr addrspace(1) %0, ptr addrspace(1) %1) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %first = mul i64 %wide, 4
  %p = getelementptr {kind}, ptr addrspace(1) %0, i64 %first
  %q = getelementptr {kind}, ptr addrspace(1) %1, i64 %first
  %steps = call <4 x i64> @llvm.stepvector.v4i64()
  %turned = shufflevector <4 x i64> %steps, <4 x i64> poison, <4 x i32> <i32 3, i32 1, i32 0, i32 2>
  %ps = getelementptr {kind}, ptr addrspace(1) %p, <4 x i64> %turned
  %qs = getelementptr {kind}, ptr addrspace(1) %q, <4 x i64> %turned
  %some = icmp ne i32 %t, 0
  %odd = trunc i32 %t to i1
  %m0 = insertelement <4 x i1> <i1 false, i1 true, i1 false, i1 false>, i1 %some, i64 0
  %m = insertelement <4 x i1> %m0, i1 %odd, i64 2
  {body}
  ret void
}}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""
NAMES = {"float": "f32", "half": "f16", "i8": "i8", "double": "f64"}
DTYPES: dict[str, Any] = {"float": np.float32, "half": np.float16, "i8": np.int8, "double": np.float64}
THREADS = 8
MASK = np.array([[t > 0, True, t % 2 == 1, False] for t in range(THREADS)])
TURNED = [3, 1, 0, 2]
ALL = "<4 x i1> splat (i1 true)"


def load(spread: bool, kind: str = "float", mask: str = "<4 x i1> %m", alignment: int = 0, pointer: str = "") -> str:
    name, size = NAMES[kind], alignment or np.dtype(DTYPES[kind]).itemsize
    if spread:
        return (
            f"%v = call <4 x {kind}> @llvm.masked.gather.v4{name}.v4p1(<4 x ptr addrspace(1)> align {size} "
            f"{pointer or '%ps'}, {mask}, <4 x {kind}> zeroinitializer)\n"
        )
    return (
        f"%v = call <4 x {kind}> @llvm.masked.load.v4{name}.p1(ptr addrspace(1) align {size} {pointer or '%p'}, "
        f"{mask}, <4 x {kind}> zeroinitializer)\n"
    )


def store(spread: bool, kind: str = "float", mask: str = "<4 x i1> %m") -> str:
    name, size = NAMES[kind], np.dtype(DTYPES[kind]).itemsize
    if spread:
        return (
            f"call void @llvm.masked.scatter.v4{name}.v4p1(<4 x {kind}> %v, <4 x ptr addrspace(1)> align {size} %qs, "
            f"{mask})"
        )
    return f"call void @llvm.masked.store.v4{name}.p1(<4 x {kind}> %v, ptr addrspace(1) align {size} %q, {mask})"


def text(body: str, kind: str = "float") -> str:
    return KERNEL.format(kind=kind, body=body)


@pytest.mark.parametrize("kind", ["float", pytest.param("half", marks=pytest.mark.full), "i8"])
@pytest.mark.parametrize("spread", [False, True])
def test_elements_move_where_the_mask_says(spread: bool, kind: str) -> None:
    x = np.arange(1, 1 + 4 * THREADS).astype(DTYPES[kind]).reshape(THREADS, 4)
    out = np.full_like(x, 99)
    launch(text(load(spread, kind) + store(False, kind, ALL), kind), [x, out], THREADS)
    np.testing.assert_array_equal(out, np.where(MASK, x[:, TURNED] if spread else x, 0))
    out = np.full_like(x, 99)
    launch(text(load(False, kind, ALL) + store(spread, kind), kind), [x, out], THREADS)
    expected = np.full_like(x, 99)
    for thread, row in enumerate(MASK):
        for lane in np.flatnonzero(row):
            expected[thread, TURNED[lane] if spread else lane] = x[thread, lane]
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("spread", [False, True])
@pytest.mark.parametrize("stores", [False, True])
def test_an_element_outside_counts_where_it_moves(spread: bool, stores: bool) -> None:
    """Behind element 29 the last thread moves elements 28 + 2 as they stand, and 28 + 3 where they are turned."""
    x, out = np.ones(4 * THREADS, np.float32), np.zeros(4 * THREADS, np.float32)
    body = load(False, mask=ALL) + store(spread) if stores else load(spread) + store(False, mask=ALL)
    short = slice(0, 30 if not spread else 31)
    arguments = [x, out[short].copy()] if stores else [x[short].copy(), out]
    with pytest.raises(SimulationError) as caught:
        launch(text(body), arguments, THREADS)
    assert caught.value.kind == "out-of-bounds"
    assert f"outside the {arguments[int(stores)].nbytes} B of argument {int(stores)}" in str(caught.value)
    assert f"llvm.masked.{('scatter' if spread else 'store') if stores else ('gather' if spread else 'load')}" in str(
        caught.value
    )
    launch(text(body), [one[: 4 * (THREADS - 1)].copy() for one in (x, out)], THREADS - 1)


def test_promised_alignment_and_unknown_addresses_are_checked() -> None:
    x, out = np.ones(4 * THREADS + 1, np.float32), np.zeros(4 * THREADS, np.float32)
    moved = "%off = getelementptr float, ptr addrspace(1) %p, i64 1\n"
    body = moved + load(False, alignment=16, pointer="%off") + store(False)
    with pytest.raises(SimulationError, match="not a multiple of 16 B as promised"):
        launch(text(body), [x, out], THREADS)
    # Thread 0 moves element 1 alone, of which the promise says less.
    launch(text(body), [x, out], 1)
    assert out[:4].tolist() == [0, 1, 0, 0]
    foreign = "%bad = inttoptr <4 x i64> splat (i64 4096) to <4 x ptr addrspace(1)>\n"
    with pytest.raises(SimulationError, match=r"4 bytes at address 0x1000 are in no argument"):
        launch(text(foreign + load(True, pointer="%bad") + store(False)), [x, out], THREADS)


def test_masked_accesses_of_bits_are_refused() -> None:
    body = "%v = call <4 x i1> @llvm.masked.load.v4i1.p1(ptr addrspace(1) %p, <4 x i1> %m, <4 x i1> zeroinitializer)"
    with pytest.raises(DiagnosedError, match=r"kernel 'k': 'llvm.masked.load.v4i1.p1' of <4 x i1> is not known"):
        launch(text(body), [np.zeros(32, np.float32)] * 2, THREADS)


def toward_zero(exact: Fraction) -> np.float32:
    """The float next to an exact number, on the side of 0."""
    near = np.float32(float(exact))
    if abs(Fraction(float(near))) > abs(exact):
        near = np.nextafter(near, np.float32(0))
    return near


ROUNDED = """
declare float @llvm.nvvm.fadd.f32(float, float, i32 immarg)
declare float @llvm.nvvm.fma.rz.f(float, float, float)
"""


def test_sums_and_products_toward_zero() -> None:
    body = """%f = bitcast i32 %6 to float
      %h = getelementptr inbounds i32, ptr %0, i32 64
      %hp = getelementptr inbounds i32, ptr %h, i64 %4
      %g = load float, ptr %hp, align 4
      {op}
      %r = bitcast float %s to i32"""
    random = np.random.default_rng(0)
    x = np.concatenate([random.standard_normal(64) * 2.0 ** random.integers(-30, 30, 64), random.standard_normal(64)])
    x = x.astype(np.float32)
    a, b = ([Fraction(float(one)) for one in part] for part in (x[:64], x[64:]))
    for op, exact in (
        ("call float @llvm.nvvm.fadd.f32(float %f, float %g, i32 0)", lambda a, b: a + b),
        ("call float @llvm.nvvm.fma.rz.f(float %f, float %f, float %g)", lambda a, b: a * a + b),
    ):
        out = np.zeros(64, np.float32)
        launch(NVIDIA.format(body=body.format(op=f"%s = {op}")) + ROUNDED, [x, out])
        expected = [toward_zero(exact(*pair)) for pair in zip(a, b, strict=True)]
        np.testing.assert_array_equal(out, expected)
    op = "%s = call float @llvm.nvvm.fadd.f32(float %f, float %g, i32 2)"
    with pytest.raises(DiagnosedError, match="'llvm.nvvm.fadd.f32' with rounding mode 2 is not known"):
        launch(NVIDIA.format(body=body.format(op=op)) + ROUNDED, [x, np.zeros(64, np.float32)])


def test_implicit_arguments_of_amd() -> None:
    body = """%i = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
      %gy = getelementptr i8, ptr addrspace(4) %i, i64 4
      %grid = load i32, ptr addrspace(4) %gy, align 4
      %sx = getelementptr i8, ptr addrspace(4) %i, i64 12
      %size = load i16, ptr addrspace(4) %sx, align 2
      %wide = zext i16 %size to i32
      %much = mul i32 %wide, 1000
      %r = add i32 %much, %grid"""
    x, out = np.zeros(64, np.int32), np.zeros(64, np.int32)
    launch(AMD.format(body=body), [x, out], 64, 64, (1, 3, 1))
    assert (out == 64_003).all()


def test_exponents_and_approximate_reciprocals() -> None:
    body = """%f = bitcast i32 %6 to float
      %pair = call { float, i32 } @llvm.frexp.f32.i32(float %f)
      %m = extractvalue { float, i32 } %pair, 0
      %q = call float asm "rcp.approx.ftz.f32 $0, $1;", "=f,f"(float %m)
      %r = bitcast float %q to i32"""
    x = np.linspace(1, 100, 64).astype(np.float32)
    out = np.zeros(64, np.float32)
    launch(NVIDIA.replace("{body}", body).replace("{{", "{").replace("}}", "}"), [x, out])
    np.testing.assert_allclose(out, 1 / np.frexp(x)[0], rtol=1e-6)


BUFFER = """%b = call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p0(ptr %0, i16 0, i64 {size}, i32 159744)
      %to = call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p0(ptr %1, i16 0, i64 {size}, i32 159744)
      %far = icmp eq i32 %3, 1
      %place = mul i32 %3, 16
      %off = select i1 %far, i32 -16, i32 %place
      %q = getelementptr i8, ptr addrspace(7) %b, i32 %off
      %qt = getelementptr i8, ptr addrspace(7) %to, i32 %off
      {body}
      store <4 x i32> %v, ptr addrspace(7) %qt, align 4
      ret void
      more:
      %r = add i32 0, 0"""
MASKED = """%m = insertelement <4 x i1> splat (i1 true), i1 {first}, i64 0
      %nine = insertelement <4 x i32> zeroinitializer, i32 9, i64 0
      %v = call <4 x i32> @llvm.masked.load.v4i32.p7(ptr addrspace(7) align 4 %q, <4 x i1> %m, <4 x i32> %nine)"""


@pytest.mark.parametrize("first", ["", "true", "false"])
def test_behind_the_end_of_a_buffer_loads_give_0_and_stores_do_nothing(first: str) -> None:
    """Thread t moves 4 numbers from 4 t on, thread 1 those before the start, which lie at its end without a sign."""
    body = MASKED.format(first=first) if first else "%v = load <4 x i32>, ptr addrspace(7) %q, align 4"
    x = np.arange(1, 17, dtype=np.int32)
    text = AMD.format(body=BUFFER.format(size=40, body=body))
    expected = x.copy()
    expected[4:8] = expected[10:] = -1  # nobody's, and behind the end
    expected[[0, 8]] = 9 if first == "false" else x[[0, 8]]
    for length in (16, 10):  # memory may end with the buffer
        out = np.full(length, -1, np.int32)
        launch(text, [x[:length].copy(), out], 4, 64)
        np.testing.assert_array_equal(out, expected[:length])
    with pytest.raises(SimulationError, match=r"outside the 36 B of argument [01]"):
        launch(text, [x[:9].copy(), np.zeros(9, np.int32)], 4, 64)
    with pytest.raises(DiagnosedError, match="with a stride is not known"):
        launch(text.replace("i16 0", "i16 4"), [x, x], 4, 64)


def test_what_a_buffer_gives_behind_its_end_is_0() -> None:
    """Also where the memory goes on."""
    body = """%b = call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p0(ptr %0, i16 0, i64 42, i32 159744)
      %at = mul i32 %3, 2
      %q = getelementptr i8, ptr addrspace(7) %b, i32 %at
      %h = load {kind}, ptr addrspace(7) %q, align 2
      %r = {widen}"""
    x, out = np.full(64, 0x0101_0101, np.int32), np.zeros(64, np.int32)
    launch(AMD.format(body=body.format(kind="i16", widen="zext i16 %h to i32")), [x, out], 64, 64)
    assert out.tolist() == [0x101] * 21 + [0] * 43
    launch(AMD.format(body=body.format(kind="i32", widen="add i32 %h, 0")), [x, out], 64, 64)
    assert out.tolist() == [0x1010101] * 20 + [0] * 44
