// RUN: sed -n 's|^// FILE ||p' %s > %t.json
// RUN: roller-opt %s --rtile-construct='device=h200 plan-file=%t.json' --mlir-print-local-scope | FileCheck %s

// A plan file with a reduction in 4 parts of 256 points, the last of which has 232.
// FILE {"generic_0": {"device": "h200", "thread_order": [1], "lane": 1, "unit_order": [0], "reduction_order": [1],
// FILE   "axes": [{"block": 1}, {"block": 128, "threads": 32, "chunk": 4}],
// FILE   "operands": [{"layer": "register", "order": [0, 1], "vector": 4, "pad_value": 0.0}],
// FILE   "split": {"loop": 1, "parts": 4, "extent": 256, "join": {
// FILE     "device": "h200", "thread_order": [0], "lane": null, "unit_order": [0], "reduction_order": [1],
// FILE     "axes": [{"block": 32, "threads": 32}, {"block": 1}],
// FILE     "operands": [{"layer": "register", "order": [0, 1], "pad_value": 0.0}]}}}}

// The parts start from nothing and read 0 behind the end of the tensor, which is not copied for that.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: (%[[A:.*]]: tensor<6x10x1000xf32>, %[[C:.*]]: tensor<6x10xf32>)
func.func @rows(%a: tensor<6x10x1000xf32>, %c: tensor<6x10xf32>) -> tensor<6x10xf32> {
  // CHECK-DAG: %[[FLAT:.*]] = tensor.collapse_shape %[[A]]
  // CHECK-DAG: %[[INIT:.*]] = tensor.collapse_shape %[[C]]
  %flat = tensor.collapse_shape %a [[0, 1], [2]] : tensor<6x10x1000xf32> into tensor<60x1000xf32>
  %init = tensor.collapse_shape %c [[0, 1]] : tensor<6x10xf32> into tensor<60xf32>
  // CHECK: %[[PARTS:.*]] = "rtile.program"(%[[FLAT]]) ({
  // CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<60x1000xf32>):
  // CHECK: %[[PAD:.*]] = tensor.pad %[[X]] low[0, 0] high[0, 24]
  // CHECK: %[[POINTS:.*]] = tensor.empty() : tensor<256xf32>
  // CHECK: %[[START:.*]] = linalg.fill {{.*}} -> tensor<4x60xf32>
  // CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0 * 256 + d2)>,
  // CHECK-SAME: affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
  // CHECK-SAME: ins(%[[PAD]], %[[POINTS]] : {{.*}}) outs(%[[START]] : tensor<4x60xf32>)
  // CHECK: part = {extent = 256 : i64, joined = false, loop = 1 : i64, parts = 4 : i64}
  // CHECK-SAME: sym_name = "generic_0"}
  // The second stage goes on with what the op began with.
  // CHECK: %[[R:.*]] = "rtile.program"(%[[PARTS]], %[[INIT]]) ({
  // CHECK-NEXT: ^bb0(%[[P:.*]]: tensor<4x60xf32>, %[[I:.*]]: tensor<60xf32>):
  // CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>],
  // CHECK-SAME: ins(%[[P]] : tensor<4x60xf32>) outs(%[[I]] : tensor<60xf32>)
  // CHECK: sym_name = "generic_0_join"}
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%flat : tensor<60x1000xf32>) outs(%init : tensor<60xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %acc, %x : f32
    linalg.yield %s : f32
  } -> tensor<60xf32>
  // CHECK: tensor.expand_shape %[[R]]
  %e = tensor.expand_shape %r [[0, 1]] output_shape [6, 10] : tensor<60xf32> into tensor<6x10xf32>
  return %e : tensor<6x10xf32>
}
