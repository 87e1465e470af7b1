// RUN: sed -n 's|^// FILE ||p' %s > %t.json
// RUN: roller-opt %s --rtile-construct='device=h200 plan-file=%t.json' --mlir-print-local-scope | FileCheck %s
// RUN: roller-opt %s --rtile-construct='device=h200 plan-file=%t.json' --rtile-expand --rtile-assign-buffers \
// RUN:   --rtile-lower-to-gpu=device=h200 --mlir-print-local-scope | FileCheck %s --check-prefix=KERNEL

// A reduction in 4 parts of 256 points, and what goes on with it: the second program has both, over the output's loop.
// FILE {"generic_0": {"device": "h200", "thread_order": [1], "lane": null, "unit_order": [0], "reduction_order": [1],
// FILE   "axes": [{"block": 10}, {"block": 128, "threads": 32, "chunk": 1}],
// FILE   "operands": [{"layer": "register", "order": [0, 1], "pad_value": 0.0}],
// FILE   "split": {"loop": 1, "parts": 4, "extent": 256, "joined": true, "join": {
// FILE     "device": "h200", "thread_order": [1], "lane": null, "unit_order": [0], "reduction_order": [1],
// FILE     "axes": [{"block": 10}, {"block": 32, "threads": 32}],
// FILE     "operands": [{"layer": "register", "order": [0, 1], "pad_value": 0.0}]}}}}

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[A:[^:]*]]: tensor<60x1000xf32>, %[[BIAS:[^:]*]]: tensor<60xf32>)
// CHECK: %[[PARTS:.*]] = "rtile.program"(%[[A]]) ({
// CHECK: part = {extent = 256 : i64, joined = true, loop = 1 : i64, parts = 4 : i64}
// CHECK-SAME: sym_name = "generic_0"}
// CHECK: %[[R:.*]] = "rtile.program"(%[[PARTS]], %[[BIAS]]) ({
// CHECK: ^bb0(%[[P:[^:]*]]: tensor<4x60xf32>, %[[B:[^:]*]]: tensor<60xf32>):
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>],
// CHECK-SAME: ins(%[[P]] : tensor<4x60xf32>)
// CHECK: %[[OUT:.*]] = linalg.generic
// CHECK-SAME: ins(%[[SUM]], %[[B]] : tensor<60xf32>, tensor<60xf32>)
// CHECK: "rtile.yield"(%[[OUT]])
// CHECK: {joined,
// CHECK-SAME: sym_name = "generic_0_join"}
// CHECK: return %[[R]]

// KERNEL: gpu.func @rows_generic_0(%[[V2:[^ ,:)]*]]: memref<60x1000xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
// KERNEL-SAME: %[[P:[^:]*]]: memref<4x60xf32> {llvm.align = 16 : i64},
// KERNEL-SAME: %[[BIAS:[^:]*]]: memref<60xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
// KERNEL-SAME: %[[OUT:[^:]*]]: memref<60xf32> {llvm.align = 16 : i64, llvm.writeonly},
// KERNEL-SAME: %[[COUNTERS:[^:]*]]: memref<6xi32> {llvm.align = 16 : i64})
// KERNEL: llvm.atomicrmw add
// KERNEL: %[[PART:.*]] = memref.load %[[P]]
// KERNEL: %[[ADDED:.*]] = memref.load %[[BIAS]]
// KERNEL: memref.store %[[V5:[^ ,:)]*]], %[[OUT]]
// KERNEL: func.func @rows
// KERNEL: gpu.launch_func @kernels::@rows_generic_0
// KERNEL-NOT: gpu.launch_func
func.func @rows(%a: tensor<60x1000xf32>, %bias: tensor<60xf32>) -> tensor<60xf32> {
  %r = "rtile.program"(%a, %bias) ({
  ^bb0(%x: tensor<60x1000xf32>, %y: tensor<60xf32>):
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<60xf32>
    %init = linalg.fill ins(%z : f32) outs(%e : tensor<60xf32>) -> tensor<60xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<60x1000xf32>) outs(%init : tensor<60xf32>) {
    ^bb1(%one: f32, %acc: f32):
      %t = arith.addf %acc, %one : f32
      linalg.yield %t : f32
    } -> tensor<60xf32>
    %o = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
      ins(%s, %y : tensor<60xf32>, tensor<60xf32>) outs(%e : tensor<60xf32>) {
    ^bb1(%sum: f32, %b: f32, %old: f32):
      %t = arith.addf %sum, %b : f32
      linalg.yield %t : f32
    } -> tensor<60xf32>
    "rtile.yield"(%o) : (tensor<60xf32>) -> ()
  }) {sym_name = "group"} : (tensor<60x1000xf32>, tensor<60xf32>) -> tensor<60xf32>
  return %r : tensor<60xf32>
}
