// RUN: roller-opt %s --rtile-lower-to-rocdl=device=mi300x | FileCheck %s
// AMD's back end knows all threads of a device by another name.

// CHECK: llvm.fence syncscope("agent") release
// CHECK: llvm.atomicrmw add %[[P:.*]], %[[ONE:.*]] syncscope("agent") monotonic
// CHECK: llvm.fence syncscope("workgroup") acquire
gpu.module @kernels {
  gpu.func @k(%a: memref<4xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %one = arith.constant 1 : i32
    %i = memref.extract_aligned_pointer_as_index %a : memref<4xi32> -> index
    %j = arith.index_cast %i : index to i64
    %p = llvm.inttoptr %j : i64 to !llvm.ptr<1>
    llvm.fence syncscope("device") release
    %x = llvm.atomicrmw add %p, %one syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1>, i32
    llvm.fence syncscope("workgroup") acquire
    gpu.return
  }
}
