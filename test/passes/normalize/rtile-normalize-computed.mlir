// RUN: roller-opt %s --split-input-file --rtile-normalize | FileCheck %s
// RUN: roller-opt %s --split-input-file --rtile-normalize=point-loops=true | FileCheck %s --check-prefix=POINT

// A padding by a scalar of the function is one by zero, and a choice by the position.
// CHECK-LABEL: func.func @scalar_padding
// CHECK: %[[P:.*]] = tensor.pad %[[A:.*]] low[1] high[2]
// CHECK: tensor.yield %[[Z:.*]] : f32
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[T:.*]] : tensor<7xf32>, tensor<f32>)
// CHECK: ^bb0(%[[X:.*]]: f32, %[[S:.*]]: f32, %[[O:.*]]: f32):
// CHECK-DAG: %[[LOW:.*]] = arith.cmpi uge
// CHECK-DAG: %[[HIGH:.*]] = arith.cmpi ult
// CHECK: %[[IN:.*]] = arith.andi %[[LOW]], %[[HIGH]] : i1
// CHECK: %[[R:.*]] = arith.select %[[IN]], %[[X]], %[[S]] : f32
// CHECK: linalg.yield %[[R]] : f32
func.func @scalar_padding(%a: tensor<4xf32>, %s: f32) -> tensor<7xf32> {
  %r = tensor.pad %a low[1] high[2] {
  ^bb0(%j: index):
    tensor.yield %s : f32
  } : tensor<4xf32> to tensor<7xf32>
  return %r : tensor<7xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// Where a position is seen to be natural, its quotient is that of numbers without a sign.
// CHECK-LABEL: func.func @positions
// CHECK: %[[I:.*]] = linalg.index 0 : index
// CHECK: %[[Q:.*]] = arith.divui %[[I]], %[[THREE:.*]] : index
// CHECK: arith.minsi
// CHECK-NOT: affine.{{(apply|min)}}
func.func @positions(%o: tensor<8xi64>) -> tensor<8xi64> {
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%o : tensor<8xi64>) {
  ^bb0(%z: i64):
    %i = linalg.index 0 : index
    %q = affine.apply affine_map<(d0) -> (d0 floordiv 3)>(%i)
    %m = affine.min affine_map<(d0)[s0] -> (1, d0 - s0)>(%q)[%i]
    %v = arith.index_cast %m : index to i64
    linalg.yield %v : i64
  } -> tensor<8xi64>
  return %r : tensor<8xi64>
}

// Other spellings: bits as another type, another shape, an operation of two results.
// CHECK-LABEL: func.func @spellings
// CHECK-SAME: %[[A:.*]]: tensor<2x6xf32>
// CHECK: %[[LINE:.*]] = tensor.collapse_shape %[[A]] {{\[\[}}0, 1]] : tensor<2x6xf32> into tensor<12xf32>
// CHECK: %[[BITS:.*]] = linalg.generic {{.*}} ins(%[[LINE]] : tensor<12xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[X_OUT:.*]]: i32):
// CHECK-NEXT: arith.bitcast %[[X]] : f32 to i32
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[BITS]], %[[BITS]] : tensor<12xi32>, tensor<12xi32>)
// CHECK-NEXT: ^bb0(%[[Y:.*]]: i32, %[[Z:.*]]: i32, %[[Y_OUT:.*]]: i32):
// CHECK-NEXT: arith.addi %[[Y]], %[[Z]] : i32
// CHECK: tensor.expand_shape %[[SUM]] {{\[\[}}0, 1]] output_shape [3, 4] : tensor<12xi32> into tensor<3x4xi32>
// CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[BITS]] : tensor<12xi32>, tensor<12xi32>)
// CHECK-NEXT: ^bb0(%[[T:.*]]: i32, %[[B:.*]]: i32, %[[C_OUT:.*]]: i1):
// CHECK-NEXT: arith.cmpi ult, %[[T]], %[[B]] : i32
func.func @spellings(%a: tensor<2x6xf32>) -> (tensor<3x4xi32>, tensor<3x4xi1>) {
  %s = arith.constant dense<[3, 4]> : tensor<2xi64>
  %b = tensor.bitcast %a : tensor<2x6xf32> to tensor<2x6xi32>
  %m = tensor.reshape %b(%s) : (tensor<2x6xi32>, tensor<2xi64>) -> tensor<3x4xi32>
  %t, %c = arith.addui_extended %m, %m : tensor<3x4xi32>, tensor<3x4xi1>
  return %t, %c : tensor<3x4xi32>, tensor<3x4xi1>
}

// -----

// Of the largest value and its place only the value is read.
// CHECK-LABEL: func.func @value_alone
// CHECK-SAME: %[[A:.*]]: tensor<8x16xf32>
// CHECK: %[[LOW:.*]] = linalg.fill ins(%[[MINUS:.*]] : f32) outs(%[[E:.*]] : tensor<8xf32>)
// CHECK: %[[MOST:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[A]] : tensor<8x16xf32>) outs(%[[LOW]] : tensor<8xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[MAX:.*]]: f32):
// CHECK-NEXT: %[[NEW:.*]] = arith.maximumf %[[X]], %[[MAX]] : f32
// CHECK-NEXT: linalg.yield %[[NEW]] : f32
// CHECK: return %[[MOST]] : tensor<8xf32>
func.func @value_alone(%a: tensor<8x16xf32>) -> tensor<8xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<8xf32>
  %p = tensor.empty() : tensor<8xi64>
  %o = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %q = linalg.fill ins(%zero : i64) outs(%p : tensor<8xi64>) -> tensor<8xi64>
  %r:2 = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a : tensor<8x16xf32>) outs(%o, %q : tensor<8xf32>, tensor<8xi64>) {
  ^bb0(%x: f32, %max: f32, %place: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %m = arith.maximumf %x, %max : f32
    %c = arith.cmpf ogt, %x, %max : f32
    %s = arith.select %c, %k, %place : i64
    linalg.yield %m, %s : f32, i64
  } -> (tensor<8xf32>, tensor<8xi64>)
  return %r#0 : tensor<8xf32>
}

// -----

// With point-loops, what one thread computes as a whole gets a loop of one point; sums have threads that share them.
// POINT-LABEL: func.func @point_loops
// POINT-SAME: %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<f32>
// POINT: %[[S:.*]] = linalg.reduce { arith.addf } ins(%[[A]] : tensor<8xf32>) outs(%[[ZERO:.*]] : tensor<f32>) dimensions = [0]
// POINT: %[[N:.*]] = tensor.empty() : tensor<1xf32>
// POINT: %[[P:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[S]], %[[B]] : tensor<f32>, tensor<f32>) outs(%[[N]] : tensor<1xf32>)
// POINT: %[[R:.*]] = tensor.collapse_shape %[[P]] [] : tensor<1xf32> into tensor<f32>
// POINT: return %[[R]] : tensor<f32>
func.func @point_loops(%a: tensor<8xf32>, %b: tensor<f32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%a : tensor<8xf32>) outs(%f : tensor<f32>) dimensions = [0]
  %r = arith.mulf %s, %b : tensor<f32>
  return %r : tensor<f32>
}
