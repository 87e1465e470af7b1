// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is summed along rows is multiplied by the row's sum.
// gives: numpy on h200, v100

#id = affine_map<(i, j) -> (i, j)>
func.func @f(%x: tensor<16x64xf32>, %y: tensor<16x64xf32>, %z: tensor<16xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %a = linalg.sub ins(%x, %y : tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %r = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<16x64xf32>) outs(%z : tensor<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<16xf32>
  %o = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %r : tensor<16x64xf32>, tensor<16xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.mulf %in, %s : f32
    linalg.yield %0 : f32
  } -> tensor<16x64xf32>
  return %o : tensor<16x64xf32>
}
