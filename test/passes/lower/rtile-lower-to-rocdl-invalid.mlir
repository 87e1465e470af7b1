// RUN: roller-opt %s --rtile-lower-to-rocdl=device=mi300x --split-input-file --verify-diagnostics
// RUN: not roller-opt %s --rtile-lower-to-rocdl=device=h200 2>&1 | FileCheck %s --check-prefix=VENDOR
// RUN: not roller-opt %s --rtile-lower-to-rocdl 2>&1 | FileCheck %s --check-prefix=NONE

// VENDOR: error: 'rtile-lower-to-rocdl': device must be AMD's, but got 'h200' of nvidia; use rtile-lower-to-nvvm
// NONE: error: 'rtile-lower-to-rocdl': device must name a device, but got ''; 'roller devices' lists them

func.func @early(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'linalg.add' is not in a kernel yet; run rtile-lower-to-gpu first}}
  %c = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

gpu.module @kernels {
  // expected-error@below {{kernel 'sizeless' has neither known_block_size nor a launch; give it known_block_size = array<i32: x, y, z>}}
  gpu.func @sizeless(%a: memref<64xf32>) kernel {
    gpu.return
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @host(%a: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    // expected-error@below {{launch of 'small' has blocks of 128x1x1 threads, the kernel is made for 64x1x1; change the launch or the kernel's known_block_size}}
    gpu.launch_func @kernels::@small blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%a : memref<64xf32>)
    return
  }
  gpu.module @kernels {
    gpu.func @small(%a: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @host(%a: memref<64xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    // expected-error@below {{launch of 'dynamic' must have a constant block size}}
    gpu.launch_func @kernels::@dynamic blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1) args(%a : memref<64xf32>)
    return
  }
  gpu.module @kernels {
    gpu.func @dynamic(%a: memref<64xf32>) kernel {
      gpu.return
    }
  }
}

// -----

gpu.module @kernels {
  gpu.func @foreign(%a: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // expected-error@below {{'tensor.empty' has no lowering to LLVM; the kernel must not contain it}}
    %t = tensor.empty() : tensor<4xf32>
    %c0 = arith.constant 0 : index
    %x = tensor.extract %t[%c0] : tensor<4xf32>
    memref.store %x, %a[%c0] : memref<64xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@below {{kernel 'large' needs 80000 B of static workgroup memory, mi300x has 65536 B; use gpu.dynamic_shared_memory or smaller tiles}}
  gpu.func @large(%a: memref<64xf32>) workgroup(%w: memref<20000xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    gpu.return
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @host(%a: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %bytes = arith.constant 300000 : i32
    gpu.launch_func @kernels::@huge blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) dynamic_shared_memory_size %bytes args(%a : memref<64xf32>)
    return
  }
  gpu.module @kernels {
    // expected-error@below {{kernel 'huge' needs 300000 B of workgroup memory, mi300x has 65536 B; use smaller tiles or fewer stages}}
    gpu.func @huge(%a: memref<64xf32>) kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @host(%a: memref<64xf32>, %bytes: i32) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    // expected-error@below {{launch of 'unknown' must have a constant dynamic_shared_memory_size}}
    gpu.launch_func @kernels::@unknown blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) dynamic_shared_memory_size %bytes args(%a : memref<64xf32>)
    return
  }
  gpu.module @kernels {
    gpu.func @unknown(%a: memref<64xf32>) kernel {
      gpu.return
    }
  }
}
