// A pass that fails leaves a reproducer, which runs by itself; the IR at the failure can be printed.
// RUN: not roller-opt %s --canonicalize --rtile-construct='device=h200 tile-sizes=3,3,3' --mlir-pass-pipeline-crash-reproducer=%t.mlir
// RUN: FileCheck %s --check-prefix=FILE < %t.mlir
// FILE: mlir_reproducer: {
// FILE-NEXT: pipeline: "builtin.module(canonicalize,rtile-construct{device=h200 tile-sizes=3,3,3
// RUN: not roller-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: {{.*}}tile
// RUN: not roller-opt %s --rtile-construct='device=h200 tile-sizes=3,3,3' --mlir-print-ir-after-failure 2>&1 | FileCheck %s --check-prefix=FAILURE
// FAILURE: IR Dump After RTileConstruct Failed
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.abs ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
