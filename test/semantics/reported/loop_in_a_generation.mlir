// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor.generate runs a loop for each element.
// gives: error 5:10: 'scf.for' in the body of 'linalg.generic' cannot be compiled; bodies may hold arith and math operations

func.func @f(%t: tensor<6xf32>, %n: index) -> tensor<4xf32> {
  %r = tensor.generate {
  ^bb0(%i: index):
    %z = arith.constant 0.0 : f32
    %v = scf.for %k = %i to %n step %n iter_args(%a = %z) -> (f32) {
      %x = tensor.extract %t[%k] : tensor<6xf32>
      %s = arith.addf %a, %x : f32
      scf.yield %s : f32
    }
    tensor.yield %v : f32
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
