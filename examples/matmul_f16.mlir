// A matrix product of f16 with a bias, an activation and a result in f16: the matrix units of each device compute it.
// Sums are in f32; what stands behind the product reads them there, and rounds to f16 once.
//
//   roller compile examples/matmul_f16.mlir --target h200 --emit plan      wgmma behind tensor copies (TMA)
//   roller compile examples/matmul_f16.mlir --target a100 --emit plan      mma.sync behind asynchronous copies
//   roller run examples/matmul_f16.mlir --target a100 --on sim --random --check
//
// RUN: sed 's/512/128/g' %s > %t.mlir
// RUN: roller run %t.mlir --target a100 --on sim --random --check | FileCheck %s
// RUN: roller run %t.mlir --target mi300x --on sim --random --check | FileCheck %s
// RUN: roller run %t.mlir --target v100 --on sim --random --check | FileCheck %s
// RUN: roller run %t.mlir --target h200 --on sim --random --check | FileCheck %s
// RUN: roller compile %s --target a100 --emit gpu | FileCheck %s --check-prefix=MMA
// RUN: roller compile %s --target mi300x --emit gpu | FileCheck %s --check-prefix=MFMA
// RUN: roller compile %s --target v100 --emit gpu | FileCheck %s --check-prefix=WMMA
// RUN: roller compile %s --target h200 --emit gpu | FileCheck %s --check-prefix=WGMMA
//
// CHECK: result matches numpy
// MMA: nvgpu.mma.sync
// MFMA: amdgpu.mfma
// WMMA: gpu.subgroup_mma_compute
// WGMMA: nvvm.wgmma.mma_async

func.func @dense(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>, %bias: tensor<512xf32>) -> tensor<512x512xf16> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %product = linalg.matmul ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>)
      outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  %out = tensor.empty() : tensor<512x512xf16>
  %active = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<512x512xf32>, tensor<512xf32>) outs(%out : tensor<512x512xf16>) {
  ^bb0(%p: f32, %b: f32, %o: f16):
    %sum = arith.addf %p, %b : f32
    %relu = arith.maximumf %sum, %zero : f32
    %narrow = arith.truncf %relu : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<512x512xf16>
  return %active : tensor<512x512xf16>
}
