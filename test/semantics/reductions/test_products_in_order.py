# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions by multiplication: f16 in order, where partial products pass the range; others joined from parts."""

import numpy as np
import pytest

import roller_mlir

from ..agreement import DEVICES, SIMULATED


def reduced_product(kind: str) -> str:
    return f"""
func.func @f(%x: tensor<8x96x{kind}>) -> tensor<8x{kind}> {{
  %one = arith.constant 1.0 : {kind}
  %empty = tensor.empty() : tensor<8x{kind}>
  %init = linalg.fill ins(%one : {kind}) outs(%empty : tensor<8x{kind}>) -> tensor<8x{kind}>
  %r = linalg.reduce {{ arith.mulf }} ins(%x : tensor<8x96x{kind}>) outs(%init : tensor<8x{kind}>) dimensions = [1]
  return %r : tensor<8x{kind}>
}}
"""


@pytest.mark.full(every=4)
@pytest.mark.parametrize("device", DEVICES)
def test_zero_times_what_would_pass_the_range_is_zero(device: str) -> None:
    """The product of all but the first element is infinite; with the first one, in order, it is 0."""
    x = np.full((8, 96), 300, np.float16)
    x[:, 0] = 0
    (got,) = roller_mlir.compile(reduced_product("f16"), target=device, options=SIMULATED).run(x)
    np.testing.assert_array_equal(got, np.zeros(8, np.float16))


def test_products_of_f32_are_joined_from_parts() -> None:
    """Threads share a product of f32, one thread computes each of f16."""
    threads = {
        kind: roller_mlir.compile(reduced_product(kind), target="h200", options=SIMULATED).manifest.kernels[0].plan
        for kind in ("f16", "f32")
    }
    assert [plan.axes[1].threads > 1 for plan in threads.values() if plan is not None] == [False, True]
