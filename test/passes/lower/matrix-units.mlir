// RUN: roller-opt %s --rtile-construct=device=a100 --rtile-expand --mlir-print-local-scope | FileCheck %s --check-prefix=LOOPS
// RUN: roller-opt %s --rtile-construct=device=a100 --rtile-expand --rtile-assign-buffers --rtile-lower-to-gpu=device=a100 --mlir-print-local-scope | FileCheck %s --check-prefix=MMA
// RUN: roller-opt %s --rtile-construct=device=v100 --rtile-expand --rtile-assign-buffers --rtile-lower-to-gpu=device=v100 --mlir-print-local-scope | FileCheck %s --check-prefix=WMMA
// RUN: roller-opt %s --rtile-construct=device=mi300x --rtile-expand --rtile-assign-buffers --rtile-lower-to-gpu=device=mi300x --mlir-print-local-scope | FileCheck %s --check-prefix=MFMA
// RUN: roller-opt %s --rtile-construct='device=h200 instructions=wgmma' --rtile-expand --rtile-assign-buffers --rtile-lower-to-gpu=device=h200 --mlir-print-local-scope | FileCheck %s --check-prefix=WGMMA
// RUN: roller-opt %s --rtile-construct='device=a100 instructions=fma' --rtile-expand --mlir-print-local-scope | FileCheck %s --check-prefix=PLAIN

// A product of f16 takes the matrix instruction of each device: the loops say which, the kernel holds it.

// LOOPS-LABEL: func.func @product
// LOOPS: %[[A:.*]] = "rtile.load"(%[[V1:.*]]) {layout = #rtile.layout<{copy = "asynchronous", {{.*}}swizzle = "xor"
// LOOPS: %[[B:.*]] = "rtile.load"(%[[V2:.*]]) {layout = #rtile.layout<{copy = "asynchronous"
// LOOPS: "rtile.compute"(%[[A]], %[[B]], %[[V3:.*]]) ({
// LOOPS: instruction = #rtile.instruction<{column = 1 : i64, depth = 2 : i64, family = "mma", row = 0 : i64, shape = [16, 8, 16]}>
// LOOPS-SAME: lane_order = [1, 0]
// LOOPS: rtile.stages = {{[2-9]}} : i64

// Copies run ahead of the loop; each step waits for its own and reads whole matrices.
// MMA: gpu.func @product_matmul_0(
// MMA: nvgpu.device_async_copy
// MMA: nvvm.cp.async.commit.group
// MMA: %[[SUM:.*]]:{{[0-9]+}} = scf.for
// MMA: nvvm.cp.async.wait.group
// MMA-NEXT: gpu.barrier
// MMA: %[[FIRST:.*]] = nvgpu.ldmatrix %[[V4:.*]] {numTiles = 4 : i32, {{.*}}transpose = false}
// MMA: nvgpu.ldmatrix %[[V5:.*]] {numTiles = 4 : i32, {{.*}}transpose = true}
// MMA: nvgpu.mma.sync(%[[FIRST]], %[[V6:.*]]) {mmaShape = [16, 8, 16]}

// WMMA: gpu.func @product_matmul_0(
// WMMA: %[[A:.*]] = gpu.subgroup_mma_load_matrix
// WMMA: gpu.subgroup_mma_compute %[[A]], %[[V7:.*]], %[[V8:.*]]
// WMMA: gpu.subgroup_mma_store_matrix
// WMMA: gpu.barrier scope {{.*}}subgroup

// MFMA: gpu.func @product_matmul_0(
// MFMA: amdgpu.mfma

// One warpgroup more than the plan's threads starts the tensor copies.
// WGMMA: gpu.func @product_matmul_0({{.*}}rtile.tensor_map
// WGMMA: nvvm.cp.async.bulk.tensor.shared.cluster.global
// WGMMA: nvvm.wgmma.mma_async

// PLAIN-NOT: rtile.instruction
func.func @product(%a: tensor<256x256xf16>, %b: tensor<256x256xf16>) -> tensor<256x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.matmul ins(%a, %b : tensor<256x256xf16>, tensor<256x256xf16>) outs(%init : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
