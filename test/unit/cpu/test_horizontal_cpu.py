# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of one tensor that are one, natively: their matrices are put together and packed ahead of time."""

import pytest
from cpu_programs import differences, targets

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.lowering.linalg.rewrite.horizontal import fuse

PRODUCTS = """
func.func @f(%x: tensor<{m}x{k}x{t}>, %residual: tensor<{m}x{n}x{t}>) -> (tensor<{m}x{n}x{t}>, tensor<{n}x{m}x{t}>) {{
  %zero = arith.constant 0.0 : {t}
  %w = arith.constant dense<{numbers}> : tensor<{n}x{k}x{t}>
  %v = arith.constant dense<{others}> : tensor<{k}x{n}x{t}>
  %e = tensor.empty() : tensor<{m}x{n}x{t}>
  %z = linalg.fill ins(%zero : {t}) outs(%e : tensor<{m}x{n}x{t}>) -> tensor<{m}x{n}x{t}>
  %g = tensor.empty() : tensor<{k}x{n}x{t}>
  %u = linalg.transpose ins(%w : tensor<{n}x{k}x{t}>) outs(%g : tensor<{k}x{n}x{t}>) permutation = [1, 0]
  %p = linalg.matmul ins(%x, %u : tensor<{m}x{k}x{t}>, tensor<{k}x{n}x{t}>) outs(%z : tensor<{m}x{n}x{t}>)
    -> tensor<{m}x{n}x{t}>
  %q = linalg.matmul ins(%x, %v : tensor<{m}x{k}x{t}>, tensor<{k}x{n}x{t}>) outs(%z : tensor<{m}x{n}x{t}>)
    -> tensor<{m}x{n}x{t}>
  %r = linalg.add ins(%p, %residual : tensor<{m}x{n}x{t}>, tensor<{m}x{n}x{t}>) outs(%e : tensor<{m}x{n}x{t}>)
    -> tensor<{m}x{n}x{t}>
  %h = tensor.empty() : tensor<{n}x{m}x{t}>
  %s = linalg.transpose ins(%q : tensor<{m}x{n}x{t}>) outs(%h : tensor<{n}x{m}x{t}>) permutation = [1, 0]
  return %r, %s : tensor<{m}x{n}x{t}>, tensor<{n}x{m}x{t}>
}}
"""


def _text(m: int, n: int, k: int, element: str) -> str:
    rows = [[float((3 * i + 5 * j) % 7 - 3) for j in range(k)] for i in range(n)]
    others = [[float((2 * i + j) % 5 - 2) for j in range(n)] for i in range(k)]
    return PRODUCTS.format(m=m, n=n, k=k, t=element, numbers=rows, others=others)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize("shape", [(1, 32, 17), (5, 7, 9), (33, 24, 16)], ids=str)
@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_matrices_are_put_together(
    element: str, shape: tuple[int, int, int], target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuse, "WORTH", 100.0)  # whether it is predicted to pay or not
    text = _text(*shape, element)
    artifact = roller_mlir.compile(text, target, options=CompileOptions(cache=False))
    assert not differences(text, artifact)
    assert len([one for one in artifact.kernels if "matmul" in one.name]) == 1
