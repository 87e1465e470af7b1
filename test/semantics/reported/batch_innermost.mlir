// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The batch is the result's innermost dimension: a plan of one box of the batch.
// gives: kernels on h200, mi300x

func.func @f(%a: tensor<4x49x147x48xbf16>, %b: tensor<4x256x147x48xbf16>) -> tensor<49x256x4xbf16> {
  %c = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<49x256x4xbf16>
  %z = linalg.fill ins(%c : bf16) outs(%e : tensor<49x256x4xbf16>) -> tensor<49x256x4xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : tensor<4x49x147x48xbf16>, tensor<4x256x147x48xbf16>) outs(%z : tensor<49x256x4xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %o: bf16):
    %m = arith.mulf %x, %y : bf16
    %s = arith.addf %o, %m : bf16
    linalg.yield %s : bf16
  } -> tensor<49x256x4xbf16>
  return %0 : tensor<49x256x4xbf16>
}
