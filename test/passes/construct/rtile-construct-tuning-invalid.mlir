// A plan that does not fit any more: the record stands in pieces, as in rtile-construct-tuning.mlir.
// RUN: sed -n 's|^// FILE ||p' %s | tr -d '\n' > %t.jsonl
// RUN: roller-opt %s --rtile-construct='device=h200 tuning=%t.jsonl' --verify-diagnostics --split-input-file

// RUN: sed 's|"instruction": "fma"|"instruction": "packed_fma"|; s|"block": 8, "threads": 4|"block": 4, "threads": 4|' %t.jsonl > %t.packed.jsonl
// RUN: not roller-opt %s --rtile-construct='device=h200 tuning=%t.packed.jsonl' 2>&1 | FileCheck %s --check-prefix=PACKED
// PACKED: error: 'linalg.generic' has a plan with instruction 'packed_fma', which is not among those that may be used; the plan is from {{.*}}.packed.jsonl:1; delete that line, or leave out tuning
// RUN: sed 's|"max_units": null|"max_units": 8|' %t.jsonl > %t.units.jsonl
// RUN: not roller-opt %s --rtile-construct='device=h200 tuning=%t.units.jsonl' 2>&1 | FileCheck %s --check-prefix=UNITS
// UNITS: error: 'linalg.generic' has a plan for 8 units, but all units were asked for; the plan is from

// Data bases that cannot be read, and what goes without one.
// RUN: not roller-opt %s --rtile-construct='device=h200 tuning=%t.missing' 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: tuning {{.*}}.missing: no such file or directory
// RUN: echo '{"schema": 1, "key": 3}' > %t.key.jsonl
// RUN: not roller-opt %s --rtile-construct='device=h200 tuning=%t.key.jsonl' 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: error: tuning {{.*}}.key.jsonl:1:15: key: expected a string, but got 3; correct the line or delete it
// RUN: not roller-opt %s --rtile-construct='device=h200 tuning=%t.jsonl stages=1' 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: 'rtile-construct': tuning holds whole plans and goes without a user schedule, but got stages

// FILE {"schema": 1, "key": "8c84e3576367904c092439c6b5814587", "device": "h200", "op": "a sum of rows",
// FILE  "measured_s": 2e-06, "p10_s": 2e-06, "p90_s": 2e-06, "samples": 9, "default_s": 3e-06, "rank": 1, "of": 4,
// FILE  "date": "2026-11-21", "machine": "a device of the tests", "plan": {"device": "h200", "instruction": "fma",
// FILE   "axes": [{"block": 8, "threads": 4}, {"block": 64, "threads": 4, "chunk": 4}], "thread_order": [1],
// FILE   "lane": 1, "unit_order": [0], "reduction_order": [1], "unroll": 8, "tasks_per_unit": 16, "max_units": null,
// FILE   "operands": [{"layer": "register", "order": [0, 1], "vector": 4, "pad_value": 0.0}]}}

func.func @sum(%a: tensor<16x64xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  // expected-error@+1 {{'linalg.generic' cannot take its plan: order must name each loop with threads once ([0, 1]), but got [1]; the plan is from}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<16x64xf32>) outs(%i : tensor<16xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %acc, %x : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}
