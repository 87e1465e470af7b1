# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scf.for and scf.forall of constant trips around linalg ops, against numpy."""

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.evaluation.reference import compare_all, evaluate_function
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

from ..devices.test_each_device import run_and_compare
from ..foreign_programs import assert_gives, counting

ROWS = """func.func @f(%a: tensor<12x8xf32>) -> tensor<12x8xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %c12 = arith.constant 12 : index
  %e = tensor.empty() : tensor<12x8xf32>
  %r = scf.for %i = %c0 to %c12 step %c5 iter_args(%acc = %e) -> (tensor<12x8xf32>) {
    %n = affine.min affine_map<(d0) -> (5, -d0 + 12)>(%i)
    %s = tensor.extract_slice %a[%i, 0] [%n, 8] [1, 1] : tensor<12x8xf32> to tensor<?x8xf32>
    %o = tensor.extract_slice %acc[%i, 0] [%n, 8] [1, 1] : tensor<12x8xf32> to tensor<?x8xf32>
    %x = linalg.negf ins(%s : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
    %w = tensor.insert_slice %x into %acc[%i, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<12x8xf32>
    scf.yield %w : tensor<12x8xf32>
  }
  return %r : tensor<12x8xf32>
}"""


def test_rows_of_an_uneven_last_step() -> None:
    assert_gives(ROWS, [counting(12, 8)], -counting(12, 8))
    assert_gives(ROWS, [counting(12, 8)], -counting(12, 8), level="llvm")


def test_products_of_tiles_in_nested_loops() -> None:
    """A tiled product: the inner loop's steps accumulate."""
    text = """func.func @f(%a: tensor<8x12xf32>, %b: tensor<12x6xf32>, %c: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %r = scf.for %i = %c0 to %c8 step %c4 iter_args(%x = %c) -> (tensor<8x6xf32>) {
    %s = scf.for %k = %c0 to %c12 step %c4 iter_args(%y = %x) -> (tensor<8x6xf32>) {
      %p = tensor.extract_slice %a[%i, %k] [4, 4] [1, 1] : tensor<8x12xf32> to tensor<4x4xf32>
      %q = tensor.extract_slice %b[%k, 0] [4, 6] [1, 1] : tensor<12x6xf32> to tensor<4x6xf32>
      %o = tensor.extract_slice %y[%i, 0] [4, 6] [1, 1] : tensor<8x6xf32> to tensor<4x6xf32>
      %m = linalg.matmul ins(%p, %q : tensor<4x4xf32>, tensor<4x6xf32>) outs(%o : tensor<4x6xf32>) -> tensor<4x6xf32>
      %w = tensor.insert_slice %m into %y[%i, 0] [4, 6] [1, 1] : tensor<4x6xf32> into tensor<8x6xf32>
      scf.yield %w : tensor<8x6xf32>
    }
    scf.yield %s : tensor<8x6xf32>
  }
  return %r : tensor<8x6xf32>
}"""
    a, b, c = counting(8, 12) % 5, counting(12, 6) % 7, counting(8, 6)
    assert_gives(text, [a, b, c], c + a @ b)


def test_forall_inserts_tiles_of_two_results() -> None:
    text = """func.func @f(%a: tensor<12x8xf32>, %b: tensor<12x8xf32>) -> (tensor<12x8xf32>, tensor<12x8xf32>) {
  %e = tensor.empty() : tensor<12x8xf32>
  %r:2 = scf.forall (%i, %j) = (0, 0) to (12, 8) step (4, 4) shared_outs(%x = %b, %y = %e) -> (tensor<12x8xf32>, tensor<12x8xf32>) {
    %s = tensor.extract_slice %a[%i, %j] [4, 4] [1, 1] : tensor<12x8xf32> to tensor<4x4xf32>
    %o = tensor.extract_slice %x[%i, %j] [4, 4] [1, 1] : tensor<12x8xf32> to tensor<4x4xf32>
    %t = linalg.add ins(%s, %o : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %x[%i, %j] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<12x8xf32>
      tensor.parallel_insert_slice %s into %y[%i, %j] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<12x8xf32>
    }
  }
  return %r#0, %r#1 : tensor<12x8xf32>, tensor<12x8xf32>
}"""  # noqa: E501 - MLIR as users write it
    a, b = counting(12, 8), counting(12, 8)[::-1].copy()
    assert_gives(text, [a, b], a + b, a)


def test_a_chain_of_more_insertions_than_one_op_selects_from() -> None:
    text = """func.func @f(%a: tensor<40xf32>, %b: tensor<40xf32>) -> tensor<40xf32> {
  %r = scf.forall (%i) in (20) shared_outs(%x = %b) -> (tensor<40xf32>) {
    %p = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %s = tensor.extract_slice %a[%i] [1] [1] : tensor<40xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %x[%p] [1] [1] : tensor<1xf32> into tensor<40xf32>
    }
  }
  return %r : tensor<40xf32>
}"""
    a, b = counting(40), -counting(40)
    want = b.copy()
    want[::2] = a[:20]
    assert_gives(text, [a, b], want)


def test_a_loop_without_steps_gives_what_it_began_with() -> None:
    text = ROWS.replace("constant 12 : index", "constant 0 : index").replace(
        "%e = tensor.empty() :", "%e = linalg.abs ins(%a : tensor<12x8xf32>) outs(%a : tensor<12x8xf32>) ->"
    )
    assert_gives(text, [-counting(12, 8)], np.abs(counting(12, 8)))


def test_steps_on_single_elements() -> None:
    """A step's row is a tensor of rank 0, which an op without loops reads of one with a loop of one point."""
    text = """func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %r = scf.forall (%i) in (3) shared_outs(%all = %e) -> (tensor<3xf32>) {
    %row = tensor.extract_slice %a[%i] [1] [1] : tensor<3xf32> to tensor<f32>
    %o = tensor.empty() : tensor<f32>
    %n = linalg.negf ins(%row : tensor<f32>) outs(%o : tensor<f32>) -> tensor<f32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %n into %all[%i] [1] [1] : tensor<f32> into tensor<3xf32>
    }
  }
  return %r : tensor<3xf32>
}"""
    given = np.array([3, -4, 5], np.float32)
    assert_gives(text, [given], -given)


def test_what_nothing_writes_may_be_anything() -> None:
    """Six of 64 elements are written; the judge says nothing of the others."""
    text = """func.func @f() -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %r = scf.forall (%i, %j) in (1, 1) shared_outs(%o = %e) -> (tensor<8x8xf32>) {
    %s = tensor.extract_slice %o[%i, %j] [2, 3] [1, 1] : tensor<8x8xf32> to tensor<2x3xf32>
    %z = linalg.fill ins(%zero : f32) outs(%s : tensor<2x3xf32>) -> tensor<2x3xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %z into %o[%i, %j] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<8x8xf32>
    }
  }
  return %r : tensor<8x8xf32>
}"""
    (comparison,) = run_and_compare(roller_mlir.compile(text, options=CompileOptions(binaries=False)))
    assert comparison.matches and comparison.unsaid == 58
    wrong = np.zeros((8, 8), np.float32)
    wrong[1, 2] = 1.0
    with make_context() as context:
        expected = evaluate_function(parse_module(text, context), "f", [])
    (comparison,) = compare_all([wrong], expected)
    assert not comparison.matches and comparison.mismatches == 1


@pytest.mark.full(every=2)
@pytest.mark.parametrize(("sign", "end", "steps"), [("unsigned", -1, (3, 103, 203)), ("", 127, (3, 103)), ("", -1, ())])
@pytest.mark.parametrize("limit", [1, 256])
def test_positions_of_a_narrow_type(sign: str, end: int, steps: tuple[int, ...], limit: int) -> None:
    """The end of -1 is 255 where the loop counts without a sign; a variable of 203 is -53 with one."""
    text = f"""func.func @f(%a: tensor<4xi32>) -> tensor<4xi32> {{
  %low = arith.constant 3 : i8
  %high = arith.constant {end} : i8
  %step = arith.constant 100 : i8
  %r = scf.for {sign} %i = %low to %high step %step iter_args(%s = %a) -> (tensor<4xi32>) : i8 {{
    %x = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
        outs(%s : tensor<4xi32>) {{
    ^bb0(%u: i32):
      %k = arith.extui %i : i8 to i32
      %l = arith.extsi %i : i8 to i32
      %d = arith.subi %k, %l : i32
      %e = arith.addi %d, %k : i32
      %w = arith.addi %u, %e : i32
      linalg.yield %w : i32
    }} -> tensor<4xi32>
    scf.yield %x : tensor<4xi32>
  }}
  return %r : tensor<4xi32>
}}"""
    given = np.arange(4, dtype=np.int32)
    found = roller_mlir.compile(text, target="h200", options=CompileOptions(binaries=False, unroll_limit=limit)).run(
        given
    )
    expected = given + sum(step + (256 if step > 127 else 0) for step in steps)
    assert found[0].tolist() == expected.tolist()
    with make_context() as context:
        said = evaluate_function(parse_module(text, context), "f", [given])
    assert said.outputs[0].tolist() == expected.tolist()
