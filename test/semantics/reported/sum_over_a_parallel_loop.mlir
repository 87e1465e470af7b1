// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second result lacks a loop that is parallel.
// gives: error 3:10: 'linalg.generic': loop d1 is #linalg.iterator_type<parallel> but the output map is (d0, d1) -> (d0); nothing says which of its steps writes last: make it a reduction, or index the output by it

#id = affine_map<(i, j) -> (i, j)>
func.func @f(%a: tensor<8x16xf32>, %o: tensor<8x16xf32>, %s: tensor<8xf32>) -> (tensor<8x16xf32>, tensor<8xf32>) {
  %r:2 = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x16xf32>) outs(%o, %s : tensor<8x16xf32>, tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %u = arith.addf %x, %x : f32
    linalg.yield %u, %x : f32, f32
  } -> (tensor<8x16xf32>, tensor<8xf32>)
  return %r#0, %r#1 : tensor<8x16xf32>, tensor<8xf32>
}
