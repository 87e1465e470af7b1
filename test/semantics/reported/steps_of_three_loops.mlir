// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step of the reduction is a point of two of its loops and all of the third.
// gives: kernels on h200, b200

func.func @f(%a: tensor<637x24x32xbf16>, %b: tensor<32x8x8x64xbf16>) -> tensor<17x8x256xbf16> {
  %c = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<17x8x256xbf16>
  %z = linalg.fill ins(%c : bf16) outs(%e : tensor<17x8x256xbf16>) -> tensor<17x8x256xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d4 * 2 + d2 * 2, d0 * 1 + d3 * 1, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d5, d1, d3, d2)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4)>], iterator_types = ["parallel", "parallel", "reduction", "reduction", "parallel", "reduction"]} ins(%a, %b : tensor<637x24x32xbf16>, tensor<32x8x8x64xbf16>) outs(%z : tensor<17x8x256xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %o: bf16):
    %m = arith.mulf %x, %y : bf16
    %s = arith.addf %o, %m : bf16
    linalg.yield %s : bf16
  } -> tensor<17x8x256xbf16>
  return %0 : tensor<17x8x256xbf16>
}
