# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers whose width matters, against numpy: shifts by 32 and more, extremes, and what no float has."""

# ruff: noqa: E501 - MLIR as users write it

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from roller_mlir.evaluation.reference.values import round_to, to_caller

from ..foreign_programs import assert_gives

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


PADDED = """func.func @f(%x: tensor<5x7xi64>) -> (tensor<7x9xi64>, tensor<5x7xi64>) {
  %pad = arith.constant PAD : i64
  %least = arith.constant -9223372036854775808 : i64
  %p = tensor.pad %x low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %pad : i64
  } : tensor<5x7xi64> to tensor<7x9xi64>
  %w = tensor.empty() : tensor<3x3xi64>
  %e = tensor.empty() : tensor<5x7xi64>
  %s = linalg.fill ins(%least : i64) outs(%e : tensor<5x7xi64>) -> tensor<5x7xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i + k, j + l)>, affine_map<(i, j, k, l) -> (k, l)>, affine_map<(i, j, k, l) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%p, %w : tensor<7x9xi64>, tensor<3x3xi64>) outs(%s : tensor<5x7xi64>) {
  ^bb0(%a: i64, %b: i64, %o: i64):
    %m = arith.maxsi %a, %o : i64
    linalg.yield %m : i64
  } -> tensor<5x7xi64>
  return %p, %r : tensor<7x9xi64>, tensor<5x7xi64>
}"""


@pytest.mark.full(every=2)
@pytest.mark.parametrize("pad", [(1 << 53) + 1, -(1 << 53) - 1, (1 << 63) - 1, -(1 << 63)])
def test_padding_reads_as_the_integer_that_it_is(pad: int) -> None:
    image = np.arange(35).reshape(5, 7) + (pad >> 1)
    padded = np.pad(image, 1, constant_values=pad)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    assert_gives(PADDED.replace("PAD", str(pad)), [image], padded, windows.max((2, 3)))


EXTREME = """func.func @f(%x: tensor<LENGTHxi64>, %s: tensor<i64>) -> tensor<i64> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<LENGTHxi64>) outs(%s : tensor<i64>) {
  ^bb0(%a: i64, %o: i64):
    %one = arith.constant 1 : i64
    %b = arith.subi %a, %one : i64
    %m = arith.COMBINER %o, VALUE : i64
    linalg.yield %m : i64
  } -> tensor<i64>
  return %r : tensor<i64>
}"""


@pytest.mark.parametrize(
    ("combiner", "value", "wanted"),
    [
        ("maxsi", "%b", lambda x: (x - 1).max()),  # the least i64 less one wraps around: it is not neutral
        ("minsi", "%a", np.min),
    ],
)
def test_what_lies_beyond_a_long_row_is_no_extreme_of_it(combiner: str, value: str, wanted: Callable[..., Any]) -> None:
    text = EXTREME.replace("LENGTH", "20003").replace("COMBINER", combiner).replace("VALUE", value)
    sign = 1 if combiner == "minsi" else -1
    row = sign * (np.iinfo(np.int64).max - np.arange(20003) % 1009)
    assert_gives(text, [row, row[0]], wanted(row))


CASTS = """func.func @f(%a: tensor<COUNTxi32>, %b: tensor<COUNTxi64>) -> (tensor<COUNTxbf16>, tensor<COUNTxbf16>, tensor<COUNTxbf16>, tensor<COUNTxbf16>, tensor<COUNTxf16>, tensor<COUNTxf32>) {
  %e = tensor.empty() : tensor<COUNTxbf16>
  %h = tensor.empty() : tensor<COUNTxf16>
  %s = tensor.empty() : tensor<COUNTxf32>
  %r:6 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a, %b : tensor<COUNTxi32>, tensor<COUNTxi64>) outs(%e, %e, %e, %e, %h, %s : tensor<COUNTxbf16>, tensor<COUNTxbf16>, tensor<COUNTxbf16>, tensor<COUNTxbf16>, tensor<COUNTxf16>, tensor<COUNTxf32>) {
  ^bb0(%x: i32, %y: i64, %0: bf16, %1: bf16, %2: bf16, %3: bf16, %4: f16, %5: f32):
    %p = arith.sitofp %x : i32 to bf16
    %q = arith.uitofp %x : i32 to bf16
    %t = arith.sitofp %y : i64 to bf16
    %u = arith.uitofp %y : i64 to bf16
    %v = arith.sitofp %y : i64 to f16
    %w = arith.sitofp %y : i64 to f32
    linalg.yield %p, %q, %t, %u, %v, %w : bf16, bf16, bf16, bf16, f16, f32
  } -> (tensor<COUNTxbf16>, tensor<COUNTxbf16>, tensor<COUNTxbf16>, tensor<COUNTxbf16>, tensor<COUNTxf16>, tensor<COUNTxf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5 : tensor<COUNTxbf16>, tensor<COUNTxbf16>, tensor<COUNTxbf16>, tensor<COUNTxbf16>, tensor<COUNTxf16>, tensor<COUNTxf32>
}"""


@pytest.mark.full(every=2)
@pytest.mark.parametrize(("device", "level"), [("h200", "gpu"), ("v100", "llvm"), ("h200", "llvm"), ("mi300x", "llvm")])
def test_integers_beside_the_middle_of_two_neighbours_are_rounded_once(device: str, level: str) -> None:
    """To bf16 through f32, in which some of them are the middle, they went to the wrong side."""
    middles = [(1 << power) + (odd << (power - 8)) for power in range(8, 63) for odd in (1, 3)]
    beside = [sign * (middle + side) for middle in middles for sign in (1, -1) for side in (-1, 0, 1)]
    wide = np.array([*beside, 0, -(1 << 63), (1 << 63) - 1])
    short = np.resize(wide[np.abs(wide) < 1 << 31], len(wide)).astype(np.int32)
    wanted = [
        *((read, "bf16") for read in (short, short.view(np.uint32), wide, wide.view(np.uint64))),
        *((wide, kind) for kind in ("f16", "f32")),
    ]
    text = CASTS.replace("COUNT", str(len(wide)))
    results = [to_caller(round_to(read, kind), kind) for read, kind in wanted]
    assert_gives(text, [short, wide], *results, device=device, level=level)
