# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results that are no op's own: arguments, values returned several times, paddings, parts put into their whole."""

import numpy as np
import pytest

import roller_mlir
from roller_mlir.support.diagnostics import DiagnosedError

from ..agreement import SIMULATED
from ..foreign import Array, assert_gives

A = np.arange(12, dtype=np.float32).reshape(4, 3) - 5
PADDED = np.pad(A, ((2, 0), (0, 1)))
PAD = """%z = arith.constant 0.0 : f32
      %p = tensor.pad %a low[2, 0] high[0, 1] {
      ^bb0(%i: index, %j: index):
        tensor.yield %z : f32
      } : tensor<4x3xf32> to tensor<6x4xf32>"""
SUM = """linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%b : tensor<6x5xf32>) outs(%p : tensor<6x4xf32>) {
      ^bb0(%x: f32, %y: f32):
        %s = arith.addf %x, %y : f32
        linalg.yield %s : f32
      } -> tensor<6x4xf32>"""
B = np.arange(30, dtype=np.float32).reshape(6, 5) % 7
T, P = "tensor<4x3xf32>", "tensor<6x4xf32>"

CASES: dict[str, tuple[str, str, list[Array]]] = {
    "an argument": ("", f"%a, %a : {T}, {T}", [A, A]),
    "a value three times": (
        f"%e = tensor.empty() : {T}\n %r = linalg.exp ins(%c0 : {T}) outs(%e : {T}) -> {T}",
        f"%r, %r, %r : {T}, {T}, {T}",
        [np.ones_like(A)] * 3,
    ),
    "a padding twice": (PAD, f"%p, %p : {P}, {P}", [PADDED, PADDED]),
    "a padding three times": (PAD, f"%p, %p, %p : {P}, {P}, {P}", [PADDED] * 3),
    "a slice twice": (
        f"%s = tensor.extract_slice %a[1, 0] [2, 3] [1, 1] : {T} to tensor<2x3xf32>",
        "%s, %s : tensor<2x3xf32>, tensor<2x3xf32>",
        [A[1:3]] * 2,
    ),
    "an argument inserted into": (
        f"""%s = tensor.extract_slice %a[0, 0] [2, 3] [1, 1] : {T} to tensor<2x3xf32>
      %r = tensor.insert_slice %s into %a[2, 0] [2, 3] [1, 1] : tensor<2x3xf32> into {T}""",
        f"%r, %a : {T}, {T}",
        [A[[0, 1, 0, 1]], A],
    ),
    "an argument updated": (
        f"%r = linalg.exp ins(%c0 : {T}) outs(%a : {T}) -> {T}",
        f"%r : {T}",
        [np.ones_like(A)],
    ),
    "a padding that an element-wise op starts from": (
        PAD
        + f"""
      %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}} ins(%p : {P}) outs(%p : {P}) {{
      ^bb0(%x: f32, %y: f32):
        %s = arith.mulf %y, %y : f32
        linalg.yield %s : f32
      }} -> {P}""",
        f"%r : {P}",
        [PADDED * PADDED],
    ),
    "a padding that a sum starts from": (
        f"{PAD}\n %r = {SUM}",
        f"%r, %p : {P}, {P}",
        [PADDED + B.sum(1, keepdims=True), PADDED],
    ),
    "a slice of a fill in it": (
        f"""%k = arith.constant 1.0 : f32
      %e = tensor.empty() : {T}
      %f = linalg.fill ins(%k : f32) outs(%e : {T}) -> {T}
      %s = tensor.extract_slice %f[2, 1] [1, 2] [1, 1] : {T} to tensor<1x2xf32>
      %r = tensor.insert_slice %s into %f[0, 1] [1, 2] [1, 1] : tensor<1x2xf32> into {T}""",
        f"%r : {T}",
        [np.ones_like(A)],
    ),
}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", CASES)
def test_results_that_are_no_ops_own(name: str) -> None:
    body, returned, expected = CASES[name]
    text = f"""func.func @f(%a: {T}, %b: tensor<6x5xf32>) -> ({returned.split(" : ")[1]}) {{
      %c0 = arith.constant dense<0.0> : {T}
      {body}
      return {returned}
    }}"""
    assert_gives(text, [A, B], expected, "v100" if len(name) % 2 else "h200")


def mixed(yielded: str) -> str:
    """Return an op that writes a matrix, and a row of sums over its columns."""
    return f"""func.func @f(%a: tensor<8x16xf32>, %s: tensor<8xf32>) -> (tensor<8x16xf32>, tensor<8xf32>) {{
      %e = tensor.empty() : tensor<8x16xf32>
      %r:2 = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
          affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}}
          ins(%a : tensor<8x16xf32>) outs(%e, %s : tensor<8x16xf32>, tensor<8xf32>) {{
      ^bb0(%x: f32, %y: f32, %z: f32):
        %0 = arith.mulf %x, %x : f32
        %1 = arith.addf %z, %0 : f32
        linalg.yield {yielded} : f32, f32
      }} -> (tensor<8x16xf32>, tensor<8xf32>)
      return %r#0, %r#1 : tensor<8x16xf32>, tensor<8xf32>
    }}"""


def test_results_that_run_over_different_loops() -> None:
    a = (np.arange(128, dtype=np.float32).reshape(8, 16) % 5) - 2
    s = np.arange(8, dtype=np.float32)
    assert_gives(mixed("%0, %1"), [a, s], [a * a, s + (a * a).sum(1)])


def test_a_result_keeps_the_loops_that_only_another_has() -> None:
    """The sum adds the same number for each of 16 columns, which no operand of its own says."""
    text = """func.func @f(%a: tensor<8xf32>, %s: tensor<8xf32>) -> (tensor<8x16xf32>, tensor<8xf32>) {
      %e = tensor.empty() : tensor<8x16xf32>
      %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>,
          affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
          ins(%a : tensor<8xf32>) outs(%e, %s : tensor<8x16xf32>, tensor<8xf32>) {
      ^bb0(%x: f32, %y: f32, %z: f32):
        %0 = arith.mulf %x, %x : f32
        %1 = arith.addf %z, %0 : f32
        linalg.yield %0, %1 : f32, f32
      } -> (tensor<8x16xf32>, tensor<8xf32>)
      return %r#0, %r#1 : tensor<8x16xf32>, tensor<8xf32>
    }"""
    a, s = np.arange(8, dtype=np.float32), np.ones(8, np.float32)
    assert_gives(text, [a, s], [np.broadcast_to((a * a)[:, None], (8, 16)).copy(), s + 16 * a * a])


def test_a_running_sum_is_refused() -> None:
    with pytest.raises(DiagnosedError) as error:
        roller_mlir.compile(mixed("%1, %1"), options=SIMULATED)
    assert "-:3:14: error: 'linalg.generic': loop d1 is" in str(error.value)
    assert "but the output map is (d0, d1) -> (d0, d1)" in str(error.value)
