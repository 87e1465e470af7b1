// RUN: roller-opt %s --rtile-fuse='device=h200' --split-input-file --mlir-print-local-scope | FileCheck %s
// RUN: roller-opt %s --rtile-fuse='device=h200 explain-fusion=true' --split-input-file 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: roller-opt %s --rtile-fuse='device=h200 fusion=false' --split-input-file | FileCheck %s --check-prefix=APART

// What is element-wise behind a product is computed on its accumulators; both ops behind it are one by then.

// CHECK-LABEL: func.func @bias_relu
// CHECK-SAME: (%[[A:.*]]: tensor<64x32xf32>, %[[B:.*]]: tensor<32x48xf32>, %[[BIAS:.*]]: tensor<48xf32>)
// CHECK: %[[Y:.*]] = "rtile.program"(%[[A]], %[[B]], %[[BIAS]]) ({
// CHECK: %[[C:.*]] = linalg.matmul
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[C]], %{{[^ ]*}} : tensor<64x48xf32>, tensor<48xf32>)
// CHECK: arith.addf
// CHECK: arith.maximumf
// CHECK: "rtile.yield"(%[[R]])
// CHECK: return %[[Y]]
// WHY: remark: 'linalg.matmul' (line {{[0-9]+}}) and 'linalg.generic' (line {{[0-9]+}}) are one program, which saves {{[0-9]+}} B: predicted
// APART-LABEL: func.func @bias_relu
// APART-NOT: rtile.program
func.func @bias_relu(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>, %bias: tensor<48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>) outs(%i : tensor<64x48xf32>) -> tensor<64x48xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c, %bias : tensor<64x48xf32>, tensor<48xf32>) outs(%e : tensor<64x48xf32>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %t = arith.addf %x, %y : f32
      linalg.yield %t : f32
  } -> tensor<64x48xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) {
    ^bb0(%x: f32, %old: f32):
      %t = arith.maximumf %x, %zero : f32
      linalg.yield %t : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

// A sum of squares: the squares are composed into the sum, which reads each of them once.

// CHECK-LABEL: func.func @sum_of_squares
// CHECK-NOT: rtile.program
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
// CHECK: %[[M:.*]] = arith.mulf %[[X:.*]], %[[X]]
// CHECK: arith.addf %[[SUM:.*]], %[[M]]
// CHECK-NOT: linalg.generic
// APART-LABEL: func.func @sum_of_squares
// APART-COUNT-2: linalg.generic
func.func @sum_of_squares(%x: tensor<64x100xf32>, %init: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x100xf32>) outs(%e : tensor<64x100xf32>) {
    ^bb0(%a: f32, %old: f32):
      %m = arith.mulf %a, %a : f32
      linalg.yield %m : f32
  } -> tensor<64x100xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%s : tensor<64x100xf32>) outs(%init : tensor<64xf32>) {
    ^bb0(%a: f32, %sum: f32):
      %t = arith.addf %sum, %a : f32
      linalg.yield %t : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

// Two products are two programs: the second one reads in steps what the first makes. What is read behind the program
// leaves it; a row's greatest element and the differences from it are one program, since the row fits a task.

// CHECK-LABEL: func.func @apart_and_shared
// CHECK: %[[FIRST:.*]] = linalg.matmul
// CHECK: %[[SECOND:.*]] = linalg.matmul ins(%[[FIRST]]
// CHECK: %[[OUT:.*]]:2 = "rtile.program"(%[[SECOND]]) ({
// CHECK: %[[MAX:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK: %[[DIFFERENCE:.*]] = linalg.generic
// CHECK: "rtile.yield"(%[[MAX]], %[[DIFFERENCE]])
// WHY: remark: 'linalg.matmul' (line {{[0-9]+}}) and 'linalg.matmul' (line {{[0-9]+}}) stay apart: 'linalg.matmul'
func.func @apart_and_shared(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> (tensor<32xf32>, tensor<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %er = tensor.empty() : tensor<32xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %c = linalg.matmul ins(%a, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%i : tensor<32x32xf32>) -> tensor<32x32xf32>
  %d = linalg.matmul ins(%c, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%i : tensor<32x32xf32>) -> tensor<32x32xf32>
  %l = linalg.fill ins(%lowest : f32) outs(%er : tensor<32xf32>) -> tensor<32xf32>
  %max = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<32x32xf32>) outs(%l : tensor<32xf32>) {
    ^bb0(%x: f32, %m: f32):
      %t = arith.maximumf %x, %m : f32
      linalg.yield %t : f32
  } -> tensor<32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%d, %max : tensor<32x32xf32>, tensor<32xf32>) outs(%e : tensor<32x32xf32>) {
    ^bb0(%x: f32, %m: f32, %old: f32):
      %t = arith.subf %x, %m : f32
      linalg.yield %t : f32
  } -> tensor<32x32xf32>
  return %max, %y : tensor<32xf32>, tensor<32x32xf32>
}

// -----

// A reduction that may be divided over tasks: the second stage goes on with what is behind it.

// CHECK-LABEL: func.func @long_reduction
// CHECK: %[[R:.*]] = "rtile.program"
// CHECK: linalg.matmul
// CHECK: arith.maximumf
// CHECK: "rtile.yield"
// CHECK: return %[[R]]
// WHY: remark: 'linalg.matmul' (line {{[0-9]+}}) and 'linalg.generic' (line {{[0-9]+}}) are one program
// APART-LABEL: func.func @long_reduction
// APART-NOT: rtile.program
func.func @long_reduction(%a: tensor<64x65536xf32>, %b: tensor<65536x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x65536xf32>, tensor<65536x64xf32>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%x: f32, %old: f32):
      %t = arith.maximumf %x, %zero : f32
      linalg.yield %t : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

// What leaves in another order than it was made in, a second stage cannot make: where dividing saves more, ops stay apart.

// CHECK-LABEL: func.func @turned
// CHECK-NOT: rtile.program
// WHY: remark: 'linalg.matmul' (line {{[0-9]+}}) and 'linalg.generic' (line {{[0-9]+}}) stay apart, one program would take longer: predicted
// APART-LABEL: func.func @turned
func.func @turned(%a: tensor<64x65536xf32>, %b: tensor<65536x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x65536xf32>, tensor<65536x64xf32>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%x: f32, %old: f32):
      %t = arith.maximumf %x, %zero : f32
      linalg.yield %t : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

// A dimension of one element is added to a row's sum and dropped again: both reshapes are read through.

// CHECK-LABEL: func.func @unit_extents
// CHECK-SAME: (%[[X:.*]]: tensor<16x64xf32>)
// CHECK: %[[Y:.*]] = "rtile.program"(%[[X]]) ({
// CHECK: linalg.generic
// CHECK-NOT: tensor.expand_shape
// CHECK-NOT: tensor.collapse_shape
// CHECK: "rtile.yield"
// CHECK: return %[[Y]]
// APART-LABEL: func.func @unit_extents
// APART-NOT: rtile.program
func.func @unit_extents(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %row = tensor.empty() : tensor<16xf32>
  %i = linalg.fill ins(%zero : f32) outs(%row : tensor<16xf32>) -> tensor<16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<16x64xf32>) outs(%i : tensor<16xf32>) {
    ^bb0(%a: f32, %sum: f32):
      %t = arith.addf %sum, %a : f32
      linalg.yield %t : f32
  } -> tensor<16xf32>
  %column = tensor.expand_shape %s [[0, 1]] output_shape [16, 1] : tensor<16xf32> into tensor<16x1xf32>
  %e1 = tensor.empty() : tensor<16x1xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%column : tensor<16x1xf32>) outs(%e1 : tensor<16x1xf32>) {
    ^bb0(%a: f32, %old: f32):
      %t = math.sqrt %a : f32
      linalg.yield %t : f32
  } -> tensor<16x1xf32>
  %c = tensor.collapse_shape %m [[0, 1]] : tensor<16x1xf32> into tensor<16xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %c : tensor<16x64xf32>, tensor<16xf32>) outs(%e : tensor<16x64xf32>) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %t = arith.mulf %a, %b : f32
      linalg.yield %t : f32
  } -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// -----

#all = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (0, c, 0, 0)>

// A factor of each channel has no dimensions of one element behind its channels, which lie side by side then.
// CHECK-LABEL: func.func @channels
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<1x8x1x1xf32>)
// CHECK: %[[F:.*]] = tensor.collapse_shape %[[A]] {{\[\[}}0], [1, 2, 3]] : tensor<1x8x1x1xf32> into tensor<1x8xf32>
// CHECK: "rtile.program"(%[[X:.*]], %[[W:.*]], %[[F]])
func.func @channels(%x: tensor<1x8x6x6xf32>, %w: tensor<8x8x3x3xf32>, %f: tensor<1x8x1x1xf32>)
    -> tensor<1x8x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x8x6x6xf32>, tensor<8x8x3x3xf32>)
      outs(%i : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %y = linalg.generic {indexing_maps = [#all, #channel, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %f : tensor<1x8x4x4xf32>, tensor<1x8x1x1xf32>) outs(%e : tensor<1x8x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<1x8x4x4xf32>
  return %y : tensor<1x8x4x4xf32>
}

// -----

// A linear layer as PyTorch decomposes it: factors are widened, reshaped and transposed, and multiplied in f32. The
// product reads them as they were, where the device multiplies bf16; the transpose is of bf16.

// CHECK-LABEL: func.func @linear
// CHECK-SAME: (%[[X:.*]]: tensor<4x8x64xbf16>, %[[W:.*]]: tensor<96x64xbf16>)
// CHECK-NOT: arith.extf
// CHECK: %[[A:.*]] = tensor.collapse_shape %[[X]] {{.*}} : tensor<4x8x64xbf16> into tensor<32x64xbf16>
// CHECK: rtile.program
// CHECK: %[[T:.*]] = linalg.transpose ins(%{{[^ ]*}} : tensor<96x64xbf16>)
// CHECK: linalg.matmul ins(%{{[^ ]*}}, %[[T]] : tensor<32x64xbf16>, tensor<64x96xbf16>) outs(%{{[^ ]*}} : tensor<32x96xf32>)
// CHECK-NOT: arith.extf
// WHY: remark: 'linalg.matmul' (line {{[0-9]+}}) reads its factors of bf16 before they are widened
// APART-LABEL: func.func @linear
// APART-COUNT-2: arith.extf
// APART: linalg.matmul ins(%{{[^ ]*}}, %{{[^ ]*}} : tensor<32x64xf32>, tensor<64x96xf32>)
func.func @linear(%x: tensor<4x8x64xbf16>, %w: tensor<96x64xbf16>) -> tensor<32x96xf32> {
  %ex = tensor.empty() : tensor<4x8x64xf32>
  %xw = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                        iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x8x64xbf16>) outs(%ex : tensor<4x8x64xf32>) {
    ^bb0(%in: bf16, %old: f32):
      %t = arith.extf %in : bf16 to f32
      linalg.yield %t : f32
  } -> tensor<4x8x64xf32>
  %a = tensor.collapse_shape %xw [[0, 1], [2]] : tensor<4x8x64xf32> into tensor<32x64xf32>
  %ew = tensor.empty() : tensor<96x64xf32>
  %ww = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                        iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<96x64xbf16>) outs(%ew : tensor<96x64xf32>) {
    ^bb0(%in: bf16, %old: f32):
      %t = arith.extf %in : bf16 to f32
      linalg.yield %t : f32
  } -> tensor<96x64xf32>
  %et = tensor.empty() : tensor<64x96xf32>
  %b = linalg.transpose ins(%ww : tensor<96x64xf32>) outs(%et : tensor<64x96xf32>) permutation = [1, 0]
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x96xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x96xf32>) -> tensor<32x96xf32>
  %c = linalg.matmul ins(%a, %b : tensor<32x64xf32>, tensor<64x96xf32>) outs(%i : tensor<32x96xf32>) -> tensor<32x96xf32>
  return %c : tensor<32x96xf32>
}

// -----

// Factors that are dequantized are multiplied as integers: without sign they get one, 128 less, and their zero point, 131,
// is 3 then. Sums of the weights along the reduction are a constant.

// CHECK-LABEL: func.func @quantized
// CHECK-SAME: (%[[X:.*]]: tensor<64x64xi8>)
// CHECK: "rtile.program"(%[[X]], %{{[^ ]*}}) ({
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} : tensor<64x64xi8>) outs(%{{[^ ]*}} : tensor<64x64xi8>)
// CHECK: arith.xori
// CHECK: linalg.matmul ins(%[[Q]], %{{[^ ]*}} : tensor<64x64xi8>, tensor<64x96xi8>) outs(%{{[^ ]*}} : tensor<64x96xi32>)
// CHECK: arith.subi %{{[^ ]*}}, %c384_i32
// CHECK: arith.sitofp %{{[^ ]*}} : i32 to f32
// WHY: remark: 'linalg.matmul' (line {{[0-9]+}}) multiplies the integers that its factors are dequantized from
// APART-LABEL: func.func @quantized
// APART: linalg.matmul ins(%{{[^ ]*}}, %{{[^ ]*}} : tensor<64x64xf32>, tensor<64x96xf32>)
func.func @quantized(%x: tensor<64x64xi8>) -> tensor<64x96xf32> {
  %w = arith.constant dense<2> : tensor<64x96xi8>
  %z = arith.constant 131 : i32
  %s = arith.constant 0.25 : f32
  %ea = tensor.empty() : tensor<64x64xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x64xi8>) outs(%ea : tensor<64x64xf32>) {
    ^bb0(%in: i8, %old: f32):
      %t = arith.extui %in : i8 to i32
      %d = arith.subi %t, %z : i32
      %f = arith.sitofp %d : i32 to f32
      %m = arith.mulf %f, %s : f32
      linalg.yield %m : f32
  } -> tensor<64x64xf32>
  %eb = tensor.empty() : tensor<64x96xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<64x96xi8>) outs(%eb : tensor<64x96xf32>) {
    ^bb0(%in: i8, %old: f32):
      %f = arith.sitofp %in : i8 to f32
      %m = arith.mulf %f, %s : f32
      linalg.yield %m : f32
  } -> tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x96xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x96xf32>) outs(%i : tensor<64x96xf32>) -> tensor<64x96xf32>
  return %c : tensor<64x96xf32>
}
