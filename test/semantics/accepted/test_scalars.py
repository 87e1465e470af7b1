# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalars that functions take and return, and tensors that are made of scalars."""

from typing import Any

import numpy as np
import pytest

import roller_mlir
from roller_mlir.runtime import ArgumentError

from ..agreement import SIMULATED
from ..foreign import Array, assert_gives

X = np.array([1, -2, 3, 0, 5, 6, -7, 8], np.float32)
T = "tensor<8xf32>"
SCALED = f"""func.func @f(%a: {T}, %s: f32) -> {T} {{
      %half = arith.constant 0.5 : f32
      %h = arith.mulf %s, %half : f32
      %e = tensor.empty() : {T}
      %r = linalg.map ins(%a : {T}) outs(%e : {T}) (%x: f32, %y: f32) {{
        %0 = arith.mulf %x, %h : f32
        linalg.yield %0 : f32
      }}
      return %r : {T}
    }}"""


def test_a_scalar_that_a_body_captures() -> None:
    assert_gives(SCALED, [X, np.float32(3)], [X * np.float32(1.5)], "v100")


@pytest.mark.parametrize("signature", ["%s: tensor<f32>", "%s: tensor<3xf32>"])
def test_an_element_of_a_tensor_fills_another(signature: str) -> None:
    index = "[%c2]" if "3x" in signature else "[]"
    text = f"""func.func @f({signature}) -> {T} {{
      %c2 = arith.constant 2 : index
      %k = tensor.extract %s{index} : {signature.split(": ")[1]}
      %e = tensor.empty() : {T}
      %r = linalg.fill ins(%k : f32) outs(%e : {T}) -> {T}
      return %r : {T}
    }}"""
    given = np.array([4, 5, 6], np.float32) if "3x" in signature else np.array(6, np.float32)
    assert_gives(text, [given], [np.full(8, 6, np.float32)])


@pytest.mark.parametrize("position", [2, -9, 9])
def test_an_element_at_a_position_that_is_data(position: int) -> None:
    """Positions outside are clamped."""
    text = f"""func.func @f(%t: tensor<4x5xf32>, %p: tensor<3xi64>, %a: {T}) -> {T} {{
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %n = tensor.extract %p[%c2] : tensor<3xi64>
      %i = arith.index_cast %n : i64 to index
      %k = tensor.extract %t[%i, %c1] : tensor<4x5xf32>
      %s = tensor.splat %k : {T}
      %r = arith.mulf %a, %s : {T}
      return %r : {T}
    }}"""
    table = np.arange(20, dtype=np.float32).reshape(4, 5)
    want = X * table[min(max(position, 0), 3), 1]
    assert_gives(text, [table, np.array([0, 0, position], np.int64), X], [want])


@pytest.mark.parametrize(
    ("kind", "dtype", "given"),
    [("i32", np.int32, -7), ("i64", np.int64, 1 << 40), ("i8", np.int8, -128), ("f64", np.float64, 0.1)],
)
def test_scalars_of_other_types(kind: str, dtype: Any, given: float) -> None:
    text = f"""func.func @f(%k: {kind}) -> (tensor<3x5x{kind}>, {kind}) {{
      %t = tensor.splat %k : tensor<3x5x{kind}>
      return %t, %k : tensor<3x5x{kind}>, {kind}
    }}"""
    assert_gives(text, [dtype(given)], [np.full((3, 5), given, dtype), np.array(given, dtype)])


def test_an_index_is_passed_as_i64() -> None:
    text = """func.func @f(%n: index) -> (tensor<6xi64>, index) {
      %c2 = arith.constant 2 : index
      %m = arith.muli %n, %c2 : index
      %e = tensor.empty() : tensor<6xi64>
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          outs(%e : tensor<6xi64>) {
      ^bb0(%o: i64):
        %i = linalg.index 0 : index
        %p = arith.addi %i, %m : index
        %q = arith.index_cast %p : index to i64
        linalg.yield %q : i64
      } -> tensor<6xi64>
      return %r, %m : tensor<6xi64>, index
    }"""
    assert_gives(text, [np.int64(10)], [np.arange(6) + 20, np.array(20)])


def test_a_reduction_starts_from_a_scalar() -> None:
    text = f"""func.func @f(%a: {T}, %s: f32) -> f32 {{
      %e = tensor.empty() : tensor<f32>
      %i = linalg.fill ins(%s : f32) outs(%e : tensor<f32>) -> tensor<f32>
      %r = linalg.reduce {{ arith.addf }} ins(%a : {T}) outs(%i : tensor<f32>) dimensions = [0]
      %k = tensor.extract %r[] : tensor<f32>
      %n = arith.negf %k : f32
      return %n : f32
    }}"""
    assert_gives(text, [X, np.float32(3)], [np.array(-X.sum() - 3, np.float32)], "mi300x")


MADE: dict[str, tuple[str, Array]] = {
    "from_elements": ("tensor.from_elements %s, %c, %t, %s : tensor<4xf32>", np.array([3, 9, 5, 3], np.float32)),
    "from_elements 2x2": (
        "tensor.from_elements %s, %c, %t, %s : tensor<2x2xf32>",
        np.array([[3, 9], [5, 3]], np.float32),
    ),
    "constants": ("tensor.from_elements %c, %c : tensor<2xf32>", np.array([9, 9], np.float32)),
    "insert": ("tensor.insert %t into %z[%c1, %c2] : tensor<2x3xf32>", np.array([[0, 0, 0], [0, 0, 5]], np.float32)),
    "splat": ("tensor.splat %s : tensor<2x3xf32>", np.full((2, 3), 3, np.float32)),
    "generate": (
        """tensor.generate {
      ^bb0(%i: index, %j: index):
        %p = arith.muli %i, %c2 : index
        %q = arith.addi %p, %j : index
        %u = arith.index_cast %q : index to i32
        %v = arith.sitofp %u : i32 to f32
        tensor.yield %v : f32
      } : tensor<3x4xf32>""",
        (np.arange(3).reshape(3, 1) * 2 + np.arange(4)).astype(np.float32),
    ),
}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", MADE)
def test_tensors_made_of_scalars(name: str) -> None:
    spelled, expected = MADE[name]
    result = spelled.split(" : ")[-1]
    text = f"""func.func @f(%s: f32, %t: f32) -> {result} {{
      %c = arith.constant 9.0 : f32
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %z = arith.constant dense<0.0> : tensor<2x3xf32>
      %r = {spelled}
      return %r : {result}
    }}"""
    assert_gives(text, [np.float32(3), np.float32(5)], [expected])


def test_numbers_are_checked_for_range() -> None:
    artifact = roller_mlir.compile(
        """func.func @f(%a: i8, %b: bf16, %c: f16, %d: i1) -> (i8, bf16, f16, i1) {
          return %a, %b, %c, %d : i8, bf16, f16, i1
        }""",
        options=SIMULATED,
    )
    got = artifact.run(-128, 1.5, np.float64(0.25), True)
    assert [(one.item(), one.dtype) for one in got] == [
        (-128, np.int8),
        (0x3FC0, np.uint16),
        (0.25, np.float16),
        (True, np.bool_),
    ]
    for number, value, message in [
        (0, 128, "must be -128 to 127 (i8), but got 128"),
        (0, 1.0, "must be an integer (i8), but got 1.0"),
        (1, 511.0 * 2.0**119, "must be a number that bf16 holds, but got 3.39"),
        (2, 65520, "must be a number that f16 holds, but got 65520"),
        (3, 2, "must be 0 to 1 (i1), but got 2"),
        (0, "1", "must be a numpy array, but got str"),
        (0, np.array(1, np.int32), "must have dtype int8 (i8), but has int32"),
        (0, np.array(1, np.uint8), "but has uint8; pass its bits: array.view(numpy.int8)"),
    ]:
        given: list[Any] = [1, 1.0, 1.0, False]
        given[number] = value
        with pytest.raises(ArgumentError) as error:
            artifact.run(*given)
        assert message in str(error.value)
    assert artifact.run(1, float("inf"), float("-inf"), False)[1] == 0x7F80
    assert artifact.run(1, 511.0 * 2.0**119 * (1 - 2.0**-20), 1.0, False)[1] == 0x7F7F
