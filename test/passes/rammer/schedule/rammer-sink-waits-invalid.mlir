// RUN: not roller-opt %s --rammer-sink-waits 2>&1 | FileCheck %s
// RUN: roller-opt %s --rammer-schedule='device=h200 policy=round-robin blocks=2' --rammer-verify=device=h200 --verify-diagnostics
// Without a device no times are known. What is sunk too far by hand, the proof refuses.
// CHECK: error: 'rammer-sink-waits': device must name a device, but got ''

"rammer.operator"() ({
^bb0(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<64xf32>):
  "rtile.program"(%a, %b, %c) ({
  ^bb0(%x: memref<64xf32>, %w: memref<64xf32>, %y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %init = tensor.empty() : tensor<32xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * -32 + 32)>, tile = #rtile.tile<[32], "register", [1]>} : (memref<64xf32>, index) -> tensor<32xf32>
      %q = "rtile.load"(%w, %i) {origin = affine_map<(d0) -> (d0 * 32)>, tile = #rtile.tile<[32], "register", [1]>} : (memref<64xf32>, index) -> tensor<32xf32>
      %s = "rtile.compute"(%p, %q, %init, %i) ({
      ^bb0(%u: f32, %v: f32, %old: f32):
        %t = arith.addf %u, %v : f32
        "rtile.yield"(%t) : (f32) -> ()
      }) {operandSegmentSizes = array<i32: 2, 1, 1>, box = array<i64: 32>, bounds = array<i64: 64>,
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * 32)>,
          threads = #rtile.threads<{axes = [[32, 1]], order = [0], lane = -1, unroll = 1}>}
        : (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, index) -> tensor<32xf32>
      "rtile.store"(%s, %y, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>} : (tensor<32xf32>, memref<64xf32>, index) -> ()
    } {rtile.mapping = "unit"}
    "rtile.yield"() : () -> ()
  }) {sym_name = "add"} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
}) {early = array<i64: 0, 1>, sym_name = "add"} : () -> ()
func.func @main(%a: memref<64xf32> {rtile.role = "input"}, %v: memref<64xf32> {rtile.role = "input"}, %r: memref<64xf32> {rtile.role = "output"}, %w: memref<256xi8> {rtile.role = "workspace"}) {
  %z = arith.constant 0 : index
  %h = memref.view %w[%z][] : memref<256xi8> to memref<64xf32>
  "rammer.program"() ({
    "rammer.apply"(%a, %v, %h) {callee = @add} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
    // expected-error@+1 {{'rammer.program' 'main': task 0 of 'add (1)' (vEU 0, position 1) may read before its waits are over, and so before task 1 of 'add (0)' (vEU 1, position 0) is done, which writes the same bytes: sink its waits less far (and 1 more)}}
    "rammer.apply"(%h, %v, %r) {callee = @add} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  }) {sym_name = "main"} : () -> ()
  return
}
