// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same by the map of the input.
// gives: numpy on mi300x

func.func @f(%t: tensor<8x8xf32>, %o: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 2, j floordiv 2)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<8x8xf32>) outs(%o : tensor<16x16xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
