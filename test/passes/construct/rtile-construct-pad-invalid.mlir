// RUN: roller-opt %s --rtile-construct='device=h200' --verify-diagnostics

func.func @padding_known_at_run_time(%a: tensor<4xf32>, %high: index) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{'tensor.pad' has a padding that is known at run time only; give low and high as numbers}}
  %p = tensor.pad %a low[0] high[%high] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.negf ins(%p : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
