// A record of a data base must be one line; here it stands in pieces.
// RUN: sed -n 's|^// FILE ||p' %s | tr -d '\n' > %t.jsonl
// RUN: roller-opt %s --rtile-construct='device=h200 tuning=%t.jsonl' --mlir-print-local-scope | FileCheck %s

// On another device, with other choices, or with another data base the plan is the model's own.
// RUN: roller-opt %s --rtile-construct='device=h100 tuning=%t.jsonl' | FileCheck %s --check-prefix=OWN
// RUN: roller-opt %s --rtile-construct='device=h200 tuning=%t.jsonl instructions=fma' | FileCheck %s --check-prefix=OWN
// RUN: true > %t.empty
// RUN: roller-opt %s --rtile-construct='device=h200 tuning=%t.empty' | FileCheck %s --check-prefix=OWN
// OWN-NOT: rtile.tuned

// FILE {"schema": 1, "key": "8c84e3576367904c092439c6b5814587", "device": "h200", "op": "a sum of rows",
// FILE  "measured_s": 2e-06, "p10_s": 2e-06, "p90_s": 2e-06, "samples": 9, "default_s": 3e-06, "rank": 1, "of": 4,
// FILE  "date": "2026-11-21", "machine": "a device of the tests", "plan": {"device": "h200",
// FILE   "axes": [{"block": 8, "threads": 8}, {"block": 64, "threads": 4, "chunk": 4}], "thread_order": [1, 0],
// FILE   "lane": 1, "unit_order": [0], "reduction_order": [1], "unroll": 8, "tasks_per_unit": 16,
// FILE   "operands": [{"layer": "register", "order": [0, 1], "vector": 4, "pad_value": 0.0}]}}

// The names of op and tensors are of no account.
// CHECK-LABEL: func.func @sum
func.func @sum(%a: tensor<16x64xf32>) -> tensor<16xf32> {
  // CHECK: "rtile.program"
  // CHECK: plan = #rtile.plan<{axes = [{block = 8 : i64, chunk = 1 : i64, threads = 8 : i64},
  // CHECK-SAME: {block = 64 : i64, chunk = 4 : i64, threads = 4 : i64}]
  // CHECK-SAME: prediction = {
  // CHECK-SAME: tasks_per_unit = 16
  // CHECK-SAME: rtile.tuned = "plan from {{.*}}.jsonl:1: 2 us measured 2026-11-21 on a device of the tests, model's own choice 3 us, rank 1 of 4"
  // CHECK-SAME: sym_name = "generic_0"
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<16x64xf32>) outs(%i : tensor<16xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %acc, %x : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// Another operator was not measured.
// CHECK-LABEL: func.func @maximum
// CHECK-NOT: rtile.tuned
func.func @maximum(%a: tensor<16x64xf32>) -> tensor<16xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<16xf32>
  %i = linalg.fill ins(%low : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<16x64xf32>) outs(%i : tensor<16xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.maximumf %acc, %x : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}
