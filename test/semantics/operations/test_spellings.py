# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that say in other words what linalg says: kernels and the reference against numpy by hand."""

# ruff: noqa: E501 - MLIR as users write it

from typing import Any

import numpy as np
import pytest

from ..foreign import assert_gives

BITCASTS = [("f32", "i32", np.int32), ("i16", "f16", np.float16), ("f64", "i64", np.int64)]


@pytest.mark.parametrize(("given", "wanted", "kind"), BITCASTS)
def test_a_tensor_read_as_another_type(given: str, wanted: str, kind: Any) -> None:
    text = f"""func.func @f(%a: tensor<3x5x{given}>) -> tensor<3x5x{wanted}> {{
  %r = tensor.bitcast %a : tensor<3x5x{given}> to tensor<3x5x{wanted}>
  return %r : tensor<3x5x{wanted}>
}}"""
    numbers = np.arange(-7, 8).reshape(3, 5)
    values = (numbers * 1024).astype(np.int16) if given == "i16" else numbers.astype(f"f{np.dtype(kind).itemsize}")
    assert_gives(text, [values], [values.view(kind)])


RESHAPES = {
    "lines": ("6x7", "2x21"),
    "units": ("1x6x1", "3x2"),
    "to a scalar": ("1x1", ""),
    "of a scalar": ("", "1x1x1"),
    "as it is": ("2x3", "2x3"),
    "of a line": ("12", "3x4"),
}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("case", RESHAPES)
def test_a_reshape_by_a_constant_shape(case: str) -> None:
    given, wanted = ([int(n) for n in side.split("x") if n] for side in RESHAPES[case])
    before, after = (f"tensor<{'x'.join([*map(str, shape), 'f32'])}>" for shape in (given, wanted))
    text = f"""func.func @f(%a: {before}) -> {after} {{
  %s = arith.constant dense<{wanted}> : tensor<{len(wanted)}xi64>
  %r = tensor.reshape %a(%s) : ({before}, tensor<{len(wanted)}xi64>) -> {after}
  return %r : {after}
}}"""
    values = np.arange(np.prod(given, dtype=int), dtype=np.float32).reshape(given)
    assert_gives(text, [values], [values.reshape(wanted)], device="mi300x")


def halves(left: Any, right: Any, *, signed: bool) -> tuple[Any, Any]:
    """Return the lower and the upper half of products, in Python's integers."""
    width = left.dtype.itemsize * 8
    mask = (1 << width) - 1
    pairs = zip(left.tolist(), right.tolist(), strict=True)
    products = [a * b if signed else (a & mask) * (b & mask) for a, b in pairs]
    parts = [[each & mask for each in products], [(each >> width) & mask for each in products]]
    unsigned = np.dtype(f"u{left.dtype.itemsize}")
    low, high = (np.array(each, dtype=unsigned).view(left.dtype) for each in parts)
    return low, high


@pytest.mark.full(every=2)
@pytest.mark.parametrize("kind", ["i8", "i16", "i32", "i64"])
def test_sums_and_products_with_both_of_their_results(kind: str) -> None:
    text = f"""func.func @f(%a: tensor<7x{kind}>, %b: tensor<7x{kind}>) -> (tensor<7x{kind}>, tensor<7xi1>, tensor<7x{kind}>, tensor<7xi1>, tensor<7x{kind}>, tensor<7x{kind}>, tensor<7x{kind}>) {{
  %o = tensor.empty() : tensor<7xi1>
  %e = tensor.empty() : tensor<7x{kind}>
  %t, %d = arith.subui_extended %a, %b : tensor<7x{kind}>, tensor<7xi1>
  %r:5 = linalg.generic {{indexing_maps = [{", ".join(["affine_map<(i) -> (i)>"] * 7)}], iterator_types = ["parallel"]}} ins(%a, %b : tensor<7x{kind}>, tensor<7x{kind}>) outs(%e, %o, %e, %e, %e : tensor<7x{kind}>, tensor<7xi1>, tensor<7x{kind}>, tensor<7x{kind}>, tensor<7x{kind}>) {{
  ^bb0(%x: {kind}, %y: {kind}, %0: {kind}, %1: i1, %2: {kind}, %3: {kind}, %4: {kind}):
    %s, %carry = arith.addui_extended %x, %y : {kind}, i1
    %l, %h = arith.mulsi_extended %x, %y : {kind}
    %m, %u = arith.mului_extended %x, %y : {kind}
    linalg.yield %s, %carry, %l, %h, %u : {kind}, i1, {kind}, {kind}, {kind}
  }} -> (tensor<7x{kind}>, tensor<7xi1>, tensor<7x{kind}>, tensor<7x{kind}>, tensor<7x{kind}>)
  return %r#0, %r#1, %t, %d, %r#2, %r#3, %r#4 : tensor<7x{kind}>, tensor<7xi1>, tensor<7x{kind}>, tensor<7xi1>, tensor<7x{kind}>, tensor<7x{kind}>, tensor<7x{kind}>
}}"""
    held = np.iinfo(f"i{int(kind[1:]) // 8}")
    left = np.array([held.min, held.min, -1, -1, held.max, 3, held.max // 3], held.dtype)
    right = np.array([held.min, -1, -1, 1, held.max, -5, held.max // 5], held.dtype)
    unsigned = np.dtype(f"u{held.dtype.itemsize}")
    total, (low, high) = left + right, halves(left, right, signed=True)
    carry = total.view(unsigned) < left.view(unsigned)
    borrow = left.view(unsigned) < right.view(unsigned)
    upper = halves(left, right, signed=False)[1]
    assert_gives(text, [left, right], [total, carry, left - right, borrow, low, high, upper], device="v100")
