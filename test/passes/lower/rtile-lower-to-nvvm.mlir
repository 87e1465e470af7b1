// RUN: roller-opt %s --rtile-lower-to-nvvm=device=h200 --split-input-file | FileCheck %s

// Arguments are bare pointers that keep their attributes, the host code stays, and accesses keep their width.

// CHECK-LABEL: func.func @copy_on_device
// CHECK: gpu.launch_func @kernels::@copy
// CHECK-LABEL: llvm.func @copy
// CHECK-SAME: %[[A:[a-z0-9]+]]: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}
// CHECK-SAME: %[[B:[a-z0-9]+]]: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}
// CHECK-SAME: nvvm.kernel
// CHECK-SAME: nvvm.maxntid = array<i32: 256, 1, 1>
// CHECK-SAME: rtile.fma_count = 0 : i64
// CHECK: %[[T:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[V:.*]] = llvm.load %[[P:.*]] {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK: llvm.store %[[V]], %[[Q:.*]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
// CHECK: llvm.return
module attributes {gpu.container_module} {
  func.func @copy_on_device(%a: memref<1024xf32>, %b: memref<1024xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    gpu.launch_func @kernels::@copy blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%a : memref<1024xf32>, %b : memref<1024xf32>)
    return
  }
  gpu.module @kernels {
    gpu.func @copy(%a: memref<1024xf32> {llvm.noalias, llvm.readonly, llvm.align = 16 : i64}, %b: memref<1024xf32> {llvm.noalias, llvm.align = 16 : i64}) kernel attributes {rtile.fma_count = 0 : i64} {
      %c4 = arith.constant 4 : index
      %t = gpu.thread_id x
      %i = arith.muli %t, %c4 : index
      %v = vector.load %a[%i] {alignment = 16 : i64, rtile.site = "load A"} : memref<1024xf32>, vector<4xf32>
      vector.store %v, %b[%i] {alignment = 16 : i64, rtile.site = "store B"} : memref<1024xf32>, vector<4xf32>
      gpu.return
    }
  }
}

// -----

// Workgroup memory: an arena of its own bytes, aligned for 16-byte accesses; dynamic memory is external, so that it does not overlap.

// CHECK-DAG: llvm.mlir.global internal @[[ARENA:.*]]() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<2048 x i8>
// CHECK-DAG: llvm.mlir.global external @[[DYNAMIC:.*]]() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: llvm.func @rotate
// CHECK-DAG: llvm.mlir.addressof @[[ARENA]] : !llvm.ptr<3>
// CHECK-DAG: llvm.mlir.addressof @[[DYNAMIC]] : !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK: nvvm.shfl.sync
gpu.module @kernels {
  gpu.func @rotate(%a: memref<256xf32>) workgroup(%arena: memref<2048xi8, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %t = gpu.thread_id x
    %s = memref.view %arena[%c1024][] : memref<2048xi8, #gpu.address_space<workgroup>> to memref<256xf32, #gpu.address_space<workgroup>>
    %dynamic = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %d = memref.view %dynamic[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<256xf32, #gpu.address_space<workgroup>>
    %x = memref.load %a[%t] : memref<256xf32>
    memref.store %x, %s[%t] : memref<256xf32, #gpu.address_space<workgroup>>
    memref.store %x, %d[%t] : memref<256xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %c255 = arith.constant 255 : index
    %other = arith.subi %c255, %t : index
    %y = memref.load %s[%other] : memref<256xf32, #gpu.address_space<workgroup>>
    %z = memref.load %d[%other] : memref<256xf32, #gpu.address_space<workgroup>>
    %sum = arith.addf %y, %z : f32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %swapped, %valid = gpu.shuffle xor %sum, %c16, %c32 : f32
    memref.store %swapped, %a[%t] : memref<256xf32>
    gpu.return
  }
}

// -----

// A required block size replaces the largest one: ptxas refuses both together.

// CHECK-LABEL: llvm.func @required
// CHECK-NOT: nvvm.maxntid
// CHECK-SAME: nvvm.reqntid = array<i32: 64, 1, 1>
gpu.module @kernels {
  gpu.func @required(%a: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, nvvm.reqntid = array<i32: 64, 1, 1>} {
    gpu.return
  }
}

// -----

// What is one instruction needs no library; what is not calls it.

// CHECK-LABEL: llvm.func @math
// CHECK: %[[X:.*]] = llvm.load
// CHECK: %[[FMA:.*]] = llvm.intr.fma(%[[X]], %[[X]], %[[X]]) : (f32, f32, f32) -> f32
// CHECK: %[[ROOT:.*]] = llvm.intr.sqrt(%[[FMA]]) : (f32) -> f32
// CHECK: %[[MAX:.*]] = llvm.intr.maxnum(%[[ROOT]], %[[X]]) : (f32, f32) -> f32
// CHECK: %[[EXP:.*]] = llvm.call @__nv_expf(%[[MAX]]) : (f32) -> f32
// CHECK: llvm.store %[[EXP]]
gpu.module @kernels {
  gpu.func @math(%a: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %a[%t] : memref<64xf32>
    %fma = math.fma %x, %x, %x : f32
    %root = math.sqrt %fma : f32
    %max = arith.maxnumf %root, %x : f32
    %exp = math.exp %max : f32
    memref.store %exp, %a[%t] : memref<64xf32>
    gpu.return
  }
}
