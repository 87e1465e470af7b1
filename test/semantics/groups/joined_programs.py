# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions whose ops become one kernel, and were once joined wrongly: found by random programs, and shrunk."""

# ruff: noqa: E501 - MLIR as users write it

# Kernels of the cases that are not one kernel.
KERNELS = {"a padding of a slice, in a tensor that goes on": 2}

CASES = {
    "one tensor with two paddings in one kernel": """
func.func @f(%x: tensor<8x60xf32>) -> tensor<9x64xf32> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant -5.0 : f32
  %p0 = tensor.pad %x low[0, 0] high[1, 4] { ^bb0(%i: index, %j: index): tensor.yield %z : f32 } : tensor<8x60xf32> to tensor<9x64xf32>
  %p1 = tensor.pad %x low[0, 0] high[1, 4] { ^bb0(%i: index, %j: index): tensor.yield %n : f32 } : tensor<8x60xf32> to tensor<9x64xf32>
  %e = tensor.empty() : tensor<9xf32>
  %i0 = linalg.fill ins(%z : f32) outs(%e : tensor<9xf32>) -> tensor<9xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%p0 : tensor<9x64xf32>) outs(%i0 : tensor<9xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.addf %a, %acc : f32
    linalg.yield %r : f32
  } -> tensor<9xf32>
  %o = tensor.empty() : tensor<9x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p1, %s : tensor<9x64xf32>, tensor<9xf32>) outs(%o : tensor<9x64xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<9x64xf32>
  return %y : tensor<9x64xf32>
}
""",
    "residual with a padding": """
func.func @f(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %q: tensor<60x61xf32>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant -5.0 : f32
  %p = tensor.pad %q low[0, 1] high[4, 2] { ^bb0(%i: index, %j: index): tensor.yield %n : f32 } : tensor<60x61xf32> to tensor<64x64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %i0 = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>) outs(%i0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c, %p : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%u: f32, %v: f32, %acc: f32):
    %r = arith.addf %u, %v : f32
    linalg.yield %r : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
""",
    "product that starts from a padding": """
func.func @f(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %q: tensor<60x61xf32>) -> tensor<64x64xf32> {
  %n = arith.constant -5.0 : f32
  %p = tensor.pad %q low[0, 1] high[4, 2] { ^bb0(%i: index, %j: index): tensor.yield %n : f32 } : tensor<60x61xf32> to tensor<64x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>) outs(%p : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}
""",
    "an input that is made, and not read": """
func.func @f(%x: tensor<6x2xi32>) -> tensor<2x6xi32> {
  %z = arith.constant 0 : i32
  %e0 = tensor.empty() : tensor<6x2xi32>
  %f = linalg.fill ins(%z : i32) outs(%e0 : tensor<6x2xi32>) -> tensor<6x2xi32>
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%f, %x : tensor<6x2xi32>, tensor<6x2xi32>) outs(%e0 : tensor<6x2xi32>) {
  ^bb0(%a: i32, %b: i32, %acc: i32):
    %r = arith.minsi %b, %a : i32
    linalg.yield %r : i32
  } -> tensor<6x2xi32>
  %e1 = tensor.empty() : tensor<2x6xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%m : tensor<6x2xi32>) outs(%e1 : tensor<2x6xi32>) {
  ^bb0(%a: i32, %acc: i32):
    %r = arith.subi %a, %a : i32
    linalg.yield %r : i32
  } -> tensor<2x6xi32>
  return %y : tensor<2x6xi32>
}
""",
    "a product of what is zero": """
func.func @f(%a: tensor<6x8xi32>, %x: tensor<8xi32>, %y: tensor<8xi32>, %start: tensor<8xi32>) -> tensor<8xi32> {
  %e = tensor.empty() : tensor<8x6xi32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<6x8xi32>) outs(%e : tensor<8x6xi32>) {
  ^bb0(%u: i32, %acc: i32):
    %r = arith.subi %u, %u : i32
    linalg.yield %r : i32
  } -> tensor<8x6xi32>
  %e1 = tensor.empty() : tensor<6xi32>
  %x6 = tensor.extract_slice %x[0] [6] [1] : tensor<8xi32> to tensor<6xi32>
  %y6 = tensor.extract_slice %y[2] [6] [1] : tensor<8xi32> to tensor<6xi32>
  %s = linalg.add ins(%x6, %y6 : tensor<6xi32>, tensor<6xi32>) outs(%e1 : tensor<6xi32>) -> tensor<6xi32>
  %r = linalg.matvec ins(%t, %s : tensor<8x6xi32>, tensor<6xi32>) outs(%start : tensor<8xi32>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}
""",
    "a window that two ops read": """
#w = affine_map<(i, j) -> (i + j)>
#p = affine_map<(i, j) -> (i, j)>
func.func @f(%x: tensor<20xf32>, %u: tensor<13x8xf32>) -> (tensor<13x8xf32>, tensor<13x8xf32>) {
  %e = tensor.empty() : tensor<13x8xf32>
  %a = linalg.generic {indexing_maps = [#w, #p, #p], iterator_types = ["parallel", "parallel"]}
      ins(%x, %u : tensor<20xf32>, tensor<13x8xf32>) outs(%e : tensor<13x8xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %r = arith.addf %v, %w : f32
    linalg.yield %r : f32
  } -> tensor<13x8xf32>
  %b = linalg.generic {indexing_maps = [#w, #p, #p], iterator_types = ["parallel", "parallel"]}
      ins(%x, %a : tensor<20xf32>, tensor<13x8xf32>) outs(%e : tensor<13x8xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %r = arith.mulf %v, %w : f32
    linalg.yield %r : f32
  } -> tensor<13x8xf32>
  return %a, %b : tensor<13x8xf32>, tensor<13x8xf32>
}
""",
    "a slice returned twice": """
func.func @f(%x: tensor<3x1x2xf32>) -> (tensor<2x1x2xf32>, tensor<2x1x2xf32>) {
  %s = tensor.extract_slice %x[0, 0, 0] [2, 1, 2] [1, 1, 1] : tensor<3x1x2xf32> to tensor<2x1x2xf32>
  return %s, %s : tensor<2x1x2xf32>, tensor<2x1x2xf32>
}
""",
    "a padding of a slice, in a tensor that goes on": """
func.func @f(%arg0: tensor<2x2x1xf32>, %arg1: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  %v1 = tensor.extract_slice %arg0[0, 0, 0] [1, 1, 1] [1, 1, 1] : tensor<2x2x1xf32> to tensor<1x1x1xf32>
  %v1p1 = arith.constant 0.000000e+00 : f32
  %v2 = tensor.pad %v1 low[0, 0, 0] high[0, 2, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index):
    tensor.yield %v1p1 : f32
  } : tensor<1x1x1xf32> to tensor<1x3x1xf32>
  %v4e = tensor.empty() : tensor<1x1x2xf32>
  %v4c = arith.constant 0.000000e+00 : f32
  %v4 = linalg.fill ins(%v4c : f32) outs(%v4e : tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  %v5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d1, d0 + d3, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d1, d4, d0)>, affine_map<(d0, d1, d2, d3, d4) -> (d2, d4, d3)>], iterator_types = ["reduction", "reduction", "parallel", "parallel", "parallel"]}
      ins(%v2, %arg1 : tensor<1x3x1xf32>, tensor<1x1x2xf32>) outs(%v4 : tensor<1x1x2xf32>) {
  ^bb0(%x0: f32, %x1: f32, %acc0: f32):
    %s0 = arith.addf %x0, %acc0 : f32
    linalg.yield %s0 : f32
  } -> tensor<1x1x2xf32>
  return %v5 : tensor<1x1x2xf32>
}
""",
    "a product that nobody reads, once bodies are folded": """
func.func @f(%arg0: tensor<1x1x1x1x1xi32>, %arg1: tensor<1x1x1x1x1xi32>, %arg2: tensor<1x1xi32>) -> tensor<1x1x1x1xi32> {
  %v3 = tensor.empty() : tensor<1x1x1x1x1xi32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%arg2 : tensor<1x1xi32>) outs(%v3 : tensor<1x1x1x1x1xi32>) {
  ^bb0(%x0: i32, %acc0: i32):
    linalg.yield %x0 : i32
  } -> tensor<1x1x1x1x1xi32>
  %v5 = linalg.conv_3d_ndhwc_dhwcf {dilations = dense<[1, 1, 1]> : tensor<3xi64>, strides = dense<[1, 1, 1]> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<1x1x1x1x1xi32>, tensor<1x1x1x1x1xi32>) outs(%v4 : tensor<1x1x1x1x1xi32>) -> tensor<1x1x1x1x1xi32>
  %v6 = tensor.empty() : tensor<1x1x1x1x1xi32>
  %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%v5, %v5 : tensor<1x1x1x1x1xi32>, tensor<1x1x1x1x1xi32>) outs(%v6 : tensor<1x1x1x1x1xi32>) {
  ^bb0(%x0: i32, %x1: i32, %acc0: i32):
    %s0 = arith.subi %x1, %x0 : i32
    linalg.yield %s0 : i32
  } -> tensor<1x1x1x1x1xi32>
  %v8e = tensor.empty() : tensor<1x1x1x1xi32>
  %v8c = arith.constant 2147483647 : i32
  %v8 = linalg.fill ins(%v8c : i32) outs(%v8e : tensor<1x1x1x1xi32>) -> tensor<1x1x1x1xi32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel"]}
      ins(%v7 : tensor<1x1x1x1x1xi32>) outs(%v8 : tensor<1x1x1x1xi32>) {
  ^bb0(%x0: i32, %acc0: i32):
    %s0 = arith.minsi %x0, %acc0 : i32
    linalg.yield %s0 : i32
  } -> tensor<1x1x1x1xi32>
  return %v9 : tensor<1x1x1x1xi32>
}
""",
}
