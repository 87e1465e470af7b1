# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that one thread computes as a whole, in kernels whose blocks have many threads."""

# ruff: noqa: E501 - MLIR as users write it

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions

MEAN_AND_GREATEST = """
#row = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
#scalar = affine_map<() -> ()>
func.func @f(%a: tensor<60xf32>, %s: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<i64>, tensor<f32>, tensor<60xf32>) {
  %zero = arith.constant 0.0 : f32
  %sixty = arith.constant 60.0 : f32
  %least = arith.constant dense<0xFF800000> : tensor<f32>
  %first = arith.constant dense<0> : tensor<i64>
  %e = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#row, #none], iterator_types = ["reduction"]} ins(%a : tensor<60xf32>) outs(%start : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %x, %o : f32
    linalg.yield %y : f32
  } -> tensor<f32>
  %mean = linalg.generic {indexing_maps = [#scalar, #scalar, #scalar], iterator_types = []} ins(%sum, %s : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.divf %x, %sixty : f32
    %n = arith.subf %m, %y : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %r:2 = linalg.generic {indexing_maps = [#row, #none, #none], iterator_types = ["reduction"]} ins(%a : tensor<60xf32>) outs(%least, %first : tensor<f32>, tensor<i64>) {
  ^bb0(%x: f32, %o: f32, %p: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %x, %o : f32
    %m = arith.select %c, %x, %o : f32
    %n = arith.select %c, %j, %p : i64
    linalg.yield %m, %n : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  %w = tensor.empty() : tensor<60xf32>
  %d = linalg.generic {indexing_maps = [#row, #none, #row], iterator_types = ["parallel"]} ins(%a, %mean : tensor<60xf32>, tensor<f32>) outs(%w : tensor<60xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %n = arith.subf %x, %y : f32
    linalg.yield %n : f32
  } -> tensor<60xf32>
  return %mean, %r#0, %r#1, %start, %d : tensor<f32>, tensor<f32>, tensor<i64>, tensor<f32>, tensor<60xf32>
}
"""


@pytest.mark.full(each=["device", "persistent"])
@pytest.mark.parametrize("device", ["h200", "mi300x"])
@pytest.mark.parametrize("persistent", [True, False])
def test_a_mean_the_greatest_and_its_place(device: str, persistent: bool) -> None:
    """Without a loop of one point neither the mean of the sum nor the place has a plan for a block of all threads."""
    options = CompileOptions(binaries=False, persistent=persistent, bounded=not persistent)
    artifact = roller_mlir.compile(MEAN_AND_GREATEST, target=device, options=options)
    values = np.random.default_rng(0).permutation(60).astype(np.float32)
    mean = np.float32(values.sum() / 60 - 2)
    expected = [mean, np.float32(59), np.argmax(values), np.float32(0), values - mean]
    found = artifact.run(values, np.float32(2), sanitize=True)
    for got, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(got, wanted)
