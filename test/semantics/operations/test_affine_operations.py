# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""affine.apply, affine.min and affine.max: in bodies, and at function level on scalars of the function."""

import numpy as np
import pytest

from ..foreign import assert_gives

N = np.arange(24)
S = 5
EXPRESSIONS = {
    "d0 * 3 - s0": N * 3 - S,
    "d0 floordiv 4": N // 4,
    "d0 ceildiv 4": -(-N // 4),
    "(d0 - s0) floordiv 4": (N - S) // 4,
    "(d0 - s0) ceildiv 4": -(-(N - S) // 4),
    "d0 mod 7": N % 7,
    "(d0 - s0) mod 7": (N - S) % 7,
}


def body(operation: str) -> str:
    return f"""func.func @f(%s: index) -> tensor<24xi64> {{
      %e = tensor.empty() : tensor<24xi64>
      %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
          outs(%e : tensor<24xi64>) {{
      ^bb0(%o: i64):
        %i = linalg.index 0 : index
        %p = {operation}
        %v = arith.index_cast %p : index to i64
        linalg.yield %v : i64
      }} -> tensor<24xi64>
      return %r : tensor<24xi64>
    }}"""


@pytest.mark.full(every=2)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_position_in_a_body(expression: str) -> None:
    text = body(f"affine.apply affine_map<(d0)[s0] -> ({expression})>(%i)[%s]")
    assert_gives(text, [np.int64(S)], [EXPRESSIONS[expression].astype(np.int64)])


def test_the_least_and_the_greatest_of_positions() -> None:
    least = body("affine.min affine_map<(d0)[s0] -> (s0, d0 - 3, 4)>(%i)[%s]")
    assert_gives(least, [np.int64(S)], [np.minimum(np.minimum(N - 3, S), 4).astype(np.int64)])
    greatest = body("affine.max affine_map<(d0)[s0] -> (s0, d0 * 2 - 9)>(%i)[%s]")
    assert_gives(greatest, [np.int64(S)], [np.maximum(N * 2 - 9, S).astype(np.int64)], "v100")


def test_a_slice_at_a_position_of_the_function() -> None:
    text = """func.func @f(%t: tensor<12xf32>, %s: index) -> tensor<3xf32> {
      %p = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%s)
      %x = tensor.extract_slice %t[%p] [3] [1] : tensor<12xf32> to tensor<3xf32>
      %r = arith.addf %x, %x : tensor<3xf32>
      return %r : tensor<3xf32>
    }"""
    given = np.arange(12, dtype=np.float32)
    assert_gives(text, [given, np.int64(2)], [given[5:8] * 2])
