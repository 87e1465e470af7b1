// An encoder layer of a transformer (post-norm, 4 heads of 16, 32 tokens), from its input to its output.
// RUN: roller-opt %s --roller-to-sim=device=h200 | FileCheck %s

// CHECK-LABEL: func.func @encoder_layer
// CHECK-COUNT-11: gpu.launch_func
// CHECK-NOT: gpu.launch_func
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#all3 = affine_map<(h, i, j) -> (h, i, j)>
#row3 = affine_map<(h, i, j) -> (h, i)>

func.func @encoder_layer(
    %x: tensor<32x64xf32>,
    %wq: tensor<64x64xf32>, %bq: tensor<64xf32>, %wk: tensor<64x64xf32>, %bk: tensor<64xf32>,
    %wv: tensor<64x64xf32>, %bv: tensor<64xf32>, %wo: tensor<64x64xf32>, %bo: tensor<64xf32>,
    %gamma0: tensor<64xf32>, %beta0: tensor<64xf32>,
    %w1: tensor<64x128xf32>, %b1: tensor<128xf32>, %w2: tensor<128x64xf32>, %b2: tensor<64xf32>,
    %gamma1: tensor<64xf32>, %beta1: tensor<64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root_half = arith.constant 0.70710678118654752 : f32
  %root_d = arith.constant 0.25 : f32
  %n = arith.constant 64.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e_model = tensor.empty() : tensor<32x64xf32>
  %e_row = tensor.empty() : tensor<32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e_row : tensor<32xf32>) -> tensor<32xf32>

  // Queries, keys and values.
  %e_query = tensor.empty() : tensor<32x64xf32>
  %i_query = linalg.fill ins(%zero : f32) outs(%e_query : tensor<32x64xf32>) -> tensor<32x64xf32>
  %m_query = linalg.matmul ins(%x, %wq : tensor<32x64xf32>, tensor<64x64xf32>)
      outs(%i_query : tensor<32x64xf32>) -> tensor<32x64xf32>
  %query = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m_query, %bq : tensor<32x64xf32>, tensor<64xf32>) outs(%e_query : tensor<32x64xf32>) {
    ^bb0(%a: f32, %c: f32, %old: f32):
      %s = arith.addf %a, %c : f32
      linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %e_key = tensor.empty() : tensor<32x64xf32>
  %i_key = linalg.fill ins(%zero : f32) outs(%e_key : tensor<32x64xf32>) -> tensor<32x64xf32>
  %m_key = linalg.matmul ins(%x, %wk : tensor<32x64xf32>, tensor<64x64xf32>)
      outs(%i_key : tensor<32x64xf32>) -> tensor<32x64xf32>
  %key = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m_key, %bk : tensor<32x64xf32>, tensor<64xf32>) outs(%e_key : tensor<32x64xf32>) {
    ^bb0(%a: f32, %c: f32, %old: f32):
      %s = arith.addf %a, %c : f32
      linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %e_value = tensor.empty() : tensor<32x64xf32>
  %i_value = linalg.fill ins(%zero : f32) outs(%e_value : tensor<32x64xf32>) -> tensor<32x64xf32>
  %m_value = linalg.matmul ins(%x, %wv : tensor<32x64xf32>, tensor<64x64xf32>)
      outs(%i_value : tensor<32x64xf32>) -> tensor<32x64xf32>
  %value = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m_value, %bv : tensor<32x64xf32>, tensor<64xf32>) outs(%e_value : tensor<32x64xf32>) {
    ^bb0(%a: f32, %c: f32, %old: f32):
      %s = arith.addf %a, %c : f32
      linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %qh = tensor.expand_shape %query [[0], [1, 2]] output_shape [32, 4, 16] : tensor<32x64xf32> into tensor<32x4x16xf32>
  %kh = tensor.expand_shape %key [[0], [1, 2]] output_shape [32, 4, 16] : tensor<32x64xf32> into tensor<32x4x16xf32>
  %vh = tensor.expand_shape %value [[0], [1, 2]] output_shape [32, 4, 16] : tensor<32x64xf32> into tensor<32x4x16xf32>

  // Attention of each head.
  %e_scores = tensor.empty() : tensor<4x32x32xf32>
  %i_scores = linalg.fill ins(%zero : f32) outs(%e_scores : tensor<4x32x32xf32>) -> tensor<4x32x32xf32>
  %dots = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (i, h, d)>, affine_map<(h, i, j, d) -> (j, h, d)>,
                                           affine_map<(h, i, j, d) -> (h, i, j)>],
                          iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%qh, %kh : tensor<32x4x16xf32>, tensor<32x4x16xf32>) outs(%i_scores : tensor<4x32x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %t = arith.addf %c, %m : f32
      linalg.yield %t : f32
  } -> tensor<4x32x32xf32>
  %scaled = linalg.generic {indexing_maps = [#all3, #all3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%dots : tensor<4x32x32xf32>) outs(%e_scores : tensor<4x32x32xf32>) {
    ^bb0(%a: f32, %old: f32):
      %m = arith.mulf %a, %root_d : f32
      linalg.yield %m : f32
  } -> tensor<4x32x32xf32>
  %e_max = tensor.empty() : tensor<4x32xf32>
  %i_max = linalg.fill ins(%lowest : f32) outs(%e_max : tensor<4x32xf32>) -> tensor<4x32xf32>
  %highest = linalg.reduce { arith.maximumf } ins(%scaled : tensor<4x32x32xf32>) outs(%i_max : tensor<4x32xf32>) dimensions = [2]
  %powers = linalg.generic {indexing_maps = [#all3, #row3, #all3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scaled, %highest : tensor<4x32x32xf32>, tensor<4x32xf32>) outs(%e_scores : tensor<4x32x32xf32>) {
    ^bb0(%a: f32, %m: f32, %old: f32):
      %d = arith.subf %a, %m : f32
      %e = math.exp %d : f32
      linalg.yield %e : f32
  } -> tensor<4x32x32xf32>
  %i_sum = linalg.fill ins(%zero : f32) outs(%e_max : tensor<4x32xf32>) -> tensor<4x32xf32>
  %total = linalg.reduce { arith.addf } ins(%powers : tensor<4x32x32xf32>) outs(%i_sum : tensor<4x32xf32>) dimensions = [2]
  %weights = linalg.generic {indexing_maps = [#all3, #row3, #all3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%powers, %total : tensor<4x32x32xf32>, tensor<4x32xf32>) outs(%e_scores : tensor<4x32x32xf32>) {
    ^bb0(%e: f32, %s: f32, %old: f32):
      %r = arith.divf %e, %s : f32
      linalg.yield %r : f32
  } -> tensor<4x32x32xf32>
  %e_heads = tensor.empty() : tensor<32x4x16xf32>
  %i_heads = linalg.fill ins(%zero : f32) outs(%e_heads : tensor<32x4x16xf32>) -> tensor<32x4x16xf32>
  %heads = linalg.generic {indexing_maps = [affine_map<(i, h, d, j) -> (h, i, j)>, affine_map<(i, h, d, j) -> (j, h, d)>,
                                            affine_map<(i, h, d, j) -> (i, h, d)>],
                           iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%weights, %vh : tensor<4x32x32xf32>, tensor<32x4x16xf32>) outs(%i_heads : tensor<32x4x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %t = arith.addf %c, %m : f32
      linalg.yield %t : f32
  } -> tensor<32x4x16xf32>
  %context = tensor.collapse_shape %heads [[0], [1, 2]] : tensor<32x4x16xf32> into tensor<32x64xf32>

  // Projection, residual and norm; then the feed-forward layers, residual and norm.
  %e_output = tensor.empty() : tensor<32x64xf32>
  %i_output = linalg.fill ins(%zero : f32) outs(%e_output : tensor<32x64xf32>) -> tensor<32x64xf32>
  %m_output = linalg.matmul ins(%context, %wo : tensor<32x64xf32>, tensor<64x64xf32>)
      outs(%i_output : tensor<32x64xf32>) -> tensor<32x64xf32>
  %output = linalg.generic {indexing_maps = [#all, #column, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m_output, %bo, %x : tensor<32x64xf32>, tensor<64xf32>, tensor<32x64xf32>) outs(%e_output : tensor<32x64xf32>) {
    ^bb0(%a: f32, %c: f32, %r: f32, %old: f32):
      %s = arith.addf %a, %c : f32
      %t = arith.addf %s, %r : f32
      linalg.yield %t : f32
  } -> tensor<32x64xf32>
  %sum_hidden = linalg.reduce { arith.addf } ins(%output : tensor<32x64xf32>) outs(%zeros : tensor<32xf32>) dimensions = [1]
  %d_hidden = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%output, %sum_hidden : tensor<32x64xf32>, tensor<32xf32>) outs(%e_model : tensor<32x64xf32>) {
    ^bb0(%a: f32, %s: f32, %old: f32):
      %mean = arith.divf %s, %n : f32
      %d = arith.subf %a, %mean : f32
      linalg.yield %d : f32
  } -> tensor<32x64xf32>
  %v_hidden = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%d_hidden : tensor<32x64xf32>) outs(%zeros : tensor<32xf32>) {
    ^bb0(%d: f32, %s: f32):
      %m = arith.mulf %d, %d : f32
      %q = arith.addf %s, %m : f32
      linalg.yield %q : f32
  } -> tensor<32xf32>
  %hidden = linalg.generic {indexing_maps = [#all, #row, #column, #column, #all],
                           iterator_types = ["parallel", "parallel"]}
      ins(%d_hidden, %v_hidden, %gamma0, %beta0 : tensor<32x64xf32>, tensor<32xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e_model : tensor<32x64xf32>) {
    ^bb0(%d: f32, %s: f32, %gamma: f32, %beta: f32, %old: f32):
      %variance = arith.divf %s, %n : f32
      %shifted = arith.addf %variance, %epsilon : f32
      %r = math.rsqrt %shifted : f32
      %p = arith.mulf %d, %r : f32
      %q = arith.mulf %p, %gamma : f32
      %u = arith.addf %q, %beta : f32
      linalg.yield %u : f32
  } -> tensor<32x64xf32>
  %e_inner = tensor.empty() : tensor<32x128xf32>
  %i_inner = linalg.fill ins(%zero : f32) outs(%e_inner : tensor<32x128xf32>) -> tensor<32x128xf32>
  %m_inner = linalg.matmul ins(%hidden, %w1 : tensor<32x64xf32>, tensor<64x128xf32>)
      outs(%i_inner : tensor<32x128xf32>) -> tensor<32x128xf32>
  %inner = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m_inner, %b1 : tensor<32x128xf32>, tensor<128xf32>) outs(%e_inner : tensor<32x128xf32>) {
    ^bb0(%a: f32, %c: f32, %old: f32):
      %s = arith.addf %a, %c : f32
      %t = arith.mulf %s, %root_half : f32
      %u = math.erf %t : f32
      %v = arith.addf %u, %one : f32
      %w = arith.mulf %s, %half : f32
      %g = arith.mulf %v, %w : f32
      linalg.yield %g : f32
  } -> tensor<32x128xf32>
  %e_outer = tensor.empty() : tensor<32x64xf32>
  %i_outer = linalg.fill ins(%zero : f32) outs(%e_outer : tensor<32x64xf32>) -> tensor<32x64xf32>
  %m_outer = linalg.matmul ins(%inner, %w2 : tensor<32x128xf32>, tensor<128x64xf32>)
      outs(%i_outer : tensor<32x64xf32>) -> tensor<32x64xf32>
  %outer = linalg.generic {indexing_maps = [#all, #column, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m_outer, %b2, %hidden : tensor<32x64xf32>, tensor<64xf32>, tensor<32x64xf32>) outs(%e_outer : tensor<32x64xf32>) {
    ^bb0(%a: f32, %c: f32, %r: f32, %old: f32):
      %s = arith.addf %a, %c : f32
      %t = arith.addf %s, %r : f32
      linalg.yield %t : f32
  } -> tensor<32x64xf32>
  %sum_result = linalg.reduce { arith.addf } ins(%outer : tensor<32x64xf32>) outs(%zeros : tensor<32xf32>) dimensions = [1]
  %d_result = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%outer, %sum_result : tensor<32x64xf32>, tensor<32xf32>) outs(%e_model : tensor<32x64xf32>) {
    ^bb0(%a: f32, %s: f32, %old: f32):
      %mean = arith.divf %s, %n : f32
      %d = arith.subf %a, %mean : f32
      linalg.yield %d : f32
  } -> tensor<32x64xf32>
  %v_result = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%d_result : tensor<32x64xf32>) outs(%zeros : tensor<32xf32>) {
    ^bb0(%d: f32, %s: f32):
      %m = arith.mulf %d, %d : f32
      %q = arith.addf %s, %m : f32
      linalg.yield %q : f32
  } -> tensor<32xf32>
  %result = linalg.generic {indexing_maps = [#all, #row, #column, #column, #all],
                           iterator_types = ["parallel", "parallel"]}
      ins(%d_result, %v_result, %gamma1, %beta1 : tensor<32x64xf32>, tensor<32xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e_model : tensor<32x64xf32>) {
    ^bb0(%d: f32, %s: f32, %gamma: f32, %beta: f32, %old: f32):
      %variance = arith.divf %s, %n : f32
      %shifted = arith.addf %variance, %epsilon : f32
      %r = math.rsqrt %shifted : f32
      %p = arith.mulf %d, %r : f32
      %q = arith.mulf %p, %gamma : f32
      %u = arith.addf %q, %beta : f32
      linalg.yield %u : f32
  } -> tensor<32x64xf32>
  return %result : tensor<32x64xf32>
}
