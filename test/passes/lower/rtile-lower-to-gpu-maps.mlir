// RUN: roller compile %s --target h200 --instruction wgmma --tensor-maps device --emit gpu | FileCheck %s
// RUN: roller compile %s --target h200 --instruction wgmma --emit gpu | FileCheck %s --check-prefix=HOST

// The kernel makes the maps of its factors in a buffer that the function gets for it, 128 bytes for each and block.
// CHECK: gpu.func @main_matmul_0(%[[A:[a-z0-9]+]]: memref<128x64xf16>
// CHECK-SAME: %[[MAPS:[a-z0-9]+]]: memref<512xi8> {llvm.align = 128 : i64, rtile.made_maps = [{argument = 0 :
// CHECK-DAG: %[[PLACE:[a-z0-9_]+]] = memref.extract_aligned_pointer_as_index %[[MAPS]]
// CHECK-DAG: %[[ARRAY:[a-z0-9_]+]] = memref.extract_aligned_pointer_as_index %[[A]]
// CHECK: %[[ADDRESS:[a-z0-9_]+]] = arith.index_cast %[[ARRAY]] : index to i64
// CHECK: tensormap.replace.tile.global_address{{.*}} %[[RECORD:[0-9]+]], %[[ADDRESS]] : (i32, i64)
// CHECK: tensormap.replace.tile.fill_mode{{.*}} %[[RECORD]], %[[FILL:[a-z0-9_]+]] : (i32, i32)
// CHECK: nvvm.bar.warp.sync
// CHECK: tensormap.cp_fenceproxy{{.*}} %[[TO:[0-9]+]], %[[RECORD]] : (!llvm.ptr<1>, i32)
// CHECK: gpu.barrier
// CHECK: nvvm.fence.proxy.acquire <gpu> %[[MAP:[0-9]+]], %c128_i32
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[NEAR:[0-9]+]], %[[MAP]], %[[FULL:[0-9]+]], box
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[SPACE:[a-z0-9]+]]: memref<512xi8> {rtile.role = "workspace"}
// CHECK: gpu.launch_func @kernels::@main_matmul_0
// CHECK-SAME: %[[SPACE]] : memref<512xi8>)

// HOST-NOT: tensormap
// HOST: %[[MAP:[a-z0-9]+]]: !llvm.ptr {rtile.tensor_map = {argument = 0 :
// HOST: nvvm.prefetch tensormap, %[[MAP]]
func.func @main(%a: tensor<128x64xf16>, %b: tensor<64x64xf16>) -> tensor<128x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x64xf32>) -> tensor<128x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<128x64xf16>, tensor<64x64xf16>) outs(%f : tensor<128x64xf32>) -> tensor<128x64xf32>
  return %r : tensor<128x64xf32>
}
