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


def matmul(result: str, a: str, b: str, m: int, k: int, n: int) -> str:
    """Return a product of two named values that starts from zeros."""
    return f"""
  %e_{result} = tensor.empty() : tensor<{m}x{n}xf32>
  %f_{result} = linalg.fill ins(%zero : f32) outs(%e_{result} : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %{result} = linalg.matmul ins(%{a}, %{b} : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>)
    outs(%f_{result} : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>"""


def pointwise(result: str, names: list[str], m: int, n: int, body: str) -> str:
    """Return an element-wise op on named matrices, whose body makes %y of %x0, %x1 and so on."""
    kind = f"tensor<{m}x{n}xf32>"
    maps = ", ".join(["affine_map<(d0, d1) -> (d0, d1)>"] * (len(names) + 1))
    values, kinds = ", ".join(f"%{name}" for name in names), ", ".join([kind] * len(names))
    arguments = ", ".join([*(f"%x{i}: f32" for i in range(len(names))), "%o: f32"])
    return f"""
  %e_{result} = tensor.empty() : {kind}
  %{result} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
    ins({values} : {kinds}) outs(%e_{result} : {kind}) {{
  ^bb0({arguments}):
    {body}
    linalg.yield %y : f32
  }} -> {kind}"""


def test_four_branches_and_a_join() -> None:
    widths = (16, 32, 48, 80)
    arguments = ["%x: tensor<32x48xf32>"]
    body = "  %zero = arith.constant 0.0 : f32"
    for i, k in enumerate(widths):
        arguments += [f"%w{i}: tensor<48x{k}xf32>", f"%v{i}: tensor<{k}x40xf32>"]
        body += matmul(f"h{i}", "x", f"w{i}", 32, 48, k) + matmul(f"p{i}", f"h{i}", f"v{i}", 32, k, 40)
    sums = "%a = arith.addf %x0, %x1 : f32\n %b = arith.addf %a, %x2 : f32\n %y = arith.addf %b, %x3 : f32"
    body += pointwise("y", ["p0", "p1", "p2", "p3"], 32, 40, sums)
    text = f"func.func @f({', '.join(arguments)}) -> tensor<32x40xf32> {{\n{body}\n  return %y : tensor<32x40xf32>\n}}"
    rng = np.random.default_rng(2)
    x = rng.integers(-2, 3, (32, 48)).astype(np.float32)
    weights = [rng.integers(-2, 3, shape).astype(np.float32) for k in widths for shape in ((48, k), (k, 40))]
    graph = GraphRun(text, "h200", **{"block-threads": "64", "fusion": "false"})
    expected = sum(x @ weights[2 * i] @ weights[2 * i + 1] for i in range(4))
    for launch in range(2):
        (y,) = graph.run([x, *weights], seed=launch)
        assert (y == expected).all()
