// RUN: roller-opt %s --rtile-lower-to-rocdl=device=mi300x --split-input-file | FileCheck %s

// Arguments are bare pointers that keep their attributes, the host code stays, and accesses keep their width.

// CHECK-LABEL: func.func @copy_on_device
// CHECK: gpu.launch_func @kernels::@copy
// CHECK-LABEL: llvm.func @copy
// CHECK-SAME: %[[A:[a-z0-9]+]]: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}
// CHECK-SAME: %[[B:[a-z0-9]+]]: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}
// CHECK-SAME: rocdl.flat_work_group_size = "256,256"
// CHECK-SAME: rocdl.reqd_work_group_size = array<i32: 256, 1, 1>
// CHECK-SAME: rtile.fma_count = 0 : i64
// CHECK: %[[T:.*]] = rocdl.workitem.id.x
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
// CHECK: rocdl.s.barrier
// CHECK: rocdl.ds_swizzle
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
    %c64 = arith.constant 64 : i32
    %swapped, %valid = gpu.shuffle xor %sum, %c16, %c64 : f32
    memref.store %swapped, %a[%t] : memref<256xf32>
    gpu.return
  }
}

// -----

// The hyperbolic tangent is a library call: LLVM's own would end the compiler.

// CHECK-LABEL: llvm.func @math
// CHECK: %[[X:.*]] = llvm.load
// CHECK: %[[FMA:.*]] = llvm.intr.fma(%[[X]], %[[X]], %[[X]])
// CHECK: %[[TANH:.*]] = llvm.call @__ocml_tanh_f32(%[[FMA]]) : (f32) -> f32
// CHECK: llvm.store %[[TANH]]
gpu.module @kernels {
  gpu.func @math(%a: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %a[%t] : memref<64xf32>
    %fma = math.fma %x, %x, %x : f32
    %tanh = math.tanh %fma : f32
    memref.store %tanh, %a[%t] : memref<64xf32>
    gpu.return
  }
}

// -----

// As many subgroups as 3 tasks of 256 threads are on each of 4 schedulers. The sum is used before the branch, so that it is computed there; the index that the loop carries too is no sum.

// CHECK-LABEL: llvm.func @sums
// CHECK-SAME: rocdl.waves_per_eu = 3 : i32
// CHECK: %[[SUM:.*]] = llvm.intr.fmuladd
// CHECK-NOT: llvm.intr.fmuladd
// CHECK: llvm.call_intrinsic "llvm.fake.use"(%[[SUM]]) : (vector<4xf32>) -> ()
// CHECK-NOT: llvm.fake.use
// CHECK: llvm.cond_br
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @sums(%a: memref<1024xf32>, %b: memref<1024xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>, rtile.tasks_per_unit = 3 : i64} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %zero = arith.constant dense<0.0> : vector<4xf32>
      %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero, %at = %c0) -> (vector<4xf32>, index) {
        %v = vector.load %a[%at] {alignment = 16 : i64} : memref<1024xf32>, vector<4xf32>
        %f = vector.fma %v, %v, %s : vector<4xf32>
        %next = arith.addi %at, %c4 : index
        %more = arith.cmpi ne, %next, %c8 : index
        scf.if %more {
          vector.store %v, %b[%at] {alignment = 16 : i64} : memref<1024xf32>, vector<4xf32>
        }
        scf.yield %f, %next : vector<4xf32>, index
      }
      vector.store %r#0, %b[%c0] {alignment = 16 : i64} : memref<1024xf32>, vector<4xf32>
      gpu.return
    }
  }
}
