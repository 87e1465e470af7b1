// Parts of a file stand on their own; comments say which diagnostics they must give, at their true lines.
// RUN: roller-opt %s --split-input-file --verify-diagnostics | FileCheck %s
// RUN: not roller-opt %s --split-input-file 2>&1 | FileCheck %s --check-prefix=PLAIN

// CHECK-LABEL: func.func @good
// CHECK: // -----
// PLAIN-DAG: split-and-verify.mlir:16:10: error: use of undeclared SSA value name
func.func @good() {
  return
}

// -----

func.func @undeclared() -> i32 {
  // expected-error@+1 {{use of undeclared SSA value name}}
  return %missing : i32
}

// -----

// expected-error-re@below {{Dialect `{{[a-z]+}}' not found for custom op}}
// expected-note@below {{Available dialects}}
nothing.here
