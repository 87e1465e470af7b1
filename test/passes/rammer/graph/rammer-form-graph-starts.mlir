// RUN: roller-opt %s --rammer-form-graph --mlir-print-local-scope --split-input-file | FileCheck %s
// Programs whose loads begin elsewhere are one operator, too; along rows, where vectors are equally wide.

// CHECK: "rammer.operator"
// CHECK: %[[S:.*]] = arith.constant {rammer.start} 0 : index
// CHECK: "rtile.load"(%[[X:.*]], %[[I:.*]], %[[S]]) {origin = affine_map<(d0, d1) -> (d0 * 32 + d1 + 8)>,
// CHECK-NOT: "rammer.operator"
// CHECK: "rammer.apply"(%[[A:.*]], %[[H:.*]]) {callee = @add, starts = array<i64: 0>}
// CHECK-NEXT: "rammer.apply"(%[[A]], %[[R:.*]]) {callee = @add, starts = array<i64: 52>}
func.func @main(%a: memref<128xf32> {rtile.role = "input"}, %r: memref<64xf32> {rtile.role = "output"}, %w: memref<256xi8> {rtile.role = "workspace"}) {
  %z = arith.constant 0 : index
  %h = memref.view %w[%z][] : memref<256xi8> to memref<64xf32>
  "rtile.program"(%a, %h) ({
  ^bb0(%x: memref<128xf32>, %y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %init = tensor.empty() : tensor<32xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * 32 + 8)>, tile = #rtile.tile<[32], "register", [1]>} : (memref<128xf32>, index) -> tensor<32xf32>
      %s = "rtile.compute"(%p, %init, %i) ({
      ^bb0(%u: f32, %old: f32):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %u, %one : f32
        "rtile.yield"(%t) : (f32) -> ()
      }) {operandSegmentSizes = array<i32: 1, 1, 1>, box = array<i64: 32>, bounds = array<i64: 64>,
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * 32)>,
          threads = #rtile.threads<{axes = [[32, 1]], order = [0], lane = -1, unroll = 1}>}
        : (tensor<32xf32>, tensor<32xf32>, index) -> tensor<32xf32>
      "rtile.store"(%s, %y, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>} : (tensor<32xf32>, memref<64xf32>, index) -> ()
    } {rtile.mapping = "unit"}
    "rtile.yield"() : () -> ()
  }) {sym_name = "add"} : (memref<128xf32>, memref<64xf32>) -> ()
  "rtile.program"(%a, %r) ({
  ^bb0(%x: memref<128xf32>, %y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %init = tensor.empty() : tensor<32xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * 32 + 60)>, tile = #rtile.tile<[32], "register", [1]>} : (memref<128xf32>, index) -> tensor<32xf32>
      %s = "rtile.compute"(%p, %init, %i) ({
      ^bb0(%u: f32, %old: f32):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %u, %one : f32
        "rtile.yield"(%t) : (f32) -> ()
      }) {operandSegmentSizes = array<i32: 1, 1, 1>, box = array<i64: 32>, bounds = array<i64: 64>,
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * 32)>,
          threads = #rtile.threads<{axes = [[32, 1]], order = [0], lane = -1, unroll = 1}>}
        : (tensor<32xf32>, tensor<32xf32>, index) -> tensor<32xf32>
      "rtile.store"(%s, %y, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>} : (tensor<32xf32>, memref<64xf32>, index) -> ()
    } {rtile.mapping = "unit"}
    "rtile.yield"() : () -> ()
  }) {sym_name = "add_again"} : (memref<128xf32>, memref<64xf32>) -> ()
  return
}

// -----

// CHECK: "rammer.operator"
// CHECK: origin = affine_map<(d0) -> (d0 * 32 + 8)>,
// CHECK: "rammer.operator"
// CHECK: origin = affine_map<(d0) -> (d0 * 32 + 61)>,
// CHECK: {callee = @add} :
// CHECK-NEXT: {callee = @add_again} :
func.func @odd(%a: memref<128xf32> {rtile.role = "input"}, %r: memref<64xf32> {rtile.role = "output"}, %w: memref<256xi8> {rtile.role = "workspace"}) {
  %z = arith.constant 0 : index
  %h = memref.view %w[%z][] : memref<256xi8> to memref<64xf32>
  "rtile.program"(%a, %h) ({
  ^bb0(%x: memref<128xf32>, %y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %init = tensor.empty() : tensor<32xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * 32 + 8)>, tile = #rtile.tile<[32], "register", [1]>} : (memref<128xf32>, index) -> tensor<32xf32>
      %s = "rtile.compute"(%p, %init, %i) ({
      ^bb0(%u: f32, %old: f32):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %u, %one : f32
        "rtile.yield"(%t) : (f32) -> ()
      }) {operandSegmentSizes = array<i32: 1, 1, 1>, box = array<i64: 32>, bounds = array<i64: 64>,
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * 32)>,
          threads = #rtile.threads<{axes = [[32, 1]], order = [0], lane = -1, unroll = 1}>}
        : (tensor<32xf32>, tensor<32xf32>, index) -> tensor<32xf32>
      "rtile.store"(%s, %y, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>} : (tensor<32xf32>, memref<64xf32>, index) -> ()
    } {rtile.mapping = "unit"}
    "rtile.yield"() : () -> ()
  }) {sym_name = "add"} : (memref<128xf32>, memref<64xf32>) -> ()
  "rtile.program"(%a, %r) ({
  ^bb0(%x: memref<128xf32>, %y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %init = tensor.empty() : tensor<32xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * 32 + 61)>, tile = #rtile.tile<[32], "register", [1]>} : (memref<128xf32>, index) -> tensor<32xf32>
      %s = "rtile.compute"(%p, %init, %i) ({
      ^bb0(%u: f32, %old: f32):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %u, %one : f32
        "rtile.yield"(%t) : (f32) -> ()
      }) {operandSegmentSizes = array<i32: 1, 1, 1>, box = array<i64: 32>, bounds = array<i64: 64>,
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * 32)>,
          threads = #rtile.threads<{axes = [[32, 1]], order = [0], lane = -1, unroll = 1}>}
        : (tensor<32xf32>, tensor<32xf32>, index) -> tensor<32xf32>
      "rtile.store"(%s, %y, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>} : (tensor<32xf32>, memref<64xf32>, index) -> ()
    } {rtile.mapping = "unit"}
    "rtile.yield"() : () -> ()
  }) {sym_name = "add_again"} : (memref<128xf32>, memref<64xf32>) -> ()
  return
}
