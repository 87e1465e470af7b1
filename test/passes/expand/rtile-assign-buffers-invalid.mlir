// RUN: roller-opt %s --rtile-assign-buffers --verify-diagnostics --split-input-file

func.func @result_without_a_program(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{each function result must be the result of a program of its own; run rtile-normalize}}
  return %a : tensor<8xf32>
}

// -----

func.func @outside_of_a_program(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error@+1 {{'linalg.copy' stands outside of a program; run rtile-construct and rtile-expand first}}
  %r = linalg.copy ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @unknown_operation(%a: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tensor.extract_slice' cannot become a buffer; between programs only reshapes and constants can stand}}
  %r = tensor.extract_slice %a[0] [4] [2] : tensor<8xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @in_place(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'rtile.program' updates one of its operands in place; store into a tensor.empty instead}}
  %0 = "rtile.program"(%a) ({
  ^bb0(%x: tensor<8xf32>):
    "rtile.yield"(%x) : (tensor<8xf32>) -> ()
  }) {sym_name = "p"} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @not_expanded(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "rtile.program"(%a) ({
  ^bb0(%x: tensor<8xf32>):
    %e = tensor.empty() : tensor<8xf32>
    // expected-error@+1 {{'linalg.copy' gives a program's result; only rtile.store and parallel loops can}}
    %r = linalg.copy ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    "rtile.yield"(%r) : (tensor<8xf32>) -> ()
  }) {sym_name = "p"} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @on_memrefs(%a: memref<8xf32>) {
  // expected-error@+1 {{'rtile.program' works on memrefs already}}
  "rtile.program"(%a) ({
  ^bb0(%x: memref<8xf32>):
    "rtile.yield"() : () -> ()
  }) {sym_name = "p"} : (memref<8xf32>) -> ()
  return
}

// -----

func.func @unspecified_content() -> tensor<8xf32> {
  // expected-error@+1 {{'tensor.empty' is read by a program, but its content is unspecified; start it by linalg.fill}}
  %e = tensor.empty() : tensor<8xf32>
  %0 = "rtile.program"(%e) ({
  ^bb0(%x: tensor<8xf32>):
    %o = tensor.empty() : tensor<8xf32>
    "rtile.yield"(%o) : (tensor<8xf32>) -> ()
  }) {sym_name = "p"} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
