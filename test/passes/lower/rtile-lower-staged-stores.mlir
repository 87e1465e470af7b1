// RUN: sed -n 's|^// FILE ||p' %s > %t.json
// RUN: roller-opt %s --rtile-construct='device=h200 plan-file=%t.json' --rtile-expand --mlir-print-local-scope | FileCheck %s
// RUN: roller-opt %s --rtile-construct='device=h200 plan-file=%t.json' --rtile-expand --rtile-assign-buffers \
// RUN:   --rtile-lower-to-gpu=device=h200 --mlir-print-local-scope | FileCheck %s --check-prefix=KERNEL
// RUN: not roller-opt %s --rtile-construct='device=h200 plan-file=%t.json' --rtile-expand --rtile-assign-buffers \
// RUN:   --rammer-form-graph 2>&1 | FileCheck %s --check-prefix=GRAPH

// Neighbouring threads have neighbouring rows, 9 elements apart in the buffer so that no two write to one bank; then each
// stores 4 columns of a row.
// FILE {"generic_0": {"device": "h200", "thread_order": [0], "lane": null, "unit_order": [0, 1], "reduction_order": [],
// FILE   "axes": [{"block": 32, "threads": 32}, {"block": 8, "chunk": 8}], "store": "staged",
// FILE   "operands": [{"layer": "register", "order": [0, 1]}]}}

// CHECK-LABEL: func.func @negated
// CHECK: %[[TILE:.*]] = "rtile.compute"
// CHECK: "rtile.store"(%[[TILE]], {{.*}}) {copy = "staged", origin = affine_map<(d0, d1) -> (d0 * 32, d1 * 8)>

// KERNEL: gpu.func @negated_generic_0(%[[IN:[^ ,:)]*]]: memref<64x16xf32> {{.*}}%[[OUT:[^ ,:)]*]]: memref<64x16xf32>
// KERNEL: memref.view {{.*}} to memref<287xf32, #gpu.address_space<workgroup>>
// KERNEL: memref.store {{.*}} {rtile.site = "workgroup store results"}
// KERNEL: gpu.barrier
// KERNEL: memref.load {{.*}} {rtile.site = "workgroup load results"}
// KERNEL: memref.store {{.*}}, %[[OUT]]{{.*}} {rtile.site = "global store arg1"}

// GRAPH: error: 'rtile.program' 'generic_0' stores through workgroup memory, of which bodies of a graph have none for it; plan it so that threads store what they hold (staged-stores=false)
func.func @negated(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<64x16xf32>
  return %r : tensor<64x16xf32>
}
