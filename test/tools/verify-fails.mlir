// What was expected and not produced is an error, and so is what was produced and not expected.
// RUN: not roller-opt %s --verify-diagnostics 2>&1 | FileCheck %s
// CHECK-DAG: verify-fails.mlir:8:10: error: unexpected error: use of undeclared SSA value name
// CHECK-DAG: verify-fails.mlir:8:1: error: expected error "another text" was not produced
// CHECK-NOT: func.func
func.func @undeclared() -> i32 {
  // expected-error@+1 {{another text}}
  return %missing : i32
}
