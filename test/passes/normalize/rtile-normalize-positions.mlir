// RUN: roller-opt %s --rtile-normalize --split-input-file | FileCheck %s

// A body's positions become those of an operand of one dimension; what is not seen to lie inside is clamped.
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0, d1) -> (0)>
// CHECK-DAG: #[[BOTH:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @embedding
// CHECK-SAME: (%[[T:.*]]: tensor<50x8xf32>, %[[N:.*]]: tensor<4xi64>)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[LAST:.*]] = arith.constant 49 : index
// CHECK-DAG: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[T]] {{\[\[}}0, 1]] : tensor<50x8xf32> into tensor<400xf32>
// CHECK: linalg.generic {indexing_maps = [#[[ROW]], #[[FIRST]], #[[BOTH]]], iterator_types = ["parallel", "parallel"]} ins(%[[N]], %[[FLAT]] : tensor<4xi64>, tensor<400xf32>)
// CHECK: ^bb0(%[[X:.*]]: i64, %[[E:.*]]: f32, %[[O:.*]]: f32):
// CHECK: %[[P:.*]] = arith.index_cast %[[X]] : i64 to index
// CHECK: %[[J:.*]] = linalg.index 1 : index
// CHECK: %[[LOW:.*]] = arith.maxsi %[[P]], %[[ZERO]] : index
// CHECK: %[[IN:.*]] = arith.minsi %[[LOW]], %[[LAST]] : index
// CHECK: %[[START:.*]] = arith.muli %[[IN]], %[[EIGHT]] : index
// CHECK: %[[AT:.*]] = arith.addi %[[START]], %[[J]] : index
// CHECK: %[[R:.*]] = "rtile.gather"(%[[E]], %[[AT]]) : (f32, index) -> f32
// CHECK: linalg.yield %[[R]]
func.func @embedding(%t: tensor<50x8xf32>, %n: tensor<4xi64>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%n : tensor<4xi64>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%x: i64, %o: f32):
    %p = arith.index_cast %x : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%p, %j] : tensor<50x8xf32>
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// Positions that are sums of loops inside of the tensor are a map.
// CHECK-DAG: #[[SUM:.*]] = affine_map<(d0, d1) -> (d0 * 2 + d1, d1)>
// CHECK-DAG: #[[BOTH:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @extract_at_sums
// CHECK-SAME: (%[[T:.*]]: tensor<20x6xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[SUM]], #[[BOTH]]], iterator_types = ["parallel", "parallel"]} ins(%[[T]] : tensor<20x6xf32>)
// CHECK: ^bb0(%[[X:.*]]: f32, %[[O:.*]]: f32):
// CHECK-NEXT: linalg.yield %[[X]]
func.func @extract_at_sums(%t: tensor<20x6xf32>) -> tensor<7x6xf32> {
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<7x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} outs(%e : tensor<7x6xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %a = arith.muli %i, %c2 : index
    %b = arith.addi %a, %j : index
    %v = tensor.extract %t[%b, %j] : tensor<20x6xf32>
    linalg.yield %v : f32
  } -> tensor<7x6xf32>
  return %r : tensor<7x6xf32>
}

// -----

// A map with a division reads at a computed position.
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0) -> (0)>
// CHECK-DAG: #[[LOOP:.*]] = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @divided_map
// CHECK-SAME: (%[[T:.*]]: tensor<8xf32>)
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: linalg.generic {indexing_maps = [#[[FIRST]], #[[LOOP]]], iterator_types = ["parallel"]} ins(%[[T]] : tensor<8xf32>)
// CHECK: ^bb0(%[[E:.*]]: f32, %[[O:.*]]: f32):
// CHECK: %[[I:.*]] = linalg.index 0 : index
// CHECK: %[[AT:.*]] = arith.divui %[[I]], %[[TWO]] : index
// CHECK: %[[R:.*]] = "rtile.gather"(%[[E]], %[[AT]]) : (f32, index) -> f32
// CHECK: linalg.yield %[[R]]
func.func @divided_map(%t: tensor<8xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%t : tensor<8xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// A loop of two steps: the second begins with what the first one yields.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>)
// CHECK-NOT: scf.for
// CHECK: %[[ONE:.*]] = linalg.exp ins(%[[A]] : tensor<4xf32>)
// CHECK: %[[TWO:.*]] = linalg.exp ins(%[[ONE]] : tensor<4xf32>)
// CHECK: return %[[TWO]]
func.func @loop(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<4xf32>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %a) -> (tensor<4xf32>) {
    %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// The steps of a forall read its outputs as they were; what they insert is selected from.
// CHECK-LABEL: func.func @forall
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>)
// CHECK-NOT: scf.forall
// CHECK: %[[LOW:.*]] = tensor.extract_slice %[[A]][0] [4] [1]
// CHECK: %[[X:.*]] = linalg.exp ins(%[[LOW]] : tensor<4xf32>)
// CHECK: %[[HIGH:.*]] = tensor.extract_slice %[[A]][4] [4] [1]
// CHECK: %[[Y:.*]] = linalg.exp ins(%[[HIGH]] : tensor<4xf32>)
// CHECK: %[[PX:.*]] = tensor.pad %[[X]] low[0] high[4]
// CHECK: %[[PY:.*]] = tensor.pad %[[Y]] low[4] high[0]
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[PX]], %[[PY]], %[[B]] : {{.*}})
// CHECK: return %[[R]]
func.func @forall(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) = (0) to (8) step (4) shared_outs(%x = %b) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %a[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %o = tensor.extract_slice %x[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %y = linalg.exp ins(%s : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %x[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

// A winograd transform is two contractions with constant matrices.
// CHECK-DAG: #[[MATRIX:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5)>
// CHECK-DAG: #[[TILES:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d1 * 2 + d5, d2, d4)>
// CHECK-DAG: #[[T:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>
// CHECK-LABEL: func.func @winograd
// CHECK-SAME: (%[[A:.*]]: tensor<2x6x6x5xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[MATRIX]], #[[TILES]], #[[T]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%[[B:.*]], %[[A]] : tensor<4x4xf32>, tensor<2x6x6x5xf32>)
// CHECK: linalg.generic
func.func @winograd(%a: tensor<2x6x6x5xf32>) -> tensor<4x4x2x2x2x5xf32> {
  %e = tensor.empty() : tensor<4x4x2x2x2x5xf32>
  %r = linalg.winograd_input_transform fmr(F_2_3) ins(%a : tensor<2x6x6x5xf32>) outs(%e : tensor<4x4x2x2x2x5xf32>) -> tensor<4x4x2x2x2x5xf32>
  return %r : tensor<4x4x2x2x2x5xf32>
}

// -----

// A result at a sum of loops is one at the loops, in a tensor of a dimension a digit.
// CHECK-DAG: #[[LOOPS:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @sums
// CHECK-SAME: (%[[A:.*]]: tensor<3x4xf32>, %[[Z:.*]]: tensor<12xf32>)
// CHECK: %[[E:.*]] = tensor.expand_shape %[[Z]] {{\[}}[0, 1]] output_shape [4, 3] : tensor<12xf32> into tensor<4x3xf32>
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<3x4xf32>) outs(%[[E]] : tensor<4x3xf32>)
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[R]] {{\[}}[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
// CHECK: return %[[C]]
func.func @sums(%a: tensor<3x4xf32>, %z: tensor<12xf32>) -> tensor<12xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1 * 3 + d0)>],
      iterator_types = ["parallel", "parallel"]} ins(%a : tensor<3x4xf32>) outs(%z : tensor<12xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<12xf32>
  return %r : tensor<12xf32>
}

// -----

// Each element of the result asks each position whether it is meant.
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[PLACES:.*]] = affine_map<(d0, d1, d2) -> (d2, 0)>
// CHECK-DAG: #[[RESULT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @scatter
// CHECK-SAME: (%[[S:.*]]: tensor<5x8xf32>, %[[T:.*]]: tensor<9x8xf32>, %[[P:.*]]: tensor<5x1xi64>)
// CHECK: linalg.generic {indexing_maps = [#[[ROWS]], #[[PLACES]], #[[RESULT]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[S]], %[[P]] : {{.*}}) outs(%[[T]] : tensor<9x8xf32>)
// CHECK: ^bb0(%[[X:.*]]: f32, %[[AT:.*]]: i64, %[[FOUND:.*]]: f32):
// CHECK: %[[PLACE:.*]] = arith.index_cast %[[AT]] : i64 to index
// CHECK: %[[I:.*]] = linalg.index 0 : index
// CHECK: %[[MEANT:.*]] = arith.cmpi eq, %[[PLACE]], %[[I]] : index
// CHECK: %[[Y:.*]] = arith.select %[[MEANT]], %[[X]], %[[FOUND]] : f32
// CHECK: linalg.yield %[[Y]]
func.func @scatter(%s: tensor<5x8xf32>, %t: tensor<9x8xf32>, %p: tensor<5x1xi64>) -> tensor<9x8xf32> {
  %r = tensor.scatter %s into %t[%p] scatter_dims([0]) unique
      : (tensor<5x8xf32>, tensor<9x8xf32>, tensor<5x1xi64>) -> tensor<9x8xf32>
  return %r : tensor<9x8xf32>
}
