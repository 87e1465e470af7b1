// RUN: roller-opt %s --rtile-construct=device=spr --rtile-expand | FileCheck %s

// A task walks the tiles along the rows by itself, and packs what they share once in front of them.

// CHECK-LABEL: func.func @product
// CHECK: scf.for %[[N:[a-z0-9]+]] =
// CHECK: %[[PACKED:.*]] = "rtile.load"(%[[B:.*]], %[[N]])
// CHECK-SAME: vector = 16 : i64
// CHECK-SAME: "workgroup"
// CHECK: scf.for %[[M:[a-z0-9]+]] =
// CHECK: %[[A:.*]] = "rtile.load"(%[[X:.*]], %[[M]])
// CHECK-SAME: "register"
// CHECK: %[[S:.*]] = "rtile.compute"(%[[A]], %[[PACKED]],
// CHECK: "rtile.store"(%[[S]],
// CHECK: rtile.mapping = "inner"
// CHECK: rtile.mapping = "unit"
func.func @product(%a: tensor<2048x2048xf32>, %b: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2048x2048xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %c = linalg.matmul ins(%a, %b : tensor<2048x2048xf32>, tensor<2048x2048xf32>) outs(%init : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %c : tensor<2048x2048xf32>
}
