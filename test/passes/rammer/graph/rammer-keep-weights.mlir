// RUN: roller-opt %s --rtile-normalize --rtile-construct='device=h200 block-threads=256 join=false' --rtile-expand --rtile-assign-buffers='reuse=false' --rammer-form-graph --rammer-sink-waits=device=h200 --rammer-keep-weights=device=h200 --mlir-print-local-scope 2>&1 | FileCheck %s
// RUN: roller-opt %s --rtile-normalize --rtile-construct='device=h200 block-threads=256 join=false' --rtile-expand --rtile-assign-buffers='reuse=false' --rammer-form-graph --rammer-sink-waits=device=h200 --rammer-keep-weights='device=h200 keep-weights=false' --mlir-print-local-scope | FileCheck %s --check-prefix=BRINGS
// RUN: roller-opt %s --rtile-normalize --rtile-construct='device=h200 block-threads=256 join=false' --rtile-expand --rtile-assign-buffers='reuse=false' --rammer-form-graph --rammer-sink-waits=device=h200 --rammer-keep-weights=device=h200 --rammer-schedule=device=h200 --rammer-verify=device=h200 --mlir-print-local-scope 2>&1 | FileCheck %s --check-prefix=PLACED
// Three products read the same weights: each of 16 tasks, 64 KiB. The first product brings them, which the others find
// on the vEU of the same number.

// CHECK: remark: 'rammer.program' 'f': 16 slices, 1048576 B, stay in the workgroup memory of 16 vEUs
// CHECK: }) {early = array<i64: 1>, resident = array<i64: 1>, sym_name = "matmul_0"}
// CHECK-COUNT-3: "rammer.apply"({{.*}}) {callee = @matmul_0, early_seconds = {{.*}} : f64, found_early_seconds = {{.*}} : f64, found_seconds = {{.*}} : f64, seconds = {{.*}} : f64}

// BRINGS-NOT: resident
// BRINGS-NOT: found_seconds

// PLACED: "rammer.program"
// PLACED: device = #rammer.device<{per_unit = 1 : i64, registers = 64 : i64, threads = 256 : i64, units = 16 : i64, workgroup_bytes = 66656 : i64}>
// PLACED-SAME: fills = dense<[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<48xi32>
// PLACED-SAME: slots = dense<{{[0-9]+}}> : tensor<48xi32>
func.func @f(%x: tensor<1x512xf32>, %w: tensor<512x512xf32>) -> tensor<1x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x512xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x512xf32>) -> tensor<1x512xf32>
  %a = linalg.matmul ins(%x, %w : tensor<1x512xf32>, tensor<512x512xf32>) outs(%i : tensor<1x512xf32>) -> tensor<1x512xf32>
  %b = linalg.matmul ins(%a, %w : tensor<1x512xf32>, tensor<512x512xf32>) outs(%i : tensor<1x512xf32>) -> tensor<1x512xf32>
  %c = linalg.matmul ins(%b, %w : tensor<1x512xf32>, tensor<512x512xf32>) outs(%i : tensor<1x512xf32>) -> tensor<1x512xf32>
  return %c : tensor<1x512xf32>
}
