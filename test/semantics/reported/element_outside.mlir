// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An element is taken at a constant position outside of its tensor.
// gives: error 4:8: 'tensor.extract' is at [7], outside of a tensor of shape [6]

func.func @f(%t: tensor<6xf32>) -> tensor<6xf32> {
  %c = arith.constant 7 : index
  %e = tensor.empty() : tensor<6xf32>
  %v = tensor.extract %t[%c] : tensor<6xf32>
  %r = linalg.fill ins(%v : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}
