# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of TOSA at their edges, against what its specification says, written here in Python."""

import ml_dtypes
import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.importers.formats import import_text

pytestmark = pytest.mark.usefixtures("preloaded_imports")

OPTIONS = CompileOptions(binaries=False)
KINDS = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
INF = np.inf


def _constants(**values: tuple[str, str]) -> str:
    return "".join(
        f'  %{name} = "tosa.const"() <{{values = dense<{value}> : tensor<1x{kind}>}}> : () -> tensor<1x{kind}>\n'
        for name, (value, kind) in values.items()
    )


def _apply_scale(value: int, multiplier: int, shift: int, *, twice: bool) -> int:
    """TOSA's apply_scale_32."""
    half = 1 << (shift - 1)
    if twice and shift > 31:
        half += 1 << 30 if value >= 0 else -(1 << 30)
    return (value * multiplier + half) >> shift


@pytest.mark.parametrize(
    ("mode", "multiplier", "shift", "zero_in", "zero_out"),
    [
        ("SINGLE_ROUND", 1 << 30, 35, 0, 3),
        ("DOUBLE_ROUND", 1518500250, 33, 0, -4),
        ("DOUBLE_ROUND", 1340000000, 31, 0, 127),
    ],
)
def test_rescale(mode: str, multiplier: int, shift: int, zero_in: int, zero_out: int) -> None:
    given = np.array([0, 1, -1, 2, 3, -3, 48, -48, 100, -100, 1 << 20, -(1 << 20)], np.int32)
    constants = _constants(
        m=(str(multiplier), "i32"), s=(str(shift), "i8"), p=(str(zero_in), "i32"), q=(str(zero_out), "i8")
    )
    text = f"""func.func @f(%a: tensor<12xi32>) -> tensor<12xi8> {{
{constants}  %r = tosa.rescale %a, %m, %s, %p, %q {{scale32 = true, rounding_mode = {mode}, per_channel = false,
    input_unsigned = false, output_unsigned = false}}
    : (tensor<12xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<12xi8>
  return %r : tensor<12xi8>
}}"""
    twice = mode == "DOUBLE_ROUND"
    wanted = [_apply_scale(int(one) - zero_in, multiplier, shift, twice=twice) + zero_out for one in given]
    (found,) = roller_mlir.compile(text, options=OPTIONS).run(given)
    np.testing.assert_array_equal(found, np.clip(wanted, -128, 127))


@pytest.mark.full(every=2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", ["PROPAGATE", "IGNORE"])
def test_extremes_of_infinities(kind: str, mode: str) -> None:
    text = f"""func.func @f(%a: tensor<3x2x{kind}>)
    -> (tensor<3x1x{kind}>, tensor<3x1x{kind}>, tensor<1x3x3x1x{kind}>) {{
  %0 = tosa.reduce_max %a {{axis = 1 : i32, nan_mode = {mode}}} : (tensor<3x2x{kind}>) -> tensor<3x1x{kind}>
  %1 = tosa.reduce_min %a {{axis = 1 : i32, nan_mode = {mode}}} : (tensor<3x2x{kind}>) -> tensor<3x1x{kind}>
  %s = tosa.const_shape {{values = dense<[1, 3, 2, 1]> : tensor<4xindex>}} : () -> !tosa.shape<4>
  %i = tosa.reshape %a, %s : (tensor<3x2x{kind}>, !tosa.shape<4>) -> tensor<1x3x2x1x{kind}>
  %2 = tosa.max_pool2d %i {{kernel = array<i64: 1, 2>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 1, 1>,
    nan_mode = {mode}}} : (tensor<1x3x2x1x{kind}>) -> tensor<1x3x3x1x{kind}>
  return %0, %1, %2 : tensor<3x1x{kind}>, tensor<3x1x{kind}>, tensor<1x3x3x1x{kind}>
}}"""
    given = np.array([[-INF, -INF], [INF, INF], [1, -INF]]).astype(KINDS[kind])
    windows = [[-INF, -INF, -INF], [INF, INF, INF], [1, 1, -INF]]
    results = roller_mlir.compile(text, options=OPTIONS).run(given)
    for found, wanted in zip(results, ([-INF, INF, 1], [-INF, INF, -INF], windows), strict=True):
        np.testing.assert_array_equal(found.astype(np.float64).ravel(), np.ravel(wanted))


def test_the_greatest_of_the_least_is_found() -> None:
    text = """func.func @f(%a: tensor<1x3xf32>) -> tensor<1xi32> {
  %0 = tosa.argmax %a {axis = 1 : i32} : (tensor<1x3xf32>) -> tensor<1xi32>
  return %0 : tensor<1xi32>
}"""
    least = float(np.finfo(np.float32).min)
    (found,) = roller_mlir.compile(text, options=OPTIONS).run(np.array([[-INF, -INF, least]], np.float32))
    np.testing.assert_array_equal(found, [2])


def test_numbers_that_the_model_gives_stay() -> None:
    text = """func.func @f(%a: tensor<2xf32>) -> (tensor<3xf32>, tensor<2xf32>, tensor<4xf32>) {
  %p = tosa.const_shape {values = dense<[1, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %v = "tosa.const"() <{values = dense<-3.40282347E+38> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.pad %a, %p, %v : (tensor<2xf32>, !tosa.shape<2>, tensor<1xf32>) -> tensor<3xf32>
  %c = arith.constant 3.40282347E+38 : f32
  %e = tensor.empty() : tensor<2xf32>
  %1 = linalg.fill ins(%c : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %2 = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<2xf32> to tensor<4xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<2xf32>, tensor<4xf32>
}"""
    least, greatest = np.finfo(np.float32).min, np.finfo(np.float32).max
    results = roller_mlir.compile(text, options=OPTIONS).run(np.array([1, 2], np.float32))
    for found, wanted in zip(results, ([least, 1, 2], [greatest] * 2, [greatest, 1, 2, greatest]), strict=True):
        np.testing.assert_array_equal(found, np.array(wanted, np.float32))
    imported = import_text(text, "-")
    assert imported is not None and "roller." not in imported.text


def test_scatter() -> None:
    text = """func.func @f(%a: tensor<2x5x3xf32>, %i: tensor<2x2xi32>, %u: tensor<2x2x3xf32>) -> tensor<2x5x3xf32> {
  %0 = tosa.scatter %a, %i, %u : (tensor<2x5x3xf32>, tensor<2x2xi32>, tensor<2x2x3xf32>) -> tensor<2x5x3xf32>
  return %0 : tensor<2x5x3xf32>
}"""
    given = np.arange(30, dtype=np.float32).reshape(2, 5, 3)
    rows, positions = -given[:, :2].copy(), np.array([[4, 0], [2, 3]], np.int32)
    wanted = given.copy()
    for image, where in enumerate(positions):
        wanted[image, where] = rows[image]
    (found,) = roller_mlir.compile(text, options=OPTIONS).run(given, positions, rows)
    np.testing.assert_array_equal(found, wanted)


def test_a_branch_whose_condition_is_known() -> None:
    kind = "tensor<3xf32>"
    text = f"""func.func @f(%a: {kind}) -> {kind} {{
  %c = "tosa.const"() <{{values = dense<true> : tensor<i1>}}> : () -> tensor<i1>
  %0 = tosa.cond_if %c (%p = %a) : tensor<i1> ({kind}) -> {kind} {{
  ^bb0(%q: {kind}):
    %1 = tosa.add %q, %q : ({kind}, {kind}) -> {kind}
    tosa.yield %1 : {kind}
  }} else {{
  ^bb0(%q: {kind}):
    tosa.yield %q : {kind}
  }}
  return %0 : {kind}
}}"""
    given = np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(roller_mlir.compile(text, options=OPTIONS).run(given)[0], 2 * given)
