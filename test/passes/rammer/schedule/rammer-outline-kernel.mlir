// RUN: roller-opt %s --rammer-outline-kernel=device=h200 --mlir-print-local-scope | FileCheck %s
// One kernel walks the records of each of two blocks; its state is an argument of the function.

// CHECK: gpu.func @main(%[[A:.*]]: memref<64xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
// CHECK-SAME: %[[W:.*]]: memref<256xi8> {llvm.align = 16 : i64}, %[[R:.*]]: memref<64xf32> {llvm.align = 16 : i64},
// CHECK-SAME: %[[RECORDS:.*]]: memref<40xi32> {{.*}}, %[[SPANS:.*]]: memref<4xi32> {{.*}}, %[[WAITS:.*]]: memref<68xi32> {{.*}}, %[[STATE:.*]]: memref<4xi32>
// CHECK: memref.load %[[SPANS]]
// CHECK: memref.load %[[RECORDS]]
// CHECK: rtile.site = "keep record"
// CHECK: memref.load %[[WAITS]]
// CHECK: scf.for
// CHECK: scf.while
// CHECK: llvm.load {{.*}} atomic syncscope("device") monotonic
// CHECK: llvm.fence syncscope("device") acquire
// CHECK: gpu.barrier
// CHECK: memref.load %[[RECORDS]]
// CHECK: scf.index_switch
// CHECK: memref.view %[[W]]
// CHECK: memref.load %[[WAITS]]
// CHECK: rtile.site = "keep record"
// CHECK: gpu.barrier
// CHECK: llvm.fence syncscope("device") release
// CHECK: llvm.atomicrmw add {{.*}} syncscope("device") monotonic
// CHECK: gpu.return
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[S:.*]]: memref<4xi32> {rtile.role = "state"})
// CHECK: gpu.launch_func @kernels::@main blocks in (%c2{{.*}}, %c1{{.*}}, %c1{{.*}}) threads in (%c32{{.*}}, %c1{{.*}}, %c1{{.*}})
// CHECK-SAME: {rtile.cooperative}
// CHECK-NOT: rammer
"rammer.operator"() ({
^bb0(%a: memref<64xf32>, %b: memref<64xf32>):
  "rtile.program"(%a, %b) ({
  ^bb0(%x: memref<64xf32>, %y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %init = tensor.empty() : tensor<32xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * 32)>, tile = #rtile.tile<[32], "register", [1]>} : (memref<64xf32>, index) -> tensor<32xf32>
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
  }) {sym_name = "add"} : (memref<64xf32>, memref<64xf32>) -> ()
}) {sym_name = "add"} : () -> ()
"rammer.operator"() ({
^bb0(%a: memref<64xf32>, %b: memref<64xf32>):
  "rtile.program"(%a, %b) ({
  ^bb0(%x: memref<64xf32>, %y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %init = tensor.empty() : tensor<32xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * -32 + 32)>, tile = #rtile.tile<[32], "register", [1]>} : (memref<64xf32>, index) -> tensor<32xf32>
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
  }) {sym_name = "turn"} : (memref<64xf32>, memref<64xf32>) -> ()
}) {sym_name = "turn"} : () -> ()
func.func @main(%a: memref<64xf32> {rtile.role = "input"}, %r: memref<64xf32> {rtile.role = "output"}, %w: memref<256xi8> {rtile.role = "workspace"}) {
  %z = arith.constant 0 : index
  %h = memref.view %w[%z][] : memref<256xi8> to memref<64xf32>
  "rammer.program"() ({
    "rammer.apply"(%a, %h) {callee = @add} : (memref<64xf32>, memref<64xf32>) -> ()
    "rammer.apply"(%h, %r) {callee = @turn} : (memref<64xf32>, memref<64xf32>) -> ()
  }) {sym_name = "main",
      device = #rammer.device<{per_unit = 1, registers = 64, threads = 32, units = 2, workgroup_bytes = 96}>,
      schedule = #rammer.schedule<{counts = dense<1> : tensor<2xi32>, signals = dense<[0, 1, -1, -1]> : tensor<4xi32>, starts = dense<[0, 2, 4]> : tensor<3xi32>, tasks = dense<[0, 2, 1, 3]> : tensor<4xi32>,
                                  wait_starts = dense<[0, 0, 0, 1, 2]> : tensor<5xi32>, waits = dense<[1, 0]> : tensor<2xi32>}>} : () -> ()
  return
}
