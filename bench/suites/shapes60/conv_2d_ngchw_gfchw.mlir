func.func @main(%input: tensor<2x3x5x13x14xf32>, %kernel: tensor<3x8x5x3x3xf32>) -> tensor<2x3x8x11x12xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x3x8x11x12xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x3x8x11x12xf32>) -> tensor<2x3x8x11x12xf32>
  %result = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%input, %kernel : tensor<2x3x5x13x14xf32>, tensor<3x8x5x3x3xf32>)
      outs(%init : tensor<2x3x8x11x12xf32>) -> tensor<2x3x8x11x12xf32>
  return %result : tensor<2x3x8x11x12xf32>
}
