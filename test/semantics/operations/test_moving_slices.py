# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Insertions with strides, and slices at positions that are data, against numpy."""

import numpy as np
import pytest

from ..foreign_programs import assert_gives, counting


def insertion(source: str, target: str, place: str) -> str:
    return f"""func.func @f(%a: {source}, %b: {target}) -> {target} {{
  %r = tensor.insert_slice %a into %b{place} : {source} into {target}
  return %r : {target}
}}"""


@pytest.mark.parametrize("level", ["gpu", "llvm"])
def test_an_insertion_with_strides(level: str) -> None:
    text = insertion("tensor<3x7x5xf32>", "tensor<6x16x5xf32>", "[0, 1, 0] [3, 7, 5] [2, 2, 1]")
    a, b = counting(3, 7, 5), -counting(6, 16, 5)
    want = b.copy()
    want[0:6:2, 1:14:2] = a
    assert_gives(text, [a, b], want, level=level)


def test_an_insertion_with_strides_that_drops_dimensions() -> None:
    text = insertion("tensor<4xi32>", "tensor<3x13x2xi32>", "[2, 1, 1] [1, 4, 1] [1, 3, 1]")
    a, b = counting(4, kind=np.int32), counting(3, 13, 2, kind=np.int32)
    want = b.copy()
    want[2, 1:13:3, 1] = a
    assert_gives(text, [a, b], want, device="mi300x")


def test_two_insertions_with_strides_into_a_fill_are_what_is_there() -> None:
    """Even and odd columns, as rotary embeddings put them together."""
    text = """func.func @f(%a: tensor<5x8xf16>, %b: tensor<5x8xf16>) -> tensor<5x17xf16> {
  %z = arith.constant 3.0 : f16
  %e = tensor.empty() : tensor<5x17xf16>
  %o = linalg.fill ins(%z : f16) outs(%e : tensor<5x17xf16>) -> tensor<5x17xf16>
  %x = tensor.insert_slice %a into %o[0, 0] [5, 8] [1, 2] : tensor<5x8xf16> into tensor<5x17xf16>
  %r = tensor.insert_slice %b into %x[0, 1] [5, 8] [1, 2] : tensor<5x8xf16> into tensor<5x17xf16>
  return %r : tensor<5x17xf16>
}"""
    a, b = counting(5, 8, kind=np.float16), -counting(5, 8, kind=np.float16)
    want = np.full((5, 17), 3, np.float16)
    want[:, 0:16:2], want[:, 1:17:2] = a, b
    assert_gives(text, [a, b], want)


def test_an_insertion_with_strides_into_an_empty_tensor() -> None:
    """What nobody wrote is unspecified; here nobody reads it."""
    text = """func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<15xf32>
  %x = tensor.insert_slice %a into %e[0] [8] [2] : tensor<8xf32> into tensor<15xf32>
  %r = tensor.extract_slice %x[0] [8] [2] : tensor<15xf32> to tensor<8xf32>
  return %r : tensor<8xf32>
}"""
    assert_gives(text, [counting(8)], counting(8))


def test_a_slice_at_an_index_constant() -> None:
    text = """func.func @f(%a: tensor<16xf32>) -> tensor<8xf32> {
  %c = arith.constant 3 : index
  %s = tensor.extract_slice %a[%c] [8] [1] : tensor<16xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.negf ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}"""
    assert_gives(text, [counting(16)], -counting(16)[3:11])


def moved(op: str, source: str, target: str, place: str) -> str:
    """A slice or an insertion at two positions that are data."""
    into, arguments = ("to", f"%a: {source}") if op == "extract" else ("into", f"%a: {source}, %b: {target}")
    names = "%a" if op == "extract" else "%a into %b"
    return f"""func.func @f({arguments}, %i: tensor<2xi32>) -> {target} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tensor.extract %i[%c0] : tensor<2xi32>
  %y = tensor.extract %i[%c1] : tensor<2xi32>
  %p = arith.index_cast %x : i32 to index
  %q = arith.index_cast %y : i32 to index
  %r = tensor.{op}_slice {names}{place} : {source} {into} {target}
  return %r : {target}
}}"""


@pytest.mark.parametrize("at", [(0, 0), (2, 5), (3, 6), (9, -4)])
def test_a_slice_at_positions_that_are_data(at: tuple[int, int]) -> None:
    """A slice that would not lie inside is moved until it does."""
    text = moved("extract", "tensor<8x4x13xf32>", "tensor<5x4xf32>", "[%p, 2, %q] [5, 1, 4] [1, 1, 2]")
    a, start = counting(8, 4, 13), [min(max(at[0], 0), 3), min(max(at[1], 0), 6)]
    assert_gives(text, [a, np.array(at, np.int32)], a[start[0] : start[0] + 5, 2, start[1] : start[1] + 7 : 2])


@pytest.mark.parametrize("at", [(0, 0), (2, 5), (9, -4)])
def test_an_insertion_at_positions_that_are_data(at: tuple[int, int]) -> None:
    text = moved("insert", "tensor<5x4xf32>", "tensor<8x4x13xf32>", "[%p, 2, %q] [5, 1, 4] [1, 1, 2]")
    a, b, start = counting(5, 4), -counting(8, 4, 13), [min(max(at[0], 0), 3), min(max(at[1], 0), 6)]
    want = b.copy()
    want[start[0] : start[0] + 5, 2, start[1] : start[1] + 7 : 2] = a
    assert_gives(text, [a, b, np.array(at, np.int32)], want)
