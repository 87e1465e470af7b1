// RUN: roller-opt %s --rtile-assign-buffers --mlir-print-local-scope | FileCheck %s

// Two programs: the first result lives in the workspace, the second in the output's buffer, seen through the reshape.
// CHECK: memref.global "private" constant @constant : memref<8xf32> = dense<[
// CHECK-LABEL: func.func @two
// CHECK-SAME: (%[[A:.*]]: memref<8xf32> {rtile.role = "input"}, %[[R:.*]]: memref<2x4xf32> {rtile.role = "output"},
// CHECK-SAME: %[[W:.*]]: memref<256xi8> {rtile.role = "workspace"})
func.func @two(%a: tensor<8xf32>) -> tensor<2x4xf32> {
  // CHECK: %[[OUT:.*]] = memref.collapse_shape %[[R]] {{\[\[}}0, 1]] : memref<2x4xf32> into memref<8xf32>
  // CHECK: %[[T:.*]] = memref.view %[[W]][%c0][] : memref<256xi8> to memref<8xf32>
  // CHECK: %[[C:.*]] = memref.get_global @constant : memref<8xf32>
  %c = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<8xf32>
  // CHECK: "rtile.program"(%[[A]], %[[C]], %[[T]]) ({
  // CHECK-NEXT: ^bb0(%[[P0:.*]]: memref<8xf32>, %[[P1:.*]]: memref<8xf32>, %[[P2:.*]]: memref<8xf32>):
  // CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c2{{.*}} step %c1{{.*}} {
  // CHECK: "rtile.load"(%[[P0]], %[[I]])
  // CHECK-SAME: (memref<8xf32>, index) -> tensor<4xf32>
  // CHECK: "rtile.store"(%[[SUM:.*]], %[[P2]], %[[I]])
  // CHECK-SAME: (tensor<4xf32>, memref<8xf32>, index) -> ()
  // CHECK: {rtile.mapping = "unit"}
  // CHECK: "rtile.yield"() : () -> ()
  // CHECK: sym_name = "add"
  %0 = "rtile.program"(%a, %c) ({
  ^bb0(%x: tensor<8xf32>, %y: tensor<8xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %e = tensor.empty() : tensor<8xf32>
    %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%o = %e) -> (tensor<8xf32>) {
      %init = tensor.empty() : tensor<4xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * 4)>, tile = #rtile.tile<[4], "register", [1]>} : (tensor<8xf32>, index) -> tensor<4xf32>
      %q = "rtile.load"(%y, %i) {origin = affine_map<(d0) -> (d0 * 4)>, tile = #rtile.tile<[4], "register", [1]>} : (tensor<8xf32>, index) -> tensor<4xf32>
      %s = "rtile.compute"(%p, %q, %init, %i) ({
      ^bb0(%u: f32, %v: f32, %old: f32):
        %t = arith.addf %u, %v : f32
        "rtile.yield"(%t) : (f32) -> ()
      }) {operandSegmentSizes = array<i32: 2, 1, 1>, box = array<i64: 4>, bounds = array<i64: 8>,
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * 4)>,
          threads = #rtile.threads<{axes = [[4, 1]], order = [0], lane = -1, unroll = 1}>}
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, index) -> tensor<4xf32>
      %o2 = "rtile.store"(%s, %o, %i) {origin = affine_map<(d0) -> (d0 * 4)>, steps = array<i64: 1>} : (tensor<4xf32>, tensor<8xf32>, index) -> tensor<8xf32>
      scf.yield %o2 : tensor<8xf32>
    } {rtile.mapping = "unit"}
    "rtile.yield"(%r) : (tensor<8xf32>) -> ()
  }) {sym_name = "add"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: "rtile.program"(%[[T]], %[[OUT]]) ({
  %1 = "rtile.program"(%0) ({
  ^bb0(%x: tensor<8xf32>):
    %e = tensor.empty() : tensor<8xf32>
    %init = tensor.empty() : tensor<8xf32>
    %p = "rtile.load"(%x) {origin = affine_map<() -> (0)>, tile = #rtile.tile<[8], "register", [1]>} : (tensor<8xf32>) -> tensor<8xf32>
    %s = "rtile.compute"(%p, %init) ({
    ^bb0(%u: f32, %old: f32):
      %t = arith.mulf %u, %u : f32
      "rtile.yield"(%t) : (f32) -> ()
    }) {operandSegmentSizes = array<i32: 1, 1, 0>, box = array<i64: 8>, bounds = array<i64: 8>,
        indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
        iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<() -> (0)>,
        threads = #rtile.threads<{axes = [[8, 1]], order = [0], lane = -1, unroll = 1}>}
      : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %o = "rtile.store"(%s, %e) {origin = affine_map<() -> (0)>, steps = array<i64: 1>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    "rtile.yield"(%o) : (tensor<8xf32>) -> ()
  }) {sym_name = "square"} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  // CHECK: return
  return %2 : tensor<2x4xf32>
}
