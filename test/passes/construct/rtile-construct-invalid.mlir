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

func.func @part_of_a_chain(%a: tensor<8xf32>, %o: tensor<10xf32>) -> tensor<10xf32> {
  %c = arith.constant 1.0 : f32
  // expected-error@+1 {{'tensor.extract_slice' is padded, which needs a copy of it; run rtile-normalize first}}
  %s = tensor.extract_slice %a[1] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %p = tensor.pad %s low[3] high[3] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<4xf32> to tensor<10xf32>
  %r = linalg.negf ins(%p : tensor<10xf32>) outs(%o : tensor<10xf32>) -> tensor<10xf32>
  return %r : tensor<10xf32>
}

// -----

func.func @dropped_dimension(%a: tensor<3x8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'tensor.extract_slice' drops dimensions; run rtile-normalize first}}
  %s = tensor.extract_slice %a[1, 0] [1, 8] [1, 1] : tensor<3x8xf32> to tensor<8xf32>
  %r = linalg.negf ins(%s : tensor<8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @scalar_argument(%s: f32, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'linalg.fill' operand 0 is a scalar that is no constant; pass it as a tensor}}
  %r = linalg.fill ins(%s : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
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

// -----

func.func @no_share(%a: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{'rtile.units' must be array<i64: UNITS, SHARE>, 0 or more and 1 or more, but is 4 : i64}}
  %r = linalg.matmul {rtile.units = 4 : i64} ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

func.func @share_of_none(%a: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{'rtile.units' must be array<i64: UNITS, SHARE>, 0 or more and 1 or more, but is array<i64: 4, 0>}}
  %r = linalg.matmul {rtile.units = array<i64: 4, 0>} ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

func.func @no_tile(%a: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{'rtile.tile' must be array<i64: POINTS, ...>, 1 or more of each loop, but is array<i64: 8, 0, 8>}}
  %r = linalg.matmul {rtile.tile = array<i64: 8, 0, 8>} ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

func.func @tile_of_two_loops(%a: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{'linalg.matmul' tile-sizes=8,8 has 2 size(s), the 8x8x8 loop nest needs 3: one per loop}}
  %r = linalg.matmul {rtile.tile = array<i64: 8, 8>} ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
