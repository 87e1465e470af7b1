// RUN: roller-opt %s --rammer-select-kernels="device=v100 block-threads=256 blocks-per-unit=4" | FileCheck %s
// RUN: roller-opt %s --rammer-select-kernels="device=v100 block-threads=256 blocks-per-unit=4" --rtile-construct="device=v100 block-threads=256 blocks-per-unit=4" | FileCheck %s --check-prefix=PLAN
// RUN: roller-opt %s --rammer-select-kernels="device=v100 block-threads=256 blocks-per-unit=4 keep-weights=false" | FileCheck %s --check-prefix=BROUGHT
// RUN: roller-opt %s --rammer-select-kernels="device=v100 block-threads=256 blocks-per-unit=4 sink-waits=false" | FileCheck %s --check-prefix=BROUGHT
// RUN: roller-opt %s --rammer-select-kernels="device=v100 block-threads=256 blocks-per-unit=4 select-kernels=false" | FileCheck %s --check-prefix=BROUGHT
// A row goes four times through the same square, and once through a wider one. Tasks of the four may find their slices in
// workgroup memory: they get the tile that is quickest then, eight columns. The fifth brings what it reads.

// CHECK-LABEL: func.func @steps
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<1x256xf32>, %[[W:[a-z0-9]+]]: tensor<256x256xf32>, %[[V:[a-z0-9]+]]: tensor<256x512xf32>)
// CHECK: %[[A:[a-z0-9]+]] = linalg.matmul {rtile.tile = array<i64: 1, 8, 256>} ins(%[[X]], %[[W]] :
// CHECK: %[[B:[a-z0-9]+]] = linalg.matmul {rtile.tile = array<i64: 1, 8, 256>} ins(%[[A]], %[[W]] :
// CHECK: %[[C:[a-z0-9]+]] = linalg.matmul {rtile.tile = array<i64: 1, 8, 256>} ins(%[[B]], %[[W]] :
// CHECK: %[[D:[a-z0-9]+]] = linalg.matmul {rtile.tile = array<i64: 1, 8, 256>} ins(%[[C]], %[[W]] :
// CHECK: linalg.matmul ins(%[[D]], %[[V]] :

// BROUGHT-NOT: rtile.tile

// What the pass said is used up.
// PLAN-NOT: rtile.tile
// PLAN-COUNT-5: plan = #rtile.plan
func.func @steps(%x: tensor<1x256xf32>, %w: tensor<256x256xf32>, %v: tensor<256x512xf32>) -> tensor<1x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x256xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x256xf32>) -> tensor<1x256xf32>
  %a = linalg.matmul ins(%x, %w : tensor<1x256xf32>, tensor<256x256xf32>) outs(%i : tensor<1x256xf32>) -> tensor<1x256xf32>
  %b = linalg.matmul ins(%a, %w : tensor<1x256xf32>, tensor<256x256xf32>) outs(%i : tensor<1x256xf32>) -> tensor<1x256xf32>
  %c = linalg.matmul ins(%b, %w : tensor<1x256xf32>, tensor<256x256xf32>) outs(%i : tensor<1x256xf32>) -> tensor<1x256xf32>
  %d = linalg.matmul ins(%c, %w : tensor<1x256xf32>, tensor<256x256xf32>) outs(%i : tensor<1x256xf32>) -> tensor<1x256xf32>
  %f = tensor.empty() : tensor<1x512xf32>
  %j = linalg.fill ins(%zero : f32) outs(%f : tensor<1x512xf32>) -> tensor<1x512xf32>
  %r = linalg.matmul ins(%d, %v : tensor<1x256xf32>, tensor<256x512xf32>) outs(%j : tensor<1x512xf32>) -> tensor<1x512xf32>
  return %r : tensor<1x512xf32>
}
