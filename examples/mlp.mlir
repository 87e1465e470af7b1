// Two layers, relu(x W0 + b0) W1 + b1: a function of several ops becomes a list of kernel launches.
// RUN: roller-opt %s --roller-to-sim=device=h200 | FileCheck %s

// CHECK-LABEL: func.func @mlp
// CHECK-COUNT-2: gpu.launch_func
#row = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>

func.func @mlp(%x: tensor<64x784xf32>, %w0: tensor<784x256xf32>, %b0: tensor<256xf32>,
               %w1: tensor<256x10xf32>, %b1: tensor<10xf32>) -> tensor<64x10xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x256xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x256xf32>) -> tensor<64x256xf32>
  %m0 = linalg.matmul ins(%x, %w0 : tensor<64x784xf32>, tensor<784x256xf32>)
                      outs(%i0 : tensor<64x256xf32>) -> tensor<64x256xf32>
  %h = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m0, %b0 : tensor<64x256xf32>, tensor<256xf32>) outs(%e0 : tensor<64x256xf32>) {
    ^bb0(%m: f32, %b: f32, %old: f32):
      %s = arith.addf %m, %b : f32
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
  } -> tensor<64x256xf32>
  %e1 = tensor.empty() : tensor<64x10xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x10xf32>) -> tensor<64x10xf32>
  %m1 = linalg.matmul ins(%h, %w1 : tensor<64x256xf32>, tensor<256x10xf32>)
                      outs(%i1 : tensor<64x10xf32>) -> tensor<64x10xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m1, %b1 : tensor<64x10xf32>, tensor<10xf32>) outs(%e1 : tensor<64x10xf32>) {
    ^bb0(%m: f32, %b: f32, %old: f32):
      %s = arith.addf %m, %b : f32
      linalg.yield %s : f32
  } -> tensor<64x10xf32>
  return %y : tensor<64x10xf32>
}
