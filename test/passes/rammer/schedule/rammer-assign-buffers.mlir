// RUN: roller-opt %s --rammer-assign-buffers=device=h200 --rammer-verify=device=h200 --mlir-print-local-scope | FileCheck %s
// One block runs four operators in turn: the third result has the bytes of the first, which nobody reads any more.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[A:[a-z0-9]*]]: memref<64xf32> {{.*}}, %[[R:[a-z0-9]*]]: memref<64xf32> {{.*}}, %[[W:[a-z0-9]*]]: memref<512xi8>
// CHECK: %[[H0:.*]] = memref.view %[[W]][%[[O0:.*]]][] : memref<512xi8> to memref<64xf32>
// CHECK: %[[H1:.*]] = memref.view %[[W]][%[[O1:.*]]][] : memref<512xi8> to memref<64xf32>
// CHECK: %[[H2:.*]] = memref.view %[[W]][%[[O2:.*]]][] : memref<512xi8> to memref<64xf32>
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
func.func @main(%a: memref<64xf32> {rtile.role = "input"}, %r: memref<64xf32> {rtile.role = "output"}, %w: memref<768xi8> {rtile.role = "workspace"}) {
  %o0 = arith.constant 0 : index
  %h0 = memref.view %w[%o0][] : memref<768xi8> to memref<64xf32>
  %o1 = arith.constant 256 : index
  %h1 = memref.view %w[%o1][] : memref<768xi8> to memref<64xf32>
  %o2 = arith.constant 512 : index
  %h2 = memref.view %w[%o2][] : memref<768xi8> to memref<64xf32>
  "rammer.program"() ({
    "rammer.apply"(%a, %h0) {callee = @add} : (memref<64xf32>, memref<64xf32>) -> ()
    "rammer.apply"(%h0, %h1) {callee = @add} : (memref<64xf32>, memref<64xf32>) -> ()
    "rammer.apply"(%h1, %h2) {callee = @add} : (memref<64xf32>, memref<64xf32>) -> ()
    "rammer.apply"(%h2, %r) {callee = @add} : (memref<64xf32>, memref<64xf32>) -> ()
  }) {sym_name = "main",
      device = #rammer.device<{per_unit = 1, registers = 64, threads = 32, units = 1, workgroup_bytes = 96}>,
      schedule = #rammer.schedule<{counts = dense<> : tensor<0xi32>, signals = dense<-1> : tensor<8xi32>, starts = dense<[0, 8]> : tensor<2xi32>, tasks = dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>,
                                  wait_starts = dense<0> : tensor<9xi32>, waits = dense<> : tensor<0xi32>}>} : () -> ()
  return
}
