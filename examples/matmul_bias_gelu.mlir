// gelu(A B + bias): bias and gelu are computed on the accumulators, behind the last step of the reduction.
// RUN: roller-opt %s --roller-to-sim=device=h200 | FileCheck %s

// CHECK-LABEL: func.func @matmul_bias_gelu
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT: gpu.launch_func
#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

func.func @matmul_bias_gelu(%a: tensor<128x256xf32>, %b: tensor<256x512xf32>, %bias: tensor<512xf32>)
    -> tensor<128x512xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.70710678118654752 : f32
  %e = tensor.empty() : tensor<128x512xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<128x512xf32>) -> tensor<128x512xf32>
  %c = linalg.matmul ins(%a, %b : tensor<128x256xf32>, tensor<256x512xf32>)
                     outs(%i : tensor<128x512xf32>) -> tensor<128x512xf32>
  %sum = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%c, %bias : tensor<128x512xf32>, tensor<512xf32>) outs(%e : tensor<128x512xf32>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
  } -> tensor<128x512xf32>
  %gelu = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<128x512xf32>) outs(%e : tensor<128x512xf32>) {
    ^bb0(%x: f32, %old: f32):
      %s = arith.mulf %x, %root : f32
      %t = math.erf %s : f32
      %u = arith.addf %t, %one : f32
      %v = arith.mulf %x, %half : f32
      %w = arith.mulf %u, %v : f32
      linalg.yield %w : f32
  } -> tensor<128x512xf32>
  return %gelu : tensor<128x512xf32>
}
