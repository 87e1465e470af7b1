// Layer norm over rows: mean and variance, then scale and shift; one kernel, each element loaded and stored once.
// RUN: roller-opt %s --roller-to-sim=device=h200 | FileCheck %s

// CHECK-LABEL: func.func @layer_norm
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT: gpu.launch_func
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>

func.func @layer_norm(%x: tensor<64x768xf32>, %gamma: tensor<768xf32>, %beta: tensor<768xf32>) -> tensor<64x768xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 768.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : tensor<64xf32>
  %e2 = tensor.empty() : tensor<64x768xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<64x768xf32>) outs(%z : tensor<64xf32>) dimensions = [1]
  %centred = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<64x768xf32>, tensor<64xf32>) outs(%e2 : tensor<64x768xf32>) {
    ^bb0(%a: f32, %s: f32, %old: f32):
      %mean = arith.divf %s, %n : f32
      %d = arith.subf %a, %mean : f32
      linalg.yield %d : f32
  } -> tensor<64x768xf32>
  %squares = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%centred : tensor<64x768xf32>) outs(%z : tensor<64xf32>) {
    ^bb0(%d: f32, %s: f32):
      %m = arith.mulf %d, %d : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
  } -> tensor<64xf32>
  %scale = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%squares : tensor<64xf32>) outs(%e1 : tensor<64xf32>) {
    ^bb0(%s: f32, %old: f32):
      %variance = arith.divf %s, %n : f32
      %t = arith.addf %variance, %epsilon : f32
      %r = math.rsqrt %t : f32
      linalg.yield %r : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #column, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%centred, %scale, %gamma, %beta : tensor<64x768xf32>, tensor<64xf32>, tensor<768xf32>, tensor<768xf32>)
      outs(%e2 : tensor<64x768xf32>) {
    ^bb0(%d: f32, %r: f32, %g: f32, %b: f32, %old: f32):
      %s = arith.mulf %d, %r : f32
      %t = arith.mulf %s, %g : f32
      %u = arith.addf %t, %b : f32
      linalg.yield %u : f32
  } -> tensor<64x768xf32>
  return %y : tensor<64x768xf32>
}
