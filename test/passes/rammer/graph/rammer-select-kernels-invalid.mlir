// RUN: roller-opt %s --rammer-select-kernels='device=h200 instructions=wgmma' --verify-diagnostics
// RUN: not roller-opt %s --rammer-select-kernels 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: 'rammer-select-kernels': device must name a device, but got ''

func.func @side_by_side(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  // expected-error@+1 {{'linalg.matmul' has no instruction for f32 to f32 on 'h200' in the families wgmma}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul ins(%b, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}
