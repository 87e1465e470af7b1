// RUN: roller-opt %s --rtile-fuse='device=h200' --split-input-file --verify-diagnostics

func.func @divided(%x: tensor<8xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  // expected-error @below {{'linalg.generic': an index must be a sum of constant multiples of loops}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<16xf32>) {
    ^bb0(%a: f32, %old: f32):
      linalg.yield %a : f32
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}
