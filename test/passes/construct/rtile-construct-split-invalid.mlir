// RUN: sed -n 's|^// FILE ||p' %s > %t.json
// RUN: roller-opt %s --rtile-construct='device=h200 plan-file=%t.json' --verify-diagnostics --split-input-file

// The stages of a plan file need each other.
// RUN: sed 's|"split"|"part"|;s|, "join".*|}}}|' %t.json > %t.part.json
// RUN: not roller-opt %s --rtile-construct='device=h200 plan-file=%t.part.json' 2>&1 | FileCheck %s --check-prefix=PART
// PART: error: plan-file {{.*}}.json: generic_0: a plan with 'part' needs the second stage 'generic_0_join'
// RUN: sed 's|"generic_0"|"generic_0_join"|' %t.json > %t.join.json
// RUN: not roller-opt %s --rtile-construct='device=h200 plan-file=%t.join.json' 2>&1 | FileCheck %s --check-prefix=JOIN
// JOIN: error: plan-file {{.*}}.json: generic_0_join: a second stage needs a plan 'generic_0' with 'part'

// FILE {"generic_0": {"device": "h200", "thread_order": [1], "lane": 1, "unit_order": [0], "reduction_order": [1],
// FILE   "axes": [{"block": 1}, {"block": 128, "threads": 32, "chunk": 4}],
// FILE   "operands": [{"layer": "register", "order": [0, 1], "vector": 4, "pad_value": 0.0}],
// FILE   "split": {"loop": 1, "parts": 4, "extent": 256, "join": {"device": "h200", "thread_order": [0], "lane": null, "unit_order": [0], "reduction_order": [1], "axes": [{"block": 32, "threads": 32}, {"block": 1}], "operands": [{"layer": "register", "order": [0, 1], "pad_value": 0.0}]}}}}

func.func @other_extent(%a: tensor<60x1030xf32>, %o: tensor<60xf32>) -> tensor<60xf32> {
  // expected-error@+1 {{'linalg.generic' cannot divide loop d1 of 1030 points into 4 parts of 256; there must be 2 parts or more that cover the loop, and none be empty}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<60x1030xf32>) outs(%o : tensor<60xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %acc, %x : f32
    linalg.yield %s : f32
  } -> tensor<60xf32>
  return %r : tensor<60xf32>
}

// -----

func.func @an_empty_part(%a: tensor<60x700xf32>, %o: tensor<60xf32>) -> tensor<60xf32> {
  // expected-error@+1 {{'linalg.generic' cannot divide loop d1 of 700 points into 4 parts of 256}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<60x700xf32>) outs(%o : tensor<60xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %acc, %x : f32
    linalg.yield %s : f32
  } -> tensor<60xf32>
  return %r : tensor<60xf32>
}

// -----

func.func @nothing_reduced(%a: tensor<60x1000xf32>, %o: tensor<60x1000xf32>) -> tensor<60x1000xf32> {
  // expected-error@+1 {{'linalg.generic' cannot divide loop d1 over tasks; loops that can be: none}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>],
                       iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<60x1000xf32>) outs(%o : tensor<60x1000xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  } -> tensor<60x1000xf32>
  return %r : tensor<60x1000xf32>
}

// -----

func.func @a_window(%a: tensor<1059xf32>, %w: tensor<1000xf32>, %o: tensor<60xf32>) -> tensor<60xf32> {
  // expected-error@+1 {{'linalg.generic' cannot divide loop d1 over tasks; loops that can be: none}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%a, %w : tensor<1059xf32>, tensor<1000xf32>) outs(%o : tensor<60xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<60xf32>
  return %r : tensor<60xf32>
}

// -----

func.func @no_neutral_pad(%a: tensor<60x1000xf32>, %o: tensor<60xf32>) -> tensor<60xf32> {
  // expected-error@+1 {{'linalg.generic' can divide loop d1 of 1000 points into equal parts only: no value outside of its inputs is known to contribute nothing; choose parts of a size that divides 1000}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<60x1000xf32>) outs(%o : tensor<60xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %e = math.exp %x : f32
    %s = arith.addf %acc, %e : f32
    linalg.yield %s : f32
  } -> tensor<60xf32>
  return %r : tensor<60xf32>
}

// -----

func.func @elements_behind_the_end(%a: tensor<60x2001xf32>, %w: tensor<1000xf32>, %o: tensor<60xf32>) -> tensor<60xf32> {
  // expected-error@+1 {{'linalg.generic' can divide loop d1 of 1000 points into equal parts only: input 'arg0' has elements behind the loop's end}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k * 2)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%a, %w : tensor<60x2001xf32>, tensor<1000xf32>) outs(%o : tensor<60xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<60xf32>
  return %r : tensor<60xf32>
}

// -----

func.func @another_rank(%a: tensor<2x30x1000xf32>, %o: tensor<2x30xf32>) -> tensor<2x30xf32> {
  // expected-error@+1 {{'linalg.generic' cannot divide loop d1 over tasks; loops that can be: d2}}
  %r = linalg.generic {indexing_maps = [affine_map<(h, i, k) -> (h, i, k)>, affine_map<(h, i, k) -> (h, i)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a : tensor<2x30x1000xf32>) outs(%o : tensor<2x30xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %acc, %x : f32
    linalg.yield %s : f32
  } -> tensor<2x30xf32>
  return %r : tensor<2x30xf32>
}

// -----

func.func @a_part_of_the_output(%a: tensor<60x1000xf32>, %o: tensor<60x2xf32>) -> tensor<60x2xf32> {
  // expected-error@+1 {{'linalg.generic' cannot divide loop d1 over tasks; loops that can be: none}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, 0)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<60x1000xf32>) outs(%o : tensor<60x2xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %acc, %x : f32
    linalg.yield %s : f32
  } -> tensor<60x2xf32>
  return %r : tensor<60x2xf32>
}
