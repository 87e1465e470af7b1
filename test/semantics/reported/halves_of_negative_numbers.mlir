// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The least number has no absolute value, but a half.
// gives: numpy on v100

func.func @f(%a: tensor<8xi8>) -> tensor<8xi8> {
  %e = tensor.empty() : tensor<8xi8>
  %0 = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]} ins(%a : tensor<8xi8>) outs(%e : tensor<8xi8>) {
  ^bb0(%x: i8, %o: i8):
    %m = arith.constant -128 : i8
    %y = arith.ori %x, %m : i8
    %c = arith.constant 2 : i8
    %r = arith.divsi %y, %c : i8
    linalg.yield %r : i8
  } -> tensor<8xi8>
  return %0 : tensor<8xi8>
}
