// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A window of f16 whose rows are read backwards: a matrix load has no negative distance.
// gives: numpy on v100, h200

func.func @f(%a0: tensor<2x8x15x11xf16>, %a2: tensor<2x1x16x16xf16>, %a3: tensor<2x2x15x16xf16>) -> tensor<2x2x15x16xf16> {
    %v1p = arith.constant -1.00000000000000000e+00 : f16
    %v1 = tensor.pad %a0 low[0, 0, 0, 2] high[0, 0, 0, 3] {
    ^bb0(%pi0: index, %pi1: index, %pi2: index, %pi3: index):
      tensor.yield %v1p : f16
    } : tensor<2x8x15x11xf16> to tensor<2x8x15x16xf16>
    %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 3 + d4 * 3, d2 * -1 + d5 * -2 + 14, d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%v1, %a2 : tensor<2x8x15x16xf16>, tensor<2x1x16x16xf16>) outs(%a3 : tensor<2x2x15x16xf16>) {
    ^bb0(%b0: f16, %b1: f16, %q0: f16):
      %s3 = arith.mulf %b0, %b1 : f16
      %s4 = arith.addf %q0, %s3 : f16
      linalg.yield %s4 : f16
    } -> tensor<2x2x15x16xf16>
    return %v4 : tensor<2x2x15x16xf16>
}
