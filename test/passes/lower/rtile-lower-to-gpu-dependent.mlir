// RUN: roller-opt %s --rtile-lower-to-gpu="device=h200 dependent-launch=true" --mlir-print-local-scope | FileCheck %s

// The sum of a weight and of what the copy has written: the weight is loaded in front of the wait, and it alone is said to
// overlap with nothing.
// CHECK: gpu.func @main_copy(%[[A:.*]]: memref<16xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
// CHECK-SAME: %[[C:.*]]: memref<16xf32> {llvm.align = 16 : i64, llvm.writeonly}) kernel
// CHECK: nvvm.griddepcontrol launch_dependents
// CHECK: nvvm.griddepcontrol wait
// CHECK: memref.store %[[X:.*]], %[[C]]
// CHECK: gpu.func @main_add(%[[W:.*]]: memref<16xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
// CHECK-SAME: %[[H:.*]]: memref<16xf32> {llvm.align = 16 : i64, llvm.readonly},
// CHECK-SAME: %[[R:.*]]: memref<16xf32> {llvm.align = 16 : i64, llvm.writeonly}) kernel
// CHECK: nvvm.griddepcontrol launch_dependents
// CHECK: memref.load %[[W]]
// CHECK: nvvm.griddepcontrol wait
// CHECK: memref.load %[[H]]
// CHECK: memref.store %[[S:.*]], %[[R]]
// CHECK-LABEL: func.func @main
func.func @main(%a: memref<16xf32>, %w: memref<16xf32>, %h: memref<16xf32>, %r: memref<16xf32>) {
  // CHECK: gpu.launch_func @kernels::@main_copy {{.*}} {rtile.dependent}
  "rtile.program"(%a, %h) ({
  ^bb0(%x: memref<16xf32>, %y: memref<16xf32>):
    %init = tensor.empty() : tensor<16xf32>
    %p = "rtile.load"(%x) {origin = affine_map<() -> (0)>, tile = #rtile.tile<[16], "register", [1]>} : (memref<16xf32>) -> tensor<16xf32>
    %s = "rtile.compute"(%p, %init) ({
    ^bb0(%u: f32, %old: f32):
      "rtile.yield"(%u) : (f32) -> ()
    }) {operandSegmentSizes = array<i32: 1, 1, 0>, box = array<i64: 16>, bounds = array<i64: 16>,
        indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
        iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<() -> (0)>,
        threads = #rtile.threads<{axes = [[16, 1]], order = [0], lane = -1, unroll = 1}>}
      : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    "rtile.store"(%s, %y) {origin = affine_map<() -> (0)>, steps = array<i64: 1>} : (tensor<16xf32>, memref<16xf32>) -> ()
    "rtile.yield"() : () -> ()
  }) {sym_name = "copy"} : (memref<16xf32>, memref<16xf32>) -> ()
  // CHECK: gpu.launch_func @kernels::@main_add {{.*}} {rtile.dependent}
  "rtile.program"(%w, %h, %r) ({
  ^bb0(%x: memref<16xf32>, %z: memref<16xf32>, %y: memref<16xf32>):
    %init = tensor.empty() : tensor<16xf32>
    %q = "rtile.load"(%z) {origin = affine_map<() -> (0)>, tile = #rtile.tile<[16], "register", [1]>} : (memref<16xf32>) -> tensor<16xf32>
    %p = "rtile.load"(%x) {origin = affine_map<() -> (0)>, tile = #rtile.tile<[16], "register", [1]>} : (memref<16xf32>) -> tensor<16xf32>
    %s = "rtile.compute"(%q, %p, %init) ({
    ^bb0(%u: f32, %v: f32, %old: f32):
      %t = arith.addf %u, %v : f32
      "rtile.yield"(%t) : (f32) -> ()
    }) {operandSegmentSizes = array<i32: 2, 1, 0>, box = array<i64: 16>, bounds = array<i64: 16>,
        indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
        iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<() -> (0)>,
        threads = #rtile.threads<{axes = [[16, 1]], order = [0], lane = -1, unroll = 1}>}
      : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    "rtile.store"(%s, %y) {origin = affine_map<() -> (0)>, steps = array<i64: 1>} : (tensor<16xf32>, memref<16xf32>) -> ()
    "rtile.yield"() : () -> ()
  }) {sym_name = "add"} : (memref<16xf32>, memref<16xf32>, memref<16xf32>) -> ()
  return
}
