// RUN: not roller-opt %s --rammer-keep-weights 2>&1 | FileCheck %s
// RUN: roller-opt %s --rammer-verify=device=h200 --verify-diagnostics
// RUN: sed -e 's/resident = array<i64: 1>/resident = array<i64: 0>/' %s | not roller-opt --rammer-verify=device=h200 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: sed -e 's/1, 1, 0, 0\]> : tensor<4xi32>/1, 1, 0]> : tensor<3xi32>/' %s | not roller-opt --rammer-verify=device=h200 2>&1 | FileCheck %s --check-prefix=FEWER
// RUN: sed -e 's/, fills = dense<.1, 1, 0, 0.> : tensor<4xi32>//' %s | not roller-opt --rammer-verify=device=h200 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed -e 's/d0 \* 32)>, tile/d0 * 32 - 1)>, tile/' %s | not roller-opt --rammer-verify=device=h200 2>&1 | FileCheck %s --check-prefix=FRONT
// Without a device no times are known. What a task finds in a slot that another slice was brought to, the proof refuses.
// CHECK: error: 'rammer-keep-weights': device must name a device, but got ''
// LATE: attribute 'resident' must name some of the early operands [1] in order, but is [0]
// FEWER: schedule 'fills' must say 0 or 1 of each of 4 slots
// NONE: schedule needs counts, signals, starts, tasks, wait_starts, waits, fills, slots, but has
// FRONT: 'rtile.program' 'add' cannot keep what is resident: operand 1 is read in parts that are no box of rows one behind the other

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
}) {early = array<i64: 1>, resident = array<i64: 1>, sym_name = "add"} : () -> ()
func.func @main(%a: memref<64xf32> {rtile.role = "input"}, %v: memref<64xf32> {rtile.role = "input"}, %r: memref<64xf32> {rtile.role = "output"}, %w: memref<256xi8> {rtile.role = "workspace"}) {
  %z = arith.constant 0 : index
  %h = memref.view %w[%z][] : memref<256xi8> to memref<64xf32>
  "rammer.program"() ({
    "rammer.apply"(%a, %v, %h) {callee = @add} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
    // expected-error@+1 {{'rammer.program' 'main': task 0 of 'add (1)' (vEU 0, position 2) reads a slice at byte 128 of workgroup memory, where task 1 of 'add (0)' (vEU 0, position 1) has brought another}}
    "rammer.apply"(%h, %v, %r) {callee = @add} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  }) {sym_name = "main",
      device = #rammer.device<{per_unit = 1 : i64, registers = 64 : i64, threads = 32 : i64, units = 1 : i64, workgroup_bytes = 352 : i64}>,
      schedule = #rammer.schedule<{counts = dense<> : tensor<0xi32>, tasks = dense<[0, 1, 2, 3]> : tensor<4xi32>, starts = dense<[0, 4]> : tensor<2xi32>, waits = dense<> : tensor<0xi32>, wait_starts = dense<0> : tensor<5xi32>,
        signals = dense<-1> : tensor<4xi32>, slots = dense<[0, 8, 8, 8]> : tensor<4xi32>, fills = dense<[1, 1, 0, 0]> : tensor<4xi32>}>} : () -> ()
  return
}
