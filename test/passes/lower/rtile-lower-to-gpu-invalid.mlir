// RUN: roller-opt %s --rtile-lower-to-gpu=device=h200 --verify-diagnostics --split-input-file

func.func @on_tensors(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'rtile.program' works on tensors; run rtile-assign-buffers first}}
  %0 = "rtile.program"(%a) ({
  ^bb0(%x: tensor<8xf32>):
    "rtile.yield"(%x) : (tensor<8xf32>) -> ()
  }) {sym_name = "p"} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @nothing_to_launch(%a: memref<8xf32>) {
  // expected-error@+1 {{'rtile.program' 'p' has no rtile.compute, so there is nothing to launch}}
  "rtile.program"(%a) ({
  ^bb0(%x: memref<8xf32>):
    "rtile.yield"() : () -> ()
  }) {sym_name = "p"} : (memref<8xf32>) -> ()
  return
}

// -----

func.func @too_many_threads(%a: memref<2048xf32>, %r: memref<2048xf32>) {
  // expected-error@+1 {{'rtile.program' 'p' needs 2048 threads in a block, h200 has 1024; lower the threads of rtile.compute}}
  "rtile.program"(%a, %r) ({
  ^bb0(%x: memref<2048xf32>, %y: memref<2048xf32>):
    %init = tensor.empty() : tensor<2048xf32>
    %p = "rtile.load"(%x) {origin = affine_map<() -> (0)>, tile = #rtile.tile<[2048], "register", [1]>} : (memref<2048xf32>) -> tensor<2048xf32>
    %s = "rtile.compute"(%p, %init) ({
    ^bb0(%u: f32, %old: f32):
      "rtile.yield"(%u) : (f32) -> ()
    }) {operandSegmentSizes = array<i32: 1, 1, 0>, box = array<i64: 2048>, bounds = array<i64: 2048>,
        indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
        iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<() -> (0)>,
        threads = #rtile.threads<{axes = [[2048, 1]], order = [0], lane = -1, unroll = 1}>}
      : (tensor<2048xf32>, tensor<2048xf32>) -> tensor<2048xf32>
    "rtile.store"(%s, %y) {origin = affine_map<() -> (0)>, steps = array<i64: 1>} : (tensor<2048xf32>, memref<2048xf32>) -> ()
    "rtile.yield"() : () -> ()
  }) {sym_name = "p"} : (memref<2048xf32>, memref<2048xf32>) -> ()
  return
}

// -----

func.func @too_much_workgroup_memory(%a: memref<512x512xf32>, %r: memref<512x512xf32>) {
  // expected-error@+1 {{'rtile.program' 'p' needs 1048576 B of workgroup memory, h200 has 232448 B; lower the tiles or rtile.stages}}
  "rtile.program"(%a, %r) ({
  ^bb0(%x: memref<512x512xf32>, %y: memref<512x512xf32>):
    %init = tensor.empty() : tensor<512x512xf32>
    %p = "rtile.load"(%x) {origin = affine_map<() -> (0, 0)>, tile = #rtile.tile<[512, 512], "workgroup", [1, 1]>,
      layout = #rtile.layout<{order = [0, 1]}>} : (memref<512x512xf32>) -> tensor<512x512xf32>
    %s = "rtile.compute"(%p, %init) ({
    ^bb0(%u: f32, %old: f32):
      "rtile.yield"(%u) : (f32) -> ()
    }) {operandSegmentSizes = array<i32: 1, 1, 0>, box = array<i64: 512, 512>, bounds = array<i64: 512, 512>,
        indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], origin = affine_map<() -> (0, 0)>,
        threads = #rtile.threads<{axes = [[32, 1], [32, 1]], order = [1, 0], lane = -1, unroll = 1}>}
      : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    "rtile.store"(%s, %y) {origin = affine_map<() -> (0, 0)>, steps = array<i64: 1, 1>} : (tensor<512x512xf32>, memref<512x512xf32>) -> ()
    "rtile.yield"() : () -> ()
  }) {sym_name = "p"} : (memref<512x512xf32>, memref<512x512xf32>) -> ()
  return
}

// -----

func.func @foreign_op(%a: memref<8xf32>, %r: memref<8xf32>) {
  "rtile.program"(%a, %r) ({
  ^bb0(%x: memref<8xf32>, %y: memref<8xf32>):
    %init = tensor.empty() : tensor<8xf32>
    %p = "rtile.load"(%x) {origin = affine_map<() -> (0)>, tile = #rtile.tile<[8], "register", [1]>} : (memref<8xf32>) -> tensor<8xf32>
    // expected-error@+1 {{'math.exp' cannot stand in a task; only rtile ops, reduction loops and constant tiles can}}
    %q = math.exp %p : tensor<8xf32>
    %s = "rtile.compute"(%p, %init) ({
    ^bb0(%u: f32, %old: f32):
      "rtile.yield"(%u) : (f32) -> ()
    }) {operandSegmentSizes = array<i32: 1, 1, 0>, box = array<i64: 8>, bounds = array<i64: 8>,
        indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
        iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<() -> (0)>,
        threads = #rtile.threads<{axes = [[8, 1]], order = [0], lane = -1, unroll = 1}>}
      : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    "rtile.store"(%s, %y) {origin = affine_map<() -> (0)>, steps = array<i64: 1>} : (tensor<8xf32>, memref<8xf32>) -> ()
    "rtile.yield"() : () -> ()
  }) {sym_name = "p"} : (memref<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// expected-error@+1 {{function 'memory' needs 200000000064 B of global memory for its arguments, results and workspace, h200 has 151397597184 B; split it}}
func.func @memory(%a: memref<8xf32>, %r: memref<8xf32>, %w: memref<200000000000xi8>) {
  "rtile.program"(%a, %r) ({
  ^bb0(%x: memref<8xf32>, %y: memref<8xf32>):
    %init = tensor.empty() : tensor<8xf32>
    %p = "rtile.load"(%x) {origin = affine_map<() -> (0)>, tile = #rtile.tile<[8], "register", [1]>} : (memref<8xf32>) -> tensor<8xf32>
    %s = "rtile.compute"(%p, %init) ({
    ^bb0(%u: f32, %old: f32):
      "rtile.yield"(%u) : (f32) -> ()
    }) {operandSegmentSizes = array<i32: 1, 1, 0>, box = array<i64: 8>, bounds = array<i64: 8>,
        indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
        iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<() -> (0)>,
        threads = #rtile.threads<{axes = [[8, 1]], order = [0], lane = -1, unroll = 1}>}
      : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    "rtile.store"(%s, %y) {origin = affine_map<() -> (0)>, steps = array<i64: 1>} : (tensor<8xf32>, memref<8xf32>) -> ()
    "rtile.yield"() : () -> ()
  }) {sym_name = "p"} : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
