// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight loops, two of them of both factors: tiles of whole vectors along each do not fit.
// gives: kernels on mi300x, h200

func.func @f(%a: tensor<8x2x65x2x147x64xbf16>, %b: tensor<2x8x4x147x100xbf16>) -> tensor<2x100x2x64x8x4x65xbf16> {
  %c = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2x100x2x64x8x4x65xbf16>
  %z = linalg.fill ins(%c : bf16) outs(%e : tensor<2x100x2x64x8x4x65xbf16>) -> tensor<2x100x2x64x8x4x65xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d2, d4, d5, d6, d1, d0)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d6, d2, d7, d1, d3)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d4, d3, d6, d0, d2, d7, d5)>], iterator_types = ["parallel", "reduction", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%a, %b : tensor<8x2x65x2x147x64xbf16>, tensor<2x8x4x147x100xbf16>) outs(%z : tensor<2x100x2x64x8x4x65xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %o: bf16):
    %m = arith.mulf %x, %y : bf16
    %s = arith.addf %o, %m : bf16
    linalg.yield %s : bf16
  } -> tensor<2x100x2x64x8x4x65xbf16>
  return %0 : tensor<2x100x2x64x8x4x65xbf16>
}
