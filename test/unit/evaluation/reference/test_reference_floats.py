# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats in the reference: one rounding a conversion, signs of zeros, numbers that are none, bits."""

from fractions import Fraction

import numpy as np
import pytest
from body_functions import Array, assert_kernels_agree, body_function, evaluate

from roller_mlir.evaluation.reference.values import round_to

# Digits and the exponent of the last digit of denormal numbers.
FORMATS = {"f16": (11, -24), "bf16": (8, -133), "f32": (24, -149), "f64": (53, -1074)}
LARGEST = {"f16": Fraction(65504), "bf16": Fraction(2) ** 128 - Fraction(2) ** 120}
ZEROS = np.array([0.0, -0.0, 0.0, -0.0, 1.0, np.nan, np.nan, -1.0], np.float32)
OTHERS = np.array([-0.0, 0.0, 0.0, -0.0, np.nan, -2.0, np.nan, -0.0], np.float32)


def nearest(value: Fraction, kind: str) -> float:
    """Return the nearest number of a float type, ties to even, in whole numbers."""
    digits, least = FORMATS[kind]
    if not value:
        return 0.0
    exponent = least
    while abs(value) >= Fraction(2) ** (exponent + digits):
        exponent += 1
    rounded = round(value / Fraction(2) ** exponent) * Fraction(2) ** exponent  # Python rounds ties to even
    if abs(rounded) > LARGEST.get(kind, abs(rounded)):
        return float("inf") if rounded > 0 else float("-inf")
    return float(rounded)


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32"])
def test_a_number_is_rounded_once(kind: str) -> None:
    """A tie of the type, and what lies next to it in f64: rounded to f32 first, it would be a tie."""
    digits, least = FORMATS[kind]
    values: list[float] = []
    for exponent in (0, 5, least + digits - 1, least + digits - 3, least + 2):
        tie = 2.0**exponent + max(2.0 ** (exponent - digits), 2.0 ** (least - 1))
        values += [tie, np.nextafter(tie, np.inf), np.nextafter(tie, 0.0), -tie, tie + 2.0 ** (exponent - 30)]
    generator = np.random.default_rng(1)
    values += list(generator.standard_normal(200) * 2.0 ** generator.integers(least, 15, 200))
    values += [2.0**-140, 3e-45, 65519.99, 65520.0]
    rounded = round_to(np.array(values), kind)
    assert rounded.tolist() == [nearest(Fraction(float(value)), kind) for value in values]
    special = round_to(np.array([np.nan, np.inf, -np.inf, 1e39, -1e39, -0.0, -1e-60]), kind)
    assert np.isnan(special[0]) and special[1:5].tolist() == [np.inf, -np.inf, np.inf, -np.inf]
    assert np.signbit(special[5:]).all() and not special[5:].any()


@pytest.mark.full(every=2)
@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
def test_an_integer_of_64_bits_is_rounded_once(kind: str) -> None:
    digits, _ = FORMATS[kind]
    values = [1, -3, 65519, 65520, -(1 << 63), (1 << 63) - 1]
    for exponent in (24, 40, 53, 54, 61, 62):
        tie = (1 << exponent) + (1 << max(0, exponent - digits))
        values += [tie - 1, tie, tie + 1, -tie, -tie - 1, -tie + 1]
    generator = np.random.default_rng(2)
    values += [int(value) for value in generator.integers(-(1 << 63), 1 << 63, 100, np.int64)]
    wanted = [nearest(Fraction(value), kind) for value in values]
    assert round_to(np.array(values, np.int64), kind).tolist() == wanted
    large = [(1 << 64) - 1, (1 << 63) + (1 << 39) + 1, 1 << 63]
    assert round_to(np.array(large, np.uint64), kind).tolist() == [nearest(Fraction(value), kind) for value in large]


def test_conversions_of_kernels_round_once() -> None:
    tie = 1 + 2.0**-8
    doubles = np.array([tie, np.nextafter(tie, 2), np.nextafter(tie, 0), 1 + 2.0**-24, np.nextafter(1 + 2.0**-24, 2)])
    whole = np.array([(1 << 24) + 1, (1 << 54) + (1 << 30) + 1, -(1 << 62) - (1 << 38) - 1, 16777219, -5], np.int64)
    body = """    %r0 = arith.truncf %x0 : f64 to f32
    %h = arith.truncf %x0 : f64 to bf16
    %r1 = arith.extf %h : bf16 to f32
    %g = arith.truncf %x0 : f64 to f16
    %r2 = arith.extf %g : f16 to f32
    %r3 = arith.sitofp %x1 : i64 to f32
    %r4 = arith.uitofp %x1 : i64 to f32
    %r5 = arith.sitofp %x1 : i64 to f64"""
    found = assert_kernels_agree(body_function(body, ["f64", "i64"], ["f32"] * 5 + ["f64"], 5), doubles, whole)
    assert found.outputs[1].tolist() == [1.0, 1 + 2.0**-7, 1.0, 1.0, 1.0]


def test_maxima_and_minima_know_signs_of_zeros_and_numbers_that_are_none() -> None:
    names = ("maximumf", "minimumf", "maxnumf", "minnumf")
    body = "\n".join(f"    %r{i} = arith.{name} %x0, %x1 : f32" for i, name in enumerate(names))
    body += "\n    %r4 = math.clampf %x0 to [%x1, %x1] : f32"
    found = evaluate(body_function(body, ["f32"] * 2, ["f32"] * 5, len(ZEROS)), ZEROS, OTHERS).outputs
    negative = [[bool(sign) for sign in np.signbit(one[:4])] for one in found[:4]]
    assert negative == [[False, False, False, True], [True, True, False, True]] * 2
    assert np.isnan(found[0][4:7]).all() and np.isnan(found[1][4:7]).all()
    assert found[2][4:6].tolist() == [1.0, -2.0] and np.isnan(found[2][6])
    assert found[0][7] == 0 and np.signbit(found[0][7]) and found[1][7] == -1
    assert np.isnan(found[4][[4, 5, 6]]).all(), "a clamp is a minimum and a maximum that keep what is no number"


def test_kernels_take_the_same_maxima_and_minima() -> None:
    body = """    %r0 = arith.maximumf %x0, %x1 : f32
    %r1 = arith.minimumf %x0, %x1 : f32
    %h = arith.constant 0.5 : f32
    %r2 = math.clampf %x0 to [%h, %h] : f32
    %r3 = arith.negf %x0 : f32
    %r4 = math.absf %x0 : f32"""
    assert_kernels_agree(body_function(body, ["f32"] * 2, ["f32"] * 5, len(ZEROS)), ZEROS, OTHERS)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(("name", "start", "sign"), [("maximumf", "0xFF800000", 1), ("minimumf", "0x7F800000", -1)])
def test_reductions_keep_the_sign_of_zero(name: str, start: str, sign: int, axis: int) -> None:
    text = f"""func.func @f(%a: tensor<3x3xf32>) -> tensor<3xf32> {{
      %s = arith.constant {start} : f32
      %e = tensor.empty() : tensor<3xf32>
      %i = linalg.fill ins(%s : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
      %r = linalg.reduce {{ arith.{name} }} ins(%a : tensor<3x3xf32>) outs(%i : tensor<3xf32>) dimensions = [{axis}]
      return %r : tensor<3xf32>
    }}"""
    a = np.array([[0.0, -0.0, -0.0], [-0.0, 0.0, -0.0], [-0.0, -0.0, -0.0]], np.float32) * np.float32(sign)
    (found,) = evaluate(text, a if axis else a.T.copy()).outputs
    assert [bool(one) for one in np.signbit(found)] == [sign < 0] * 2 + [sign > 0]


def test_bits_are_read_as_another_type() -> None:
    values = np.array([1.0, -2.5, 0.1, -0.0, 3.0e38, np.inf], np.float32)
    body = """    %r0 = arith.bitcast %x0 : f32 to i32
    %r1 = arith.bitcast %r0 : i32 to f32
    %h = arith.truncf %x0 : f32 to f16
    %r2 = arith.bitcast %h : f16 to i16
    %b = arith.truncf %x0 : f32 to bf16
    %r3 = arith.bitcast %b : bf16 to i16
    %r4 = arith.bitcast %b : bf16 to f16
    %w = arith.extf %x0 : f32 to f64
    %r5 = arith.bitcast %w : f64 to i64"""
    text = body_function(body, ["f32"], ["i32", "f32", "i16", "i16", "f16", "i64"], len(values))
    found = assert_kernels_agree(text, values).outputs
    assert found[0].tolist() == values.view(np.int32).tolist()
    assert found[3].tolist() == [0x3F80, -0x3FE0, 0x3DCD, -0x8000, 0x7F62, 0x7F80]
    assert found[5].tolist() == values.astype(np.float64).view(np.int64).tolist()


def test_floats_become_unsigned_numbers() -> None:
    values = np.array([0.0, 200.9, 255.0, 0.99, -0.5], np.float32)
    wide = np.array([4294967295.0, 3.0e9, 2.0**63, 1.8e19, 0.5])
    body = """    %r0 = arith.fptoui %x0 : f32 to i8
    %r1 = arith.fptoui %x1 : f64 to i64"""
    found = assert_kernels_agree(body_function(body, ["f32", "f64"], ["i8", "i64"], 5), values, wide).outputs
    assert found[0].view(np.uint8).tolist() == [0, 200, 255, 0, 0]
    assert found[1].view(np.uint64).tolist() == [4294967295, 3000000000, 1 << 63, 18000000000000000000, 0]


TENSORS = """func.func @f(%a: tensor<16xf32>)
    -> (tensor<8xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<16xf32>, index) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c0 = arith.constant 0 : index
  %s = tensor.extract_slice %a[%c3] [8] [%c1] : tensor<16xf32> to tensor<8xf32>
  %x = arith.constant 1.5 : f32
  %y = arith.constant -2.0 : f32
  %e = tensor.from_elements %x, %y, %y, %x : tensor<2x2xf32>
  %p = tensor.splat %y : tensor<2x3xf32>
  %any = tensor.cast %a : tensor<16xf32> to tensor<?xf32>
  %n = tensor.dim %any, %c0 : tensor<?xf32>
  %o = tensor.empty(%n) : tensor<?xf32>
  %t = linalg.add ins(%any, %any : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  %known = tensor.cast %t : tensor<?xf32> to tensor<16xf32>
  return %s, %e, %p, %known, %n : tensor<8xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<16xf32>, index
}"""


def test_what_makes_tensors_of_numbers_and_of_other_tensors() -> None:
    a: Array = np.arange(16, dtype=np.float32)
    part, elements, splat, sum_, count = evaluate(TENSORS, a).outputs
    np.testing.assert_array_equal(part, a[3:11])
    assert elements.tolist() == [[1.5, -2.0], [-2.0, 1.5]] and splat.tolist() == [[-2.0] * 3] * 2
    np.testing.assert_array_equal(sum_, 2 * a)
    assert count == 16


def test_kernels_keep_denormal_numbers_of_bf16() -> None:
    values = np.array([1e-39, -1e-39, 2.0**-133, 2.0**-134, 3 * 2.0**-134, 1.1754943e-38, 9e-41, -0.0], np.float32)
    body = """    %b = arith.truncf %x0 : f32 to bf16
    %r0 = arith.extf %b : bf16 to f32
    %h = arith.truncf %x0 : f32 to f16
    %r1 = arith.extf %h : f16 to f32"""
    found = assert_kernels_agree(body_function(body, ["f32"], ["f32"] * 2, len(values)), values).outputs
    assert found[0][2] == 2.0**-133 and found[0][0] != 0 and found[0][3] == 0 and found[0][4] == 2.0**-132
