// RUN: roller-opt %s --rtile-normalize --rtile-fuse=device=h200 --rtile-construct=device=h200 --rtile-expand | FileCheck %s

// Rows that no registers hold: they are brought to workgroup memory once, and walked in steps by three passes.

// CHECK-LABEL: func.func @softmax
// CHECK: "rtile.program"
// CHECK: scf.for
// CHECK: %[[ROW:[a-z0-9]+]] = "rtile.load"(
// CHECK-SAME: copy = "asynchronous"
// CHECK-SAME: tile = #rtile.tile<[1, 65536], "workgroup", [1, 1]>
// CHECK: %[[GREATEST:[a-z0-9]+]] = scf.for %[[I:[a-z0-9]+]] = {{.*}} iter_args(%[[M:[a-z0-9]+]] = %[[FILL:[a-z0-9_]+]]) -> (tensor<1xf16>)
// CHECK: %[[P:[a-z0-9]+]] = "rtile.load"(%[[ROW]], %[[I]])
// CHECK: "rtile.compute"(%[[P]], %[[M]], {{.*}})
// CHECK: rtile.mapping = "row"
// CHECK: %[[SUM:[a-z0-9]+]] = scf.for {{.*}} -> (tensor<1xf16>)
// CHECK: "rtile.load"(%[[ROW]],
// CHECK: math.exp
// CHECK: rtile.mapping = "row"
// CHECK: scf.for {{.*}} -> (tensor<1024x65536xf16>)
// CHECK: "rtile.load"(%[[ROW]],
// CHECK: math.exp
// CHECK: "rtile.compute"({{.*}}%[[SUM]]
// CHECK: "rtile.store"(
// CHECK: rtile.mapping = "row"
// CHECK: rtile.mapping = "unit"
func.func @softmax(%x: tensor<1024x65536xf16>) -> tensor<1024x65536xf16> {
  %e = tensor.empty() : tensor<1024x65536xf16>
  %s = linalg.softmax dimension(1) ins(%x : tensor<1024x65536xf16>) outs(%e : tensor<1024x65536xf16>) -> tensor<1024x65536xf16>
  return %s : tensor<1024x65536xf16>
}
