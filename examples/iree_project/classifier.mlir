// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two dense layers with a rectifier between; the weights are arguments.
func.func @classifier(%x: tensor<16x64xf32>, %w0: tensor<64x48xf32>, %w1: tensor<48x10xf32>) -> tensor<16x10xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<16x48xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<16x48xf32>) -> tensor<16x48xf32>
  %h = linalg.matmul ins(%x, %w0 : tensor<16x64xf32>, tensor<64x48xf32>) outs(%f0 : tensor<16x48xf32>) -> tensor<16x48xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%h : tensor<16x48xf32>) outs(%e0 : tensor<16x48xf32>) {
  ^bb0(%value: f32, %out: f32):
    %positive = arith.maximumf %value, %zero : f32
    linalg.yield %positive : f32
  } -> tensor<16x48xf32>
  %e1 = tensor.empty() : tensor<16x10xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16x10xf32>) -> tensor<16x10xf32>
  %y = linalg.matmul ins(%r, %w1 : tensor<16x48xf32>, tensor<48x10xf32>) outs(%f1 : tensor<16x10xf32>) -> tensor<16x10xf32>
  return %y : tensor<16x10xf32>
}
