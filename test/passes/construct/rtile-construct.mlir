// RUN: roller-opt %s --rtile-construct='device=h200 tile-sizes=64,64,8 thread-tile=4,4,8' --mlir-print-local-scope | FileCheck %s

// A matmul takes its fill along; the plan says tiles, threads, layouts and what to expect.
// CHECK-LABEL: func.func @matmul
// CHECK-SAME: (%[[A:.*]]: tensor<1024x1024xf32>, %[[B:.*]]: tensor<1024x1024xf32>)
func.func @matmul(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  // CHECK-NEXT: %[[R:.*]] = "rtile.program"(%[[A]], %[[B]]) ({
  // CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<1024x1024xf32>, %[[Y:.*]]: tensor<1024x1024xf32>):
  // CHECK: linalg.fill
  // CHECK: %[[M:.*]] = linalg.matmul ins(%[[X]], %[[Y]] :
  // CHECK-NEXT: "rtile.yield"(%[[M]])
  // CHECK-NEXT: }) {plan = #rtile.plan<{axes = [{block = 64 : i64, chunk = 4 : i64, threads = 16 : i64},
  // CHECK-SAME: device = "h200"
  // CHECK-SAME: sym_name = "matmul_0"
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x1024xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %r = linalg.matmul ins(%a, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>)
                     outs(%i : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  // CHECK: return %[[R]]
  return %r : tensor<1024x1024xf32>
}
