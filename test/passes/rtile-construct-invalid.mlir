// RUN: roller-opt %s --rtile-construct='device=h200' --verify-diagnostics --split-input-file

// A plan file that cannot be used is an error without a place in the source.
// RUN: echo '{"matmul_0": {"device": "h200", "stages": "two"}}' > %t.json
// RUN: not roller-opt %s --rtile-construct='device=h200 plan-file=%t.json' 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN: error: plan-file {{.*}}.json: matmul_0.axes: missing
// RUN: echo '[1]' > %t.list.json
// RUN: not roller-opt %s --rtile-construct='device=h200 plan-file=%t.list.json' 2>&1 | FileCheck %s --check-prefix=LIST
// LIST: error: plan-file {{.*}}.json: top level: expected an object, but got [1]
// RUN: not roller-opt %s --rtile-construct='device=h200 plan-file=%t.missing' 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: plan-file {{.*}}.missing: no such file or directory
// RUN: not roller-opt %s --rtile-construct='device=h200 plan-file=%t.json stages=1' 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: 'rtile-construct': plan-file holds whole plans and goes without other choices, but got stages

func.func @no_known_combiner(%a: tensor<8x16xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'linalg.generic' reduces without a known combiner}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<8x16xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %q = arith.subf %x, %acc : f32
    linalg.yield %q : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @runs_backwards(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'linalg.generic' runs through a tensor backwards}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (7 - i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
    ins(%a : tensor<8xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%x: f32, %acc: f32):
    linalg.yield %x : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @reads_its_index(%o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'linalg.generic' reads 'linalg.index'}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    outs(%o : tensor<8xf32>) {
  ^bb0(%acc: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %x = arith.sitofp %j : i32 to f32
    linalg.yield %x : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @scalar_argument(%s: f32, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'linalg.fill' operand 0 is a scalar that is no constant; pass it as a tensor}}
  %r = linalg.fill ins(%s : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @two_results(%a: tensor<8xf32>, %o: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-error@+1 {{'linalg.generic' has 2 results; programs have exactly 1}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
    ins(%a : tensor<8xf32>) outs(%o, %o : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%x: f32, %p: f32, %q: f32):
    linalg.yield %x, %x : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @division_in_a_map(%a: tensor<4xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{an index must be a sum of constant multiples of loops}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
    ins(%a : tensor<4xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%x: f32, %acc: f32):
    linalg.yield %x : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @larger_than_the_device(%a: tensor<1000000x1000000xf32>, %b: tensor<1000000x1000000xf32>, %o: tensor<1000000x1000000xf32>)
    -> tensor<1000000x1000000xf32> {
  // expected-error@+1 {{'linalg.matmul' needs 12000000000000 B of global memory, 'h200' has}}
  %r = linalg.matmul ins(%a, %b : tensor<1000000x1000000xf32>, tensor<1000000x1000000xf32>)
                     outs(%o : tensor<1000000x1000000xf32>) -> tensor<1000000x1000000xf32>
  return %r : tensor<1000000x1000000xf32>
}

// -----

func.func @dynamic(%a: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'linalg.copy' operand 0 has type tensor<?xf32>; shapes must be static}}
  %r = linalg.copy ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
