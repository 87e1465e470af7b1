// RUN: roller-opt %s --rtile-expand --mlir-print-local-scope | FileCheck %s

// Parallel loops over tasks, a reduction loop over steps, loads, a compute and a store; the residue of 1020 = 127 * 8 + 4 comes
// first: the origin of step 0 is -4.
// CHECK-LABEL: func.func @matmul
func.func @matmul(%a: tensor<200x1020xf32>, %b: tensor<1020x100xf32>) -> tensor<200x100xf32> {
  // CHECK: "rtile.program"(%[[A0:.*]], %[[B0:.*]]) ({
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<200x1020xf32>, %[[B:.*]]: tensor<1020x100xf32>):
  // CHECK: %[[O:.*]] = tensor.empty() : tensor<200x100xf32>
  // CHECK: %[[R:.*]] = scf.for %[[J:.*]] = %c0 to %c2 step %c1 iter_args(%[[OJ:.*]] = %[[O]])
  // CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c1 iter_args(%[[OI:.*]] = %[[OJ]])
  // CHECK: %[[INIT:.*]] = arith.constant dense<2.000000e+00> : tensor<64x64xf32>
  // CHECK: %[[ACC:.*]] = scf.for %[[K:.*]] = %c0 to %c128 step %c1 iter_args(%[[Z:.*]] = %[[INIT]])
  // CHECK: %[[AT:.*]] = "rtile.load"(%[[A]], %[[I]], %[[K]])
  // CHECK-SAME: layout = #rtile.layout<{fragment_vector = 4 : i64, order = [1, 0], pad = 4 : i64, store_vector = 1 : i64, vector = 4 : i64}>
  // CHECK-SAME: origin = affine_map<(d0, d1) -> (d0 * 64, d1 * 8 - 4)>
  // CHECK-SAME: pad = 0.000000e+00 : f32
  // CHECK-SAME: tile = #rtile.tile<[64, 8], "workgroup", [1, 1]>
  // CHECK: %[[BT:.*]] = "rtile.load"(%[[B]], %[[J]], %[[K]])
  // CHECK-SAME: origin = affine_map<(d0, d1) -> (d1 * 8 - 4, d0 * 64)>
  // CHECK-SAME: tile = #rtile.tile<[8, 64], "workgroup", [1, 1]>
  // CHECK: %[[S:.*]] = "rtile.compute"(%[[AT]], %[[BT]], %[[Z]], %[[I]], %[[J]], %[[K]])
  // CHECK: arith.mulf
  // CHECK: arith.addf
  // CHECK: bounds = array<i64: 200, 100, 1020>, box = array<i64: 64, 64, 8>
  // CHECK-SAME: origin = affine_map<(d0, d1, d2) -> (d0 * 64, d1 * 64, d2 * 8 - 4)>
  // CHECK-SAME: threads = #rtile.threads<{axes = {{\[\[}}16, 4], [16, 4], [1, 1]], lane = 1 : i64, order = [1, 0], unroll = 8 : i64}>
  // CHECK: scf.yield %[[S]]
  // CHECK: {rtile.stages = 2 : i64}
  // CHECK: "rtile.store"(%[[ACC]], %[[OI]], %[[I]], %[[J]]) {origin = affine_map<(d0, d1) -> (d0 * 64, d1 * 64)>
  // CHECK: {rtile.mapping = "unit"}
  // CHECK: {rtile.mapping = "unit"}
  // CHECK: "rtile.yield"(%[[R]])
  // CHECK: plan = #rtile.plan<{axes = [{block = 64
  // CHECK-SAME: rtile.expression = {{{.*}}loops = [{extent = 200 : i64}, {extent = 100 : i64}, {extent = 1020 : i64, reduction = true}]
  // CHECK-SAME: sym_name = "matmul_0"
  %0 = "rtile.program"(%a, %b) ({
  ^bb0(%x: tensor<200x1020xf32>, %y: tensor<1020x100xf32>):
    %two = arith.constant 2.0 : f32
    %e = tensor.empty() : tensor<200x100xf32>
    %i = linalg.fill ins(%two : f32) outs(%e : tensor<200x100xf32>) -> tensor<200x100xf32>
    %r = linalg.matmul ins(%x, %y : tensor<200x1020xf32>, tensor<1020x100xf32>)
                       outs(%i : tensor<200x100xf32>) -> tensor<200x100xf32>
    "rtile.yield"(%r) : (tensor<200x100xf32>) -> ()
  }) {sym_name = "matmul_0", plan = #rtile.plan<{
      device = "h200", instruction = "fma", edge = "mask", stages = 2, unroll = 8, lane = 1,
      axes = [{block = 64, threads = 16, chunk = 4}, {block = 64, threads = 16, chunk = 4}, {block = 8, threads = 1, chunk = 1}],
      thread_order = [1, 0], unit_order = [1, 0], reduction_order = [2],
      operands = [
        {layer = "workgroup", order = [1, 0], pad = 4, vector = 4, store_vector = 1, fragment_vector = 4, pad_value = 0.0 : f64},
        {layer = "workgroup", order = [0, 1], pad = 0, vector = 4, store_vector = 4, fragment_vector = 4, pad_value = 0.0 : f64}
      ]}>} : (tensor<200x1020xf32>, tensor<1020x100xf32>) -> tensor<200x100xf32>
  return %0 : tensor<200x100xf32>
}

// An accumulator that continues the old output is loaded; operands read directly have no layout.
// CHECK-LABEL: func.func @accumulate
func.func @accumulate(%a: tensor<64x32xf32>, %o: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: ^bb0(%[[A:.*]]: tensor<64x32xf32>, %[[OLD:.*]]: tensor<64xf32>):
  // CHECK: %[[INIT:.*]] = "rtile.load"(%[[OLD]], %[[I:.*]]) {origin = affine_map<(d0) -> (d0 * 8)>, tile = #rtile.tile<[8], "register", [1]>}
  // CHECK: %[[T:.*]] = "rtile.load"(%[[A]], %[[I]]) {origin = affine_map<(d0) -> (d0 * 8, 0)>, pad = 0.000000e+00 : f32, tile = #rtile.tile<[8, 32], "register", [1, 1]>}
  // CHECK: "rtile.compute"(%[[T]], %[[INIT]], %[[I]])
  %0 = "rtile.program"(%a, %o) ({
  ^bb0(%x: tensor<64x32xf32>, %y: tensor<64xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x32xf32>) outs(%y : tensor<64xf32>) {
    ^bb0(%p: f32, %acc: f32):
      %q = arith.addf %acc, %p : f32
      linalg.yield %q : f32
    } -> tensor<64xf32>
    "rtile.yield"(%r) : (tensor<64xf32>) -> ()
  }) {sym_name = "generic_0", plan = #rtile.plan<{
      device = "h200", instruction = "fma", edge = "mask", stages = 1, unroll = 32,
      axes = [{block = 8, threads = 8, chunk = 1}, {block = 32, threads = 1, chunk = 1}],
      thread_order = [0], unit_order = [0], reduction_order = [1],
      operands = [{layer = "register", order = [0, 1], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1, pad_value = 0.0 : f64}]
      }>} : (tensor<64x32xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
