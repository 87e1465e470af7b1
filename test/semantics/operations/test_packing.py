# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""linalg.pack and linalg.unpack against numpy: partial tiles, padding, permutations, products of packed operands."""

# ruff: noqa: E501 - MLIR as users write it

import numpy as np
import pytest

from ..foreign_programs import assert_gives, counting


def pack(source: str, result: str, attributes: str, padding: str = "") -> str:
    element = result[:-1].split("x")[-1]
    return f"""func.func @f(%a: {source}) -> {result} {{
  %c = arith.constant {"-1.0" if element[0] != "i" else "-1"} : {element}
  %o = tensor.empty() : {result}
  %p = linalg.pack %a {f"padding_value(%c : {element}) " if padding else ""}{attributes} into %o : {source} -> {result}
  return %p : {result}
}}"""


def unpack(source: str, result: str, attributes: str) -> str:
    return f"""func.func @f(%a: {source}) -> {result} {{
  %o = tensor.empty() : {result}
  %p = linalg.unpack %a {attributes} into %o : {source} -> {result}
  return %p : {result}
}}"""


def test_pack_of_whole_tiles_in_another_order() -> None:
    a = counting(32, 24)
    text = pack(
        "tensor<32x24xf32>",
        "tensor<3x4x8x8xf32>",
        "outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [8, 8]",
    )
    assert_gives(text, [a], a.reshape(4, 8, 3, 8).transpose(2, 0, 3, 1))


@pytest.mark.parametrize("level", ["gpu", "llvm"])
def test_pack_pads_the_last_tiles(level: str) -> None:
    a = counting(5, 30, 7)
    text = pack(
        "tensor<5x30x7xf32>",
        "tensor<2x4x5x4x8xf32>",
        "outer_dims_perm = [2, 1, 0] inner_dims_pos = [2, 1] inner_tiles = [4, 8]",
        "-1.0",
    )
    padded = np.pad(a, [(0, 0), (0, 2), (0, 1)], constant_values=-1).astype(np.float32)
    assert_gives(text, [a], padded.reshape(5, 4, 8, 2, 4).transpose(3, 1, 0, 4, 2), level=level)


def test_pack_of_integers_on_another_device() -> None:
    a = counting(9, kind=np.int8)
    text = pack("tensor<9xi8>", "tensor<3x4xi8>", "inner_dims_pos = [0] inner_tiles = [4]", "-1")
    want = np.pad(a, (0, 3), constant_values=-1).reshape(3, 4)
    assert_gives(text, [a], want, device="mi300x")


@pytest.mark.parametrize("level", ["gpu", "llvm"])
def test_unpack_cuts_what_lies_behind_the_shape(level: str) -> None:
    a = counting(3, 4, 8, 8)
    text = unpack(
        "tensor<3x4x8x8xf32>",
        "tensor<30x21xf32>",
        "outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [8, 8]",
    )
    assert_gives(text, [a], a.transpose(1, 2, 0, 3).reshape(32, 24)[:30, :21], level=level)


def test_unpack_of_one_dimension_of_three() -> None:
    a = counting(6, 2, 5, 16, kind=np.int32)
    text = unpack("tensor<6x2x5x16xi32>", "tensor<6x32x5xi32>", "inner_dims_pos = [1] inner_tiles = [16]")
    assert_gives(text, [a], a.transpose(0, 1, 3, 2).reshape(6, 32, 5))


def test_pack_and_unpack_give_what_was_there() -> None:
    text = """func.func @f(%a: tensor<32x24xf32>) -> tensor<32x24xf32> {
  %o = tensor.empty() : tensor<4x3x8x8xf32>
  %p = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %o : tensor<32x24xf32> -> tensor<4x3x8x8xf32>
  %q = tensor.empty() : tensor<32x24xf32>
  %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %q : tensor<4x3x8x8xf32> -> tensor<32x24xf32>
  return %u : tensor<32x24xf32>
}"""
    assert_gives(text, [counting(32, 24)], counting(32, 24))


def test_a_product_of_packed_operands() -> None:
    text = """func.func @f(%a: tensor<13x10xf32>, %b: tensor<10x18xf32>) -> tensor<13x18xf32> {
  %z = arith.constant 0.0 : f32
  %ea = tensor.empty() : tensor<2x3x8x4xf32>
  %pa = linalg.pack %a padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [8, 4] into %ea : tensor<13x10xf32> -> tensor<2x3x8x4xf32>
  %eb = tensor.empty() : tensor<3x3x8x4xf32>
  %pb = linalg.pack %b padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [8, 4] into %eb : tensor<10x18xf32> -> tensor<3x3x8x4xf32>
  %e = tensor.empty() : tensor<2x3x8x8xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %m = linalg.mmt4d ins(%pa, %pb : tensor<2x3x8x4xf32>, tensor<3x3x8x4xf32>) outs(%o : tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %r = tensor.empty() : tensor<13x18xf32>
  %u = linalg.unpack %m inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %r : tensor<2x3x8x8xf32> -> tensor<13x18xf32>
  return %u : tensor<13x18xf32>
}"""
    a, b = counting(13, 10) % 7, counting(10, 18) % 5
    assert_gives(text, [a, b], a @ b)
