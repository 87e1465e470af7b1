# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms of rows as importers from JAX and ONNX write them, whose groups once read their own results; all are one kernel.

The mean of a row is a tensor with a dimension of one element, which is dropped, added and broadcast between the ops.
"""

# ruff: noqa: E501 - MLIR as importers write it

NORMS = {
    "an op behind a reshape of what it reads as it is too": """
#id = affine_map<(i, j) -> (i, j)>
func.func @f(%x: tensor<16x64xf32>, %y: tensor<16x64xf32>, %z: tensor<16x1xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %a = linalg.sub ins(%x, %y : tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %r = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<16x64xf32>) outs(%z : tensor<16x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<16x1xf32>
  %c = tensor.collapse_shape %r [[0, 1]] : tensor<16x1xf32> into tensor<16xf32>
  %o = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %c : tensor<16x64xf32>, tensor<16xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.mulf %in, %s : f32
    linalg.yield %0 : f32
  } -> tensor<16x64xf32>
  return %o : tensor<16x64xf32>
}
""",
    "a norm from ONNX": """
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
module {
  func.func @main_graph(%arg0: tensor<1x16x64xf32>, %arg1: tensor<1x16x64xf32>, %arg2: tensor<1x16x1xf32>) -> tensor<1x16x64xf32> {
    %cst = arith.constant 6.400000e+01 : f32
    %cst_0 = arith.constant 9.99999974E-6 : f32
    %0 = tensor.empty() : tensor<1x16x1xf32>
    %1 = tensor.empty() : tensor<1x16x64xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %arg1 : tensor<1x16x64xf32>, tensor<1x16x64xf32>) outs(%1 : tensor<1x16x64xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %10 = arith.subf %in, %in_1 : f32
      linalg.yield %10 : f32
    } -> tensor<1x16x64xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %2 : tensor<1x16x64xf32>, tensor<1x16x64xf32>) outs(%1 : tensor<1x16x64xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %10 = arith.mulf %in, %in_1 : f32
      linalg.yield %10 : f32
    } -> tensor<1x16x64xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%3 : tensor<1x16x64xf32>) outs(%arg2 : tensor<1x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.addf %in, %out : f32
      linalg.yield %10 : f32
    } -> tensor<1x16x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<1x16x1xf32>) outs(%0 : tensor<1x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.divf %in, %cst : f32
      linalg.yield %10 : f32
    } -> tensor<1x16x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<1x16x1xf32>) outs(%0 : tensor<1x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.addf %in, %cst_0 : f32
      linalg.yield %10 : f32
    } -> tensor<1x16x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<1x16x1xf32>) outs(%0 : tensor<1x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = math.rsqrt %in : f32
      linalg.yield %10 : f32
    } -> tensor<1x16x1xf32>
    %collapsed = tensor.collapse_shape %7 [[0], [1, 2]] : tensor<1x16x1xf32> into tensor<1x16xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed : tensor<1x16xf32>) outs(%1 : tensor<1x16x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x16x64xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %8 : tensor<1x16x64xf32>, tensor<1x16x64xf32>) outs(%1 : tensor<1x16x64xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %10 = arith.mulf %in, %in_1 : f32
      linalg.yield %10 : f32
    } -> tensor<1x16x64xf32>
    return %9 : tensor<1x16x64xf32>
  }
}
""",
    "a layer norm from JAX": """
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map3 = affine_map<(d0, d1, d2) -> (d2)>
module @jit_ln {
  func.func public @main(%arg0: tensor<2x16x64xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>) -> tensor<2x16x64xf32> {
    %cst = arith.constant 9.99999974E-6 : f32
    %cst_0 = arith.constant 6.400000e+01 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x16xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<2x16xf32>) -> tensor<2x16xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<2x16x64xf32>) outs(%1 : tensor<2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.addf %out, %in : f32
      linalg.yield %32 : f32
    } -> tensor<2x16xf32>
    %expanded = tensor.expand_shape %2 [[0], [1, 2]] output_shape [2, 16, 1] : tensor<2x16xf32> into tensor<2x16x1xf32>
    %3 = tensor.empty() : tensor<2x16x1xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x16x1xf32>) outs(%3 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.divf %in, %cst_0 : f32
      linalg.yield %32 : f32
    } -> tensor<2x16x1xf32>
    %5 = tensor.empty() : tensor<2x16x64xf32>
    %6 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<2x16x1xf32>) outs(%5 : tensor<2x16x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x16x64xf32>
    %7 = tensor.empty() : tensor<2x16x64xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %6 : tensor<2x16x64xf32>, tensor<2x16x64xf32>) outs(%7 : tensor<2x16x64xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %32 = arith.subf %in, %in_3 : f32
      linalg.yield %32 : f32
    } -> tensor<2x16x64xf32>
    %9 = tensor.empty() : tensor<2x16x64xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<2x16x64xf32>) outs(%9 : tensor<2x16x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.mulf %in, %in : f32
      linalg.yield %32 : f32
    } -> tensor<2x16x64xf32>
    %11 = tensor.empty() : tensor<2x16xf32>
    %12 = linalg.fill ins(%cst_1 : f32) outs(%11 : tensor<2x16xf32>) -> tensor<2x16xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10 : tensor<2x16x64xf32>) outs(%12 : tensor<2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.addf %out, %in : f32
      linalg.yield %32 : f32
    } -> tensor<2x16xf32>
    %expanded_2 = tensor.expand_shape %13 [[0], [1, 2]] output_shape [2, 16, 1] : tensor<2x16xf32> into tensor<2x16x1xf32>
    %14 = tensor.empty() : tensor<2x16x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_2 : tensor<2x16x1xf32>) outs(%14 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.divf %in, %cst_0 : f32
      linalg.yield %32 : f32
    } -> tensor<2x16x1xf32>
    %16 = tensor.empty() : tensor<2x16x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<2x16x1xf32>) outs(%16 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.addf %in, %cst : f32
      linalg.yield %32 : f32
    } -> tensor<2x16x1xf32>
    %18 = tensor.empty() : tensor<2x16x1xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17 : tensor<2x16x1xf32>) outs(%18 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = math.rsqrt %in : f32
      linalg.yield %32 : f32
    } -> tensor<2x16x1xf32>
    %20 = tensor.empty() : tensor<2x16x64xf32>
    %21 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19 : tensor<2x16x1xf32>) outs(%20 : tensor<2x16x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x16x64xf32>
    %22 = tensor.empty() : tensor<2x16x64xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %21 : tensor<2x16x64xf32>, tensor<2x16x64xf32>) outs(%22 : tensor<2x16x64xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %32 = arith.mulf %in, %in_3 : f32
      linalg.yield %32 : f32
    } -> tensor<2x16x64xf32>
    %24 = tensor.empty() : tensor<2x16x64xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<64xf32>) outs(%24 : tensor<2x16x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x16x64xf32>
    %26 = tensor.empty() : tensor<2x16x64xf32>
    %27 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23, %25 : tensor<2x16x64xf32>, tensor<2x16x64xf32>) outs(%26 : tensor<2x16x64xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %32 = arith.mulf %in, %in_3 : f32
      linalg.yield %32 : f32
    } -> tensor<2x16x64xf32>
    %28 = tensor.empty() : tensor<2x16x64xf32>
    %29 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<64xf32>) outs(%28 : tensor<2x16x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x16x64xf32>
    %30 = tensor.empty() : tensor<2x16x64xf32>
    %31 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27, %29 : tensor<2x16x64xf32>, tensor<2x16x64xf32>) outs(%30 : tensor<2x16x64xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %32 = arith.addf %in, %in_3 : f32
      linalg.yield %32 : f32
    } -> tensor<2x16x64xf32>
    return %31 : tensor<2x16x64xf32>
  }
}

""",
}
