// RUN: roller-opt %s --rtile-construct=device=zen4 --rtile-expand | FileCheck %s
// RUN: roller-opt %s --rtile-construct=device=spr --rtile-expand | FileCheck %s --check-prefix=STEPS

// A task walks tiles by itself, and packs what several of them read in front of the loops that do not move it: a panel
// of columns for all rows, and rows for the columns of the panel.

// CHECK-LABEL: func.func @product
// CHECK: scf.for %[[N:[a-z0-9]+]] =
// CHECK: %[[PACKED:.*]] = "rtile.load"(%[[B:.*]], %[[N]])
// CHECK-SAME: panel = 32 : i64
// CHECK-SAME: "workgroup"
// CHECK: scf.for %[[M:[a-z0-9]+]] =
// CHECK: %[[ROWS:.*]] = "rtile.load"(%[[X:.*]], %[[SHARE:.*]], %[[M]])
// CHECK-SAME: "workgroup"
// CHECK: scf.for %[[J:[a-z0-9]+]] =
// CHECK: %[[PART:.*]] = "rtile.load"(%[[PACKED]], %[[J]])
// CHECK-SAME: "register"
// CHECK: %[[S:.*]] = "rtile.compute"(%[[ROWS]], %[[PART]],
// CHECK: "rtile.store"(%[[S]],
// CHECK: rtile.mapping = "inner"
// CHECK: rtile.mapping = "inner"
// CHECK: rtile.mapping = "unit"
func.func @product(%a: tensor<3584x1024xf32>, %b: tensor<1024x4096xf32>) -> tensor<3584x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3584x4096xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<3584x4096xf32>) -> tensor<3584x4096xf32>
  %c = linalg.matmul ins(%a, %b : tensor<3584x1024xf32>, tensor<1024x4096xf32>) outs(%init : tensor<3584x4096xf32>) -> tensor<3584x4096xf32>
  return %c : tensor<3584x4096xf32>
}

// A reduction that no cache holds is done in steps: the first begins with the constant, the others with what the step
// before has stored.

// STEPS-LABEL: func.func @steps
// STEPS: scf.for
// STEPS: scf.for %[[STEP:[a-z0-9]+]] =
// STEPS: "rtile.load"({{.*}}%[[STEP]]
// STEPS-SAME: "workgroup"
// STEPS: %[[FIRST:.*]] = arith.cmpi eq, %[[STEP]],
// STEPS: %[[OLD:.*]] = scf.if %[[FIRST]]
// STEPS-NEXT: scf.yield
// STEPS-NEXT: } else {
// STEPS-NEXT: %[[LOADED:.*]] = "rtile.load"(%[[STORED:[a-z0-9]+]],
// STEPS-NEXT: scf.yield %[[LOADED]]
// STEPS: %[[SUM:.*]] = "rtile.compute"({{.*}}%[[OLD]]
// STEPS: "rtile.store"(%[[SUM]], %[[STORED]]
func.func @steps(%a: tensor<1024x32768xf32>, %b: tensor<32768x1024xf32>) -> tensor<1024x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1024x1024xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %c = linalg.matmul ins(%a, %b : tensor<1024x32768xf32>, tensor<32768x1024xf32>) outs(%init : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %c : tensor<1024x1024xf32>
}
