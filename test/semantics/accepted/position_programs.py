# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies that read positions (linalg.index), alone and fused with neighbours."""

# ruff: noqa: E501 - MLIR as users write it

CASES = {
    "iota 2d": """
func.func @f() -> tensor<37x70xf32> {
  %e = tensor.empty() : tensor<37x70xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<37x70xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.constant 100 : index
    %k = arith.muli %i, %c : index
    %l = arith.addi %k, %j : index
    %m = arith.index_cast %l : index to i32
    %n = arith.sitofp %m : i32 to f32
    linalg.yield %n : f32
  } -> tensor<37x70xf32>
  return %r : tensor<37x70xf32>
}
""",
    "causal mask": """
func.func @f(%x: tensor<4x64x64xf32>) -> tensor<4x64x64xf32> {
  %e = tensor.empty() : tensor<4x64x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, d0, d1) -> (b, d0, d1)>, affine_map<(b, d0, d1) -> (b, d0, d1)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<4x64x64xf32>) outs(%e : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = arith.cmpi ule, %j, %i : index
    %z = arith.constant 0xFF800000 : f32
    %s = arith.select %c, %a, %z : f32
    linalg.yield %s : f32
  } -> tensor<4x64x64xf32>
  return %r : tensor<4x64x64xf32>
}
""",
    "index of a reduction": """
func.func @f(%x: tensor<3x500000xf32>) -> tensor<3xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x500000xf32>) outs(%o : tensor<3xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %j = linalg.index 1 : index
    %c = arith.constant 470000 : index
    %lt = arith.cmpi ugt, %j, %c : index
    %t = arith.select %lt, %a, %z : f32
    %s = arith.addf %acc, %t : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}
""",
    "index max with vector lanes along columns": """
func.func @f(%x: tensor<300x64xf32>) -> tensor<64xf32> {
  %z = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<64xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<300x64xf32>) outs(%o : tensor<64xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.muli %i, %j : index
    %p1 = arith.index_cast %p : index to i32
    %p2 = arith.sitofp %p1 : i32 to f32
    %t = arith.mulf %a, %p2 : f32
    %s = arith.maximumf %acc, %t : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}
""",
    "index large split": """
func.func @f(%x: tensor<3x524288xf32>) -> tensor<3xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x524288xf32>) outs(%o : tensor<3xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %j = linalg.index 1 : index
    %c = arith.constant 500000 : index
    %lt = arith.cmpi ugt, %j, %c : index
    %t = arith.select %lt, %a, %z : f32
    %s = arith.addf %acc, %t : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}
""",
    "index producer, transposed consumer": """
func.func @f(%x: tensor<20x33xf32>) -> tensor<33x20xf32> {
  %e = tensor.empty() : tensor<20x33xf32>
  %e2 = tensor.empty() : tensor<33x20xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<20x33xf32>) outs(%e : tensor<20x33xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %s = arith.addf %v, %f : f32
    linalg.yield %s : f32
  } -> tensor<20x33xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<20x33xf32>) outs(%e2 : tensor<33x20xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.mulf %v, %v : f32
    linalg.yield %s : f32
  } -> tensor<33x20xf32>
  return %r : tensor<33x20xf32>
}
""",
    "matmul with index epilogue (causal)": """
func.func @f(%x: tensor<64x40xf32>, %y: tensor<40x64xf32>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m = linalg.matmul ins(%x, %y : tensor<64x40xf32>, tensor<40x64xf32>) outs(%o : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%m : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%v: f32, %p: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi ule, %j, %i : index
    %s = arith.select %c, %v, %z : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
""",
    "causal softmax": """
func.func @f(%x: tensor<4x64x64xf32>) -> tensor<4x64x64xf32> {
  %e = tensor.empty() : tensor<4x64x64xf32>
  %n = arith.constant 0xFF800000 : f32
  %m = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<4x64x64xf32>) outs(%e : tensor<4x64x64xf32>) {
  ^bb0(%v: f32, %p: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = arith.cmpi ule, %j, %i : index
    %s = arith.select %c, %v, %n : f32
    linalg.yield %s : f32
  } -> tensor<4x64x64xf32>
  %r = linalg.softmax dimension(2) ins(%m : tensor<4x64x64xf32>) outs(%e : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  return %r : tensor<4x64x64xf32>
}
""",
    "reversed producer then sum with index": """
func.func @f(%x: tensor<33x20xf32>) -> tensor<33xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x20xf32>
  %e2 = tensor.empty() : tensor<33xf32>
  %o = linalg.fill ins(%z : f32) outs(%e2 : tensor<33xf32>) -> tensor<33xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (32 - i, 19 - j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<33x20xf32>) outs(%e : tensor<33x20xf32>) {
  ^bb0(%v: f32, %p: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %s = arith.mulf %v, %f : f32
    linalg.yield %s : f32
  } -> tensor<33x20xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<33x20xf32>) outs(%o : tensor<33xf32>) {
  ^bb0(%v: f32, %p: f32):
    %s = arith.addf %p, %v : f32
    linalg.yield %s : f32
  } -> tensor<33xf32>
  return %r : tensor<33xf32>
}
""",
    "fuse around index": """
func.func @f(%x: tensor<4x5x1x6x7xf32>) -> tensor<4x5x1x6x7xf32> {
  %e = tensor.empty() : tensor<4x5x1x6x7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, u, d0, d1) -> (a, b, u, d0, d1)>, affine_map<(a, b, u, d0, d1) -> (a, b, u, d0, d1)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<4x5x1x6x7xf32>) outs(%e : tensor<4x5x1x6x7xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 4 : index
    %j = linalg.index 2 : index
    %k = arith.addi %i, %j : index
    %c = arith.index_cast %k : index to i32
    %d = arith.sitofp %c : i32 to f32
    %s = arith.addf %a, %d : f32
    linalg.yield %s : f32
  } -> tensor<4x5x1x6x7xf32>
  return %r : tensor<4x5x1x6x7xf32>
}
""",
}
