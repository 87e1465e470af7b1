# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows of matrix units whose copies are rounded up to whole vectors."""

import pytest

import roller_mlir

from .test_semantics_devices import SIMULATED, run_and_compare

# Taps 0 to 2 of rows of four: a copy's vector reaches the fourth, which nobody reads.
SLICED_TAPS = """
func.func @f(%x: tensor<2x32x9x27xf16>, %w: tensor<48x32x5x4xf16>) -> tensor<2x48x6x12xf32> {
  %taps = tensor.extract_slice %w[0, 0, 1, 0] [48, 32, 4, 3] [1, 1, 1, 1]
      : tensor<48x32x5x4xf16> to tensor<48x32x4x3xf16>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x48x6x12xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x48x6x12xf32>) -> tensor<2x48x6x12xf32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>}
      ins(%x, %taps : tensor<2x32x9x27xf16>, tensor<48x32x4x3xf16>)
      outs(%init : tensor<2x48x6x12xf32>) -> tensor<2x48x6x12xf32>
  return %r : tensor<2x48x6x12xf32>
}
"""


@pytest.mark.parametrize("device", ["h200", "a100", "v100", "mi300x"])
def test_taps_of_longer_rows(device: str) -> None:
    artifact = roller_mlir.compile(SLICED_TAPS, target=device, options=SIMULATED)
    assert all(comparison.equal for comparison in run_and_compare(artifact))
