// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each element is taken four times, at positions that are halves of loops.
// gives: numpy on h200

func.func @f(%t: tensor<8x8xf32>, %o: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c2 = arith.constant 2 : index
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%o : tensor<16x16xf32>) {
  ^bb0(%y: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %a = arith.divui %i, %c2 : index
    %b = arith.divui %j, %c2 : index
    %2 = tensor.extract %t[%a, %b] : tensor<8x8xf32>
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
