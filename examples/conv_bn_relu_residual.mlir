// relu(batch norm(conv(x)) + residual), the norm folded to scale and shift: one kernel.
// RUN: roller-opt %s --roller-to-sim=device=h200 | FileCheck %s

// CHECK-LABEL: func.func @conv_bn_relu_residual
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT: gpu.launch_func
#all = affine_map<(n, f, h, w) -> (n, f, h, w)>
#channel = affine_map<(n, f, h, w) -> (f)>

func.func @conv_bn_relu_residual(
    %x: tensor<4x32x14x14xf32>, %k: tensor<32x32x3x3xf32>, %scale: tensor<32xf32>, %shift: tensor<32xf32>,
    %residual: tensor<4x32x14x14xf32>) -> tensor<4x32x14x14xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%n: index, %c: index, %h: index, %w: index):
      tensor.yield %zero : f32
  } : tensor<4x32x14x14xf32> to tensor<4x32x16x16xf32>
  %e = tensor.empty() : tensor<4x32x14x14xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x32x14x14xf32>) -> tensor<4x32x14x14xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%p, %k : tensor<4x32x16x16xf32>, tensor<32x32x3x3xf32>)
                                outs(%i : tensor<4x32x14x14xf32>) -> tensor<4x32x14x14xf32>
  %norm = linalg.generic {indexing_maps = [#all, #channel, #channel, #all],
                          iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %scale, %shift : tensor<4x32x14x14xf32>, tensor<32xf32>, tensor<32xf32>)
      outs(%e : tensor<4x32x14x14xf32>) {
    ^bb0(%a: f32, %s: f32, %t: f32, %old: f32):
      %u = arith.mulf %a, %s : f32
      %v = arith.addf %u, %t : f32
      linalg.yield %v : f32
  } -> tensor<4x32x14x14xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #all],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%norm, %residual : tensor<4x32x14x14xf32>, tensor<4x32x14x14xf32>) outs(%e : tensor<4x32x14x14xf32>) {
    ^bb0(%a: f32, %r: f32, %old: f32):
      %s = arith.addf %a, %r : f32
      %m = arith.maximumf %s, %zero : f32
      linalg.yield %m : f32
  } -> tensor<4x32x14x14xf32>
  return %y : tensor<4x32x14x14xf32>
}
