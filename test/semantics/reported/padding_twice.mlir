// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A padding is two results.
// gives: numpy on mi300x

func.func @f(%a0: tensor<3x14x9x6xi8>) -> (tensor<3x14x10x8xi8>, tensor<3x14x10x8xi8>) {
    %p = arith.constant -2 : i8
    %v1 = tensor.pad %a0 low[0, 0, 0, 2] high[0, 0, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %p : i8
    } : tensor<3x14x9x6xi8> to tensor<3x14x10x8xi8>
    return %v1, %v1 : tensor<3x14x10x8xi8>, tensor<3x14x10x8xi8>
}
