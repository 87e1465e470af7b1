# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantizers that multiply round as those that divide, and what is quantized again is what it was only if it is."""

import os
from math import inf

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.lowering.linalg.rewrite.quantized import quantizers
from roller_mlir.lowering.linalg.rewrite.quantized.quantizers import _rounds_alike, simplify_quantizers
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module
from roller_mlir.support.passes.upstream import CLEAN, run_upstream


def quantizer(scale: float, zero: int, *, signed: bool, count: int = 4096, between: str = "", by: str = "divf") -> str:
    """Return a function that quantizes floats, or first what `between` makes `%in` of integers."""
    low, high = (-128.0, 127.0) if signed else (0.0, 255.0)
    given = "i8" if between else "f32"
    return f"""func.func @quantize(%x: tensor<{count}x{given}>) -> tensor<{count}xi8> {{
      %s = arith.constant {scale!r} : f32
      %z = arith.constant {float(zero)} : f32
      %low = arith.constant {low} : f32
      %high = arith.constant {high} : f32
      %e = tensor.empty() : tensor<{count}xi8>
      %q = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]}} ins(%x : tensor<{count}x{given}>) outs(%e : tensor<{count}xi8>) {{
      ^bb0(%{"i" if between else "in"}: {given}, %old: i8):
        {between}
        %d = arith.{by} %in, %s : f32
        %r = math.roundeven %d : f32
        %t = arith.addf %r, %z : f32
        %m = arith.maximumf %t, %low : f32
        %n = arith.minimumf %m, %high : f32
        %c = arith.fpto{"s" if signed else "u"}i %n : f32 to i8
        linalg.yield %c : i8
      }} -> tensor<{count}xi8>
      return %q : tensor<{count}xi8>
    }}"""


def simplified(text: str) -> str:
    """Return the module with simpler quantizers."""
    with make_context() as context:
        module = parse_module(text, context)
        simplify_quantizers(module.body.operations[0].regions[0].blocks[0])
        assert module.operation.verify()
        run_upstream(CLEAN, module)
        return str(module)


def _expected(x: "np.ndarray", scale: float, zero: int, signed: bool) -> "np.ndarray":
    low, high = (-128, 127) if signed else (0, 255)
    rounded = np.clip(np.rint(x / np.float32(scale)) + np.float32(zero), low, high)
    return rounded.astype(np.int64).astype(np.uint8).view(np.int8)


@pytest.mark.parametrize("device", ["sim", *(["host"] if os.uname().machine == "x86_64" else [])])
@pytest.mark.parametrize(("scale", "zero", "signed"), [(0.0265473593, 131, False), (0.1, -7, True), (3e-5, 0, False)])
def test_products_round_as_quotients(scale: float, zero: int, signed: bool, device: str) -> None:
    """Beside the middles of integers, far beyond the bounds, and at infinities."""
    scale = float(np.float32(scale))
    middles = ((np.arange(-600, 600) + 0.5) * scale).astype(np.float32)
    near = [np.nextafter(middles, np.float32(side), dtype=np.float32) for side in (-inf, inf)]
    others = np.array([inf, -inf, 0.0, -0.0, 1e30, -1e30, 1e-40], np.float32)
    x = np.concatenate([middles, *near, others])
    x = np.concatenate([x, np.zeros(4096 - len(x), np.float32)])
    text = quantizer(scale, zero, signed=signed)
    assert "arith.divf" not in simplified(text) and "math.fma" in simplified(text)
    target, binaries = ("a100", False) if device == "sim" else (device, True)
    artifact = roller_mlir.compile(text, target, options=CompileOptions(binaries=binaries))
    result = artifact.run(x)
    found = np.asarray(result[0] if isinstance(result, (list, tuple)) else result)
    np.testing.assert_array_equal(found.view(np.int8), _expected(x, scale, zero, signed))


def test_a_reciprocal_alone_does_not_round_as_quotients() -> None:
    """What is looked at for each scale finds it: of 200 scales several have a quotient in the middle that it misses."""
    scales = np.random.default_rng(0).uniform(1e-3, 1, 200).astype(np.float32)
    inverses = [np.float32(1 / float(scale)) for scale in scales]
    rests = [np.float32(1 / float(scale) - float(one)) for scale, one in zip(scales, inverses, strict=True)]
    pairs = list(zip(scales, inverses, rests, strict=True))
    assert all(_rounds_alike(scale, one, rest, -128, 127) for scale, one, rest in pairs)
    assert sum(not _rounds_alike(scale, one, np.float32(0), -128, 127) for scale, one, _ in pairs) > 10


def test_a_scale_of_which_products_round_otherwise_divides(monkeypatch: pytest.MonkeyPatch) -> None:
    """None is known, and so that check alone says so."""
    monkeypatch.setattr(quantizers, "_rounds_alike", lambda *_: False)
    assert "arith.divf" in simplified(quantizer(0.1, -7, signed=True))


@pytest.mark.parametrize("scale", [0.0, 1e-40, 1e38, inf])
def test_other_scales_divide(scale: float) -> None:
    text = quantizer(1.5, 3, signed=True).replace("1.5", f"0x{np.float32(scale).view(np.uint32):08X}")
    assert "arith.divf" in simplified(text)


def again(scale: float = 0.1, zero: int = 131, *, signs: str = "u") -> str:
    """Return what dequantizes `%i` to `%in`."""
    widened = "i32" if zero else ""
    if not zero:
        return (
            f"%f = arith.{signs}itofp %i : i8 to f32 %k = arith.constant {scale!r} : f32 %in = arith.mulf %f, %k : f32"
        )
    return f"""%w = arith.ext{signs}i %i : i8 to {widened} %y = arith.constant {zero} : i32 %v = arith.subi %w, %y : i32
        %f = arith.sitofp %v : i32 to f32 %k = arith.constant {scale!r} : f32 %in = arith.mulf %f, %k : f32"""


@pytest.mark.parametrize("zero", ["0x7F800000", "0x7FC00000", "-4.0e9", "0.5"])
def test_other_zero_points_divide(zero: str) -> None:
    """No number, none that f32 tells from its neighbours, none that is whole."""
    text = quantizer(0.1, -7, signed=True).replace("arith.constant -7.0", f"arith.constant {zero}")
    assert "arith.divf" in simplified(text)


SAME = float(np.float32(0.1))


@pytest.mark.parametrize("zero", [0, 131])
def test_what_is_quantized_again_is_what_it_was(zero: int) -> None:
    assert "arith.fptoui" not in simplified(quantizer(SAME, zero, signed=False, between=again(SAME, zero)))
    assert np.array_equal(_values(quantizer(SAME, zero, signed=False, between=again(SAME, zero))), np.arange(256))


@pytest.mark.parametrize(
    "text",
    [
        quantizer(SAME, 131, signed=False, between=again(2 * SAME, 131)),
        quantizer(SAME, 130, signed=False, between=again(SAME, 131)),
        quantizer(SAME, 131, signed=True, between=again(SAME, 131)),
        quantizer(SAME, 131, signed=False, between=again(SAME, 131, signs="s")),
        quantizer(SAME, 0, signed=False, between=again(SAME, 0, signs="s")),
        quantizer(9.0, 131, signed=False, between=again(SAME, 131), by="mulf"),
        quantizer(SAME, 131, signed=False, between=again(SAME, 131)).replace("255.0", "254.0"),
    ],
)
def test_other_pairs_stay(text: str) -> None:
    assert "arith.fpto" in simplified(text)
    np.testing.assert_array_equal(_values(text), _values(text, fusion=False))


def test_products_with_the_inverse_are_known() -> None:
    """PyTorch quantizes so."""
    text = quantizer(10.0, 131, signed=False, between=again(SAME, 131), by="mulf")
    assert "arith.fptoui" not in simplified(text)
    np.testing.assert_array_equal(_values(text), np.arange(256))


def _values(text: str, *, fusion: bool = True) -> "np.ndarray":
    """Return what a function of integers gives for all numbers of 8 bits, without sign."""
    text = text.replace("4096", "256")
    artifact = roller_mlir.compile(text, "a100", options=CompileOptions(binaries=False, fusion=fusion))
    result = artifact.run(np.arange(256).astype(np.uint8).view(np.int8))
    return np.asarray(result[0] if isinstance(result, (list, tuple)) else result).view(np.uint8)
