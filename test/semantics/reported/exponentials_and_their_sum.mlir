// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One op gives a matrix and the sums of its rows.
// gives: numpy on h200, v100

func.func @f(%a: tensor<8x16xf32>, %s: tensor<8xf32>, %o: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8xf32>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<8x16xf32>) outs(%o, %s : tensor<8x16xf32>, tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = math.exp %x : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %0, %1 : f32, f32
  } -> (tensor<8x16xf32>, tensor<8xf32>)
  return %r#0, %r#1 : tensor<8x16xf32>, tensor<8xf32>
}
