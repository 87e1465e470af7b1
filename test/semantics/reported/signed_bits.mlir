// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of a single bit, 1 is -1: differences wrap around and 1 is less than 0.
// gives: numpy on h200

func.func @f(%a: tensor<8xi1>, %b: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
  %e = tensor.empty() : tensor<8xi1>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(d0)->(d0)>, affine_map<(d0)->(d0)>, affine_map<(d0)->(d0)>, affine_map<(d0)->(d0)>], iterator_types = ["parallel"]} ins(%a, %b : tensor<8xi1>, tensor<8xi1>) outs(%e, %e : tensor<8xi1>, tensor<8xi1>) {
  ^bb0(%x: i1, %y: i1, %q: i1, %p: i1):
    %s = arith.subi %x, %y : i1
    %t = arith.cmpi slt, %x, %y : i1
    linalg.yield %s, %t : i1, i1
  } -> (tensor<8xi1>, tensor<8xi1>)
  return %0#0, %0#1 : tensor<8xi1>, tensor<8xi1>
}
