// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies run ahead over two loops whose rows lie apart.
// gives: numpy on a100, h200

func.func @f(%a: tensor<11x34x3x16xf16>, %b: tensor<3x4x32x36xf16>) -> tensor<3x3x3x16x36xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x3x3x16x36xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<3x3x3x16x36xf32>) -> tensor<3x3x3x16x36xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3 * 2 + d6 * 2, d2 * 1 + d5 * 1, d0, d1)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d6, d5, d4)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3, d0, d2, d1, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : tensor<11x34x3x16xf16>, tensor<3x4x32x36xf16>) outs(%z : tensor<3x3x3x16x36xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x3x3x16x36xf32>
  return %0 : tensor<3x3x3x16x36xf32>
}
