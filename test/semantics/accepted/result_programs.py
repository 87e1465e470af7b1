# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several results, masks, and the structured ops that are no named arithmetic."""

# ruff: noqa: E501 - MLIR as users write it

CASES = {
    "transpose": """
func.func @f(%x: tensor<6x7x8xf32>) -> tensor<8x6x7xf32> {
  %e = tensor.empty() : tensor<8x6x7xf32>
  %r = linalg.transpose ins(%x : tensor<6x7x8xf32>) outs(%e : tensor<8x6x7xf32>) permutation = [2, 0, 1]
  return %r : tensor<8x6x7xf32>
}
""",
    "broadcast": """
func.func @f(%x: tensor<6x8xf32>) -> tensor<6x7x8xf32> {
  %e = tensor.empty() : tensor<6x7x8xf32>
  %r = linalg.broadcast ins(%x : tensor<6x8xf32>) outs(%e : tensor<6x7x8xf32>) dimensions = [1]
  return %r : tensor<6x7x8xf32>
}
""",
    "map": """
func.func @f(%x: tensor<6x8xf32>, %y: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %e = tensor.empty() : tensor<6x8xf32>
  %r = linalg.map { arith.addf } ins(%x, %y : tensor<6x8xf32>, tensor<6x8xf32>) outs(%e : tensor<6x8xf32>)
  return %r : tensor<6x8xf32>
}
""",
    "map region": """
func.func @f(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %e = tensor.empty() : tensor<6x8xf32>
  %r = linalg.map ins(%x : tensor<6x8xf32>) outs(%e : tensor<6x8xf32>) (%in: f32, %o: f32) {
    %t = arith.mulf %in, %in : f32
    linalg.yield %t : f32
  }
  return %r : tensor<6x8xf32>
}
""",
    "reduce": """
func.func @f(%x: tensor<6x7x8xf32>) -> tensor<7xf32> {
  %z = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<7xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<6x7x8xf32>) outs(%o : tensor<7xf32>) dimensions = [0, 2]
  return %r : tensor<7xf32>
}
""",
    "reduce two results": """
func.func @f(%x: tensor<6x70xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %r:2 = linalg.reduce ins(%x, %x : tensor<6x70xf32>, tensor<6x70xf32>) outs(%o, %o : tensor<6xf32>, tensor<6xf32>) dimensions = [1] (%a: f32, %b: f32, %s: f32, %q: f32) {
    %1 = arith.addf %s, %a : f32
    %2 = arith.mulf %b, %b : f32
    %3 = arith.addf %q, %2 : f32
    linalg.yield %1, %3 : f32, f32
  }
  return %r#0, %r#1 : tensor<6xf32>, tensor<6xf32>
}
""",
    "select": """
func.func @f(%c: tensor<6x8xi1>, %x: tensor<6x8xf32>, %y: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %e = tensor.empty() : tensor<6x8xf32>
  %r = linalg.select ins(%c, %x, %y : tensor<6x8xi1>, tensor<6x8xf32>, tensor<6x8xf32>) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}
""",
    "contract": """
func.func @f(%x: tensor<6x8x9xf32>, %y: tensor<8x7x9xf32>) -> tensor<6x7xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x7xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<6x7xf32>) -> tensor<6x7xf32>
  %r = linalg.contract indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, n, l)>, affine_map<(m, n, k, l) -> (m, n)>] ins(%x, %y : tensor<6x8x9xf32>, tensor<8x7x9xf32>) outs(%o : tensor<6x7xf32>) -> tensor<6x7xf32>
  return %r : tensor<6x7xf32>
}
""",
    "elementwise": """
func.func @f(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %e = tensor.empty() : tensor<6x8xf32>
  %r = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%x : tensor<6x8xf32>) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}
""",
    "fill_rng_2d": """
func.func @f() -> tensor<16x8xf32> {
  %a = arith.constant -1.0 : f64
  %b = arith.constant 1.0 : f64
  %s = arith.constant 42 : i32
  %e = tensor.empty() : tensor<16x8xf32>
  %r = linalg.fill_rng_2d ins(%a, %b, %s : f64, f64, i32) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}
""",
    "two results elementwise": """
func.func @f(%x: tensor<33x70xf32>) -> (tensor<33x70xf32>, tensor<70x33xf32>) {
  %e = tensor.empty() : tensor<33x70xf32>
  %e2 = tensor.empty() : tensor<70x33xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<33x70xf32>) outs(%e, %e2 : tensor<33x70xf32>, tensor<70x33xf32>) {
  ^bb0(%a: f32, %o: f32, %p: f32):
    %s = arith.addf %a, %a : f32
    %m = arith.mulf %a, %a : f32
    linalg.yield %s, %m : f32, f32
  } -> (tensor<33x70xf32>, tensor<70x33xf32>)
  return %r#0, %r#1 : tensor<33x70xf32>, tensor<70x33xf32>
}
""",
    "sum and max": """
func.func @f(%x: tensor<33x700xf32>) -> (tensor<33xf32>, tensor<33xf32>) {
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33xf32>
  %o = linalg.fill ins(%ninf : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %o2 = linalg.fill ins(%zero : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<33x700xf32>) outs(%o, %o2 : tensor<33xf32>, tensor<33xf32>) {
  ^bb0(%a: f32, %v: f32, %p: f32):
    %s = arith.maximumf %a, %v : f32
    %t = arith.addf %a, %p : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<33xf32>, tensor<33xf32>)
  return %r#0, %r#1 : tensor<33xf32>, tensor<33xf32>
}
""",
    "and or of masks": """
func.func @f(%x: tensor<33x64xi1>, %y: tensor<33x64xi1>) -> tensor<33x64xi1> {
  %a = arith.ori %x, %y : tensor<33x64xi1>
  return %a : tensor<33x64xi1>
}
""",
    "compare stored": """
func.func @f(%x: tensor<33x64xf32>, %y: tensor<33x64xf32>) -> tensor<33x64xi1> {
  %a = arith.cmpf olt, %x, %y : tensor<33x64xf32>
  return %a : tensor<33x64xi1>
}
""",
    "any over rows": """
func.func @f(%x: tensor<33x640xi1>) -> tensor<33xi1> {
  %z = arith.constant false
  %e = tensor.empty() : tensor<33xi1>
  %o = linalg.fill ins(%z : i1) outs(%e : tensor<33xi1>) -> tensor<33xi1>
  %r = linalg.reduce { arith.ori } ins(%x : tensor<33x640xi1>) outs(%o : tensor<33xi1>) dimensions = [1]
  return %r : tensor<33xi1>
}
""",
    "masked fill, broadcast mask, padded": """
func.func @f(%m: tensor<64xi1>, %x: tensor<33x64xf32>) -> tensor<33x64xf32> {
  %n = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<33x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%m, %x : tensor<64xi1>, tensor<33x64xf32>) outs(%e : tensor<33x64xf32>) {
  ^bb0(%c: i1, %v: f32, %p: f32):
    %s = arith.select %c, %v, %n : f32
    linalg.yield %s : f32
  } -> tensor<33x64xf32>
  return %r : tensor<33x64xf32>
}
""",
    "transpose mask": """
func.func @f(%x: tensor<64x128xi1>) -> tensor<128x64xi1> {
  %e = tensor.empty() : tensor<128x64xi1>
  %r = linalg.transpose ins(%x : tensor<64x128xi1>) outs(%e : tensor<128x64xi1>) permutation = [1, 0]
  return %r : tensor<128x64xi1>
}
""",
    "argmax i64": """
func.func @f(%x: tensor<33x70xf32>) -> (tensor<33xf32>, tensor<33xi64>) {
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
  return %r#0, %r#1 : tensor<33xf32>, tensor<33xi64>
}
""",
    "sum whose terms nobody reads": """
func.func @f(%x: tensor<33x70xf32>) -> tensor<33xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x70xf32>
  %e2 = tensor.empty() : tensor<33xf32>
  %o = linalg.fill ins(%zero : f32) outs(%e2 : tensor<33xf32>) -> tensor<33xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<33x70xf32>) outs(%e, %o : tensor<33x70xf32>, tensor<33xf32>) {
  ^bb0(%a: f32, %t: f32, %s: f32):
    %m = arith.mulf %a, %a : f32
    %n = arith.addf %s, %m : f32
    linalg.yield %m, %n : f32, f32
  } -> (tensor<33x70xf32>, tensor<33xf32>)
  return %r#1 : tensor<33xf32>
}
""",
}
