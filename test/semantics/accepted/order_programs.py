# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions whose points cannot be joined in any order, alone and beside other ops."""

# ruff: noqa: E501 - MLIR as users write it

CASES = {
    "ordered two loops, scalar result": """
func.func @f(%x: tensor<5x70xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %h = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<f32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<5x70xf32>) outs(%o : tensor<f32>) {
  ^bb0(%a: f32, %v: f32):
    %i = linalg.index 0 : index
    %m = arith.mulf %v, %h : f32
    %s = arith.addf %m, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
""",
    "ordered columns": """
func.func @f(%x: tensor<5x70x130xf32>) -> tensor<130xf32> {
  %z = arith.constant 0.0 : f32
  %h = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<130xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<130xf32>) -> tensor<130xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (i, j, k)>, affine_map<(k, i, j) -> (k)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : tensor<5x70x130xf32>) outs(%o : tensor<130xf32>) {
  ^bb0(%a: f32, %v: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %m = arith.mulf %v, %h : f32
    %s = arith.addf %m, %a : f32
    linalg.yield %s : f32
  } -> tensor<130xf32>
  return %r : tensor<130xf32>
}
""",
    "argmax big rows": """
func.func @f(%x: tensor<64x1000xf32>) -> (tensor<64xf32>, tensor<64xi32>) {
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<64xf32>
  %e2 = tensor.empty() : tensor<64xi32>
  %o = linalg.fill ins(%ninf : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %o2 = linalg.fill ins(%zero : i32) outs(%e2 : tensor<64xi32>) -> tensor<64xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x1000xf32>) outs(%o, %o2 : tensor<64xf32>, tensor<64xi32>) {
  ^bb0(%a: f32, %v: f32, %p: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %c = arith.cmpf ogt, %a, %v : f32
    %s = arith.select %c, %a, %v : f32
    %t = arith.select %c, %k, %p : i32
    linalg.yield %s, %t : f32, i32
  } -> (tensor<64xf32>, tensor<64xi32>)
  return %r#0, %r#1 : tensor<64xf32>, tensor<64xi32>
}
""",
    "ordered horner": """
func.func @f(%x: tensor<33x7xf32>) -> tensor<33xf32> {
  %z = arith.constant 0.0 : f32
  %h = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<33xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<33x7xf32>) outs(%o : tensor<33xf32>) {
  ^bb0(%a: f32, %v: f32):
    %m = arith.mulf %v, %h : f32
    %s = arith.addf %m, %a : f32
    linalg.yield %s : f32
  } -> tensor<33xf32>
  return %r : tensor<33xf32>
}
""",
    "ordered, transposed reductions": """
func.func @f(%x: tensor<5x7x130xf32>) -> tensor<130xf32> {
  %z = arith.constant 0.0 : f32
  %h = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<130xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<130xf32>) -> tensor<130xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (j, i, k)>, affine_map<(k, i, j) -> (k)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : tensor<5x7x130xf32>) outs(%o : tensor<130xf32>) {
  ^bb0(%a: f32, %v: f32):
    %m = arith.mulf %v, %h : f32
    %s = arith.addf %m, %a : f32
    linalg.yield %s : f32
  } -> tensor<130xf32>
  return %r : tensor<130xf32>
}
""",
    "relu then argmax": """
func.func @f(%x: tensor<33x70xf32>, %y: tensor<70x70xf32>) -> (tensor<33xf32>, tensor<33xi64>) {
  %q = math.absf %x : tensor<33x70xf32>
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<33xf32>
  %e2 = tensor.empty() : tensor<33xi64>
  %o = linalg.fill ins(%ninf : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %o2 = linalg.fill ins(%zero : i64) outs(%e2 : tensor<33xi64>) -> tensor<33xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%q : tensor<33x70xf32>) outs(%o, %o2 : tensor<33xf32>, tensor<33xi64>) {
  ^bb0(%a: f32, %v: f32, %p: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %c = arith.cmpf ogt, %a, %v : f32
    %s = arith.select %c, %a, %v : f32
    %t = arith.select %c, %k, %p : i64
    linalg.yield %s, %t : f32, i64
  } -> (tensor<33xf32>, tensor<33xi64>)
  return %r#0, %r#1 : tensor<33xf32>, tensor<33xi64>
}
""",
    "softmax then argmax": """
func.func @f(%x: tensor<33x70xf32>, %y: tensor<70x70xf32>) -> tensor<33xi64> {
  %se = tensor.empty() : tensor<33x70xf32>
  %q = linalg.softmax dimension(1) ins(%x : tensor<33x70xf32>) outs(%se : tensor<33x70xf32>) -> tensor<33x70xf32>
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<33xf32>
  %e2 = tensor.empty() : tensor<33xi64>
  %o = linalg.fill ins(%ninf : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %o2 = linalg.fill ins(%zero : i64) outs(%e2 : tensor<33xi64>) -> tensor<33xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%q : tensor<33x70xf32>) outs(%o, %o2 : tensor<33xf32>, tensor<33xi64>) {
  ^bb0(%a: f32, %v: f32, %p: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %c = arith.cmpf ogt, %a, %v : f32
    %s = arith.select %c, %a, %v : f32
    %t = arith.select %c, %k, %p : i64
    linalg.yield %s, %t : f32, i64
  } -> (tensor<33xf32>, tensor<33xi64>)
  return %r#1 : tensor<33xi64>
}
""",
    "matmul then argmax": """
func.func @f(%x: tensor<33x70xf32>, %y: tensor<70x70xf32>) -> tensor<33xi64> {
  %z = arith.constant 0.0 : f32
  %me = tensor.empty() : tensor<33x70xf32>
  %mo = linalg.fill ins(%z : f32) outs(%me : tensor<33x70xf32>) -> tensor<33x70xf32>
  %q = linalg.matmul ins(%x, %y : tensor<33x70xf32>, tensor<70x70xf32>) outs(%mo : tensor<33x70xf32>) -> tensor<33x70xf32>
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<33xf32>
  %e2 = tensor.empty() : tensor<33xi64>
  %o = linalg.fill ins(%ninf : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %o2 = linalg.fill ins(%zero : i64) outs(%e2 : tensor<33xi64>) -> tensor<33xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%q : tensor<33x70xf32>) outs(%o, %o2 : tensor<33xf32>, tensor<33xi64>) {
  ^bb0(%a: f32, %v: f32, %p: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %c = arith.cmpf ogt, %a, %v : f32
    %s = arith.select %c, %a, %v : f32
    %t = arith.select %c, %k, %p : i64
    linalg.yield %s, %t : f32, i64
  } -> (tensor<33xf32>, tensor<33xi64>)
  return %r#1 : tensor<33xi64>
}
""",
    "argmax then subtract": """
func.func @f(%x: tensor<33x70xf32>, %y: tensor<70x70xf32>) -> (tensor<33x70xf32>, tensor<33xi64>) {
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<33xf32>
  %e2 = tensor.empty() : tensor<33xi64>
  %o = linalg.fill ins(%ninf : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %o2 = linalg.fill ins(%zero : i64) outs(%e2 : tensor<33xi64>) -> tensor<33xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<33x70xf32>) outs(%o, %o2 : tensor<33xf32>, tensor<33xi64>) {
  ^bb0(%a: f32, %v: f32, %p: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %c = arith.cmpf ogt, %a, %v : f32
    %s = arith.select %c, %a, %v : f32
    %t = arith.select %c, %k, %p : i64
    linalg.yield %s, %t : f32, i64
  } -> (tensor<33xf32>, tensor<33xi64>)
  %fe = tensor.empty() : tensor<33x70xf32>
  %f = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %r#0 : tensor<33x70xf32>, tensor<33xf32>) outs(%fe : tensor<33x70xf32>) {
  ^bb0(%a: f32, %b: f32, %oo: f32):
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<33x70xf32>
  return %f, %r#1 : tensor<33x70xf32>, tensor<33xi64>
}
""",
    "max and sum then subtract both": """
func.func @f(%x: tensor<33x70xf32>, %y: tensor<70x70xf32>) -> tensor<33x70xf32> {
  %n = arith.constant 0xFF800000 : f32
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33xf32>
  %o = linalg.fill ins(%n : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %o2 = linalg.fill ins(%z : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<33x70xf32>) outs(%o, %o2 : tensor<33xf32>, tensor<33xf32>) {
  ^bb0(%a: f32, %v: f32, %p: f32):
    %s = arith.maximumf %a, %v : f32
    %t = arith.addf %a, %p : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<33xf32>, tensor<33xf32>)
  %fe = tensor.empty() : tensor<33x70xf32>
  %f = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %r#1 : tensor<33x70xf32>, tensor<33xf32>) outs(%fe : tensor<33x70xf32>) {
  ^bb0(%a: f32, %b: f32, %oo: f32):
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<33x70xf32>
  return %f : tensor<33x70xf32>
}
""",
}
