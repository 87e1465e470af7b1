# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of 64 bits whose width matters, against numpy: shifts by 32 and more, and the extremes."""

# ruff: noqa: E501 - MLIR as users write it

import numpy as np
import pytest

from .foreign_programs import assert_gives

SHIFTED = """func.func @f(%a: tensor<32xi64>, %n: tensor<32xi64>, %x: tensor<i64>) -> (tensor<32xi64>, tensor<32xi64>, tensor<32xi64>) {
  %e = tensor.empty() : tensor<32xi64>
  %r:3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a, %n, %x : tensor<32xi64>, tensor<32xi64>, tensor<i64>) outs(%e, %e, %e : tensor<32xi64>, tensor<32xi64>, tensor<32xi64>) {
  ^bb0(%u: i64, %v: i64, %w: i64, %0: i64, %1: i64, %2: i64):
    %c60 = arith.constant 60 : i64
    %c38 = arith.constant 38 : i64
    %c63 = arith.constant 63 : i64
    %small = arith.shrui %w, %c60 : i64
    %none = arith.shrsi %small, %c38 : i64
    %p = arith.muli %none, %u : i64
    %few = arith.andi %u, %c63 : i64
    %count = arith.andi %v, %c63 : i64
    %q = arith.shrui %few, %count : i64
    %i = linalg.index 0 : index
    %c33 = arith.constant 33 : index
    %j = arith.shrsi %i, %c33 : index
    %k = arith.index_cast %j : index to i64
    linalg.yield %p, %q, %k : i64, i64, i64
  } -> (tensor<32xi64>, tensor<32xi64>, tensor<32xi64>)
  return %r#0, %r#1, %r#2 : tensor<32xi64>, tensor<32xi64>, tensor<32xi64>
}"""


@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_a_small_number_has_no_bits_behind_the_32nd(device: str) -> None:
    """Upstream narrows these shifts to 32 bits, of which LLVM's IR says nothing where the count is 32 or more."""
    values, counts = np.arange(32), np.arange(32) * 2
    wanted = [np.zeros(32, np.int64), values >> counts, np.zeros(32, np.int64)]
    assert_gives(SHIFTED, [values, counts, np.array(-1)], *wanted, device=device, level="llvm")


LEAST = """func.func @f(%a: tensor<16xi64>, %b: tensor<17xi64>) -> tensor<17xi64> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<16xi64>) outs(%b : tensor<17xi64>) {
  ^bb0(%x: i64, %y: i64):
    %m = arith.minsi %x, %y : i64
    linalg.yield %m : i64
  } -> tensor<17xi64>
  return %r : tensor<17xi64>
}"""


def test_the_least_of_one_row_for_all_rows() -> None:
    """What lies beyond the row reads as the greatest i64, which is no float: plans keep it as the integer that it is."""
    greatest = np.iinfo(np.int64).max
    row, start = np.arange(16) + (greatest - 20), np.arange(17) + (greatest - 30)
    assert_gives(LEAST, [row, start], np.minimum(start, row.min()))
