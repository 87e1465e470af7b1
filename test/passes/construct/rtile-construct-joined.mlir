// RUN: sed -n 's|^// FILE ||p' %s > %t.json
// RUN: roller-opt %s --rtile-construct='device=h200 plan-file=%t.json' --mlir-print-local-scope | FileCheck %s
// RUN: roller-opt %s --rtile-construct='device=h200 plan-file=%t.json' --rtile-expand --rtile-assign-buffers \
// RUN:   --rtile-lower-to-gpu=device=h200 --mlir-print-local-scope | FileCheck %s --check-prefix=KERNEL

// A reduction in 4 parts of 256 points, which the block of each tile of 10 rows that ends last joins.
// FILE {"generic_0": {"device": "h200", "thread_order": [1], "lane": null, "unit_order": [0], "reduction_order": [1],
// FILE   "axes": [{"block": 10}, {"block": 128, "threads": 32, "chunk": 1}],
// FILE   "operands": [{"layer": "register", "order": [0, 1], "pad_value": 0.0}],
// FILE   "split": {"loop": 1, "parts": 4, "extent": 256, "joined": true, "join": {
// FILE     "device": "h200", "thread_order": [1], "lane": null, "unit_order": [0], "reduction_order": [1],
// FILE     "axes": [{"block": 10}, {"block": 32, "threads": 32}],
// FILE     "operands": [{"layer": "register", "order": [0, 1], "pad_value": 0.0}]}}}}

// The second program keeps the loops of the result, and no kernel is made of it.
// CHECK-LABEL: func.func @rows
// CHECK: %[[PARTS:.*]] = "rtile.program"(%[[V1:[^ ,:)]*]]) ({
// CHECK: part = {extent = 256 : i64, joined = true, loop = 1 : i64, parts = 4 : i64}
// CHECK-SAME: sym_name = "generic_0"}
// CHECK: %[[R:.*]] = "rtile.program"(%[[PARTS]]) ({
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>],
// CHECK: {joined,
// CHECK-SAME: sym_name = "generic_0_join"}
// CHECK: return %[[R]]

// KERNEL: gpu.func @rows_generic_0(%[[V2:[^ ,:)]*]]: memref<60x1000xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
// KERNEL-SAME: %[[P:[^:]*]]: memref<4x60xf32> {llvm.align = 16 : i64}, %[[OUT:[^:]*]]: memref<60xf32> {llvm.align = 16 : i64, llvm.writeonly},
// KERNEL-SAME: %[[COUNTERS:[^:]*]]: memref<6xi32> {llvm.align = 16 : i64})
// KERNEL: memref.store %[[V3:[^ ,:)]*]], %[[P]]
// KERNEL-NOT: llvm.fence
// KERNEL: gpu.barrier
// KERNEL: scf.if
// KERNEL: llvm.fence syncscope("device") release
// KERNEL: memref.extract_aligned_pointer_as_index %[[COUNTERS]]
// KERNEL: %[[BEFORE:.*]] = llvm.atomicrmw add
// KERNEL: %[[LAST:.*]] = arith.cmpi eq, %[[BEFORE]], %[[LEFT:[^ ]*]]
// KERNEL: scf.if %[[LAST]] {
// KERNEL: llvm.fence syncscope("device") acquire
// KERNEL: llvm.store %[[ZERO:[^ ]*]], %[[V4:[^ ,:)]*]] atomic syncscope("device") monotonic
// KERNEL: gpu.barrier
// KERNEL: scf.if
// KERNEL: memref.load %[[P]]
// KERNEL: memref.store %[[V5:[^ ,:)]*]], %[[OUT]]
// KERNEL: func.func @rows
// KERNEL-SAME: %[[STATE:[^:]*]]: memref<6xi32> {rtile.role = "state"}
// KERNEL: gpu.launch_func @kernels::@rows_generic_0
// KERNEL-SAME: %[[STATE]] : memref<6xi32>
// KERNEL-NOT: gpu.launch_func
func.func @rows(%a: tensor<60x1000xf32>) -> tensor<60xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<60xf32>
  %init = linalg.fill ins(%z : f32) outs(%e : tensor<60xf32>) -> tensor<60xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<60x1000xf32>) outs(%init : tensor<60xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %acc, %x : f32
    linalg.yield %s : f32
  } -> tensor<60xf32>
  return %r : tensor<60xf32>
}
