# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of more steps than are unrolled: their steps are launches of the same kernels, and give what numpy gives."""

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.support.diagnostics import DiagnosedError

from ..foreign_programs import assert_gives, counting

DEVICES = ("h200", "mi300x")

RECURRENCE = """func.func @f(%a: tensor<STEPSx4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<STEPSx4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant STEPS : index
  %e = tensor.empty() : tensor<4xf32>
  %all = tensor.empty() : tensor<STEPSx4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %b, %y = %all) -> (tensor<4xf32>, tensor<STEPSx4xf32>) {
    %s = tensor.extract_slice %a[%i, 0] [1, 4] [1, 1] : tensor<STEPSx4xf32> to tensor<4xf32>
    %d = linalg.sub ins(%s, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %w = tensor.insert_slice %d into %y[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<STEPSx4xf32>
    scf.yield %d, %w : tensor<4xf32>, tensor<STEPSx4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<STEPSx4xf32>
}"""

NEST = """func.func @f(%a: tensor<3x5x4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<3x5x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<4xf32>
  %all = tensor.empty() : tensor<3x5x4xf32>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %b, %y = %all) -> (tensor<4xf32>, tensor<3x5x4xf32>) {
    %s:2 = scf.for %j = %FIRST to %c5 step %c1 iter_args(%v = %x, %w = %y) -> (tensor<4xf32>, tensor<3x5x4xf32>) {
      %p = tensor.extract_slice %a[%i, %j, 0] [1, 1, 4] [1, 1, 1] : tensor<3x5x4xf32> to tensor<4xf32>
      %q = linalg.sub ins(%p, %v : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      %u = tensor.insert_slice %q into %w[%i, %j, 0] [1, 1, 4] [1, 1, 1] : tensor<4xf32> into tensor<3x5x4xf32>
      scf.yield %q, %u : tensor<4xf32>, tensor<3x5x4xf32>
    }
    scf.yield %s#0, %s#1 : tensor<4xf32>, tensor<3x5x4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<3x5x4xf32>
}"""


def alternating(a: np.ndarray, b: np.ndarray, first: int = 0) -> np.ndarray:
    """Return what the recurrence makes of each row, and 0 of the rows before the first one of each block."""
    made = np.zeros_like(a)
    for index in np.ndindex(a.shape[:-1]):
        if len(index) < 2 or index[1] >= first * index[0]:
            made[index] = b = a[index] - b
    return made


def launches(text: str, unroll_limit: int = 256, device: str = "h200") -> tuple[int, int]:
    """Return how often kernels are launched, and how many there are."""
    options = CompileOptions(binaries=False, unroll_limit=unroll_limit)
    listed = roller_mlir.compile(text, target=device, options=options).manifest.launches
    return len(listed), len({launch.kernel for launch in listed})


@pytest.mark.full(every=4)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("level", ["gpu", "llvm"])
def test_steps_read_and_insert_their_rows(device: str, level: str) -> None:
    a, b = counting(20, 4) % 7, counting(4)
    made = alternating(a, b)
    text = RECURRENCE.replace("STEPS", "20")
    assert_gives(text, [a, b], made[-1], made, device=device, level=level, unroll_limit=2)


@pytest.mark.full
def test_a_thousand_steps_are_launched_as_they_come() -> None:
    text = """func.func @f(%a: tensor<1000x4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000 : index
  %e = tensor.empty() : tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %b) -> (tensor<4xf32>) {
    %s = tensor.extract_slice %a[%i, 0] [1, 4] [1, 1] : tensor<1000x4xf32> to tensor<4xf32>
    %d = linalg.sub ins(%s, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %d : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}"""
    a, b = counting(1000, 4) % 7, counting(4)
    assert_gives(text, [a, b], alternating(a, b)[-1])


@pytest.mark.full(every=2)
@pytest.mark.parametrize("device", DEVICES)
def test_more_steps_are_no_more_kernels(device: str) -> None:
    text = """func.func @f(%a: tensor<STEPSx4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant STEPS : index
  %r = scf.for %i = %c0 to %n step %c2 iter_args(%x = %b) -> (tensor<4x8xf32>) {
    %s = tensor.extract_slice %a[%i, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<STEPSx4x8xf32> to tensor<4x8xf32>
    %m = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%s : tensor<4x8xf32>) -> tensor<4x8xf32>
    scf.yield %m : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}"""
    (few, kernels), (many, others) = (launches(text.replace("STEPS", n), 2, device) for n in ("16", "48"))
    assert many > 2 * few
    assert kernels == others < 5


@pytest.mark.full(every=3)
@pytest.mark.parametrize("limit", [1, 5, 12])
def test_loops_in_loops(limit: int) -> None:
    """Both are launched in turn, then the outer one alone, then the inner one alone."""
    a, b = counting(3, 5, 4) % 7, counting(4)
    made = alternating(a, b)
    assert_gives(NEST.replace("FIRST", "c0"), [a, b], made[-1, -1], made, unroll_limit=limit)


def test_inner_loops_that_begin_at_the_outer_step() -> None:
    """Each outer step has an inner loop of other bounds, and so kernels of its own."""
    text, a, b = NEST.replace("FIRST", "i"), counting(3, 5, 4) % 7, counting(4)
    made = alternating(a, b, first=1)
    text = text.replace(
        "%all = tensor.empty() :",
        "%z = arith.constant 0.0 : f32\n%o = tensor.empty() : tensor<3x5x4xf32>\n"
        "%all = linalg.fill ins(%z : f32) outs(%o : tensor<3x5x4xf32>) ->",
    )
    assert_gives(text, [a, b], made[-1, -1], made, unroll_limit=3)
    with pytest.raises(DiagnosedError, match="has steps of 3 different shapes or conditions, .*, at most 2; let steps"):
        launches(text, 2)


@pytest.mark.full
def test_what_a_step_takes() -> None:
    """Positions and numbers of the step in bodies, fills and slices; positions that are data; scalars that go on."""
    text = """func.func @f(%a: tensor<8xf32>, %ids: tensor<10xi64>, %t: tensor<10x8xf32>)
    -> (tensor<10x8xf32>, f32, tensor<10xf32>, f32) {
  %c3 = arith.constant 3 : index
  %c33 = arith.constant 33 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<8xf32>
  %rows = tensor.empty() : tensor<10x8xf32>
  %tops = tensor.empty() : tensor<10xf32>
  %r:6 = scf.for %i = %c3 to %c33 step %c3
      iter_args(%x = %a, %y = %rows, %s = %one, %k = %c0, %d = %one, %v = %tops)
      -> (tensor<8xf32>, tensor<10x8xf32>, f32, index, f32, tensor<10xf32>) {
    %p = affine.apply affine_map<(d0) -> (d0 floordiv 3 - 1)>(%i)
    %q = affine.apply affine_map<(d0) -> (d0 mod 8)>(%i)
    %wide = arith.index_cast %i : index to i64
    %number = arith.sitofp %wide : i64 to f32
    %id = tensor.extract %ids[%p] : tensor<10xi64>
    %at = arith.index_cast %id : i64 to index
    %row = tensor.extract_slice %t[%at, 0] [1, 8] [1, 1] : tensor<10x8xf32> to tensor<8xf32>
    %m = linalg.map ins(%x, %row : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
      (%l: f32, %n: f32, %o: f32) {
        %j = linalg.index 0 : index
        %below = arith.cmpi ult, %j, %q : index
        %u = arith.select %below, %n, %number : f32
        %w = arith.subf %u, %l : f32
        linalg.yield %w : f32
      }
    %f = linalg.fill ins(%number : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %n = arith.addf %m, %f : tensor<8xf32>
    %yy = tensor.insert_slice %n into %y[%k, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<10x8xf32>
    %one_of = tensor.extract %m[%q] : tensor<8xf32>
    %ss = arith.maximumf %s, %one_of : f32
    %dd = arith.mulf %d, %half : f32
    %vv = tensor.insert %ss into %v[%k] : tensor<10xf32>
    %kk = arith.addi %k, %c1 : index
    scf.yield %n, %yy, %ss, %kk, %dd, %vv : tensor<8xf32>, tensor<10x8xf32>, f32, index, f32, tensor<10xf32>
  }
  return %r#1, %r#2, %r#5, %r#4 : tensor<10x8xf32>, f32, tensor<10xf32>, f32
}"""
    a, ids, t = counting(8), np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3]), -counting(10, 8) % 11
    x, top = a, np.float32(1)
    rows, tops = np.empty((10, 8), np.float32), np.empty(10, np.float32)
    for k, i in enumerate(range(3, 33, 3)):
        m = np.where(np.arange(8) < i % 8, t[ids[k]], np.float32(i)) - x
        x = rows[k] = m + np.float32(i)
        top = tops[k] = max(top, m[i % 8])
    for limit in (1, 256):
        assert_gives(
            text, [a, ids, t], rows, np.array(top, np.float32), tops, np.array(2.0**-10, np.float32), unroll_limit=limit
        )


@pytest.mark.full(every=2)
@pytest.mark.parametrize("device", DEVICES)
def test_forall_of_two_variables(device: str) -> None:
    text = """func.func @f(%a: tensor<12x8xf32>, %b: tensor<12x8xf32>) -> tensor<12x8xf32> {
  %r = scf.forall (%i, %j) = (0, 0) to (12, 8) step (3, 4) shared_outs(%x = %b) -> (tensor<12x8xf32>) {
    %k = affine.apply affine_map<(d0) -> (-d0 + 9)>(%i)
    %s = tensor.extract_slice %a[%k, %j] [3, 4] [1, 1] : tensor<12x8xf32> to tensor<3x4xf32>
    %o = tensor.extract_slice %x[%i, %j] [3, 4] [1, 1] : tensor<12x8xf32> to tensor<3x4xf32>
    %t = linalg.sub ins(%s, %o : tensor<3x4xf32>, tensor<3x4xf32>) outs(%o : tensor<3x4xf32>) -> tensor<3x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %x[%i, %j] [3, 4] [1, 1] : tensor<3x4xf32> into tensor<12x8xf32>
    }
  }
  return %r : tensor<12x8xf32>
}"""
    a, b = counting(12, 8), counting(12, 8)[::-1] % 5
    turned = a.reshape(4, 3, 8)[::-1].reshape(12, 8)
    assert_gives(text, [a, b], turned - b, device=device, unroll_limit=2)


def test_an_element_goes_where_data_say() -> None:
    """A position outside of the tensor is the nearest one inside."""
    text = """func.func @f(%t: tensor<2x3xf32>, %s: f32, %i: index, %j: i32) -> tensor<2x3xf32> {
  %k = arith.index_cast %j : i32 to index
  %r = tensor.insert %s into %t[%i, %k] : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}"""
    t = counting(2, 3)
    for i, j in ((0, 1), (1, 7)):
        want = t.copy()
        want[i, min(j, 2)] = 50
        assert_gives(text, [t, np.array(50, np.float32), np.array(i), np.array(j, np.int32)], want)
