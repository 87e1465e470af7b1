// RUN: roller-opt %s --rammer-form-graph --verify-diagnostics --split-input-file

func.func @on_tensors(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'rtile.program' works on tensors; run rtile-assign-buffers first}}
  %0 = "rtile.program"(%a) ({
  ^bb0(%x: tensor<8xf32>):
    "rtile.yield"(%x) : (tensor<8xf32>) -> ()
  }) {sym_name = "p"} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
