// Flags of mlir-opt: each does what it does there, or is refused with a reason.
// RUN: roller-opt %s --mlir-disable-threading --cse --verify-roundtrip | FileCheck %s --check-prefix=PLAIN
// PLAIN: func.func @twice(%[[X:.*]]: i32) -> i32
// PLAIN-NEXT: %[[Y:.*]] = arith.addi %[[X]], %[[X]] : i32
// PLAIN-NEXT: %[[Z:.*]] = arith.muli %[[Y]], %[[Y]] : i32
// PLAIN: {-#
// PLAIN: external_resources: {
// PLAIN: mine: {
// RUN: roller-opt %s --cse --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: roller-opt %s --cse --mlir-pass-statistics --mlir-pass-statistics-display=list 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: roller-opt: note: --mlir-pass-statistics has no numbers where MLIR is a release build
// RUN: roller-opt %s --cse --mlir-timing --mlir-timing-display=tree 2>&1 | FileCheck %s --check-prefix=TREE
// TREE: Execution time report
// RUN: not roller-opt %s --cse --mlir-timing --mlir-timing-display=list 2>&1 | FileCheck %s --check-prefix=LIST
// LIST: roller-opt: error: '--mlir-timing-display=list' must be tree, but got 'list'
// RUN: roller-opt %s --cse --canonicalize --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=DUMP
// DUMP: Pass Manager with 2 passes:
// DUMP-NEXT: builtin.module(cse,canonicalize)
// RUN: roller-opt %s --canonicalize --cse --mlir-print-ir-before=cse --mlir-print-ir-after=cse 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED-NOT: canonicalize
// NAMED: // -----// IR Dump Before cse
// NAMED-COUNT-2: arith.addi
// NAMED: // -----// IR Dump After cse
// RUN: not roller-opt %s --cse --mlir-print-ir-after=csee 2>&1 | FileCheck %s --check-prefix=MISSPELT
// MISSPELT: roller-opt: error: --mlir-print-ir-after: unknown pass 'csee'; did you mean 'cse'?
// RUN: roller-opt %s --cse --cse --mlir-print-ir-after-all --mlir-print-ir-after-change 2>&1 | FileCheck %s --check-prefix=CHANGE
// CHANGE-COUNT-1: IR Dump After CSE
// CHANGE-NOT: IR Dump After CSE
// RUN: roller-opt %s --pass-pipeline='builtin.module(func.func(cse))' --mlir-print-ir-after-all --mlir-print-ir-module-scope 2>&1 | FileCheck %s --check-prefix=SCOPE
// SCOPE: IR Dump After CSE
// SCOPE-NEXT: module {
// RUN: rm -rf %t.tree
// RUN: roller-opt %s --cse --mlir-print-ir-tree-dir=%t.tree
// RUN: ls -R %t.tree | FileCheck %s --check-prefix=FILES
// FILES: cse.mlir
// RUN: roller-opt %s --show-dialects | FileCheck %s --check-prefix=DIALECTS
// DIALECTS: Available Dialects: {{.*}}arith,{{.*}}linalg,{{.*}}rtile
// RUN: roller-opt %s --cse --debug-only=greedy-rewriter 2>&1 | FileCheck %s --check-prefix=RELEASE
// RELEASE: roller-opt: note: --debug-only=greedy-rewriter prints nothing where MLIR is a release build
// RUN: not roller-opt %s --cse --run-reproducer 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: roller-opt: error: --run-reproducer runs the pipeline of the input; leave out passes and --pass-pipeline
// RUN: not roller-opt %s --run-reproducer 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: is no reproducer: it has no pipeline in the resource mlir_reproducer
// RUN: not roller-opt %s --mlir-elide-elementsattrs-if-larger=some 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: must be a number of at least 0, but got 'some'
func.func @twice(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}

{-#
  external_resources: {
    mine: {
      key: "value with } and \" in it"
    }
  }
#-}
