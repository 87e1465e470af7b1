func.func @main(%input: tensor<2x21x23x17xf16>) -> tensor<2x10x11x17xf16> {
  %least = arith.constant 0xFC00 : f16
  %window = tensor.empty() : tensor<3x3xf16>
  %empty = tensor.empty() : tensor<2x10x11x17xf16>
  %init = linalg.fill ins(%least : f16) outs(%empty : tensor<2x10x11x17xf16>) -> tensor<2x10x11x17xf16>
  %result = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%input, %window : tensor<2x21x23x17xf16>, tensor<3x3xf16>)
      outs(%init : tensor<2x10x11x17xf16>) -> tensor<2x10x11x17xf16>
  return %result : tensor<2x10x11x17xf16>
}
