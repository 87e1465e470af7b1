// RUN: roller-opt %s --rtile-lower-to-gpu=device=h200 --mlir-print-local-scope | FileCheck %s

// 16 threads add a constant to 30 elements in two tasks: the second one's last two threads are masked.
// CHECK: gpu.module @kernels
// CHECK: gpu.func @main_add(%[[A:.*]]: memref<30xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
// CHECK-SAME: %[[R:.*]]: memref<30xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.writeonly}) kernel
// CHECK-SAME: known_block_size = array<i32: 16, 1, 1>
// CHECK-DAG: %[[T:.*]] = gpu.thread_id x
// CHECK-DAG: %[[B:.*]] = gpu.block_id x
// CHECK: %[[O:.*]] = arith.muli %[[B]], %c16
// CHECK: %[[I:.*]] = arith.addi %[[O]], %[[T]]
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[I]], %c30
// CHECK: %[[X:.*]] = scf.if %[[IN]] -> (f32) {
// CHECK: memref.load %[[A]][%[[I]]] {rtile.site = "global load arg0"}
// CHECK: %[[S:.*]] = arith.addf %[[X]], %[[ONE:.*]] fastmath<contract> : f32
// CHECK: scf.if %[[IN]] {
// CHECK: memref.store %[[S]], %[[R]][%[[I]]] {rtile.site = "global store arg1"}
// CHECK: gpu.return
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X0:.*]]: memref<30xf32>, %[[X1:.*]]: memref<30xf32>)
func.func @main(%a: memref<30xf32>, %r: memref<30xf32>) {
  // CHECK: gpu.launch_func @kernels::@main_add blocks in (%c2{{.*}}, %c1{{.*}}, %c1{{.*}}) threads in (%c16{{.*}}, %c1{{.*}}, %c1{{.*}}) args(%[[X0]] : memref<30xf32>, %[[X1]] : memref<30xf32>)
  "rtile.program"(%a, %r) ({
  ^bb0(%x: memref<30xf32>, %y: memref<30xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %init = tensor.empty() : tensor<16xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * 16)>, tile = #rtile.tile<[16], "register", [1]>} : (memref<30xf32>, index) -> tensor<16xf32>
      %s = "rtile.compute"(%p, %init, %i) ({
      ^bb0(%u: f32, %old: f32):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %u, %one : f32
        "rtile.yield"(%t) : (f32) -> ()
      }) {operandSegmentSizes = array<i32: 1, 1, 1>, box = array<i64: 16>, bounds = array<i64: 30>,
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * 16)>,
          threads = #rtile.threads<{axes = [[16, 1]], order = [0], lane = -1, unroll = 1}>}
        : (tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
      "rtile.store"(%s, %y, %i) {origin = affine_map<(d0) -> (d0 * 16)>, steps = array<i64: 1>} : (tensor<16xf32>, memref<30xf32>, index) -> ()
    } {rtile.mapping = "unit"}
    "rtile.yield"() : () -> ()
  }) {sym_name = "add"} : (memref<30xf32>, memref<30xf32>) -> ()
  return
}
