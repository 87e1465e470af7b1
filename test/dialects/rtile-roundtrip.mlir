// RUN: roller-opt %s | roller-opt | FileCheck %s
// The stages of one program: planned, expanded on tensors, and on buffers.

// CHECK-LABEL: func.func @planned
// CHECK-SAME: (%[[A:.*]]: tensor<1000x1020xf32>, %[[B:.*]]: tensor<1020x1000xf32>)
// CHECK: %[[P:.*]] = "rtile.program"(%[[A]], %[[B]]) ({
// CHECK: ^bb0(%[[X:.*]]: tensor<1000x1020xf32>, %[[Y:.*]]: tensor<1020x1000xf32>):
// CHECK: %[[R:.*]] = linalg.matmul ins(%[[X]], %[[Y]]
// CHECK: "rtile.yield"(%[[R]])
// CHECK: plan = #rtile.plan<{axes = [{block = 128 : i64, chunk = 4 : i64, threads = 16 : i64},
// CHECK-SAME: device = "h200"
// CHECK-SAME: sym_name = "matmul_0"
// CHECK: return %[[P]]
func.func @planned(%A: tensor<1000x1020xf32>, %B: tensor<1020x1000xf32>) -> tensor<1000x1000xf32> {
  %0 = "rtile.program"(%A, %B) ({
  ^bb0(%a: tensor<1000x1020xf32>, %b: tensor<1020x1000xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1000x1000xf32>
    %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
    %r = linalg.matmul ins(%a, %b : tensor<1000x1020xf32>, tensor<1020x1000xf32>)
        outs(%i : tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
    "rtile.yield"(%r) : (tensor<1000x1000xf32>) -> ()
  }) {sym_name = "matmul_0", plan = #rtile.plan<{
      device = "h200", instruction = "fma",
      axes = [{block = 128, threads = 16, chunk = 4}, {block = 128, threads = 16, chunk = 4},
              {block = 8, threads = 1, chunk = 1}],
      thread_order = [1, 0], lane = 1, unit_order = [0, 1], reduction_order = [2],
      operands = [
        {layer = "workgroup", order = [1, 0], pad = 4, vector = 4, store_vector = 1, fragment_vector = 4, pad_value = 0.0},
        {layer = "workgroup", order = [0, 1], pad = 0, vector = 4, store_vector = 4, fragment_vector = 4}],
      stages = 2, unroll = 8, edge = "mask",
      prediction = {seconds = 1.0e-3, seconds_by_layer = {global = 1.0e-4}, saturated = "compute", global_load_bytes = 8192,
                    global_store_bytes = 8192, global_load_sectors = 256, global_store_sectors = 256,
                    shared_load_bytes = 0, shared_store_bytes = 0, shared_load_phases = 0, shared_store_phases = 0,
                    flops = 1024, registers = 32, shared_bytes = 0, tasks = 8, threads = 32, tasks_per_unit = 1,
                    waves = 1.0, occupancy = 0.5}}>}
    : (tensor<1000x1020xf32>, tensor<1020x1000xf32>) -> tensor<1000x1000xf32>
  return %0 : tensor<1000x1000xf32>
}

// CHECK-LABEL: func.func @expanded
// CHECK: ^bb0(%[[A:.*]]: tensor<1000x1020xf32>, %[[B:.*]]: tensor<1020x1000xf32>):
// CHECK: %[[E:.*]] = tensor.empty() : tensor<1000x1000xf32>
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[O:.*]] = %[[E]])
// CHECK: scf.for %[[J:.*]] = {{.*}} iter_args(%[[O1:.*]] = %[[O]])
// CHECK: %[[INIT:.*]] = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
// CHECK: %[[ACC:.*]] = scf.for %[[K:.*]] = {{.*}} iter_args(%[[Z:.*]] = %[[INIT]])
// CHECK: %[[AT:.*]] = "rtile.load"(%[[A]], %[[I]], %[[K]]) {layout = #rtile.layout<{fragment_vector = 4 : i64, order = [1, 0], pad = 4 : i64, store_vector = 1 : i64, vector = 4 : i64}>
// CHECK-SAME: pad = 0.000000e+00 : f32
// CHECK-SAME: tile = #rtile.tile<[128, 8], "workgroup", [1, 1]>
// CHECK: %[[BT:.*]] = "rtile.load"(%[[B]], %[[K]], %[[J]])
// CHECK: "rtile.compute"(%[[AT]], %[[BT]], %[[Z]], %[[I]], %[[J]], %[[K]]) ({
// CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[C:.*]]: f32):
// CHECK: %[[M:.*]] = arith.mulf %[[X]], %[[Y]]
// CHECK: %[[N:.*]] = arith.addf %[[C]], %[[M]]
// CHECK: "rtile.yield"(%[[N]])
// CHECK: bounds = array<i64: 1000, 1000, 1020>, box = array<i64: 128, 128, 8>
// CHECK-SAME: threads = #rtile.threads<{axes = {{\[\[}}16, 4], [16, 4], [1, 1]], lane = 1 : i64, order = [1, 0], unroll = 8 : i64}>
// CHECK: {rtile.stages = 2 : i64}
// CHECK: "rtile.store"(%[[ACC]], %[[O1]], %[[I]], %[[J]])
// CHECK: {rtile.mapping = "unit"}
// CHECK: {rtile.mapping = "unit"}
func.func @expanded(%A: tensor<1000x1020xf32>, %B: tensor<1020x1000xf32>) -> tensor<1000x1000xf32> {
  %0 = "rtile.program"(%A, %B) ({
  ^bb0(%a: tensor<1000x1020xf32>, %b: tensor<1020x1000xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c128 = arith.constant 128 : index
    %e = tensor.empty() : tensor<1000x1000xf32>
    %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%o = %e) -> (tensor<1000x1000xf32>) {
      %r1 = scf.for %j = %c0 to %c8 step %c1 iter_args(%o1 = %o) -> (tensor<1000x1000xf32>) {
        %init = arith.constant dense<0.0> : tensor<128x128xf32>
        %acc = scf.for %k = %c0 to %c128 step %c1 iter_args(%z = %init) -> (tensor<128x128xf32>) {
          %at = "rtile.load"(%a, %i, %k) {tile = #rtile.tile<[128, 8], "workgroup", [1, 1]>,
              origin = affine_map<(d0, d1) -> (d0 * 128, d1 * 8 - 4)>, pad = 0.0 : f32,
              layout = #rtile.layout<{order = [1, 0], pad = 4, vector = 4, store_vector = 1, fragment_vector = 4}>}
              : (tensor<1000x1020xf32>, index, index) -> tensor<128x8xf32>
          %bt = "rtile.load"(%b, %k, %j) {tile = #rtile.tile<[8, 128], "workgroup", [1, 1]>,
              origin = affine_map<(d0, d1) -> (d0 * 8 - 4, d1 * 128)>,
              layout = #rtile.layout<{order = [0, 1], vector = 4, store_vector = 4, fragment_vector = 4}>}
              : (tensor<1020x1000xf32>, index, index) -> tensor<8x128xf32>
          %s = "rtile.compute"(%at, %bt, %z, %i, %j, %k) ({
          ^bb0(%x: f32, %y: f32, %c: f32):
            %m = arith.mulf %x, %y : f32
            %n = arith.addf %c, %m : f32
            "rtile.yield"(%n) : (f32) -> ()
          }) {operandSegmentSizes = array<i32: 2, 1, 3>,
              indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                               affine_map<(d0, d1, d2) -> (d0, d1)>],
              iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>,
                                #linalg.iterator_type<reduction>],
              box = array<i64: 128, 128, 8>, bounds = array<i64: 1000, 1000, 1020>,
              origin = affine_map<(d0, d1, d2) -> (d0 * 128, d1 * 128, d2 * 8 - 4)>,
              threads = #rtile.threads<{axes = [[16, 4], [16, 4], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
              : (tensor<128x8xf32>, tensor<8x128xf32>, tensor<128x128xf32>, index, index, index) -> tensor<128x128xf32>
          scf.yield %s : tensor<128x128xf32>
        } {rtile.stages = 2 : i64}
        %o2 = "rtile.store"(%acc, %o1, %i, %j) {operandSegmentSizes = array<i32: 1, 1, 2>, steps = array<i64: 1, 1>,
            origin = affine_map<(d0, d1) -> (d0 * 128, d1 * 128)>}
            : (tensor<128x128xf32>, tensor<1000x1000xf32>, index, index) -> tensor<1000x1000xf32>
        scf.yield %o2 : tensor<1000x1000xf32>
      } {rtile.mapping = "unit"}
      scf.yield %r1 : tensor<1000x1000xf32>
    } {rtile.mapping = "unit"}
    "rtile.yield"(%r) : (tensor<1000x1000xf32>) -> ()
  }) {sym_name = "matmul_0"} : (tensor<1000x1020xf32>, tensor<1020x1000xf32>) -> tensor<1000x1000xf32>
  return %0 : tensor<1000x1000xf32>
}

// An element-wise program on buffers: a register tile is read where it is used.
// CHECK-LABEL: func.func @buffers
// CHECK-SAME: (%[[IN:.*]]: memref<64xf32> {rtile.role = "input"}, %[[OUT:.*]]: memref<64xf32> {rtile.role = "output"})
// CHECK: "rtile.program"(%[[IN]], %[[OUT]]) ({
// CHECK: ^bb0(%[[X:.*]]: memref<64xf32>, %[[Y:.*]]: memref<64xf32>):
// CHECK: %[[T:.*]] = "rtile.load"(%[[X]], %[[I:.*]]) {origin = {{.*}}, tile = #rtile.tile<[32], "register", [1]>}
// CHECK: %[[E:.*]] = tensor.empty() : tensor<32xf32>
// CHECK: %[[D:.*]] = "rtile.compute"(%[[T]], %[[E]], %[[I]])
// CHECK: "rtile.store"(%[[D]], %[[Y]], %[[I]]) {{.*}} : (tensor<32xf32>, memref<64xf32>, index) -> ()
// CHECK: "rtile.yield"() : () -> ()
// CHECK: }) {sym_name = "neg"} : (memref<64xf32>, memref<64xf32>) -> ()
func.func @buffers(%in: memref<64xf32> {rtile.role = "input"}, %out: memref<64xf32> {rtile.role = "output"}) {
  "rtile.program"(%in, %out) ({
  ^bb0(%x: memref<64xf32>, %y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %t = "rtile.load"(%x, %i) {tile = #rtile.tile<[32], "register", [1]>, origin = affine_map<(d0) -> (d0 * 32)>}
          : (memref<64xf32>, index) -> tensor<32xf32>
      %e = tensor.empty() : tensor<32xf32>
      %d = "rtile.compute"(%t, %e, %i) ({
      ^bb0(%a: f32, %b: f32):
        %n = arith.negf %a : f32
        "rtile.yield"(%n) : (f32) -> ()
      }) {operandSegmentSizes = array<i32: 1, 1, 1>, indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], box = array<i64: 32>, bounds = array<i64: 64>,
          origin = affine_map<(d0) -> (d0 * 32)>,
          threads = #rtile.threads<{axes = [[32, 1]], order = [0]}>}
          : (tensor<32xf32>, tensor<32xf32>, index) -> tensor<32xf32>
      "rtile.store"(%d, %y, %i) {steps = array<i64: 1>, origin = affine_map<(d0) -> (d0 * 32)>}
          : (tensor<32xf32>, memref<64xf32>, index) -> ()
    } {rtile.mapping = "unit"}
    "rtile.yield"() : () -> ()
  }) {sym_name = "neg"} : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @positions
// CHECK: "rtile.compute"
// CHECK: %[[P:.*]] = "rtile.index"() {dim = 0 : i64} : () -> index
// CHECK: %[[C:.*]] = arith.index_cast %[[P]] : index to i32
// CHECK: "rtile.yield"(%[[C]]) : (i32) -> ()
func.func @positions(%z: tensor<8xi32>, %i: index) -> tensor<8xi32> {
  %s = "rtile.compute"(%z, %i) ({
  ^bb0(%o: i32):
    %p = "rtile.index"() {dim = 0 : i64} : () -> index
    %c = arith.index_cast %p : index to i32
    "rtile.yield"(%c) : (i32) -> ()
  }) {operandSegmentSizes = array<i32: 0, 1, 1>, indexing_maps = [affine_map<(d0) -> (d0)>],
      iterator_types = [#linalg.iterator_type<parallel>], box = array<i64: 8>, bounds = array<i64: 8>,
      origin = affine_map<(d0) -> (d0 * 8)>, threads = #rtile.threads<{axes = [[8, 1]], order = [0], unroll = 1}>}
      : (tensor<8xi32>, index) -> tensor<8xi32>
  return %s : tensor<8xi32>
}

// CHECK-LABEL: func.func @gathers
// CHECK: "rtile.compute"
// CHECK: ^bb0(%[[T:.*]]: f32, %[[P:.*]]: index, %[[O:.*]]: f32):
// CHECK: %[[X:.*]] = "rtile.gather"(%[[T]], %[[P]]) : (f32, index) -> f32
// CHECK: "rtile.yield"(%[[X]]) : (f32) -> ()
func.func @gathers(%t: tensor<50xf32>, %p: tensor<8xindex>, %z: tensor<8xf32>, %i: index) -> tensor<8xf32> {
  %s = "rtile.compute"(%t, %p, %z, %i) ({
  ^bb0(%e: f32, %at: index, %o: f32):
    %x = "rtile.gather"(%e, %at) : (f32, index) -> f32
    "rtile.yield"(%x) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = [#linalg.iterator_type<parallel>], box = array<i64: 8>, bounds = array<i64: 8>,
      origin = affine_map<(d0) -> (d0 * 8)>, threads = #rtile.threads<{axes = [[8, 1]], order = [0], unroll = 1}>}
      : (tensor<50xf32>, tensor<8xindex>, tensor<8xf32>, index) -> tensor<8xf32>
  return %s : tensor<8xf32>
}
