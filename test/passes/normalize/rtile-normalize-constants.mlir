// RUN: roller-opt %s --split-input-file --rtile-normalize | FileCheck %s

#id = affine_map<(c, i) -> (c, i)>
#column = affine_map<(c, i) -> (c, 0)>

// What a batch norm makes of its parameters is a constant: 1/sqrt(3.75 + 0.25), 1/sqrt(15.75 + 0.25).
// CHECK-LABEL: func.func @parameters
// CHECK: %[[F:.*]] = arith.constant dense<{{\[\[}}5.000000e-01], [2.500000e-01]]> : tensor<2x1xf32>
// CHECK-NOT: math.rsqrt
// CHECK: linalg.generic {{.*}} ins(%[[X:.*]], %[[F]] : tensor<2x8xf32>, tensor<2x1xf32>)
// CHECK-NOT: linalg.generic
func.func @parameters(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %variance = arith.constant dense<[[3.75], [15.75]]> : tensor<2x1xf32>
  %epsilon = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<2x1xf32>
  %r = tensor.empty() : tensor<2x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%variance : tensor<2x1xf32>) outs(%e : tensor<2x1xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %epsilon : f32
    linalg.yield %s : f32
  } -> tensor<2x1xf32>
  %factor = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<2x1xf32>) outs(%e : tensor<2x1xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = math.rsqrt %v : f32
    linalg.yield %s : f32
  } -> tensor<2x1xf32>
  %y = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %factor : tensor<2x8xf32>, tensor<2x1xf32>) outs(%r : tensor<2x8xf32>) {
  ^bb0(%a: f32, %f: f32, %o: f32):
    %m = arith.mulf %a, %f : f32
    linalg.yield %m : f32
  } -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

#id = affine_map<(c, i) -> (c, i)>
#column = affine_map<(c, i) -> (c, 0)>

// No constant grows: what is broadcast stays an op.
// CHECK-LABEL: func.func @broadcast
// CHECK: linalg.generic
// CHECK: arith.negf
func.func @broadcast() -> tensor<2x64xf32> {
  %k = arith.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %e = tensor.empty() : tensor<2x64xf32>
  %r = linalg.generic {indexing_maps = [#column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%k : tensor<2x1xf32>) outs(%e : tensor<2x64xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  } -> tensor<2x64xf32>
  return %r : tensor<2x64xf32>
}

// -----

#row = affine_map<(i) -> (i)>
#all = affine_map<(i) -> ()>

// Functions that are rounded elsewhere, sums, other types, and arguments stay ops.
// CHECK-LABEL: func.func @others
// CHECK: linalg.exp
// CHECK: linalg.reduce
// CHECK: linalg.negf
// CHECK: linalg.add
func.func @others(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>, tensor<2xf16>, tensor<2xf32>) {
  %k = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %h = arith.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %eh = tensor.empty() : tensor<2xf16>
  %es = tensor.empty() : tensor<f32>
  %1 = linalg.exp ins(%k : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %2 = linalg.reduce { arith.addf } ins(%k : tensor<2xf32>) outs(%f : tensor<f32>) dimensions = [0]
  %3 = linalg.negf ins(%h : tensor<2xf16>) outs(%eh : tensor<2xf16>) -> tensor<2xf16>
  %4 = linalg.add ins(%k, %x : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %1, %2, %3, %4 : tensor<2xf32>, tensor<f32>, tensor<2xf16>, tensor<2xf32>
}
