// softmax(Q K^T / sqrt(d)) of every head: the scores with their scaling, then their softmax.
// RUN: roller-opt %s --roller-to-sim=device=h200 | FileCheck %s

// CHECK-LABEL: func.func @attention_scores
// CHECK-COUNT-2: gpu.launch_func
// CHECK-NOT: gpu.launch_func
#q = affine_map<(h, i, j, d) -> (h, i, d)>
#k = affine_map<(h, i, j, d) -> (h, j, d)>
#s = affine_map<(h, i, j, d) -> (h, i, j)>
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

func.func @attention_scores(%q: tensor<8x64x32xf32>, %k: tensor<8x64x32xf32>) -> tensor<8x64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %root = arith.constant 0.17677669529663687 : f32
  %e2 = tensor.empty() : tensor<8x64xf32>
  %e3 = tensor.empty() : tensor<8x64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e3 : tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  %dots = linalg.generic {indexing_maps = [#q, #k, #s],
                          iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x64x32xf32>, tensor<8x64x32xf32>) outs(%i : tensor<8x64x64xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %t = arith.addf %c, %m : f32
      linalg.yield %t : f32
  } -> tensor<8x64x64xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%dots : tensor<8x64x64xf32>) outs(%e3 : tensor<8x64x64xf32>) {
    ^bb0(%a: f32, %old: f32):
      %m = arith.mulf %a, %root : f32
      linalg.yield %m : f32
  } -> tensor<8x64x64xf32>
  %l = linalg.fill ins(%lowest : f32) outs(%e2 : tensor<8x64xf32>) -> tensor<8x64xf32>
  %max = linalg.reduce { arith.maximumf } ins(%scaled : tensor<8x64x64xf32>) outs(%l : tensor<8x64xf32>)
      dimensions = [2]
  %exp = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scaled, %max : tensor<8x64x64xf32>, tensor<8x64xf32>) outs(%e3 : tensor<8x64x64xf32>) {
    ^bb0(%a: f32, %m: f32, %old: f32):
      %d = arith.subf %a, %m : f32
      %e = math.exp %d : f32
      linalg.yield %e : f32
  } -> tensor<8x64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x64xf32>) -> tensor<8x64xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<8x64x64xf32>) outs(%z : tensor<8x64xf32>) dimensions = [2]
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp, %sum : tensor<8x64x64xf32>, tensor<8x64xf32>) outs(%e3 : tensor<8x64x64xf32>) {
    ^bb0(%e: f32, %s: f32, %old: f32):
      %r = arith.divf %e, %s : f32
      linalg.yield %r : f32
  } -> tensor<8x64x64xf32>
  return %y : tensor<8x64x64xf32>
}
