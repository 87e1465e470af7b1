func.func @main(%a: tensor<4x45x33xf32>, %b: tensor<4x33x50xf32>) -> tensor<4x45x50xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x45x50xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x45x50xf32>) -> tensor<4x45x50xf32>
  %result = linalg.batch_matmul ins(%a, %b : tensor<4x45x33xf32>, tensor<4x33x50xf32>)
      outs(%init : tensor<4x45x50xf32>) -> tensor<4x45x50xf32>
  return %result : tensor<4x45x50xf32>
}
