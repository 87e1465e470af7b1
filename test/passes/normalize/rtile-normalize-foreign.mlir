// RUN: roller-opt %s --rtile-normalize | FileCheck %s
// RUN: roller-opt %s --rtile-normalize --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// Data beside the program stays beside it.
// CHECK-LABEL: func.func @resource
// CHECK: arith.constant dense_resource<w> : tensor<4xf32>
// CHECK: dialect_resources
// CHECK: w: "0x040000000000803F000000400000404000008040"
// GENERIC: value = dense_resource<w> : tensor<4xf32>
// GENERIC: w: "0x040000000000803F000000400000404000008040"
func.func @resource(%a: tensor<4xf32>) -> tensor<4xf32> {
  %w = arith.constant dense_resource<w> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.add ins(%a, %w : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

{-#
  dialect_resources: { builtin: { w: "0x040000000000803F000000400000404000008040" } }
#-}
