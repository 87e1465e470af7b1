// RUN: roller-opt %s --split-input-file --rtile-normalize | FileCheck %s

#id = affine_map<(i) -> (i)>

// Both sides are computed where the condition is one of the point.
// CHECK-LABEL: func.func @choice
// CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[Z:.*]]: f32):
// CHECK-DAG: %[[C:.*]] = arith.cmpf olt, %[[X]], %[[Y]] : f32
// CHECK-DAG: %[[E:.*]] = math.exp %[[X]] : f32
// CHECK-DAG: %[[S:.*]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK: %[[R:.*]] = arith.select %[[C]], %[[E]], %[[S]] : f32
// CHECK: linalg.yield %[[R]] : f32
// CHECK-NOT: scf.if
func.func @choice(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %o = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %c = arith.cmpf olt, %x, %y : f32
    %v = scf.if %c -> (f32) {
      %e = math.exp %x : f32
      scf.yield %e : f32
    } else {
      %s = arith.addf %x, %y : f32
      scf.yield %s : f32
    }
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// Where its side is not taken, a division is by 1; not so one by a constant that divides every number.
// CHECK-LABEL: func.func @division
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[SEVEN:.*]] = arith.constant 7 : i32
// CHECK: ^bb0(%[[X:.*]]: i32, %[[Y:.*]]: i32, %[[Z:.*]]: i32):
// CHECK-DAG: %[[C:.*]] = arith.cmpi ne
// CHECK-DAG: %[[D:.*]] = arith.select %[[C]], %[[Y]], %[[ONE]] : i32
// CHECK-DAG: %[[Q:.*]] = arith.divsi %[[X]], %[[D]] : i32
// CHECK-DAG: %[[M:.*]] = arith.remsi %[[X]], %[[SEVEN]] : i32
// CHECK: arith.select %[[C]], %[[Q]], %[[M]] : i32
func.func @division(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  %o = tensor.empty() : tensor<8xi32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %b : tensor<8xi32>, tensor<8xi32>) outs(%o : tensor<8xi32>) {
  ^bb0(%x: i32, %y: i32, %z: i32):
    %c0 = arith.constant 0 : i32
    %c7 = arith.constant 7 : i32
    %c = arith.cmpi ne, %y, %c0 : i32
    %v = scf.if %c -> (i32) {
      %q = arith.divsi %x, %y : i32
      scf.yield %q : i32
    } else {
      %m = arith.remsi %x, %c7 : i32
      scf.yield %m : i32
    }
    linalg.yield %v : i32
  } -> tensor<8xi32>
  return %r : tensor<8xi32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// No position is less than 0: the empty tensor is read nowhere, and the other one at the op's own points.
// CHECK-LABEL: func.func @with_nothing_before
// CHECK-SAME: (%[[A:.*]]: tensor<4x8xf32>)
// CHECK-NOT: tensor<0x8xf32>
// CHECK-NOT: rtile.gather
// CHECK: %[[F:.*]] = tensor.collapse_shape %[[A]]
// CHECK: linalg.copy {{.*}}ins(%[[F]] :
// CHECK-NOT: rtile.gather
func.func @with_nothing_before(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<0x8xf32>
  %n = linalg.fill ins(%z : f32) outs(%e : tensor<0x8xf32>) -> tensor<0x8xf32>
  %o = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%o : tensor<4x8xf32>) {
  ^bb0(%y: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi ult, %i, %c0 : index
    %v = scf.if %c -> (f32) {
      %t = tensor.extract %n[%i, %j] : tensor<0x8xf32>
      scf.yield %t : f32
    } else {
      %t = tensor.extract %a[%i, %j] : tensor<4x8xf32>
      scf.yield %t : f32
    }
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
