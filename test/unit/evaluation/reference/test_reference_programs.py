# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole programs that the compiler takes: the reference takes them too, and gives what the kernels give."""

import numpy as np
import pytest
from body_functions import Array, assert_kernels_agree

PROGRAMS = {
    "a body of one bitcast": """func.func @f(%a: tensor<8xi32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.map { arith.bitcast } ins(%a : tensor<8xi32>) outs(%o : tensor<8xf32>)
  return %r : tensor<8xf32>
}""",
    "the maximum of single bits": """func.func @f(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1> {
  %e = tensor.empty() : tensor<4xi1>
  %r = linalg.map { arith.maxsi } ins(%a, %b : tensor<4xi1>, tensor<4xi1>) outs(%e : tensor<4xi1>)
  return %r : tensor<4xi1>
}""",
    "a splat": """func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %z = arith.constant 2.0 : f32
  %e = tensor.splat %z : tensor<8xf32>
  %r = linalg.add ins(%a, %e : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}""",
    "casts that forget a shape and know it again": """func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c = tensor.cast %a : tensor<8xf32> to tensor<?xf32>
  %d = tensor.cast %c : tensor<?xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.abs ins(%d : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}""",
    "a slice at a constant": """func.func @f(%a: tensor<16xf32>) -> tensor<8xf32> {
  %c = arith.constant 3 : index
  %s = tensor.extract_slice %a[%c] [8] [1] : tensor<16xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.abs ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}""",
    "paddings that are constants of index": """func.func @f(%a: tensor<8xf32>) -> tensor<12xf32> {
  %z = arith.constant 2.0 : f32
  %three = arith.constant 3 : index
  %one = arith.constant 1 : index
  %r = tensor.pad %a low[%three] high[%one] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<8xf32> to tensor<12xf32>
  return %r : tensor<12xf32>
}""",
    "bits that become numbers and bits again": """func.func @f(%a: tensor<i1>) -> (tensor<i1>, tensor<i1>) {
  %e = tensor.empty() : tensor<i1>
  %r:2 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
      iterator_types = []} ins(%a : tensor<i1>) outs(%e, %e : tensor<i1>, tensor<i1>) {
  ^bb0(%b: i1, %q0: i1, %q1: i1):
    %u = arith.extui %b : i1 to i32
    %s = arith.extsi %b : i1 to i32
    %seven = arith.constant 7 : i32
    %m = arith.remui %s, %seven : i32
    %c = arith.cmpi uge, %m, %u : i32
    %f = arith.sitofp %b : i1 to f32
    %n = arith.cmpf false, %f, %f : f32
    %p = arith.muli %c, %b : i1
    %d = arith.subi %p, %n : i1
    linalg.yield %c, %d : i1, i1
  } -> (tensor<i1>, tensor<i1>)
  return %r#0, %r#1 : tensor<i1>, tensor<i1>
}""",
}
INPUTS: dict[str, list[Array]] = {
    "a body of one bitcast": [np.arange(-4, 4, dtype=np.int32) * 0x1000001, np.zeros(8, np.float32)],
    "the maximum of single bits": [np.array([0, 0, 1, 1], np.bool_), np.array([0, 1, 0, 1], np.bool_)],
    "a slice at a constant": [np.arange(16, dtype=np.float32)],
    "bits that become numbers and bits again": [np.array(True)],
}


@pytest.mark.full(each=["device", "name"])
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("device", ["v100", "mi300x"])
def test_programs(name: str, device: str) -> None:
    inputs = INPUTS.get(name, [np.arange(-4, 4, dtype=np.float32)])
    assert_kernels_agree(PROGRAMS[name], *inputs, device=device)
