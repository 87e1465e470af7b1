// RUN: roller-opt %s --split-input-file --verify-diagnostics
// Every message about matrix instructions of the dialect's verifiers.

func.func @compute(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{'rtile.compute' op attribute 'instruction' must be #rtile.instruction<{...}>, but is "mma"}}
  %r = "rtile.compute"(%a, %b, %c) ({
  ^bb0(%p: f16, %q: f16, %o: f32):
    %x = arith.extf %p : f16 to f32
    %y = arith.extf %q : f16 to f32
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 0>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 8, 16>, bounds = array<i64: 16, 8, 16>, origin = affine_map<() -> (0, 0, 0)>,
      instruction = "mma",
      threads = #rtile.threads<{axes = [[8, 1, 8, 16], [4, 2, 4, 8], [1, 1]], order = [0, 1], lane = 1, unroll = 1, lane_order = [1, 0]}>}
      : (tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{'rtile.compute' op instruction.rows: expected one of the keys ['column', 'depth', 'family', 'row', 'shape'], but got 'rows'}}
  %r = "rtile.compute"(%a, %b, %c) ({
  ^bb0(%p: f16, %q: f16, %o: f32):
    %x = arith.extf %p : f16 to f32
    %y = arith.extf %q : f16 to f32
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 0>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 8, 16>, bounds = array<i64: 16, 8, 16>, origin = affine_map<() -> (0, 0, 0)>,
      instruction = #rtile.instruction<{family = "mma", shape = [16, 8, 16], rows = 0, column = 1, depth = 2}>,
      threads = #rtile.threads<{axes = [[8, 1, 8, 16], [4, 2, 4, 8], [1, 1]], order = [0, 1], lane = 1, unroll = 1, lane_order = [1, 0]}>}
      : (tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{'rtile.compute' op instruction.depth: missing}}
  %r = "rtile.compute"(%a, %b, %c) ({
  ^bb0(%p: f16, %q: f16, %o: f32):
    %x = arith.extf %p : f16 to f32
    %y = arith.extf %q : f16 to f32
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 0>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 8, 16>, bounds = array<i64: 16, 8, 16>, origin = affine_map<() -> (0, 0, 0)>,
      instruction = #rtile.instruction<{family = "mma", shape = [16, 8, 16], row = 0, column = 1}>,
      threads = #rtile.threads<{axes = [[8, 1, 8, 16], [4, 2, 4, 8], [1, 1]], order = [0, 1], lane = 1, unroll = 1, lane_order = [1, 0]}>}
      : (tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{'rtile.compute' op instruction.family: expected 'amx' or 'dot' or 'mfma' or 'mma' or 'wgmma' or 'wmma', but got 'fma'}}
  %r = "rtile.compute"(%a, %b, %c) ({
  ^bb0(%p: f16, %q: f16, %o: f32):
    %x = arith.extf %p : f16 to f32
    %y = arith.extf %q : f16 to f32
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 0>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 8, 16>, bounds = array<i64: 16, 8, 16>, origin = affine_map<() -> (0, 0, 0)>,
      instruction = #rtile.instruction<{family = "fma", shape = [16, 8, 16], row = 0, column = 1, depth = 2}>,
      threads = #rtile.threads<{axes = [[8, 1, 8, 16], [4, 2, 4, 8], [1, 1]], order = [0, 1], lane = 1, unroll = 1, lane_order = [1, 0]}>}
      : (tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{'rtile.compute' op instruction.shape: expected a list of 3, but got [16, 8]}}
  %r = "rtile.compute"(%a, %b, %c) ({
  ^bb0(%p: f16, %q: f16, %o: f32):
    %x = arith.extf %p : f16 to f32
    %y = arith.extf %q : f16 to f32
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 0>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 8, 16>, bounds = array<i64: 16, 8, 16>, origin = affine_map<() -> (0, 0, 0)>,
      instruction = #rtile.instruction<{family = "mma", shape = [16, 8], row = 0, column = 1, depth = 2}>,
      threads = #rtile.threads<{axes = [[8, 1, 8, 16], [4, 2, 4, 8], [1, 1]], order = [0, 1], lane = 1, unroll = 1, lane_order = [1, 0]}>}
      : (tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{'rtile.compute' op instruction must span 3 different loops, but spans [0, 0, 2]}}
  %r = "rtile.compute"(%a, %b, %c) ({
  ^bb0(%p: f16, %q: f16, %o: f32):
    %x = arith.extf %p : f16 to f32
    %y = arith.extf %q : f16 to f32
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 0>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 8, 16>, bounds = array<i64: 16, 8, 16>, origin = affine_map<() -> (0, 0, 0)>,
      instruction = #rtile.instruction<{family = "mma", shape = [16, 8, 16], row = 0, column = 0, depth = 2}>,
      threads = #rtile.threads<{axes = [[8, 1, 8, 16], [4, 2, 4, 8], [1, 1]], order = [0, 1], lane = 1, unroll = 1, lane_order = [1, 0]}>}
      : (tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{'rtile.compute' op instruction 'row' must be a parallel loop of the box, but is 2}}
  %r = "rtile.compute"(%a, %b, %c) ({
  ^bb0(%p: f16, %q: f16, %o: f32):
    %x = arith.extf %p : f16 to f32
    %y = arith.extf %q : f16 to f32
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 0>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 8, 16>, bounds = array<i64: 16, 8, 16>, origin = affine_map<() -> (0, 0, 0)>,
      instruction = #rtile.instruction<{family = "mma", shape = [16, 8, 16], row = 2, column = 1, depth = 0}>,
      threads = #rtile.threads<{axes = [[8, 1, 8, 16], [4, 2, 4, 8], [1, 1]], order = [0, 1], lane = 1, unroll = 1, lane_order = [1, 0]}>}
      : (tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{'rtile.compute' op instruction 'depth' must be a reduction loop of the box, but is 5}}
  %r = "rtile.compute"(%a, %b, %c) ({
  ^bb0(%p: f16, %q: f16, %o: f32):
    %x = arith.extf %p : f16 to f32
    %y = arith.extf %q : f16 to f32
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 0>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 8, 16>, bounds = array<i64: 16, 8, 16>, origin = affine_map<() -> (0, 0, 0)>,
      instruction = #rtile.instruction<{family = "mma", shape = [16, 8, 16], row = 0, column = 1, depth = 5}>,
      threads = #rtile.threads<{axes = [[8, 1, 8, 16], [4, 2, 4, 8], [1, 1]], order = [0, 1], lane = 1, unroll = 1, lane_order = [1, 0]}>}
      : (tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{'rtile.compute' op instruction needs threads whose 'lane_order' holds its rows and columns, 0 and 1, but it is []}}
  %r = "rtile.compute"(%a, %b, %c) ({
  ^bb0(%p: f16, %q: f16, %o: f32):
    %x = arith.extf %p : f16 to f32
    %y = arith.extf %q : f16 to f32
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 0>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 8, 16>, bounds = array<i64: 16, 8, 16>, origin = affine_map<() -> (0, 0, 0)>,
      instruction = #rtile.instruction<{family = "mma", shape = [16, 8, 16], row = 0, column = 1, depth = 2}>,
      threads = #rtile.threads<{axes = [[8, 1], [4, 2], [1, 1]], order = [0, 1], lane = 1}>}
      : (tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{'rtile.compute' op threads 'lane_order' must name the loops with lanes, [0, 1], but is [1]}}
  %r = "rtile.compute"(%a, %b, %c) ({
  ^bb0(%p: f16, %q: f16, %o: f32):
    %x = arith.extf %p : f16 to f32
    %y = arith.extf %q : f16 to f32
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 0>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 8, 16>, bounds = array<i64: 16, 8, 16>, origin = affine_map<() -> (0, 0, 0)>,
      instruction = #rtile.instruction<{family = "mma", shape = [16, 8, 16], row = 0, column = 1, depth = 2}>,
      threads = #rtile.threads<{axes = [[8, 1, 8, 16], [4, 2, 4, 8], [1, 1]], order = [0, 1], lane = 1, unroll = 1, lane_order = [1]}>}
      : (tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{'rtile.compute' op threads of loop 0: tile of 12 must be a multiple of 8 lanes x 1 elements}}
  %r = "rtile.compute"(%a, %b, %c) ({
  ^bb0(%p: f16, %q: f16, %o: f32):
    %x = arith.extf %p : f16 to f32
    %y = arith.extf %q : f16 to f32
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 0>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 8, 16>, bounds = array<i64: 16, 8, 16>, origin = affine_map<() -> (0, 0, 0)>,
      instruction = #rtile.instruction<{family = "mma", shape = [16, 8, 16], row = 0, column = 1, depth = 2}>,
      threads = #rtile.threads<{axes = [[8, 1, 8, 12], [4, 2, 4, 8], [1, 1]], order = [0, 1], lane = 1, unroll = 1, lane_order = [1, 0]}>}
      : (tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{'rtile.compute' op threads 'axes' must hold [threads, chunk] of at least 1, but loop 0 has [8, 1, 8]}}
  %r = "rtile.compute"(%a, %b, %c) ({
  ^bb0(%p: f16, %q: f16, %o: f32):
    %x = arith.extf %p : f16 to f32
    %y = arith.extf %q : f16 to f32
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 0>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 8, 16>, bounds = array<i64: 16, 8, 16>, origin = affine_map<() -> (0, 0, 0)>,
      instruction = #rtile.instruction<{family = "mma", shape = [16, 8, 16], row = 0, column = 1, depth = 2}>,
      threads = #rtile.threads<{axes = [[8, 1, 8], [4, 2, 4, 8], [1, 1]], order = [0, 1], lane = 1, unroll = 1, lane_order = [1, 0]}>}
      : (tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}
