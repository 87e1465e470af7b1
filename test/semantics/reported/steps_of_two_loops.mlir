// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies run ahead over a reduction of three loops, one of extent 1, and the sum is doubled behind it.
// gives: numpy on h200, a100

func.func @f(%a0: tensor<2x7x15x32xf16>, %a1: tensor<2x32x2x64xf16>) -> tensor<64x2x6x7xf16> {
    %v2c = arith.constant -2.00000000000000000e+00 : f16
    %v2e = tensor.empty() : tensor<64x2x6x7xf16>
    %v2 = linalg.fill ins(%v2c : f16) outs(%v2e : tensor<64x2x6x7xf16>) -> tensor<64x2x6x7xf16>
    %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 * 2 + d5, d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d6, d5, d3)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3, d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%a0, %a1 : tensor<2x7x15x32xf16>, tensor<2x32x2x64xf16>) outs(%v2 : tensor<64x2x6x7xf16>) {
    ^bb0(%b0: f16, %b1: f16, %q0: f16):
      %s3 = arith.mulf %b0, %b1 : f16
      %s4 = arith.addf %q0, %s3 : f16
      linalg.yield %s4 : f16
    } -> tensor<64x2x6x7xf16>
    %v4 = arith.addf %v3, %v3 : tensor<64x2x6x7xf16>
    return %v4 : tensor<64x2x6x7xf16>
}
