// The convolution of roller119's C0 with channels last, the layout that carver's template has.
func.func @main(%input: tensor<128x28x28x128xf32>, %kernel: tensor<3x3x128x128xf32>) -> tensor<128x28x28x128xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %input low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<128x28x28x128xf32> to tensor<128x30x30x128xf32>
  %empty = tensor.empty() : tensor<128x28x28x128xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x28x28x128xf32>) -> tensor<128x28x28x128xf32>
  %result = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%padded, %kernel : tensor<128x30x30x128xf32>, tensor<3x3x128x128xf32>)
      outs(%init : tensor<128x28x28x128xf32>) -> tensor<128x28x28x128xf32>
  return %result : tensor<128x28x28x128xf32>
}
