# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paddings by scalars of the function, by values that the position gives, and by what is no number."""

from typing import Any

import numpy as np
import pytest

from ..foreign import Array, assert_gives

X = np.arange(12, dtype=np.float32).reshape(3, 4)


def pad(value: str, arguments: str = "") -> str:
    """Return a function that pads a tensor by what `value` ends with, and doubles the whole."""
    return f"""func.func @f(%a: tensor<3x4xf32>{arguments}) -> tensor<6x5xf32> {{
      %p = tensor.pad %a low[1, 0] high[2, 1] {{
      ^bb0(%i: index, %j: index):
        {value}
        tensor.yield %v : f32
      }} : tensor<3x4xf32> to tensor<6x5xf32>
      %r = arith.addf %p, %p : tensor<6x5xf32>
      return %r : tensor<6x5xf32>
    }}"""


def around(value: Any) -> Array:
    """Return X in its place, and a value in the others, doubled."""
    whole = np.broadcast_to(np.asarray(value, np.float32), (6, 5)).copy()
    whole[1:4, :4] = X
    return whole * np.float32(2)


@pytest.mark.parametrize("scalar", [np.float32(-3.5), np.float32(np.nan), np.float32(np.inf)])
def test_a_scalar_of_the_function(scalar: np.float32) -> None:
    text = pad("%h = arith.constant 0.5 : f32\n%v = arith.mulf %s, %h : f32", ", %s: f32")
    assert_gives(text, [X, scalar], [around(scalar * np.float32(0.5))])


def test_a_value_that_the_position_gives() -> None:
    text = pad(
        "%n = arith.addi %i, %j : index\n%k = arith.index_cast %n : index to i32\n%v = arith.sitofp %k : i32 to f32"
    )
    assert_gives(text, [X], [around(np.add.outer(np.arange(6), np.arange(5)))], "mi300x")


def test_an_element_at_the_position() -> None:
    table = np.arange(7, 12, dtype=np.float32)
    text = pad("%v = tensor.extract %t[%j] : tensor<5xf32>", ", %t: tensor<5xf32>")
    assert_gives(text, [X, table], [around(np.broadcast_to(table, (6, 5)))])


def test_what_is_no_number() -> None:
    assert_gives(pad("%v = arith.constant 0x7FC00000 : f32"), [X], [around(np.nan)])


def test_an_insertion_into_what_is_no_number() -> None:
    text = """func.func @f(%a: tensor<3xf32>) -> tensor<5xf32> {
      %n = arith.constant dense<0x7FC00000> : tensor<5xf32>
      %r = tensor.insert_slice %a into %n[1] [3] [1] : tensor<3xf32> into tensor<5xf32>
      return %r : tensor<5xf32>
    }"""
    assert_gives(text, [X[0, :3]], [np.array([np.nan, 0, 1, 2, np.nan], np.float32)])


@pytest.mark.parametrize("extent", [9, 12])
def test_tiles_that_a_scalar_fills(extent: int) -> None:
    """With 12 elements nothing is left to fill."""
    text = f"""func.func @f(%a: tensor<{extent}x2xi16>, %s: i16) -> tensor<2x3x4xi16> {{
      %o = tensor.empty() : tensor<2x3x4xi16>
      %r = linalg.pack %a padding_value(%s : i16) outer_dims_perm = [1, 0] inner_dims_pos = [0] inner_tiles = [4]
          into %o : tensor<{extent}x2xi16> -> tensor<2x3x4xi16>
      return %r : tensor<2x3x4xi16>
    }}"""
    given = np.arange(2 * extent, dtype=np.int16).reshape(extent, 2)
    whole = np.pad(given, [(0, 12 - extent), (0, 0)], constant_values=-7)
    assert_gives(text, [given, np.int16(-7)], [whole.reshape(3, 4, 2).transpose(2, 0, 1)])
