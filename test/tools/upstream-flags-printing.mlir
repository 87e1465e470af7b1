// Flags of mlir-opt about constants, names, resources and operations that stand alone.
// RUN: roller-opt %s --mlir-elide-elementsattrs-if-larger=2 | FileCheck %s --check-prefix=ELIDED
// ELIDED: arith.constant dense_resource<__elided__> : tensor<4xi32>
// RUN: roller-opt %s --mlir-elide-resource-strings-if-larger=4 | FileCheck %s --check-prefix=RESOURCE
// RESOURCE: dense_resource<blob>
// RESOURCE-NOT: 0x04000000
// RUN: roller-opt %s | FileCheck %s --check-prefix=KEPT
// KEPT: blob: "0x04000000
// RUN: roller-opt %s --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=NAMES
// NAMES: %weights = arith.constant dense<{{.*}}> : tensor<4xi32>
// RUN: echo 'func.func @alone() { return }' > %t.mlir
// RUN: roller-opt %t.mlir --no-implicit-module --pass-pipeline='func.func(canonicalize)' | FileCheck %s --check-prefix=ALONE
// ALONE-NOT: module
// ALONE: func.func @alone()
// RUN: not roller-opt %t.mlir --no-implicit-module --pass-pipeline='builtin.module(canonicalize)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: error: {{.*}}'builtin.module'
// RUN: printf 'irdl.dialect @mine {\n irdl.operation @thing {\n }\n}\n' > %t.irdl.mlir
// RUN: printf '"mine.thing"() : () -> ()\n' > %t.mine.mlir
// RUN: roller-opt %t.mine.mlir --irdl-file=%t.irdl.mlir | FileCheck %s --check-prefix=IRDL
// IRDL: "mine.thing"() : () -> ()
// RUN: not roller-opt %t.mine.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: operation being parsed with an unregistered dialect
func.func @constants() -> (tensor<4xi32>, tensor<1xi32>) {
  %0 = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32> loc("weights")
  %1 = arith.constant dense_resource<blob> : tensor<1xi32>
  return %0, %1 : tensor<4xi32>, tensor<1xi32>
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x0400000001000000"
    }
  }
#-}
