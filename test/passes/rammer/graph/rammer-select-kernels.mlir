// RUN: roller-opt %s --rammer-select-kernels=device=h200 | FileCheck %s
// RUN: roller-opt %s --rammer-select-kernels="device=h200 select-kernels=false" | FileCheck %s --check-prefix=FASTEST
// RUN: roller-opt %s --rammer-select-kernels="device=h200" --rtile-construct=device=h200 | FileCheck %s --check-prefix=PLAN
// Four products that need nothing of each other share the device, each planned for its part of it. The one behind them
// has it for itself, and says nothing. Without the choice, each has the kernel that is fastest alone (0), with its time
// on that part.

// CHECK-LABEL: func.func @branches
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<32x64xf32>, %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}, %[[D:[a-z0-9]+]]: tensor
// CHECK: linalg.matmul {rtile.units = array<i64: 33, 33>} ins(%[[X]], %[[A]] :
// CHECK-NEXT: linalg.matmul {rtile.units = array<i64: 33, 33>} ins(%[[X]], %[[B]] :
// CHECK-NEXT: linalg.matmul {rtile.units = array<i64: 33, 33>} ins(%[[X]], %[[C]] :
// CHECK-NEXT: linalg.matmul {rtile.units = array<i64: 33, 33>} ins(%[[X]], %[[D]] :
// CHECK: linalg.generic
// CHECK-NOT: rtile.units
// CHECK: return

// FASTEST-COUNT-4: linalg.matmul {rtile.units = array<i64: 0, 33>} ins
// FASTEST-NOT: rtile.units

// The plans say the units, and what the pass said is used up.
// PLAN-NOT: rtile.units
// PLAN-COUNT-4: max_units = 33 : i64
// PLAN-NOT: max_units = 33 : i64
func.func @branches(%x: tensor<32x64xf32>, %a: tensor<64x256xf32>, %b: tensor<64x256xf32>, %c: tensor<64x256xf32>, %d: tensor<64x256xf32>) -> tensor<32x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x256xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x256xf32>) -> tensor<32x256xf32>
  %0 = linalg.matmul ins(%x, %a : tensor<32x64xf32>, tensor<64x256xf32>) outs(%i : tensor<32x256xf32>) -> tensor<32x256xf32>
  %1 = linalg.matmul ins(%x, %b : tensor<32x64xf32>, tensor<64x256xf32>) outs(%i : tensor<32x256xf32>) -> tensor<32x256xf32>
  %2 = linalg.matmul ins(%x, %c : tensor<32x64xf32>, tensor<64x256xf32>) outs(%i : tensor<32x256xf32>) -> tensor<32x256xf32>
  %3 = linalg.matmul ins(%x, %d : tensor<32x64xf32>, tensor<64x256xf32>) outs(%i : tensor<32x256xf32>) -> tensor<32x256xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%0, %1, %2, %3 : tensor<32x256xf32>, tensor<32x256xf32>, tensor<32x256xf32>, tensor<32x256xf32>) outs(%e : tensor<32x256xf32>) {
  ^bb0(%u: f32, %v: f32, %w: f32, %y: f32, %old: f32):
    %p = arith.addf %u, %v : f32
    %q = arith.addf %p, %w : f32
    %r = arith.addf %q, %y : f32
    linalg.yield %r : f32
  } -> tensor<32x256xf32>
  return %sum : tensor<32x256xf32>
}
