// RUN: roller-opt %s --rtile-lower-to-cpu=device=spr --split-input-file | FileCheck %s
// RUN: roller-opt %s --rtile-lower-to-cpu=device=haswell --split-input-file | FileCheck %s --check-prefix=AVX2

// A kernel of one thread becomes a function of a range of tasks: bare pointers that keep their attributes, the number of
// the block is the task, and the host code stays.

// CHECK-LABEL: func.func @copy_on_device
// CHECK: gpu.launch_func @kernels::@copy
// CHECK-LABEL: llvm.func @copy
// CHECK-SAME: %[[A:[a-z0-9]+]]: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}
// CHECK-SAME: %[[B:[a-z0-9]+]]: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}
// CHECK-SAME: %[[FIRST:[a-z0-9]+]]: i64
// CHECK-SAME: %[[END:[a-z0-9]+]]: i64
// CHECK-SAME: ["prefer-vector-width", "512"]
// CHECK-SAME: rtile.task_range
// CHECK: llvm.br ^[[LOOP:bb[0-9]+]](%[[FIRST]] : i64)
// CHECK: ^[[LOOP]](%[[TASK:.*]]: i64):
// CHECK: llvm.icmp "slt" %[[TASK]], %[[END]] : i64
// CHECK: llvm.load %[[P:.*]] {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK: llvm.return
// AVX2: ["prefer-vector-width", "256"]
module attributes {gpu.container_module} {
  func.func @copy_on_device(%a: memref<1024xf32>, %b: memref<1024xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@copy blocks in (%c64, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<1024xf32>, %b : memref<1024xf32>)
    return
  }
  gpu.module @kernels {
    gpu.func @copy(%a: memref<1024xf32> {llvm.noalias, llvm.readonly, llvm.align = 16 : i64}, %b: memref<1024xf32> {llvm.noalias, llvm.align = 16 : i64}) kernel attributes {rtile.fma_count = 0 : i64} {
      %c16 = arith.constant 16 : index
      %t = gpu.block_id x
      %i = arith.muli %t, %c16 : index
      %v = vector.load %a[%i] {alignment = 4 : i64, rtile.site = "load A"} : memref<1024xf32>, vector<16xf32>
      vector.store %v, %b[%i] {alignment = 4 : i64, rtile.site = "store B"} : memref<1024xf32>, vector<16xf32>
      gpu.return
    }
  }
}

// -----

// Halves are computed in f32 and rounded once; of f64, what the rounding to f16 must know is kept in f32's last bit.

// CHECK-LABEL: llvm.func @halves
// CHECK: %[[SUM:.*]] = llvm.fadd %[[X:.*]], %[[Y:.*]] : f32
// CHECK: llvm.fptrunc %[[SUM]] : f32 to f16
// CHECK: %[[NEAR:.*]] = llvm.fptrunc %[[W:.*]] : f64 to f32
// CHECK: llvm.fpext %[[NEAR]] : f32 to f64
// CHECK: llvm.or
// CHECK: llvm.fptrunc %[[ODD:.*]] : f32 to f16
// AVX2-LABEL: llvm.func @halves
gpu.module @kernels {
  gpu.func @halves(%a: memref<2xf16>, %b: memref<1xf64>, %c: memref<2xf16>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %a[%c0] : memref<2xf16>
    %y = memref.load %a[%c1] : memref<2xf16>
    %s = arith.addf %x, %y : f16
    memref.store %s, %c[%c0] : memref<2xf16>
    %w = memref.load %b[%c0] : memref<1xf64>
    %t = arith.truncf %w : f64 to f16
    memref.store %t, %c[%c1] : memref<2xf16>
    gpu.return
  }
}
