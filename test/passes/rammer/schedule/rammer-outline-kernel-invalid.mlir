// RUN: roller-opt %s --rammer-outline-kernel=device=h200 --verify-diagnostics --split-input-file

"rammer.operator"() ({
^bb0(%a: memref<64xf32>, %b: memref<64xf32>):
  "rtile.program"(%a, %b) ({
  ^bb0(%x: memref<64xf32>, %y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %init = tensor.empty() : tensor<32xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * 32)>, tile = #rtile.tile<[32], "register", [1]>} : (memref<64xf32>, index) -> tensor<32xf32>
      %s = "rtile.compute"(%p, %init, %i) ({
      ^bb0(%u: f32, %old: f32):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %u, %one : f32
        "rtile.yield"(%t) : (f32) -> ()
      }) {operandSegmentSizes = array<i32: 1, 1, 1>, box = array<i64: 32>, bounds = array<i64: 64>,
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * 32)>,
          threads = #rtile.threads<{axes = [[32, 1]], order = [0], lane = -1, unroll = 1}>}
        : (tensor<32xf32>, tensor<32xf32>, index) -> tensor<32xf32>
      "rtile.store"(%s, %y, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>} : (tensor<32xf32>, memref<64xf32>, index) -> ()
    } {rtile.mapping = "unit"}
    "rtile.yield"() : () -> ()
  }) {sym_name = "add"} : (memref<64xf32>, memref<64xf32>) -> ()
}) {sym_name = "add"} : () -> ()
"rammer.operator"() ({
^bb0(%a: memref<64xf32>, %b: memref<64xf32>):
  "rtile.program"(%a, %b) ({
  ^bb0(%x: memref<64xf32>, %y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %init = tensor.empty() : tensor<32xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * -32 + 32)>, tile = #rtile.tile<[32], "register", [1]>} : (memref<64xf32>, index) -> tensor<32xf32>
      %s = "rtile.compute"(%p, %init, %i) ({
      ^bb0(%u: f32, %old: f32):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %u, %one : f32
        "rtile.yield"(%t) : (f32) -> ()
      }) {operandSegmentSizes = array<i32: 1, 1, 1>, box = array<i64: 32>, bounds = array<i64: 64>,
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * 32)>,
          threads = #rtile.threads<{axes = [[32, 1]], order = [0], lane = -1, unroll = 1}>}
        : (tensor<32xf32>, tensor<32xf32>, index) -> tensor<32xf32>
      "rtile.store"(%s, %y, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>} : (tensor<32xf32>, memref<64xf32>, index) -> ()
    } {rtile.mapping = "unit"}
    "rtile.yield"() : () -> ()
  }) {sym_name = "turn"} : (memref<64xf32>, memref<64xf32>) -> ()
}) {sym_name = "turn"} : () -> ()
func.func @main(%a: memref<64xf32> {rtile.role = "input"}, %r: memref<64xf32> {rtile.role = "output"}, %w: memref<256xi8> {rtile.role = "workspace"}) {
  %z = arith.constant 0 : index
  %h = memref.view %w[%z][] : memref<256xi8> to memref<64xf32>
    // expected-error@+1 {{'rammer.program' 'main' has no schedule; run rammer-schedule first}}
  "rammer.program"() ({
    "rammer.apply"(%a, %h) {callee = @add} : (memref<64xf32>, memref<64xf32>) -> ()
    "rammer.apply"(%h, %r) {callee = @turn} : (memref<64xf32>, memref<64xf32>) -> ()
  }) {sym_name = "main"} : () -> ()
  return
}

// -----

"rammer.operator"() ({
^bb0(%a: memref<64xf32>, %b: memref<64xf32>):
  "rtile.program"(%a, %b) ({
  ^bb0(%x: memref<64xf32>, %y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %init = tensor.empty() : tensor<32xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * 32)>, tile = #rtile.tile<[32], "register", [1]>} : (memref<64xf32>, index) -> tensor<32xf32>
      %s = "rtile.compute"(%p, %init, %i) ({
      ^bb0(%u: f32, %old: f32):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %u, %one : f32
        "rtile.yield"(%t) : (f32) -> ()
      }) {operandSegmentSizes = array<i32: 1, 1, 1>, box = array<i64: 32>, bounds = array<i64: 64>,
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * 32)>,
          threads = #rtile.threads<{axes = [[32, 1]], order = [0], lane = -1, unroll = 1}>}
        : (tensor<32xf32>, tensor<32xf32>, index) -> tensor<32xf32>
      "rtile.store"(%s, %y, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>} : (tensor<32xf32>, memref<64xf32>, index) -> ()
    } {rtile.mapping = "unit"}
    "rtile.yield"() : () -> ()
  }) {sym_name = "add"} : (memref<64xf32>, memref<64xf32>) -> ()
}) {sym_name = "add"} : () -> ()
"rammer.operator"() ({
^bb0(%a: memref<64xf32>, %b: memref<64xf32>):
  "rtile.program"(%a, %b) ({
  ^bb0(%x: memref<64xf32>, %y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %init = tensor.empty() : tensor<32xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * -32 + 32)>, tile = #rtile.tile<[32], "register", [1]>} : (memref<64xf32>, index) -> tensor<32xf32>
      %s = "rtile.compute"(%p, %init, %i) ({
      ^bb0(%u: f32, %old: f32):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %u, %one : f32
        "rtile.yield"(%t) : (f32) -> ()
      }) {operandSegmentSizes = array<i32: 1, 1, 1>, box = array<i64: 32>, bounds = array<i64: 64>,
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * 32)>,
          threads = #rtile.threads<{axes = [[32, 1]], order = [0], lane = -1, unroll = 1}>}
        : (tensor<32xf32>, tensor<32xf32>, index) -> tensor<32xf32>
      "rtile.store"(%s, %y, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>} : (tensor<32xf32>, memref<64xf32>, index) -> ()
    } {rtile.mapping = "unit"}
    "rtile.yield"() : () -> ()
  }) {sym_name = "turn"} : (memref<64xf32>, memref<64xf32>) -> ()
}) {sym_name = "turn"} : () -> ()
func.func @main(%a: memref<64xf32> {rtile.role = "input"}, %r: memref<64xf32> {rtile.role = "output"}, %w: memref<256xi8> {rtile.role = "workspace"}) {
  %z = arith.constant 0 : index
  %h = memref.view %w[%z][] : memref<256xi8> to memref<64xf32>
  "rammer.program"() ({
    // expected-error@+1 {{'rammer.program' 'main' cannot hold 'add', whose tasks have 32 threads: its blocks have 64}}
    "rammer.apply"(%a, %h) {callee = @add} : (memref<64xf32>, memref<64xf32>) -> ()
    "rammer.apply"(%h, %r) {callee = @turn} : (memref<64xf32>, memref<64xf32>) -> ()
  }) {sym_name = "main",
      device = #rammer.device<{per_unit = 1, registers = 64, threads = 64, units = 2, workgroup_bytes = 96}>,
      schedule = #rammer.schedule<{counts = dense<1> : tensor<2xi32>, signals = dense<[0, 1, -1, -1]> : tensor<4xi32>, starts = dense<[0, 2, 4]> : tensor<3xi32>, tasks = dense<[0, 2, 1, 3]> : tensor<4xi32>,
                                  wait_starts = dense<[0, 0, 0, 1, 2]> : tensor<5xi32>, waits = dense<[1, 0]> : tensor<2xi32>}>} : () -> ()
  return
}

// -----

"rammer.operator"() ({
^bb0(%a: memref<64xf32>, %b: memref<64xf32>):
  "rtile.program"(%a, %b) ({
  ^bb0(%x: memref<64xf32>, %y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %init = tensor.empty() : tensor<32xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * 32)>, tile = #rtile.tile<[32], "register", [1]>} : (memref<64xf32>, index) -> tensor<32xf32>
      %s = "rtile.compute"(%p, %init, %i) ({
      ^bb0(%u: f32, %old: f32):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %u, %one : f32
        "rtile.yield"(%t) : (f32) -> ()
      }) {operandSegmentSizes = array<i32: 1, 1, 1>, box = array<i64: 32>, bounds = array<i64: 64>,
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * 32)>,
          threads = #rtile.threads<{axes = [[32, 1]], order = [0], lane = -1, unroll = 1}>}
        : (tensor<32xf32>, tensor<32xf32>, index) -> tensor<32xf32>
      "rtile.store"(%s, %y, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>} : (tensor<32xf32>, memref<64xf32>, index) -> ()
    } {rtile.mapping = "unit"}
    "rtile.yield"() : () -> ()
  }) {sym_name = "add"} : (memref<64xf32>, memref<64xf32>) -> ()
}) {sym_name = "add"} : () -> ()
"rammer.operator"() ({
^bb0(%a: memref<64xf32>, %b: memref<64xf32>):
  "rtile.program"(%a, %b) ({
  ^bb0(%x: memref<64xf32>, %y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %init = tensor.empty() : tensor<32xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * -32 + 32)>, tile = #rtile.tile<[32], "register", [1]>} : (memref<64xf32>, index) -> tensor<32xf32>
      %s = "rtile.compute"(%p, %init, %i) ({
      ^bb0(%u: f32, %old: f32):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %u, %one : f32
        "rtile.yield"(%t) : (f32) -> ()
      }) {operandSegmentSizes = array<i32: 1, 1, 1>, box = array<i64: 32>, bounds = array<i64: 64>,
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * 32)>,
          threads = #rtile.threads<{axes = [[32, 1]], order = [0], lane = -1, unroll = 1}>}
        : (tensor<32xf32>, tensor<32xf32>, index) -> tensor<32xf32>
      "rtile.store"(%s, %y, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>} : (tensor<32xf32>, memref<64xf32>, index) -> ()
    } {rtile.mapping = "unit"}
    "rtile.yield"() : () -> ()
  }) {sym_name = "turn"} : (memref<64xf32>, memref<64xf32>) -> ()
}) {sym_name = "turn"} : () -> ()
func.func @main(%a: memref<64xf32> {rtile.role = "input"}, %r: memref<64xf32> {rtile.role = "output"}, %w: memref<256xi8> {rtile.role = "workspace"}) {
  %z = arith.constant 0 : index
  %h = memref.view %w[%z][] : memref<256xi8> to memref<64xf32>
  // expected-error@+1 {{'rammer.program' 'main' gives a block 16 bytes of workgroup memory, a task needs 80}}
  "rammer.program"() ({
    "rammer.apply"(%a, %h) {callee = @add} : (memref<64xf32>, memref<64xf32>) -> ()
    "rammer.apply"(%h, %r) {callee = @turn} : (memref<64xf32>, memref<64xf32>) -> ()
  }) {sym_name = "main",
      device = #rammer.device<{per_unit = 1, registers = 64, threads = 32, units = 2, workgroup_bytes = 16}>,
      schedule = #rammer.schedule<{counts = dense<1> : tensor<2xi32>, signals = dense<[0, 1, -1, -1]> : tensor<4xi32>, starts = dense<[0, 2, 4]> : tensor<3xi32>, tasks = dense<[0, 2, 1, 3]> : tensor<4xi32>,
                                  wait_starts = dense<[0, 0, 0, 1, 2]> : tensor<5xi32>, waits = dense<[1, 0]> : tensor<2xi32>}>} : () -> ()
  return
}

// -----

"rammer.operator"() ({
^bb0(%a: memref<64xf32>, %b: memref<64xf32>):
  "rtile.program"(%a, %b) ({
  ^bb0(%x: memref<64xf32>, %y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %init = tensor.empty() : tensor<32xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * 32)>, tile = #rtile.tile<[32], "register", [1]>} : (memref<64xf32>, index) -> tensor<32xf32>
      %s = "rtile.compute"(%p, %init, %i) ({
      ^bb0(%u: f32, %old: f32):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %u, %one : f32
        "rtile.yield"(%t) : (f32) -> ()
      }) {operandSegmentSizes = array<i32: 1, 1, 1>, box = array<i64: 32>, bounds = array<i64: 64>,
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * 32)>,
          threads = #rtile.threads<{axes = [[32, 1]], order = [0], lane = -1, unroll = 1}>}
        : (tensor<32xf32>, tensor<32xf32>, index) -> tensor<32xf32>
      "rtile.store"(%s, %y, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>} : (tensor<32xf32>, memref<64xf32>, index) -> ()
    } {rtile.mapping = "unit"}
    "rtile.yield"() : () -> ()
  }) {sym_name = "add"} : (memref<64xf32>, memref<64xf32>) -> ()
}) {sym_name = "add"} : () -> ()
"rammer.operator"() ({
^bb0(%a: memref<64xf32>, %b: memref<64xf32>):
  "rtile.program"(%a, %b) ({
  ^bb0(%x: memref<64xf32>, %y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %init = tensor.empty() : tensor<32xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * -32 + 32)>, tile = #rtile.tile<[32], "register", [1]>} : (memref<64xf32>, index) -> tensor<32xf32>
      %s = "rtile.compute"(%p, %init, %i) ({
      ^bb0(%u: f32, %old: f32):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %u, %one : f32
        "rtile.yield"(%t) : (f32) -> ()
      }) {operandSegmentSizes = array<i32: 1, 1, 1>, box = array<i64: 32>, bounds = array<i64: 64>,
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * 32)>,
          threads = #rtile.threads<{axes = [[32, 1]], order = [0], lane = -1, unroll = 1}>}
        : (tensor<32xf32>, tensor<32xf32>, index) -> tensor<32xf32>
      "rtile.store"(%s, %y, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>} : (tensor<32xf32>, memref<64xf32>, index) -> ()
    } {rtile.mapping = "unit"}
    "rtile.yield"() : () -> ()
  }) {sym_name = "turn"} : (memref<64xf32>, memref<64xf32>) -> ()
}) {sym_name = "turn"} : () -> ()
// expected-error@+1 {{function 'main' needs 200000000512 B of global memory for its arguments, results and workspace, h200 has 151397597184 B; split it}}
func.func @main(%a: memref<64xf32> {rtile.role = "input"}, %r: memref<64xf32> {rtile.role = "output"}, %w: memref<200000000000xi8> {rtile.role = "workspace"}) {
  %z = arith.constant 0 : index
  %h = memref.view %w[%z][] : memref<200000000000xi8> to memref<64xf32>
  "rammer.program"() ({
    "rammer.apply"(%a, %h) {callee = @add} : (memref<64xf32>, memref<64xf32>) -> ()
    "rammer.apply"(%h, %r) {callee = @turn} : (memref<64xf32>, memref<64xf32>) -> ()
  }) {sym_name = "main",
      device = #rammer.device<{per_unit = 1, registers = 64, threads = 32, units = 2, workgroup_bytes = 0}>,
      schedule = #rammer.schedule<{counts = dense<1> : tensor<2xi32>, signals = dense<[0, 1, -1, -1]> : tensor<4xi32>, starts = dense<[0, 2, 4]> : tensor<3xi32>, tasks = dense<[0, 2, 1, 3]> : tensor<4xi32>,
                                  wait_starts = dense<[0, 0, 0, 1, 2]> : tensor<5xi32>, waits = dense<[1, 0]> : tensor<2xi32>}>} : () -> ()
  return
}
