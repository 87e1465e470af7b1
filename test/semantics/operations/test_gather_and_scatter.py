# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tensor.gather` and `tensor.scatter` at positions that are data, against numpy."""

import numpy as np
import pytest

import roller_mlir
from roller_mlir.support.diagnostics import DiagnosedError

from ..foreign_programs import assert_gives, counting

DEVICES = ("h200", "mi300x")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("window", ["4", "1x4"])
def test_rows_are_gathered(window: str, device: str) -> None:
    text = f"""func.func @f(%t: tensor<9x4xf32>, %p: tensor<3x5x1xi64>) -> tensor<3x5x{window}xf32> {{
  %r = tensor.gather %t[%p] gather_dims([0]) : (tensor<9x4xf32>, tensor<3x5x1xi64>) -> tensor<3x5x{window}xf32>
  return %r : tensor<3x5x{window}xf32>
}}"""
    t, p = counting(9, 4), (counting(3, 5, 1, kind=np.int64) * 7) % 11 - 1
    want = t[np.clip(p[..., 0], 0, 8)].reshape(3, 5, *map(int, window.split("x")))
    assert_gives(text, [t, p], want, device=device)


@pytest.mark.full(each=["device", "window"])
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("window", ["4", "1x4"])
def test_rows_are_scattered(window: str, device: str) -> None:
    """A position outside of the tensor is none."""
    text = f"""func.func @f(%s: tensor<2x3x{window}xf32>, %t: tensor<9x4xf32>, %p: tensor<2x3x1xi32>)
    -> tensor<9x4xf32> {{
  %r = tensor.scatter %s into %t[%p] scatter_dims([0]) unique
      : (tensor<2x3x{window}xf32>, tensor<9x4xf32>, tensor<2x3x1xi32>) -> tensor<9x4xf32>
  return %r : tensor<9x4xf32>
}}"""
    s, t = counting(2, 3, *map(int, window.split("x"))), -counting(9, 4)
    p = np.array([[3, 0, 8], [-1, 5, 9]], np.int32)[..., None]
    want = t.copy()
    for at in ((0, 0), (0, 1), (0, 2), (1, 1)):
        want[p[at][0]] = s[at].reshape(4)
    assert_gives(text, [s, t, p], want, device=device)
    assert_gives(text, [s, t, p], want, device=device, level="llvm")


def test_elements_at_two_coordinates() -> None:
    text = """func.func @f(%s: tensor<4x5xf32>, %t: tensor<6x5x7xf32>, %p: tensor<4x2xi64>)
    -> (tensor<6x5x7xf32>, tensor<4x5xf32>) {
  %r = tensor.scatter %s into %t[%p] scatter_dims([0, 2]) unique
      : (tensor<4x5xf32>, tensor<6x5x7xf32>, tensor<4x2xi64>) -> tensor<6x5x7xf32>
  %g = tensor.gather %r[%p] gather_dims([0, 2]) : (tensor<6x5x7xf32>, tensor<4x2xi64>) -> tensor<4x5xf32>
  return %r, %g : tensor<6x5x7xf32>, tensor<4x5xf32>
}"""
    s, t, p = counting(4, 5), -counting(6, 5, 7), np.array([[5, 6], [0, 0], [5, 0], [2, 3]])
    want = t.copy()
    want[p[:, 0], :, p[:, 1]] = s
    assert_gives(text, [s, t, p], want, s)


def test_too_many_positions_are_refused() -> None:
    text = """func.func @f(%s: tensor<70000xf32>, %t: tensor<70000xf32>, %p: tensor<70000x1xi64>) -> tensor<70000xf32> {
  %r = tensor.scatter %s into %t[%p] scatter_dims([0]) unique
      : (tensor<70000xf32>, tensor<70000xf32>, tensor<70000x1xi64>) -> tensor<70000xf32>
  return %r : tensor<70000xf32>
}"""
    with pytest.raises(DiagnosedError, match="asks 4900000000 times whether .* of at most 4294967296; split the pos"):
        roller_mlir.compile(text, target="h200", binaries=False)
