// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of matrices run through two dimensions of the first factor.
// gives: numpy on v100

func.func @f(%a: tensor<79x2x2xf16>, %b: tensor<32x2x2x48xf16>) -> tensor<2x32x32x2xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x32x32x2xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<2x32x32x2xf32>) -> tensor<2x32x32x2xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d2 * 1 + d4 * 1, d1, d0)>, affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d0)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : tensor<79x2x2xf16>, tensor<32x2x2x48xf16>) outs(%z : tensor<2x32x32x2xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x32x32x2xf32>
  return %0 : tensor<2x32x32x2xf32>
}
