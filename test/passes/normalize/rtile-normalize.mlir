// RUN: roller-opt %s --rtile-normalize --split-input-file | FileCheck %s
// RUN: roller-opt %s --rtile-normalize=fuse-axes=false --split-input-file | FileCheck %s --check-prefix=LOOPS

// Named ops stay named, an accumulator that starts from a constant starts from a fill.
// CHECK-LABEL: func.func @named
// CHECK-SAME: (%[[A:.*]]: tensor<1x512xf32>, %[[B:.*]]: tensor<512x129xf32>)
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[E:.*]] = tensor.empty() : tensor<1x129xf32>
// CHECK: %[[F:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[E]] : tensor<1x129xf32>)
// CHECK: %[[R:.*]] = linalg.matmul ins(%[[A]], %[[B]] : tensor<1x512xf32>, tensor<512x129xf32>) outs(%[[F]] : tensor<1x129xf32>)
// CHECK: return %[[R]]
func.func @named(%A: tensor<1x512xf32>, %B: tensor<512x129xf32>) -> tensor<1x129xf32> {
  %zero = arith.constant dense<0.0> : tensor<1x129xf32>
  %r = linalg.matmul ins(%A, %B : tensor<1x512xf32>, tensor<512x129xf32>) outs(%zero : tensor<1x129xf32>) -> tensor<1x129xf32>
  return %r : tensor<1x129xf32>
}

// -----

// Arithmetic on tensors becomes linalg; what is computed twice is computed once; the three loops become one.
// CHECK-LABEL: func.func @elementwise
// CHECK-SAME: (%[[X:.*]]: tensor<8x4x16xf32>, %[[Y:.*]]: tensor<8x4x16xf32>)
// CHECK-DAG: %[[FX:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1, 2]] : tensor<8x4x16xf32> into tensor<512xf32>
// CHECK-DAG: %[[FY:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0, 1, 2]] : tensor<8x4x16xf32> into tensor<512xf32>
// CHECK-DAG: %[[E:.*]] = tensor.empty() : tensor<512xf32>
// CHECK: %[[S:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[FX]], %[[FY]] : {{.*}}) outs(%[[E]] : tensor<512xf32>)
// CHECK: arith.addf
// CHECK: %[[M:.*]] = linalg.generic {{.*}} ins(%[[S]], %[[S]] : {{.*}}) outs(%[[E]] : tensor<512xf32>)
// CHECK: arith.mulf
// CHECK: %[[R:.*]] = tensor.expand_shape %[[M]] {{\[\[}}0, 1, 2]] output_shape [8, 4, 16]
// CHECK-NOT: linalg.generic
// CHECK: return %[[R]]
// LOOPS-LABEL: func.func @elementwise
// LOOPS-SAME: (%[[X:.*]]: tensor<8x4x16xf32>, %[[Y:.*]]: tensor<8x4x16xf32>)
// LOOPS: %[[E:.*]] = tensor.empty() : tensor<8x4x16xf32>
// LOOPS: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[E]] : {{.*}})
func.func @elementwise(%x: tensor<8x4x16xf32>, %y: tensor<8x4x16xf32>) -> tensor<8x4x16xf32> {
  %s = arith.addf %x, %y : tensor<8x4x16xf32>
  %t = arith.addf %x, %y : tensor<8x4x16xf32>
  %m = arith.mulf %s, %t : tensor<8x4x16xf32>
  return %m : tensor<8x4x16xf32>
}

// -----

// A broadcast operand fuses the loops that it lacks; the reduction's two loops become one, its parallel loop another.
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[BOTH:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @broadcast_and_reduce
// CHECK-SAME: (%[[X:.*]]: tensor<8x4x16xf32>, %[[B:.*]]: tensor<16xf32>)
// CHECK: %[[FX:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]] : tensor<8x4x16xf32> into tensor<32x16xf32>
// CHECK: %[[G:.*]] = linalg.generic {indexing_maps = [#[[BOTH]], #[[COLUMN]], #[[BOTH]]], iterator_types = ["parallel", "parallel"]} ins(%[[FX]], %[[B]] :
// CHECK: %[[GX:.*]] = tensor.expand_shape %[[G]] {{\[\[}}0, 1], [2]] output_shape [8, 4, 16]
// CHECK: %[[F:.*]] = linalg.fill {{.*}} -> tensor<8xf32>
// CHECK: %[[FG:.*]] = tensor.collapse_shape %[[GX]] {{\[\[}}0], [1, 2]] : tensor<8x4x16xf32> into tensor<8x64xf32>
// CHECK: %[[R:.*]] = linalg.generic {indexing_maps = [#[[BOTH]], #[[ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[FG]] : tensor<8x64xf32>) outs(%[[F]] : tensor<8xf32>)
// CHECK: return %[[R]]
func.func @broadcast_and_reduce(%x: tensor<8x4x16xf32>, %b: tensor<16xf32>) -> tensor<8xf32> {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %e = tensor.empty() : tensor<8x4x16xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>,
                                        affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %b : tensor<8x4x16xf32>, tensor<16xf32>) outs(%e : tensor<8x4x16xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<8x4x16xf32>
  %r = linalg.reduce { arith.addf } ins(%g : tensor<8x4x16xf32>) outs(%zero : tensor<8xf32>) dimensions = [1, 2]
  return %r : tensor<8xf32>
}

// -----

// A contraction over pairs of axes is a matmul; the accumulator is the function's argument.
// CHECK-LABEL: func.func @contraction
// CHECK-SAME: (%[[A:.*]]: tensor<2x3x4x5xf32>, %[[B:.*]]: tensor<4x5x6xf32>, %[[C:.*]]: tensor<2x3x6xf32>)
// CHECK-DAG: %[[FA:.*]] = tensor.collapse_shape %[[A]] {{\[\[}}0, 1], [2, 3]] : tensor<2x3x4x5xf32> into tensor<6x20xf32>
// CHECK-DAG: %[[FB:.*]] = tensor.collapse_shape %[[B]] {{\[\[}}0, 1], [2]] : tensor<4x5x6xf32> into tensor<20x6xf32>
// CHECK-DAG: %[[FC:.*]] = tensor.collapse_shape %[[C]] {{\[\[}}0, 1], [2]] : tensor<2x3x6xf32> into tensor<6x6xf32>
// CHECK: %[[R:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[FA]], %[[FB]] : {{.*}}) outs(%[[FC]] : {{.*}})
// CHECK: %[[X:.*]] = tensor.expand_shape %[[R]] {{\[\[}}0, 1], [2]] output_shape [2, 3, 6]
// CHECK: return %[[X]]
func.func @contraction(%A: tensor<2x3x4x5xf32>, %B: tensor<4x5x6xf32>, %C: tensor<2x3x6xf32>) -> tensor<2x3x6xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, n, k, l) -> (a, b, k, l)>, affine_map<(a, b, n, k, l) -> (k, l, n)>,
                                        affine_map<(a, b, n, k, l) -> (a, b, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%A, %B : tensor<2x3x4x5xf32>, tensor<4x5x6xf32>) outs(%C : tensor<2x3x6xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    linalg.yield %u : f32
  } -> tensor<2x3x6xf32>
  return %r : tensor<2x3x6xf32>
}

// -----

// Loops stay where an operand orders them otherwise, where windows slide, and where the body asks for positions.
// CHECK-LABEL: func.func @not_fused
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[IMAGE:.*]]: tensor<1x8x8x3xf32>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<8x4xf32>
// CHECK: linalg.transpose ins(%[[X]] : tensor<4x8xf32>) outs(%[[E]] : tensor<8x4xf32>) permutation = [1, 0]
// CHECK: linalg.conv_2d_nhwc_hwcf {{.*}} -> tensor<1x6x6x2xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK: linalg.index 1
// CHECK: linalg.batch_matmul {{.*}} -> tensor<2x8x8xf32>
func.func @not_fused(%x: tensor<4x8xf32>, %image: tensor<1x8x8x3xf32>, %filter: tensor<3x3x3x2xf32>, %c: tensor<1x6x6x2xf32>,
                     %a: tensor<2x8x4xf32>, %b: tensor<2x4x8xf32>, %d: tensor<2x8x8xf32>)
    -> (tensor<8x4xf32>, tensor<1x6x6x2xf32>, tensor<4x8xf32>, tensor<2x8x8xf32>) {
  %e = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
  %f = linalg.conv_2d_nhwc_hwcf ins(%image, %filter : tensor<1x8x8x3xf32>, tensor<3x3x3x2xf32>)
      outs(%c : tensor<1x6x6x2xf32>) -> tensor<1x6x6x2xf32>
  %e2 = tensor.empty() : tensor<4x8xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e2 : tensor<4x8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %l = arith.addf %p, %k : f32
    linalg.yield %l : f32
  } -> tensor<4x8xf32>
  %m = linalg.batch_matmul ins(%a, %b : tensor<2x8x4xf32>, tensor<2x4x8xf32>) outs(%d : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  return %t, %f, %g, %m : tensor<8x4xf32>, tensor<1x6x6x2xf32>, tensor<4x8xf32>, tensor<2x8x8xf32>
}

// -----

// Each result has an op of its own: an argument, its reshape, a constant, unspecified content and a repeated result.
// CHECK-LABEL: func.func @results
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[V:.*]]: tensor<4xf32>)
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1]] : tensor<4x8xf32> into tensor<32xf32>
// CHECK: %[[N:.*]] = linalg.negf ins(%[[V]] : tensor<4xf32>) {{.*}} -> tensor<4xf32>
// CHECK: %[[FX:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1]] : tensor<4x8xf32> into tensor<32xf32>
// CHECK: %[[CX:.*]] = linalg.copy {{.*}}ins(%[[FX]] : tensor<32xf32>)
// CHECK: %[[R0:.*]] = tensor.expand_shape %[[CX]] {{\[\[}}0, 1]] output_shape [4, 8]
// CHECK: %[[R1:.*]] = linalg.copy {{.*}}ins(%[[C]] : tensor<32xf32>)
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[R2:.*]] = linalg.fill ins(%[[ONE]] : f32)
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[R3:.*]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK: %[[R5:.*]] = linalg.copy {{.*}}ins(%[[N]] : tensor<4xf32>)
// CHECK: return %[[R0]], %[[R1]], %[[R2]], %[[R3]], %[[N]], %[[R5]]
func.func @results(%x: tensor<4x8xf32>, %v: tensor<4xf32>)
    -> (tensor<4x8xf32>, tensor<32xf32>, tensor<4xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<8xf32>
  %o = tensor.empty() : tensor<4xf32>
  %n = linalg.negf ins(%v : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  return %x, %c, %one, %e, %n, %n
      : tensor<4x8xf32>, tensor<32xf32>, tensor<4xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Dense constants stay constants; unread outputs start from nothing.
// CHECK-LABEL: func.func @constants
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>)
// CHECK: %[[W:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<2xf32>
// CHECK: linalg.mul ins(%[[X]], %[[W]] : {{.*}}) outs(%[[E]] : tensor<2xf32>)
func.func @constants(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %r = linalg.mul ins(%x, %w : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// Rows and columns are one loop under a window of 1 x 1, the loops of the window vanish; padding of rows goes along.
// CHECK-DAG: #[[IMAGE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[FILTER:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-DAG: #[[RESULT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @pointwise
// CHECK-SAME: (%[[X:.*]]: tensor<2x6x17x11xf32>, %[[W:.*]]: tensor<8x6x1x1xf32>
// CHECK: %[[FX:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1], [2, 3]] : tensor<2x6x17x11xf32> into tensor<2x6x187xf32>
// CHECK: %[[P:.*]] = tensor.pad %[[FX]] low[0, 0, 11] high[0, 0, 22]
// CHECK: %[[FW:.*]] = tensor.collapse_shape %[[W]] {{\[\[}}0], [1, 2, 3]] : tensor<8x6x1x1xf32> into tensor<8x6xf32>
// CHECK: linalg.generic {indexing_maps = [#[[IMAGE]], #[[FILTER]], #[[RESULT]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[P]], %[[FW]] :
// LOOPS-LABEL: func.func @pointwise
// LOOPS: linalg.conv_2d_nchw_fchw
func.func @pointwise(%x: tensor<2x6x17x11xf32>, %w: tensor<8x6x1x1xf32>, %i: tensor<2x8x20x11xf32>) -> tensor<2x8x20x11xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 0] high[0, 0, 2, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<2x6x17x11xf32> to tensor<2x6x20x11xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<2x6x20x11xf32>, tensor<8x6x1x1xf32>)
      outs(%i : tensor<2x8x20x11xf32>) -> tensor<2x8x20x11xf32>
  return %r : tensor<2x8x20x11xf32>
}

// -----

// A concatenation is one element-wise op that reads each input through a padding; dimensions behind go along.
// CHECK-LABEL: func.func @concat
// CHECK-SAME: (%[[X:.*]]: tensor<3x4x5xf32>, %[[Y:.*]]: tensor<3x2x5xf32>)
// CHECK: %[[START:.*]] = arith.constant 20 : index
// CHECK: %[[FX:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1, 2]] : tensor<3x4x5xf32> into tensor<3x20xf32>
// CHECK: %[[FY:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0], [1, 2]] : tensor<3x2x5xf32> into tensor<3x10xf32>
// CHECK: %[[PX:.*]] = tensor.pad %[[FX]] low[0, 0] high[0, 10]
// CHECK: %[[PY:.*]] = tensor.pad %[[FY]] low[0, 20] high[0, 0]
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[PX]], %[[PY]] : tensor<3x30xf32>, tensor<3x30xf32>)
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[OLD:.*]]: f32):
// CHECK: %[[I:.*]] = linalg.index 1 : index
// CHECK: %[[C:.*]] = arith.cmpi uge, %[[I]], %[[START]] : index
// CHECK: %[[S:.*]] = arith.select %[[C]], %[[B]], %[[A]] : f32
// CHECK: linalg.yield %[[S]] : f32
// CHECK: tensor.expand_shape %[[R]] {{\[\[}}0], [1, 2]] output_shape [3, 6, 5]
func.func @concat(%x: tensor<3x4x5xf32>, %y: tensor<3x2x5xf32>) -> tensor<3x6x5xf32> {
  %r = tensor.concat dim(1) %x, %y : (tensor<3x4x5xf32>, tensor<3x2x5xf32>) -> tensor<3x6x5xf32>
  return %r : tensor<3x6x5xf32>
}

// -----

// CHECK-DAG: #[[POINT:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @softmax
// CHECK-SAME: (%[[X:.*]]: tensor<6x8xf32>)
// CHECK: %[[MOST:.*]] = linalg.generic {indexing_maps = [#[[POINT]], #[[ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[X]] :
// CHECK: arith.maxnumf
// CHECK: %[[POWERS:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[MOST]] :
// CHECK: %[[D:.*]] = arith.subf
// CHECK: math.exp %[[D]] : f32
// CHECK: %[[TOTAL:.*]] = linalg.generic {indexing_maps = [#[[POINT]], #[[ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[POWERS]] :
// CHECK: arith.addf
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[POWERS]], %[[TOTAL]] :
// CHECK: arith.divf
// CHECK: return %[[R]]
func.func @softmax(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %e = tensor.empty() : tensor<6x8xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<6x8xf32>) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}

// -----

// A slice is read through, its whole dimensions fused; one that is returned is copied; a dropped dimension is collapsed.
// CHECK-LABEL: func.func @slices
// CHECK-SAME: (%[[X:.*]]: tensor<4x6x8xf32>)
// CHECK-DAG: %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]] : tensor<4x6x8xf32> into tensor<24x8xf32>
// CHECK-DAG: %[[LINE:.*]] = tensor.collapse_shape %[[ROWS]] {{\[\[}}0, 1]] : tensor<24x8xf32> into tensor<192xf32>
// CHECK-DAG: %[[T:.*]] = tensor.extract_slice %[[LINE]][144] [48] [1] : tensor<192xf32> to tensor<48xf32>
// CHECK-DAG: %[[C:.*]] = linalg.{{.*}} ins(%[[T]] : tensor<48xf32>)
// CHECK-DAG: %[[FX:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1, 2]] : tensor<4x6x8xf32> into tensor<192xf32>
// CHECK-DAG: %[[S:.*]] = tensor.extract_slice %[[FX]][48] [96] [1] : tensor<192xf32> to tensor<96xf32>
// CHECK-DAG: %[[N:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<96xf32>)
// CHECK-DAG: %[[NE:.*]] = tensor.expand_shape %[[N]] {{\[\[}}0, 1, 2]] output_shape [2, 6, 8]
// CHECK-DAG: %[[CE:.*]] = tensor.expand_shape %[[C]] {{\[\[}}0, 1]] output_shape [6, 8]
// CHECK: return %[[NE]], %[[CE]]
func.func @slices(%x: tensor<4x6x8xf32>) -> (tensor<2x6x8xf32>, tensor<6x8xf32>) {
  %s = tensor.extract_slice %x[1, 0, 0] [2, 6, 8] [1, 1, 1] : tensor<4x6x8xf32> to tensor<2x6x8xf32>
  %t = tensor.extract_slice %x[3, 0, 0] [1, 6, 8] [1, 1, 1] : tensor<4x6x8xf32> to tensor<6x8xf32>
  %e = tensor.empty() : tensor<2x6x8xf32>
  %n = linalg.negf ins(%s : tensor<2x6x8xf32>) outs(%e : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  return %n, %t : tensor<2x6x8xf32>, tensor<6x8xf32>
}

// -----

// What is inserted into a tensor is selected by position, what is inserted into a constant is padded.
// CHECK-LABEL: func.func @inserted
// CHECK-SAME: (%[[X:.*]]: tensor<8x4xf32>, %[[Y:.*]]: tensor<8xf32>, %[[Z:.*]]: tensor<2x3xf32>)
// CHECK: %[[YE:.*]] = tensor.expand_shape %[[Y]] {{\[\[}}0, 1]] output_shape [8, 1]
// CHECK: %[[YP:.*]] = tensor.pad %[[YE]] low[0, 1] high[0, 2]
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[YP]], %[[X]] :
// CHECK: %[[I:.*]] = linalg.index 1 : index
// CHECK: %[[LOW:.*]] = arith.cmpi uge, %[[I]]
// CHECK: %[[HIGH:.*]] = arith.cmpi ult, %[[I]]
// CHECK: %[[IN:.*]] = arith.andi %[[LOW]], %[[HIGH]] : i1
// CHECK: arith.select %[[IN]]
// CHECK: %[[ZP:.*]] = tensor.pad %[[Z]] low[0, 4] high[2, 1]
// CHECK: %[[S:.*]] = linalg.copy {{.*}}ins(%[[ZP]] :
// CHECK: return %[[R]], %[[S]]
func.func @inserted(%x: tensor<8x4xf32>, %y: tensor<8xf32>, %z: tensor<2x3xf32>) -> (tensor<8x4xf32>, tensor<4x8xf32>) {
  %r = tensor.insert_slice %y into %x[0, 1] [8, 1] [1, 1] : tensor<8xf32> into tensor<8x4xf32>
  %c = arith.constant dense<2.0> : tensor<4x8xf32>
  %s = tensor.insert_slice %z into %c[0, 4] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<4x8xf32>
  return %r, %s : tensor<8x4xf32>, tensor<4x8xf32>
}

// -----

// A loop whose position is read stays alone; the position on a loop of one trip is 0.
// CHECK-LABEL: func.func @positions
// CHECK-SAME: (%[[X:.*]]: tensor<4x5x1x6xf32>)
// CHECK: %[[FX:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1, 2], [3]] : tensor<4x5x1x6xf32> into tensor<20x6xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[FX]] : tensor<20x6xf32>)
// CHECK: %[[I:.*]] = linalg.index 1 : index
// CHECK-NEXT: %[[C:.*]] = arith.index_cast %[[I]] : index to i32
func.func @positions(%x: tensor<4x5x1x6xf32>) -> tensor<4x5x1x6xf32> {
  %e = tensor.empty() : tensor<4x5x1x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, u, c) -> (a, b, u, c)>, affine_map<(a, b, u, c) -> (a, b, u, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x5x1x6xf32>) outs(%e : tensor<4x5x1x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %u = linalg.index 2 : index
    %i = linalg.index 3 : index
    %t = arith.addi %u, %i : index
    %j = arith.index_cast %t : index to i32
    %f = arith.sitofp %j : i32 to f32
    %s = arith.mulf %a, %f : f32
    linalg.yield %s : f32
  } -> tensor<4x5x1x6xf32>
  return %r : tensor<4x5x1x6xf32>
}

// -----

// A tensor that fills its tiles is transposed as it is expanded.
// CHECK-DAG: #[[READ:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3, d0, d2)>
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @pack
// CHECK-SAME: (%[[A:.*]]: tensor<32x24xf32>)
// CHECK: %[[T:.*]] = tensor.expand_shape %[[A]] {{\[\[}}0, 1], [2, 3]] output_shape [4, 8, 3, 8] : tensor<32x24xf32> into tensor<4x8x3x8xf32>
// CHECK: %[[P:.*]] = linalg.generic {indexing_maps = [#[[READ]], #[[ID]]], iterator_types = {{.*}}} ins(%[[T]] : {{.*}}) outs({{.*}} : tensor<3x4x8x8xf32>)
// CHECK: return %[[P]]
func.func @pack(%a: tensor<32x24xf32>) -> tensor<3x4x8x8xf32> {
  %o = tensor.empty() : tensor<3x4x8x8xf32>
  %p = linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [8, 8] into %o : tensor<32x24xf32> -> tensor<3x4x8x8xf32>
  return %p : tensor<3x4x8x8xf32>
}

// -----

// One that does not is padded and read at sums.
// CHECK-DAG: #[[READ:.*]] = affine_map<(d0, d1, d2) -> (d0 * 8 + d2, d1)>
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @pack_padded
// CHECK-SAME: (%[[A:.*]]: tensor<30x24xf32>)
// CHECK: %[[W:.*]] = tensor.pad %[[A]] low[0, 0] high[2, 0]
// CHECK: %[[P:.*]] = linalg.generic {indexing_maps = [#[[READ]], #[[ID]]], iterator_types = {{.*}}} ins(%[[W]] : {{.*}}) outs({{.*}} : tensor<4x24x8xf32>)
// CHECK: return %[[P]]
func.func @pack_padded(%a: tensor<30x24xf32>) -> tensor<4x24x8xf32> {
  %c = arith.constant 1.0 : f32
  %o = tensor.empty() : tensor<4x24x8xf32>
  %p = linalg.pack %a padding_value(%c : f32) inner_dims_pos = [0] inner_tiles = [8] into %o : tensor<30x24xf32> -> tensor<4x24x8xf32>
  return %p : tensor<4x24x8xf32>
}

// -----

// What an unpacked tensor has beyond its shape is cut off.
// CHECK-DAG: #[[READ:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @unpack
// CHECK-SAME: (%[[A:.*]]: tensor<4x24x8xf32>)
// CHECK: %[[T:.*]] = linalg.generic {indexing_maps = [#[[READ]], #[[ID]]], iterator_types = {{.*}}} ins(%[[A]] : {{.*}}) outs({{.*}} : tensor<4x8x24xf32>)
// CHECK: %[[W:.*]] = tensor.collapse_shape %[[T]] {{\[\[}}0, 1], [2]] : tensor<4x8x24xf32> into tensor<32x24xf32>
// CHECK: %[[L:.*]] = tensor.collapse_shape %[[W]] {{\[\[}}0, 1]] : tensor<32x24xf32> into tensor<768xf32>
// CHECK: %[[S:.*]] = tensor.extract_slice %[[L]][0] [720] [1] : tensor<768xf32> to tensor<720xf32>
// CHECK: %[[C:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<720xf32>)
// CHECK: %[[R:.*]] = tensor.expand_shape %[[C]] {{\[\[}}0, 1]] output_shape [30, 24]
// CHECK: return %[[R]]
func.func @unpack(%a: tensor<4x24x8xf32>) -> tensor<30x24xf32> {
  %o = tensor.empty() : tensor<30x24xf32>
  %p = linalg.unpack %a inner_dims_pos = [0] inner_tiles = [8] into %o : tensor<4x24x8xf32> -> tensor<30x24xf32>
  return %p : tensor<30x24xf32>
}
