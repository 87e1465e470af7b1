// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An element is put at a position that is data, outside of the tensor: it is put at the nearest one inside.
// gives: numpy on h200, mi300x

func.func @f(%t: tensor<6xf32>, %p: tensor<i32>, %v: f32) -> (tensor<6xf32>, tensor<6xf32>) {
  %q = tensor.extract %p[] : tensor<i32>
  %i = arith.index_cast %q : i32 to index
  %c = arith.constant 100 : index
  %k = arith.addi %i, %c : index
  %r = tensor.insert %v into %t[%i] : tensor<6xf32>
  %s = tensor.insert %v into %t[%k] : tensor<6xf32>
  return %r, %s : tensor<6xf32>, tensor<6xf32>
}
