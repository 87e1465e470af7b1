// RUN: roller-opt %s --rtile-normalize --rtile-construct='device=h200' --split-input-file | FileCheck %s --check-prefix=PLAN
// RUN: roller-opt %s --rtile-normalize --rtile-construct='device=h200' --rtile-expand --split-input-file --mlir-print-local-scope | FileCheck %s --check-prefix=LOOPS

// A padded input: the program takes the tensor inside and its tensor.pad; loads begin before the tensor.
// PLAN-LABEL: func.func @convolution
// PLAN-SAME: (%[[X:.*]]: tensor<1x8x30x30xf32>, %[[W:.*]]: tensor<16x8x3x3xf32>)
// PLAN-NOT: tensor.pad
// PLAN: "rtile.program"(%[[X]], %[[W]]) ({
// PLAN-NEXT: ^bb0(%[[A:.*]]: tensor<1x8x30x30xf32>, %[[B:.*]]: tensor<16x8x3x3xf32>):
// PLAN: %[[P:.*]] = tensor.pad %[[A]] low[0, 0, 1, 1] high[0, 0, 1, 1]
// PLAN: linalg.conv_2d_nchw_fchw {{.*}}ins(%[[P]], %[[B]] :
// LOOPS-LABEL: func.func @convolution
// LOOPS-NOT: tensor.pad
// LOOPS: ^bb0(%[[A:.*]]: tensor<1x8x30x30xf32>, %[[B:.*]]: tensor<16x8x3x3xf32>):
// LOOPS: "rtile.load"(%[[A]]{{.*}}) {{.*}} - 1{{.*}} pad = 0.000000e+00 : f32{{.*}} : (tensor<1x8x30x30xf32>
func.func @convolution(%x: tensor<1x8x30x30xf32>, %w: tensor<16x8x3x3xf32>) -> tensor<1x16x30x30xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x8x30x30xf32> to tensor<1x8x32x32xf32>
  %e = tensor.empty() : tensor<1x16x30x30xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x16x30x30xf32>) -> tensor<1x16x30x30xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x8x32x32xf32>, tensor<16x8x3x3xf32>)
      outs(%i : tensor<1x16x30x30xf32>) -> tensor<1x16x30x30xf32>
  return %r : tensor<1x16x30x30xf32>
}

// -----

// A padded tensor that is a result is made by a copy, which reads through the padding as any other op does.
// PLAN-LABEL: func.func @padded
// PLAN-SAME: (%[[X:.*]]: tensor<6x8xf32>)
// PLAN-NEXT: %[[R:.*]] = "rtile.program"(%[[X]]) ({
// PLAN: %[[P:.*]] = tensor.pad
// PLAN: linalg.copy {{.*}}ins(%[[P]] : tensor<6x10xf32>)
// PLAN: return %[[R]]
// LOOPS-LABEL: func.func @padded
// LOOPS: "rtile.load"({{.*}} pad = 3.000000e+00 : f32
func.func @padded(%x: tensor<6x8xf32>) -> tensor<6x10xf32> {
  %three = arith.constant 3.0 : f32
  %p = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%a: index, %b: index):
    tensor.yield %three : f32
  } : tensor<6x8xf32> to tensor<6x10xf32>
  return %p : tensor<6x10xf32>
}
