// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An element is put at a constant position outside of its tensor.
// gives: error 3:8: 'tensor.insert' is at [?, 7], outside of a tensor of shape [5, 6]

func.func @f(%t: tensor<5x6xf32>, %v: f32, %i: index) -> tensor<5x6xf32> {
  %c = arith.constant 7 : index
  %r = tensor.insert %v into %t[%i, %c] : tensor<5x6xf32>
  return %r : tensor<5x6xf32>
}
