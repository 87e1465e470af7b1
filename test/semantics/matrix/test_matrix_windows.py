# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows of matrix units: copies rounded up to whole vectors, copies that run several steps ahead."""

import pytest

import roller_mlir

from ..agreement import assert_agrees
from ..devices.test_each_device import SIMULATED, run_and_compare

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


@pytest.mark.full(every=4)
@pytest.mark.parametrize("device", ["h200", "a100", "v100", "mi300x"])
def test_taps_of_longer_rows(device: str) -> None:
    artifact = roller_mlir.compile(SLICED_TAPS, target=device, options=SIMULATED)
    assert all(comparison.equal for comparison in run_and_compare(artifact))


def convolution(window: tuple[int, int], factor: str, result: str) -> str:
    """Return a convolution of small images, whose steps are a point of the window each."""
    kh, kw = window
    x, w = f"tensor<1x{7 + kh}x{13 + kw}x16x{factor}>", f"tensor<{kh}x{kw}x16x32x{factor}>"
    y = f"tensor<1x8x14x32x{result}>"
    return f"""
func.func @f(%x: {x}, %w: {w}) -> {y} {{
  %zero = arith.constant 0.0 : {result}
  %empty = tensor.empty() : {y}
  %init = linalg.fill ins(%zero : {result}) outs(%empty : {y}) -> {y}
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : {x}, {w}) outs(%init : {y}) -> {y}
  return %r : {y}
}}
"""


@pytest.mark.full(each=["device"])
@pytest.mark.parametrize("device", ["h200", "a100", "v100", "mi300x"])
@pytest.mark.parametrize("window", [(1, 2), (2, 1), (2, 2), (2, 3), (4, 4)], ids=str)
def test_steps_that_walk_several_loops(device: str, window: tuple[int, int]) -> None:
    """Copies that run ahead of the first step take their steps' numbers apart, which are constants there."""
    factor = "bf16" if window[0] == 2 and device != "v100" else "f16"
    assert_agrees(convolution(window, factor, factor if window[1] == 2 else "f32"), device)
