// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// There is no type of 8-bit floats.
// gives: error 1:14: argument 0 of 'f' has element type f8E4M3FN; supported: f32, f16, bf16, f64, i8, i16, i32, i64, i1

func.func @f(%a: tensor<16x32xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<16x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
