// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three points a row, under a mask: LLVM sinks the products.
// gives: numpy on h200

func.func @f(%t0: tensor<2x6x7xf32>, %t1: tensor<6x4xf32>, %t2: tensor<2x6x3xf32>) -> tensor<2x6x3xf32> {
  %r = linalg.depthwise_conv_1d_ncw_cw {strides = dense<[1]> : tensor<1xi64>, dilations = dense<[1]> : tensor<1xi64>} ins(%t0, %t1 : tensor<2x6x7xf32>, tensor<6x4xf32>) outs(%t2 : tensor<2x6x3xf32>) -> tensor<2x6x3xf32>
  return %r : tensor<2x6x3xf32>
}
