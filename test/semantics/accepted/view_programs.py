# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices, insertions, concatenations and softmax: operations without a loop nest of their own."""

# ruff: noqa: E501 - MLIR as users write it

CASES = {
    "softmax last": """
func.func @f(%x: tensor<6x70xf32>) -> tensor<6x70xf32> {
  %e = tensor.empty() : tensor<6x70xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<6x70xf32>) outs(%e : tensor<6x70xf32>) -> tensor<6x70xf32>
  return %r : tensor<6x70xf32>
}
""",
    "softmax middle": """
func.func @f(%x: tensor<3x9x10xf32>) -> tensor<3x9x10xf32> {
  %e = tensor.empty() : tensor<3x9x10xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<3x9x10xf32>) outs(%e : tensor<3x9x10xf32>) -> tensor<3x9x10xf32>
  return %r : tensor<3x9x10xf32>
}
""",
    "concat 3": """
func.func @f(%x: tensor<3x9x10xf32>, %y: tensor<3x2x10xf32>, %z: tensor<3x7x10xf32>) -> tensor<3x18x10xf32> {
  %r = tensor.concat dim(1) %x, %y, %z : (tensor<3x9x10xf32>, tensor<3x2x10xf32>, tensor<3x7x10xf32>) -> tensor<3x18x10xf32>
  return %r : tensor<3x18x10xf32>
}
""",
    "concat last i32": """
func.func @f(%x: tensor<3x9xi32>, %y: tensor<3x64xi32>) -> tensor<3x73xi32> {
  %r = tensor.concat dim(1) %x, %y : (tensor<3x9xi32>, tensor<3x64xi32>) -> tensor<3x73xi32>
  return %r : tensor<3x73xi32>
}
""",
    "slice returned": """
func.func @f(%x: tensor<30x90xf32>) -> tensor<10x20xf32> {
  %r = tensor.extract_slice %x[3, 7] [10, 20] [2, 3] : tensor<30x90xf32> to tensor<10x20xf32>
  return %r : tensor<10x20xf32>
}
""",
    "slice rank reduced": """
func.func @f(%x: tensor<5x30x9xf32>) -> tensor<30xf32> {
  %r = tensor.extract_slice %x[3, 0, 4] [1, 30, 1] [1, 1, 1] : tensor<5x30x9xf32> to tensor<30xf32>
  return %r : tensor<30xf32>
}
""",
    "slice to scalar": """
func.func @f(%x: tensor<5x30x9xf32>) -> tensor<f32> {
  %r = tensor.extract_slice %x[3, 6, 4] [1, 1, 1] [1, 1, 1] : tensor<5x30x9xf32> to tensor<f32>
  return %r : tensor<f32>
}
""",
    "slices into matmul": """
func.func @f(%x: tensor<70x300xf32>, %y: tensor<100x80xf32>) -> tensor<65x40xf32> {
  %z = arith.constant 0.0 : f32
  %a = tensor.extract_slice %x[3, 7] [65, 90] [1, 1] : tensor<70x300xf32> to tensor<65x90xf32>
  %b = tensor.extract_slice %y[0, 0] [90, 40] [1, 2] : tensor<100x80xf32> to tensor<90x40xf32>
  %e = tensor.empty() : tensor<65x40xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<65x40xf32>) -> tensor<65x40xf32>
  %r = linalg.matmul ins(%a, %b : tensor<65x90xf32>, tensor<90x40xf32>) outs(%o : tensor<65x40xf32>) -> tensor<65x40xf32>
  return %r : tensor<65x40xf32>
}
""",
    "q k v split of one matmul result": """
func.func @f(%x: tensor<7x24xf32>) -> (tensor<7x8xf32>, tensor<7x8xf32>) {
  %q = tensor.extract_slice %x[0, 0] [7, 8] [1, 1] : tensor<7x24xf32> to tensor<7x8xf32>
  %k = tensor.extract_slice %x[0, 8] [7, 8] [1, 1] : tensor<7x24xf32> to tensor<7x8xf32>
  %v = tensor.extract_slice %x[0, 16] [7, 8] [1, 1] : tensor<7x24xf32> to tensor<7x8xf32>
  %a = arith.addf %q, %k : tensor<7x8xf32>
  %b = arith.mulf %a, %v : tensor<7x8xf32>
  return %b, %k : tensor<7x8xf32>, tensor<7x8xf32>
}
""",
    "pad of slice, slice of pad": """
func.func @f(%x: tensor<9x24xf32>) -> (tensor<11x10xf32>, tensor<5x10xf32>) {
  %c = arith.constant 2.0 : f32
  %q = tensor.extract_slice %x[0, 3] [9, 8] [1, 1] : tensor<9x24xf32> to tensor<9x8xf32>
  %p = tensor.pad %q low[1, 1] high[1, 1] { ^bb0(%i: index, %j: index): tensor.yield %c : f32 } : tensor<9x8xf32> to tensor<11x10xf32>
  %s = tensor.extract_slice %p[0, 0] [5, 10] [2, 1] : tensor<11x10xf32> to tensor<5x10xf32>
  %a = arith.addf %s, %s : tensor<5x10xf32>
  return %p, %a : tensor<11x10xf32>, tensor<5x10xf32>
}
""",
    "insert into arg": """
func.func @f(%x: tensor<9x24xf32>, %y: tensor<3x8xf32>) -> tensor<9x24xf32> {
  %r = tensor.insert_slice %y into %x[2, 5] [3, 8] [1, 1] : tensor<3x8xf32> into tensor<9x24xf32>
  return %r : tensor<9x24xf32>
}
""",
    "insert chain, rank reduced": """
func.func @f(%x: tensor<24xf32>, %y: tensor<24xf32>, %z: tensor<2x24xf32>) -> tensor<4x24xf32> {
  %e = tensor.empty() : tensor<4x24xf32>
  %a = tensor.insert_slice %x into %e[0, 0] [1, 24] [1, 1] : tensor<24xf32> into tensor<4x24xf32>
  %b = tensor.insert_slice %y into %a[1, 0] [1, 24] [1, 1] : tensor<24xf32> into tensor<4x24xf32>
  %r = tensor.insert_slice %z into %b[2, 0] [2, 24] [1, 1] : tensor<2x24xf32> into tensor<4x24xf32>
  return %r : tensor<4x24xf32>
}
""",
    "insert into fill": """
func.func @f(%y: tensor<3x8xf32>) -> tensor<9x24xf32> {
  %c = arith.constant dense<1.5> : tensor<9x24xf32>
  %r = tensor.insert_slice %y into %c[2, 5] [3, 8] [1, 1] : tensor<3x8xf32> into tensor<9x24xf32>
  return %r : tensor<9x24xf32>
}
""",
    "slice split reduction": """
func.func @f(%x: tensor<4x600000xf32>) -> tensor<3xf32> {
  %z = arith.constant 0.0 : f32
  %s = tensor.extract_slice %x[1, 99999] [3, 500001] [1, 1] : tensor<4x600000xf32> to tensor<3x500001xf32>
  %e = tensor.empty() : tensor<3xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %r = linalg.reduce ins(%s : tensor<3x500001xf32>) outs(%o : tensor<3xf32>) dimensions = [1] (%in: f32, %acc: f32) {
    %t = arith.addf %in, %acc : f32
    linalg.yield %t : f32
  }
  return %r : tensor<3xf32>
}
""",
    "concat 4d channels": """
func.func @f(%x: tensor<2x9x7x8xf32>, %y: tensor<2x3x7x8xf32>) -> tensor<2x12x7x8xf32> {
  %r = tensor.concat dim(1) %x, %y : (tensor<2x9x7x8xf32>, tensor<2x3x7x8xf32>) -> tensor<2x12x7x8xf32>
  return %r : tensor<2x12x7x8xf32>
}
""",
    "concat 4d dim0 of slice": """
func.func @f(%x: tensor<2x9x7x8xf32>, %y: tensor<2x3x7x8xf32>) -> tensor<4x3x7x8xf32> {
  %s = tensor.extract_slice %x[0, 2, 0, 0] [2, 3, 7, 8] [1, 2, 1, 1] : tensor<2x9x7x8xf32> to tensor<2x3x7x8xf32>
  %r = tensor.concat dim(0) %s, %y : (tensor<2x3x7x8xf32>, tensor<2x3x7x8xf32>) -> tensor<4x3x7x8xf32>
  return %r : tensor<4x3x7x8xf32>
}
""",
    "insert 4d": """
func.func @f(%x: tensor<2x9x7x8xf32>, %y: tensor<2x3x2x8xf32>) -> tensor<2x9x7x8xf32> {
  %r = tensor.insert_slice %y into %x[0, 4, 3, 0] [2, 3, 2, 8] [1, 1, 1, 1] : tensor<2x3x2x8xf32> into tensor<2x9x7x8xf32>
  return %r : tensor<2x9x7x8xf32>
}
""",
    "insert used twice": """
func.func @f(%x: tensor<9x8xf32>, %y: tensor<3x8xf32>) -> (tensor<9x8xf32>, tensor<9x8xf32>) {
  %a = tensor.insert_slice %y into %x[2, 0] [3, 8] [1, 1] : tensor<3x8xf32> into tensor<9x8xf32>
  %b = tensor.insert_slice %y into %a[4, 0] [3, 8] [1, 1] : tensor<3x8xf32> into tensor<9x8xf32>
  return %a, %b : tensor<9x8xf32>, tensor<9x8xf32>
}
""",
    "concat bf16 then relu": """
func.func @f(%x: tensor<9x8xbf16>, %y: tensor<3x8xbf16>) -> tensor<12x8xbf16> {
  %z = arith.constant dense<0.0> : tensor<12x8xbf16>
  %a = tensor.concat dim(0) %x, %y : (tensor<9x8xbf16>, tensor<3x8xbf16>) -> tensor<12x8xbf16>
  %b = arith.maximumf %a, %z : tensor<12x8xbf16>
  return %b : tensor<12x8xbf16>
}
""",
    "softmax f16 bf16 f64": """
func.func @f(%x: tensor<9x80xf16>, %y: tensor<3x80xbf16>, %z: tensor<3x8xf64>) -> (tensor<9x80xf16>, tensor<3x80xbf16>, tensor<3x8xf64>) {
  %e = tensor.empty() : tensor<9x80xf16>
  %a = linalg.softmax dimension(1) ins(%x : tensor<9x80xf16>) outs(%e : tensor<9x80xf16>) -> tensor<9x80xf16>
  %e1 = tensor.empty() : tensor<3x80xbf16>
  %b = linalg.softmax dimension(1) ins(%y : tensor<3x80xbf16>) outs(%e1 : tensor<3x80xbf16>) -> tensor<3x80xbf16>
  %e2 = tensor.empty() : tensor<3x8xf64>
  %c = linalg.softmax dimension(0) ins(%z : tensor<3x8xf64>) outs(%e2 : tensor<3x8xf64>) -> tensor<3x8xf64>
  return %a, %b, %c : tensor<9x80xf16>, tensor<3x80xbf16>, tensor<3x8xf64>
}
""",
    "pad without dimensions": """
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %c = arith.constant 1.0 : f32
  %p = tensor.pad %x low[] high[] {
  ^bb0:
    tensor.yield %c : f32
  } : tensor<f32> to tensor<f32>
  %e = tensor.empty() : tensor<f32>
  %r = linalg.exp ins(%p : tensor<f32>) outs(%e : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
""",
}
