// RUN: roller-opt %s --rtile-normalize --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-NOT: @callee
// CHECK-LABEL: func.func @calls
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>)
// CHECK-NOT: call
// CHECK: linalg.exp ins(%[[A]] : tensor<8xf32>)
func.func private @callee(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func @calls(%a: tensor<8xf32>) -> tensor<8xf32> {
  %r = call @callee(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// CHECK-NOT: ml_program
// CHECK-LABEL: func.func @global(
// CHECK: %[[W:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: linalg.add ins(%[[A:.*]], %[[W]] :
ml_program.global private @w(dense<[1.0, 2.0]> : tensor<2xf32>) : tensor<2xf32>
func.func @global(%a: tensor<2xf32>) -> tensor<2xf32> {
  %w = ml_program.global_load_const @w : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %r = linalg.add ins(%a, %w : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @assertion
// CHECK-NOT: cf.assert
// CHECK-NOT: arith.cmpf
// CHECK: arith.divf
func.func @assertion(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %r = linalg.map ins(%a : tensor<8xf32>) outs(%o : tensor<8xf32>) (%x: f32, %y: f32) {
    %c = arith.cmpf one, %x, %z : f32
    // expected-remark@+1 {{'cf.assert' is left out, kernels do not check it: zero element}}
    cf.assert %c, "zero element"
    %0 = arith.divf %x, %x : f32
    linalg.yield %0 : f32
  }
  return %r : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @scalar
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>, %[[S:.*]]: tensor<f32>) -> tensor<8xf32>
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[S]] : tensor<8xf32>, tensor<f32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[K:.*]]: f32, %[[O:.*]]: f32):
// CHECK-NEXT: %[[H:.*]] = arith.mulf %[[K]],
// CHECK-NEXT: arith.mulf %[[X]], %[[H]]
func.func @scalar(%a: tensor<8xf32>, %s: f32) -> tensor<8xf32> {
  %half = arith.constant 0.5 : f32
  %h = arith.mulf %s, %half : f32
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.map ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) (%x: f32, %y: f32) {
    %0 = arith.mulf %x, %h : f32
    linalg.yield %0 : f32
  }
  return %r : tensor<8xf32>
}
