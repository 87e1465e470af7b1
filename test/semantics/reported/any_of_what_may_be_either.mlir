// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons of exponentials, of which some may be either, are joined by "or", "and" and "xor"; so are their integers.
// gives: numpy on h200, mi300x

#in = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> (i)>
func.func @f(%t: tensor<6x9xf32>, %u: tensor<6x9xf32>, %a: tensor<6xi1>, %b: tensor<6xi1>, %c: tensor<6xi1>, %d: tensor<6xi32>, %e: tensor<6xi32>) -> (tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) {
  %r:5 = linalg.generic {indexing_maps = [#in, #in, #out, #out, #out, #out, #out], iterator_types = ["parallel", "reduction"]} ins(%t, %u : tensor<6x9xf32>, tensor<6x9xf32>) outs(%a, %b, %c, %d, %e : tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) {
  ^bb0(%x: f32, %w: f32, %p: i1, %q: i1, %s: i1, %m: i32, %n: i32):
    %y = math.exp %x : f32
    %k = arith.cmpf ogt, %y, %w : f32
    %i = arith.fptoui %y : f32 to i32
    %0 = arith.ori %k, %p : i1
    %1 = arith.andi %k, %q : i1
    %2 = arith.xori %k, %s : i1
    %3 = arith.maxui %i, %m : i32
    %4 = arith.minui %i, %n : i32
    linalg.yield %0, %1, %2, %3, %4 : i1, i1, i1, i32, i32
  } -> (tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi32>, tensor<6xi32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi32>, tensor<6xi32>
}
