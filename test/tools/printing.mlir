// Ways to print, the same as those of mlir-opt.
// RUN: roller-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: roller-opt %s --mlir-print-debuginfo | FileCheck %s --check-prefix=DEBUG
// RUN: roller-opt %s --mlir-print-ir-before-all --mlir-print-ir-after-all --cse --rtile-normalize 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: roller-opt %s --mlir-timing --cse --rtile-normalize 2>&1 | FileCheck %s --check-prefix=TIMING
// RUN: roller-opt %s --emit-bytecode -o %t.mlirbc
// RUN: roller-opt %t.mlirbc | FileCheck %s --check-prefix=PLAIN
// RUN: roller-opt - < %s | FileCheck %s --check-prefix=PLAIN
// RUN: roller-opt %s --allow-unregistered-dialect=false -o - | FileCheck %s --check-prefix=PLAIN

// GENERIC: "func.func"()
// GENERIC: "func.return"(%[[A:.*]]) : (tensor<4xf32>) -> ()
// DEBUG: return %[[A:.*]] : tensor<4xf32> loc(#[[L:.*]])
// DEBUG: #[[L]] = loc("{{.*}}":{{[0-9]+}}:3)
// ALL: IR Dump Before CSEPass
// ALL: IR Dump After CSEPass
// ALL: IR Dump Before RTileNormalize
// ALL: IR Dump After RTileNormalize
// TIMING: Execution time report
// TIMING: CSEPass
// TIMING: RTileNormalize
// PLAIN: func.func @same(%[[A:.*]]: tensor<4xf32>) -> tensor<4xf32>
// PLAIN-NEXT: return %[[A]] : tensor<4xf32>
func.func @same(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
