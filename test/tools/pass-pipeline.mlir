// Our passes and upstream passes mix in one pipeline, nested where upstream passes need it.
// RUN: roller-opt %s --pass-pipeline='builtin.module(func.func(cse,canonicalize),rtile-normalize,rtile-construct{device=h200},symbol-dce)' | FileCheck %s
// RUN: roller-opt %s --cse --canonicalize --rtile-normalize --rtile-construct=device=h200 --symbol-dce | FileCheck %s
// RUN: roller-opt %s -cse -canonicalize -rtile-normalize '-rtile-construct=device=h200 stages=2' -symbol-dce | FileCheck %s --check-prefixes=CHECK,STAGES
// RUN: roller-opt %s --pass-pipeline 'any(rtile-normalize,rtile-construct{device="h200" stages=2})' | FileCheck %s --check-prefixes=CHECK,STAGES

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[A:.*]]: tensor<128x128xf32>, %[[B:.*]]: tensor<128x128xf32>)
// CHECK: %[[R:.*]] = "rtile.program"(%[[A]], %[[B]])
// STAGES: stages = 2
// CHECK: return %[[R]]
func.func @matmul(%a: tensor<128x128xf32>, %b: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %dead = arith.addf %zero, %zero : f32
  %empty = tensor.empty() : tensor<128x128xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x128xf32>) -> tensor<128x128xf32>
  %c = linalg.matmul ins(%a, %b : tensor<128x128xf32>, tensor<128x128xf32>)
                     outs(%init : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %c : tensor<128x128xf32>
}
