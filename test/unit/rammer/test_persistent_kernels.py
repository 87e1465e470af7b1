# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole functions as one persistent kernel in the simulator: right, clean, and launched again without a reset."""

import numpy as np
import pytest
from graph_runs import GraphRun

MLP = """
func.func @mlp(%x: tensor<64x96xf32>, %w1: tensor<96x128xf32>, %w2: tensor<128x80xf32>) -> tensor<64x80xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64x128xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<64x96xf32>, tensor<96x128xf32>)
    outs(%f1 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %e2 = tensor.empty() : tensor<64x80xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<64x80xf32>) -> tensor<64x80xf32>
  %y = linalg.matmul ins(%h, %w2 : tensor<64x128xf32>, tensor<128x80xf32>)
    outs(%f2 : tensor<64x80xf32>) -> tensor<64x80xf32>
  return %y : tensor<64x80xf32>
}
"""


@pytest.mark.parametrize("policy", ["list", "wavefront"])
def test_two_layers(policy: str) -> None:
    rng = np.random.default_rng(1)
    x, w1, w2 = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((64, 96), (96, 128), (128, 80)))
    graph = GraphRun(MLP, "h200", policy=policy)
    for launch in range(3):
        (y,) = graph.run([x, w1, w2], seed=launch)
        assert (y == x @ w1 @ w2).all()
