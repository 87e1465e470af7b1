// RUN: roller-opt %s --rtile-construct='device=a100 split=false' --mlir-print-local-scope --split-input-file | FileCheck %s
// RUN: roller-opt %s --rtile-construct='device=a100 split=false allow-tf32=true' --mlir-print-local-scope --split-input-file | FileCheck %s --check-prefix=TF32
// RUN: roller-opt %s --rtile-construct='device=a100 split=false tile-sizes=128,128,32 stages=3 instructions=mma' --mlir-print-local-scope --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=FORCED
// RUN: not roller-opt %s --rtile-construct='device=a100 stages=9' --split-input-file 2>&1 | FileCheck %s --check-prefix=STAGES

// STAGES: option 'stages' must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, but got 9

// Factors of f16 take the matrix instruction; the plan says which loops it spans, and how tiles are copied.
// CHECK-LABEL: func.func @half
// CHECK: atom = {column = 1 : i64, depth = 2 : i64, lane_order = [1, 0], row = 0 : i64, shape = [16, 8, 16]}
// CHECK-SAME: instruction = "mma"
// CHECK-SAME: copy = "asynchronous"
// CHECK-SAME: swizzle = "xor"
// FORCED-LABEL: func.func @half
// FORCED: axes = [{block = 128 : i64, chunk = 1 : i64, lanes = 8 : i64, threads = 16 : i64, tile = 16 : i64}, {block = 128 : i64, chunk = 2 : i64, lanes = 4 : i64
// FORCED: stages = 3 : i64
func.func @half(%a: tensor<1024x1024xf16>, %b: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<1024x1024xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %r = linalg.matmul ins(%a, %b : tensor<1024x1024xf16>, tensor<1024x1024xf16>) outs(%init : tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  return %r : tensor<1024x1024xf16>
}

// -----

// Factors of f32 are rounded to tf32 only where that is allowed.
// CHECK-LABEL: func.func @single
// CHECK: instruction = "fma"
// TF32-LABEL: func.func @single
// TF32: shape = [16, 8, 8]
// TF32-SAME: instruction = "mma"
func.func @single(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1024x1024xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  // expected-error @+1 {{'linalg.matmul' has no instruction for f32 to f32 on 'a100-80' in the families mma}}
  %r = linalg.matmul ins(%a, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>) outs(%init : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %r : tensor<1024x1024xf32>
}

// -----

// Bytes that are widened without a sign are no factors of a matrix instruction.
// CHECK-LABEL: func.func @unsigned
// CHECK: instruction = "fma"
func.func @unsigned(%a: tensor<256x256xi8>, %b: tensor<256x256xi8>) -> tensor<256x256xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<256x256xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<256x256xi32>) -> tensor<256x256xi32>
  // expected-error @+1 {{'linalg.matmul' has no instruction for i8 to i32 on 'a100-80' in the families mma}}
  %r = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<256x256xi8>, tensor<256x256xi8>) outs(%init : tensor<256x256xi32>) -> tensor<256x256xi32>
  return %r : tensor<256x256xi32>
}
