# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element-wise bodies with broadcast and transpose, staged and direct."""

import numpy as np
import pytest
from kernel_cases import axis, check, generic, plan

SHAPES = [(64, 64), (37, 51), (1, 7)]
RELU_OF_AFFINE = """%p = arith.addf %x0, %x1 : f32
    %q = arith.mulf %p, %x2 : f32
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf ogt, %q, %zero : f32
    %s = arith.select %c, %q, %zero : f32
    linalg.yield %s : f32"""


@pytest.mark.parametrize("shape", SHAPES)
def test_broadcast(shape: tuple[int, int]) -> None:
    m, n = shape
    shapes = [(m, n), (n,), (m, 1)]
    maps = ["(i, j) -> (i, j)", "(i, j) -> (j)", "(i, j) -> (i, 0)", "(i, j) -> (i, j)"]
    make = plan([axis(8, 8), axis(64, 16, 4)], (1, 0), 1, (), unroll=1)
    source = generic(maps, "pp", shapes, shape, RELU_OF_AFFINE, None)
    check(source, make, shapes, lambda a, b, c: np.maximum((a + b) * c, 0))


@pytest.mark.full(each=["staged", "shape"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("staged", [(0,), ()], ids=["staged", "direct"])
def test_transpose(shape: tuple[int, int], staged: tuple[int, ...]) -> None:
    m, n = shape
    maps = ["(i, j) -> (j, i)", "(i, j) -> (i, j)"]
    make = plan([axis(32, 8), axis(32, 8, 4)], (1, 0), 1, staged, unroll=1)
    source = generic(maps, "pp", [(n, m)], shape, "linalg.yield %x0 : f32", None)
    check(source, make, [(n, m)], np.transpose)


def test_output_that_is_read_and_written_in_place() -> None:
    maps = ["(i, j) -> (i, j)", "(i, j) -> (i, j)"]
    source = generic(maps, "pp", [(5, 9)], (5, 9), "%q = arith.subf %acc, %x0 : f32\n linalg.yield %q : f32", "3.0")
    check(source, plan([axis(4, 4), axis(16, 8, 2)], (1, 0), 1, ()), [(5, 9)], lambda a: 3 - a)
