# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What random programs found wrong, in the compiler or in the bounds by which results are judged."""

import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.evaluation.reference import compare_all, evaluate_function, random_inputs
from roller_mlir.plan.accuracy.accumulation import accumulation_of
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

# Program, device, values, level and options.
CASES = {
    "a padded tensor inserted with strides": (
        """func.func @fuzz(%arg0: tensor<1x1xf32>) -> tensor<1x3xf32> {
  %arg0p0 = arith.constant 0.000000e+00 : f32
  %v1 = tensor.pad %arg0 low[0, 1] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %arg0p0 : f32
  } : tensor<1x1xf32> to tensor<1x2xf32>
  %v2e = tensor.empty() : tensor<1x3xf32>
  %v2c = arith.constant 0.000000e+00 : f32
  %v2 = linalg.fill ins(%v2c : f32) outs(%v2e : tensor<1x3xf32>) -> tensor<1x3xf32>
  %v3 = tensor.insert_slice %v1 into %v2[0, 0] [1, 2] [1, 2] : tensor<1x2xf32> into tensor<1x3xf32>
  return %v3 : tensor<1x3xf32>
}
""",
        "h200",
        "integers",
        "gpu",
        CompileOptions(binaries=False, llvm=False),
    ),
    "tf32 factors read askew": (
        """func.func @fuzz(%arg0: tensor<8x11xf32>, %arg1: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %v2e = tensor.empty() : tensor<4x8xf32>
  %v2c = arith.constant 0.000000e+00 : f32
  %v2 = linalg.fill ins(%v2c : f32) outs(%v2e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %v3 = linalg.generic {indexing_maps = [
      affine_map<(d0, d1, d2) -> (d2, d0 + d2)>,
      affine_map<(d0, d1, d2) -> (d1, d2)>,
      affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%arg0, %arg1 : tensor<8x11xf32>, tensor<8x8xf32>) outs(%v2 : tensor<4x8xf32>) {
  ^bb0(%x0: f32, %x1: f32, %acc0: f32):
    %s0 = arith.mulf %x0, %x1 : f32
    %s1 = arith.addf %s0, %acc0 : f32
    linalg.yield %s1 : f32
  } -> tensor<4x8xf32>
  return %v3 : tensor<4x8xf32>
}
""",
        "h200",
        "normal",
        "llvm",
        CompileOptions(binaries=False, llvm=True, allow_tf32=True),
    ),
    "tf32 factors of a convolution": (
        """func.func @fuzz(%arg0: tensor<1x1x8x4xf32>, %arg1: tensor<4x1x1x4xf32>, %arg2: tensor<1x1x8x4xf32>)
    -> tensor<1x1x8x4xf32> {
  %v3 = linalg.conv_2d_nhwc_fhwc {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[1, 1]> : tensor<2xi64>}
      ins(%arg0, %arg1 : tensor<1x1x8x4xf32>, tensor<4x1x1x4xf32>)
      outs(%arg2 : tensor<1x1x8x4xf32>) -> tensor<1x1x8x4xf32>
  return %v3 : tensor<1x1x8x4xf32>
}
""",
        "a100",
        "normal",
        "gpu",
        CompileOptions(binaries=False, llvm=False, allow_tf32=True),
    ),
    "tf32 factors on a diagonal": (
        """func.func @fuzz(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4x8xf32>) -> tensor<4x8xf32> {
  %v2e = tensor.empty() : tensor<4x8xf32>
  %v2c = arith.constant 0.000000e+00 : f32
  %v2 = linalg.fill ins(%v2c : f32) outs(%v2e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %v3 = linalg.generic {indexing_maps = [
      affine_map<(d0, d1, d2) -> (d0, d2)>,
      affine_map<(d0, d1, d2) -> (d2, d2, d1)>,
      affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%arg0, %arg1 : tensor<4x4xf32>, tensor<4x4x8xf32>) outs(%v2 : tensor<4x8xf32>) {
  ^bb0(%x0: f32, %x1: f32, %acc0: f32):
    %s0 = arith.mulf %x0, %x1 : f32
    %s1 = arith.addf %acc0, %s0 : f32
    linalg.yield %s1 : f32
  } -> tensor<4x8xf32>
  return %v3 : tensor<4x8xf32>
}
""",
        "a100",
        "normal",
        "gpu",
        CompileOptions(binaries=False, llvm=False, allow_tf32=True),
    ),
    "a product whose sign is changed before a sum": (
        """func.func @fuzz(%arg0: tensor<1x3xf32>, %arg1: tensor<3xf32>) -> tensor<1x3xf32> {
  %v1 = tensor.empty() : tensor<1x3xf32>
  %v3 = linalg.generic {indexing_maps = [
      affine_map<(d0, d1) -> (d0, d1)>,
      affine_map<(d0, d1) -> (d1)>,
      affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%arg0, %arg1 : tensor<1x3xf32>, tensor<3xf32>) outs(%v1 : tensor<1x3xf32>) {
  ^bb0(%x0: f32, %x1: f32, %acc0: f32):
    %s0 = arith.mulf %x1, %x1 : f32
    %s1 = arith.constant -1.000000e+00 : f32
    %s2 = arith.mulf %s0, %s1 : f32
    %s3 = arith.subf %x0, %s2 : f32
    linalg.yield %s3 : f32
  } -> tensor<1x3xf32>
  return %v3 : tensor<1x3xf32>
}
""",
        "h200",
        "normal",
        "gpu",
        CompileOptions(binaries=False, llvm=False),
    ),
    "a product and a sum of f64": (
        """func.func @fuzz(%arg0: tensor<6xf64>, %arg1: tensor<6xf64>) -> tensor<6xf64> {
  %v2 = tensor.empty() : tensor<6xf64>
  %v3 = linalg.generic {indexing_maps = [
      affine_map<(d0) -> (d0)>,
      affine_map<(d0) -> (d0)>,
      affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}
      ins(%arg0, %arg1 : tensor<6xf64>, tensor<6xf64>) outs(%v2 : tensor<6xf64>) {
  ^bb0(%x0: f64, %x1: f64, %acc0: f64):
    %s0 = arith.mulf %x1, %x0 : f64
    %s1 = arith.addf %x0, %s0 : f64
    linalg.yield %s1 : f64
  } -> tensor<6xf64>
  return %v3 : tensor<6xf64>
}
""",
        "v100",
        "normal",
        "gpu",
        CompileOptions(binaries=False, llvm=False),
    ),
    "a fused product and sum of f64": (
        """func.func @fuzz(%arg0: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %v1 = tensor.empty() : tensor<4x4xf64>
  %v2 = linalg.generic {indexing_maps = [
      affine_map<(d0, d1) -> (d0, d1)>,
      affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%arg0 : tensor<4x4xf64>) outs(%v1 : tensor<4x4xf64>) {
  ^bb0(%x0: f64, %acc0: f64):
    %s0 = arith.constant -2.000000e+00 : f64
    %s1 = math.fma %x0, %x0, %s0 : f64
    linalg.yield %s1 : f64
  } -> tensor<4x4xf64>
  return %v2 : tensor<4x4xf64>
}
""",
        "v100",
        "normal",
        "gpu",
        CompileOptions(binaries=False, llvm=False),
    ),
    "tiles without the rule of execution units": (
        """func.func @fuzz(%arg0: tensor<8x8xf16>, %arg1: tensor<33x8xf16>) -> tensor<8x33xf32> {
  %v2e = tensor.empty() : tensor<8x33xf32>
  %v2c = arith.constant 0.000000e+00 : f32
  %v2 = linalg.fill ins(%v2c : f32) outs(%v2e : tensor<8x33xf32>) -> tensor<8x33xf32>
  %v3 = linalg.matmul indexing_maps = [
      affine_map<(m, n, k) -> (k, m)>,
      affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>]
      ins(%arg0, %arg1 : tensor<8x8xf16>, tensor<33x8xf16>)
      outs(%v2 : tensor<8x33xf32>) -> tensor<8x33xf32>
  return %v3 : tensor<8x33xf32>
}
""",
        "h200",
        "integers",
        "gpu",
        CompileOptions(binaries=False, llvm=False, disabled_rules=("execution-unit",)),
    ),
    "a maximum over one element that goes on with a tensor, behind a sum": (
        """func.func @fuzz(%arg0: tensor<1x1x1xf32>, %arg1: tensor<1x1xf32>, %arg2: tensor<1x1xf32>)
    -> tensor<1x1xf32> {
  %v2e = tensor.empty() : tensor<1x1x1xf32>
  %v2c = arith.constant 0.000000e+00 : f32
  %v2 = linalg.fill ins(%v2c : f32) outs(%v2e : tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  %v3 = linalg.generic {indexing_maps = [
      affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>,
      affine_map<(d0, d1, d2, d3) -> (d1, d2)>,
      affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%arg0, %arg1 : tensor<1x1x1xf32>, tensor<1x1xf32>) outs(%v2 : tensor<1x1x1xf32>) {
  ^bb0(%x0: f32, %x1: f32, %acc0: f32):
    %s0 = arith.addf %x1, %acc0 : f32
    linalg.yield %s0 : f32
  } -> tensor<1x1x1xf32>
  %v5 = linalg.generic {indexing_maps = [
      affine_map<(d0, d1, d2) -> (d0, d1, d2)>,
      affine_map<(d0, d1, d2) -> (d0, d2)>],
      iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%v3 : tensor<1x1x1xf32>) outs(%arg2 : tensor<1x1xf32>) {
  ^bb0(%x0: f32, %acc0: f32):
    %s0 = arith.maximumf %x0, %acc0 : f32
    linalg.yield %s0 : f32
  } -> tensor<1x1xf32>
  return %v5 : tensor<1x1xf32>
}
""",
        "h200",
        "integers",
        "gpu",
        CompileOptions(binaries=False, llvm=False),
    ),
}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", CASES)
def test_results_hold(name: str) -> None:
    text, device, values, level, options = CASES[name]
    artifact = roller_mlir.compile(text, target=device, options=options)
    manifest = artifact.manifest
    for seed in range(4):
        inputs = random_inputs([manifest.buffer(one) for one in manifest.inputs], seed, values)
        outputs = artifact.run(*inputs, level=level)
        with make_context() as context:
            expected = evaluate_function(
                parse_module(text, context), manifest.function, inputs, accumulation_of(manifest)
            )
        for comparison in compare_all(outputs, expected):
            assert comparison.matches, comparison
