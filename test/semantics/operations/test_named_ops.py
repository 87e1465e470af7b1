# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every named op of linalg with a loop nest compiles and agrees with numpy, in several element types."""

import pytest

from ..agreement import assert_agrees, device_of
from .named_ops import ELEMENTWISE, FLOATS_ONLY, OPS, named_op

TYPES = (("f16", "f32"), ("bf16", "f32"), ("i8", "i32"), ("f64", "f64"), ("i64", "i64"))


@pytest.mark.full(every=16)
@pytest.mark.parametrize("name", OPS)
def test_f32(name: str) -> None:
    assert_agrees(named_op(name), device_of(name))


@pytest.mark.full(every=16)
@pytest.mark.parametrize("name", [name for name in OPS if name not in ELEMENTWISE])
def test_other_types(name: str) -> None:
    element, result = TYPES[sum(map(ord, name)) % len(TYPES)]
    assert_agrees(named_op(name, element, result), device_of(name + element))


@pytest.mark.parametrize("name", [name for name in ELEMENTWISE if name not in (*FLOATS_ONLY, "div")])
def test_integers(name: str) -> None:
    assert_agrees(named_op(name, "i16" if name == "add" else "i32"), device_of(name))


@pytest.mark.full(every=9)
@pytest.mark.parametrize(
    ("op", "ins", "out"),
    [
        ("quantized_matmul", "5x70xi8 70x33xi8", "5x33xi32"),
        ("quantized_batch_matmul", "2x5x70xi8 2x70x33xi8", "2x5x33xi32"),
        ("conv_2d_nhwc_hwcf_q", "1x9x9x3xi8 3x3x3x5xi8", "1x7x7x5xi32"),
        ("conv_2d_nhwc_fhwc_q", "1x9x9x3xi8 5x3x3x3xi8", "1x7x7x5xi32"),
        ("conv_2d_nchw_fchw_q", "1x3x9x9xi8 5x3x3x3xi8", "1x5x7x7xi32"),
        ("conv_2d_ngchw_gfchw_q", "1x2x3x9x9xi8 2x5x3x3x3xi8", "1x2x5x7x7xi32"),
        ("conv_2d_nhwgc_gfhwc_q", "1x9x9x2x3xi8 2x5x3x3x3xi8", "1x7x7x2x5xi32"),
        ("conv_3d_ndhwc_dhwcf_q", "1x5x5x5x3xi8 2x2x2x3x4xi8", "1x4x4x4x4xi32"),
        ("depthwise_conv_2d_nhwc_hwc_q", "1x9x9x3xi8 3x3x3xi8", "1x7x7x3xi32"),
        ("depthwise_conv_2d_nhwc_hwcm_q", "1x9x9x3xi8 3x3x3x2xi8", "1x7x7x3x2xi32"),
    ],
)
def test_zero_points(op: str, ins: str, out: str) -> None:
    first, second = (f"tensor<{shape}>" for shape in ins.split())
    result = f"tensor<{out}>"
    text = f"""func.func @f(%x: {first}, %y: {second}) -> {result} {{
  %zero = arith.constant 0 : i32
  %a = arith.constant 3 : i32
  %b = arith.constant -2 : i32
  %e = tensor.empty() : {result}
  %o = linalg.fill ins(%zero : i32) outs(%e : {result}) -> {result}
  %r = linalg.{op} ins(%x, %y, %a, %b : {first}, {second}, i32, i32) outs(%o : {result}) -> {result}
  return %r : {result}
}}
"""
    assert_agrees(text, device_of(op))


@pytest.mark.full(every=2)
@pytest.mark.parametrize(
    ("op", "start", "rest"),
    [
        ("pooling_nhwc_max_unsigned", "0", "1x9x9x3xi8 3x3xi8 1x7x7x3xi8"),
        ("pooling_nhwc_min_unsigned", "-1", "1x9x9x3xi8 3x3xi8 1x7x7x3xi8"),
        ("pooling_nwc_max_unsigned", "0", "1x19x3xi32 3xi32 1x17x3xi32"),
        ("pooling_nwc_min_unsigned", "-1", "1x19x3xi32 3xi32 1x17x3xi32"),
    ],
)
def test_unsigned_pooling(op: str, start: str, rest: str) -> None:
    first, second, result = (f"tensor<{shape}>" for shape in rest.split())
    element = rest[-3:].removeprefix("x")
    text = f"""func.func @f(%x: {first}, %y: {second}) -> {result} {{
  %start = arith.constant {start} : {element}
  %e = tensor.empty() : {result}
  %o = linalg.fill ins(%start : {element}) outs(%e : {result}) -> {result}
  %r = linalg.{op} ins(%x, %y : {first}, {second}) outs(%o : {result}) -> {result}
  return %r : {result}
}}
"""
    assert_agrees(text, device_of(op))


@pytest.mark.parametrize("division", ["divsi", "divui", "remsi", "remui"])
def test_threads_without_a_point_divide_by_no_zero(division: str) -> None:
    """A masked lane's divisor was not loaded: dividing by 0 would let LLVM drop the bounds of the load."""
    text = f"""func.func @f(%x: tensor<30xi32>, %y: tensor<30xi32>) -> tensor<30xi32> {{
  %five = arith.constant dense<5> : tensor<30xi32>
  %d = arith.addi %y, %five : tensor<30xi32>
  %r = arith.{division} %x, %d : tensor<30xi32>
  return %r : tensor<30xi32>
}}
"""
    assert_agrees(text, "h200")
