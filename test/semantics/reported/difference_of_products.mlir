// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One of two products may be contracted with their difference: it may be 0 or what the other's rounding left.
// gives: numpy on h200, mi300x

func.func @f(%a: tensor<64xf32>, %b: tensor<64xf32>, %c: tensor<64xf32>, %d: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i)->(i)>,affine_map<(i)->(i)>,affine_map<(i)->(i)>,affine_map<(i)->(i)>,affine_map<(i)->(i)>], iterator_types = ["parallel"]} ins(%a,%b,%c,%d : tensor<64xf32>,tensor<64xf32>,tensor<64xf32>,tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %w: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.mulf %z, %w : f32
    %s = arith.subf %p, %q : f32
    %zero = arith.constant 0.0 : f32
    %t = arith.cmpf oeq, %s, %zero : f32
    %one = arith.constant 1.0 : f32
    %r = arith.select %t, %one, %zero : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
