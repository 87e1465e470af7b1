// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A strided window of f32 over images whose channels lie apart.
// gives: numpy on 2080ti

func.func @f(%a: tensor<86x2x12xf32>, %b: tensor<24x32x2x12xf32>) -> tensor<2x32x32xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x32x32xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<2x32x32xf32>) -> tensor<2x32x32xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d1 * 2 + d4 * 1, d0, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d2, d0, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : tensor<86x2x12xf32>, tensor<24x32x2x12xf32>) outs(%z : tensor<2x32x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x32x32xf32>
  return %0 : tensor<2x32x32xf32>
}
