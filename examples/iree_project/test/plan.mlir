// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: roller
// RUN: roller-opt %s --rtile-normalize --rtile-construct=device=h200 | FileCheck %s

// CHECK-LABEL: func.func @product
// CHECK: rtile.program
// CHECK: plan = #rtile.plan<
func.func @product(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
