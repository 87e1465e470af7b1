// RUN: roller-opt %s --rtile-lower-to-cpu=device=spr --split-input-file --verify-diagnostics
// RUN: not roller-opt %s --rtile-lower-to-cpu=device=h200 2>&1 | FileCheck %s --check-prefix=VENDOR
// RUN: not roller-opt %s --rtile-lower-to-cpu 2>&1 | FileCheck %s --check-prefix=NONE

// VENDOR: error: 'rtile-lower-to-cpu': device must be a CPU, but got 'h200' of nvidia
// NONE: error: 'rtile-lower-to-cpu': device must name a device, but got ''; 'roller devices' lists them

func.func @early(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'linalg.add' is not in a kernel yet; run rtile-lower-to-gpu first}}
  %c = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

gpu.module @kernels {
  // expected-error@below {{kernel 'threads' has blocks of 64 threads, 'spr' has none; plan it for this device}}
  gpu.func @threads(%a: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@below {{kernel 'arena' needs 64 B of static workgroup memory, spr has 0 B; use gpu.dynamic_shared_memory or smaller tiles}}
  gpu.func @arena(%a: memref<64xf32>) workgroup(%w: memref<64xi8, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @waits(%a: memref<64xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    // expected-error@below {{'gpu.barrier' is for threads, which 'spr' does not have}}
    gpu.barrier
    gpu.return
  }
}
