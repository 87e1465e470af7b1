# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`scf.if` in bodies against numpy: concatenations as JAX writes them, divisions in a side that is not taken, sums."""

# ruff: noqa: E501 - MLIR as users write it

import numpy as np
import pytest

from ..foreign_programs import assert_gives, counting

CONCATENATION = """func.func @f(%a: tensor<1x8xf32>, %b: tensor<3x8xf32>, %c: tensor<2x8xf32>) -> tensor<6x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %u = tensor.empty() : tensor<0x8xf32>
  %n = linalg.fill ins(%z : f32) outs(%u : tensor<0x8xf32>) -> tensor<0x8xf32>
  %e = tensor.empty() : tensor<6x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<6x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %none = arith.cmpi ult, %i, %c0 : index
    %w = scf.if %none -> (f32) {
      %x = tensor.extract %n[%i, %j] : tensor<0x8xf32>
      scf.yield %x : f32
    } else {
      %first = arith.cmpi ult, %i, %c1 : index
      %v = scf.if %first -> (f32) {
        %x = tensor.extract %a[%i, %j] : tensor<1x8xf32>
        scf.yield %x : f32
      } else {
        %second = arith.cmpi ult, %i, %c4 : index
        %y = scf.if %second -> (f32) {
          %k = arith.subi %i, %c1 : index
          %x = tensor.extract %b[%k, %j] : tensor<3x8xf32>
          scf.yield %x : f32
        } else {
          %k = arith.subi %i, %c4 : index
          %x = tensor.extract %c[%k, %j] : tensor<2x8xf32>
          scf.yield %x : f32
        }
        scf.yield %y : f32
      }
      scf.yield %v : f32
    }
    linalg.yield %w : f32
  } -> tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}"""


@pytest.mark.parametrize(("device", "level"), [("h200", "gpu"), ("h200", "llvm"), ("mi300x", "gpu")])
def test_a_concatenation_of_conditions(device: str, level: str) -> None:
    parts = [counting(1, 8) + 100, counting(3, 8) + 200, counting(2, 8) + 300]
    assert_gives(CONCATENATION, parts, np.concatenate(parts), device=device, level=level)


@pytest.mark.parametrize("level", ["gpu", "llvm"])
def test_divisions_that_only_the_condition_makes_possible(level: str) -> None:
    """By 0, and the least number by -1; a remainder in the other side."""
    text = """func.func @f(%a: tensor<6xi32>, %b: tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi32>) {
  %e = tensor.empty() : tensor<6xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a, %b : tensor<6xi32>, tensor<6xi32>) outs(%e, %e : tensor<6xi32>, tensor<6xi32>) {
  ^bb0(%x: i32, %y: i32, %p: i32, %q: i32):
    %one = arith.constant 1 : i32
    %c = arith.cmpi slt, %y, %one : i32
    %v:2 = scf.if %c -> (i32, i32) {
      scf.yield %y, %x : i32, i32
    } else {
      %d = arith.divsi %x, %y : i32
      %m = arith.remsi %x, %y : i32
      scf.yield %d, %m : i32, i32
    }
    linalg.yield %v#0, %v#1 : i32, i32
  } -> (tensor<6xi32>, tensor<6xi32>)
  return %r#0, %r#1 : tensor<6xi32>, tensor<6xi32>
}"""
    least = -(1 << 31)
    a = np.array([7, 9, least, least, -8, 5], np.int32)
    b = np.array([2, 0, -1, 5, 3, -4], np.int32)
    quotients = np.array([3, 0, -1, -429496729, -2, -4], np.int32)
    rests = np.array([1, 9, least, -3, -2, 5], np.int32)
    assert_gives(text, [a, b], quotients, rests, level=level)


def test_a_sum_of_what_a_condition_lets_through() -> None:
    text = """func.func @f(%a: tensor<5x70xf32>) -> tensor<5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %r = linalg.reduce ins(%a : tensor<5x70xf32>) outs(%o : tensor<5xf32>) dimensions = [1] (%x: f32, %acc: f32) {
    %c = arith.cmpf olt, %x, %z : f32
    %v = scf.if %c -> (f32) {
      %n = arith.negf %x : f32
      scf.yield %n : f32
    } else {
      scf.yield %x : f32
    }
    %s = arith.addf %acc, %v : f32
    linalg.yield %s : f32
  }
  return %r : tensor<5xf32>
}"""
    table = counting(5, 70) - 150
    assert_gives(text, [table], np.abs(table).sum(1))


def test_a_side_that_reads_the_accumulator() -> None:
    """Here the new value is no sum of the accumulator and something else."""
    text = """func.func @f(%a: tensor<5x7xi32>) -> tensor<5xi32> {
  %z = arith.constant 1 : i32
  %e = tensor.empty() : tensor<5xi32>
  %o = linalg.fill ins(%z : i32) outs(%e : tensor<5xi32>) -> tensor<5xi32>
  %r = linalg.reduce ins(%a : tensor<5x7xi32>) outs(%o : tensor<5xi32>) dimensions = [1] (%x: i32, %acc: i32) {
    %c = arith.cmpi slt, %x, %z : i32
    %v = scf.if %c -> (i32) {
      scf.yield %acc : i32
    } else {
      scf.yield %x : i32
    }
    %s = arith.addi %acc, %v : i32
    linalg.yield %s : i32
  }
  return %r : tensor<5xi32>
}"""
    table = np.random.default_rng(3).integers(-3, 4, (5, 7)).astype(np.int32)
    expected = np.ones(5, np.int32)
    for column in table.T:
        expected += np.where(column < 1, expected, column)
    assert_gives(text, [table], expected)


@pytest.mark.parametrize("taken", ["true", "false"])
def test_a_condition_of_a_function_that_is_a_constant(taken: str) -> None:
    text = f"""func.func @f(%a: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<6xf32> {{
  %c = arith.constant {taken}
  %r = scf.if %c -> (tensor<6xf32>) {{
    %s = arith.addf %a, %b : tensor<6xf32>
    scf.yield %s : tensor<6xf32>
  }} else {{
    scf.yield %b : tensor<6xf32>
  }}
  return %r : tensor<6xf32>
}}"""
    a, b = counting(6), counting(6) * 10
    assert_gives(text, [a, b], a + b if taken == "true" else b)


def test_sides_that_give_nothing_or_are_not_read() -> None:
    text = """func.func @f(%a: tensor<6xf32>, %n: tensor<6xi64>) -> tensor<6xf32> {
  %c0 = arith.constant 0 : i64
  %z = arith.constant -1.0 : f32
  %o = tensor.empty() : tensor<6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%n : tensor<6xi64>) outs(%o : tensor<6xf32>) {
  ^bb0(%p: i64, %y: f32):
    %k = arith.index_cast %p : i64 to index
    %c = arith.cmpi slt, %p, %c0 : i64
    scf.if %c {
      %q = arith.addf %z, %z : f32
    }
    %v = scf.if %c -> (f32) {
      scf.yield %z : f32
    } else {
      %t = tensor.extract %a[%k] : tensor<6xf32>
      %w = math.isnormal %t : f32
      %q = scf.if %w -> (f32) {
        scf.yield %t : f32
      } else {
        scf.yield %z : f32
      }
      scf.yield %t : f32
    }
    linalg.yield %v : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}"""
    table, numbers = counting(6), np.array([3, -1, 5, 0, -9, 1])
    assert_gives(text, [table, numbers], np.where(numbers < 0, np.float32(-1), table[np.maximum(numbers, 0)]))
