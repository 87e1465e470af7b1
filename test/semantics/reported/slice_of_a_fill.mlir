// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A part of a constant tensor is inserted into the same tensor.
// gives: numpy on h200

func.func @f() -> tensor<3x8x2xf32> {
    %c = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<3x8x2xf32>
    %f = linalg.fill ins(%c : f32) outs(%e : tensor<3x8x2xf32>) -> tensor<3x8x2xf32>
    %s = tensor.extract_slice %f[2, 2, 0] [1, 6, 2] [1, 1, 1] : tensor<3x8x2xf32> to tensor<1x6x2xf32>
    %r = tensor.insert_slice %s into %f[0, 1, 0] [1, 6, 2] [1, 1, 1] : tensor<1x6x2xf32> into tensor<3x8x2xf32>
    return %r : tensor<3x8x2xf32>
}
