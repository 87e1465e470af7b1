// Softmax over rows: four ops, one kernel. A task keeps its row in registers from the first maximum to the last quotient.
// RUN: roller-opt %s --roller-to-sim=device=h200 | FileCheck %s

// CHECK-LABEL: func.func @softmax
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT: gpu.launch_func
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

func.func @softmax(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e1 = tensor.empty() : tensor<64xf32>
  %e2 = tensor.empty() : tensor<64x512xf32>
  %i = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<64x512xf32>) outs(%i : tensor<64xf32>) dimensions = [1]
  %exp = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<64x512xf32>, tensor<64xf32>) outs(%e2 : tensor<64x512xf32>) {
    ^bb0(%a: f32, %m: f32, %old: f32):
      %d = arith.subf %a, %m : f32
      %e = math.exp %d : f32
      linalg.yield %e : f32
  } -> tensor<64x512xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<64x512xf32>) outs(%z : tensor<64xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<64x512xf32>, tensor<64xf32>) outs(%e2 : tensor<64x512xf32>) {
    ^bb0(%e: f32, %s: f32, %old: f32):
      %q = arith.divf %e, %s : f32
      linalg.yield %q : f32
  } -> tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
