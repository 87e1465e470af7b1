# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Index-set splitting: what may be fused, and that what is split computes what the two operators do."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from model_expressions import access, conv2d, expression, matmul

from roller_mlir.model.polydl.fusion import fusion_problem, split
from roller_mlir.model.polydl.nest import TiledNest, TileLoop

RELU = expression([8, 6], [], [("C", (8, 6), (0, 1))], ("C", (8, 6), (0, 1)), product=False)
"""C[i, j] = max(C[i, j], 0)."""


def test_what_may_be_fused() -> None:
    heavy = matmul(8, 6, 5)
    assert fusion_problem(heavy, RELU) is None
    # A residual: C[i, j] += R[i, j]; its loops the other way around.
    residual = expression([6, 8], [], [("C", (8, 6), (1, 0)), ("R", (8, 6), (1, 0))], ("C", (8, 6), (1, 0)))
    assert fusion_problem(heavy, residual) is None
    assert fusion_problem(heavy, RELU, [access("R", (8, 6), (0, 1), 2)]) is None
    convolution = conv2d(1, 4, 3, 2, 3)
    relu6 = expression([1, 4, 4, 2], [], [("O", (1, 4, 4, 2), (0, 1, 2, 3))], ("O", (1, 4, 4, 2), (0, 1, 2, 3)))
    assert fusion_problem(convolution, relu6) is None
    # Batch normalisation and relu: neither has a reduction, and they are fused point by point.
    assert fusion_problem(RELU, RELU) is None
    assert [region.fused for region in split(TiledNest(RELU, (TileLoop(0, 8, 1),)))] == [True]


@pytest.mark.parametrize(
    ("other", "problem"),
    [
        (replace(RELU, output=replace(RELU.output, name="D")), "it writes 'D', not 'C'"),
        (expression([7, 6], [], [], ("C", (8, 6), (0, 1))), "it writes other elements of 'C'"),
        (expression([8, 3], [], [], ("C", (8, 6), (0, {1: 2}))), "it writes other elements of 'C'"),
        (
            expression([8, 6], [2], [], ("C", (8, 6), (0, 1))),
            "it has 96 points, but writes 48 elements: it is not element-wise",
        ),
        (expression([8], [], [], ("C", (8, 8), (0, 0))), "a loop moves along two dimensions of 'C'"),
        (
            expression([8, 6], [], [("C", (8, 9), (0, {0: 1, 1: 1}))], ("C", (8, 6), (0, 1))),
            "it reads other elements of 'C' than it writes",
        ),
    ],
)
def test_what_may_not(other: object, problem: str) -> None:
    assert fusion_problem(matmul(8, 6, 5), other) == problem  # type: ignore[arg-type]


def test_nothing_may_come_between() -> None:
    between = [access("C", (8, 6), (0, 1), 2)]
    assert fusion_problem(matmul(8, 6, 5), RELU, between) == "'C' is read or written between the two"


NEST = (TileLoop(2, 3, 2), TileLoop(0, 4, 2), TileLoop(2, 2, 1), TileLoop(1, 2, 3))
"""k in tiles of 2, the last of which is cut; i in tiles of 2; k; j in tiles of 3."""


def test_regions_by_hand() -> None:
    nest = TiledNest(matmul(8, 6, 5), NEST)
    # The last tile of k has one iteration: it is the first of the inner loop.
    assert [(one.ranges, one.fused) for one in split(nest)] == [
        (((0, 1), (0, 3), (0, 1), (0, 1)), False),
        (((2, 2), (0, 3), (0, 0), (0, 1)), True),
    ]
    even = TiledNest(matmul(8, 6, 6), NEST)
    assert [(one.ranges, one.fused) for one in split(even)] == [
        (((0, 1), (0, 3), (0, 1), (0, 1)), False),
        (((2, 2), (0, 3), (0, 0), (0, 1)), False),
        (((2, 2), (0, 3), (1, 1), (0, 1)), True),
    ]
    assert [(one.ranges, one.fused) for one in split(even, last=False)] == [
        (((0, 0), (0, 3), (0, 0), (0, 1)), True),
        (((0, 0), (0, 3), (1, 1), (0, 1)), False),
        (((1, 2), (0, 3), (0, 1), (0, 1)), False),
    ]


@pytest.mark.parametrize("depth", [5, 6])
@pytest.mark.parametrize("last", [True, False])
def test_split_nests_compute_what_both_operators_do(depth: int, last: bool) -> None:
    draw = np.random.default_rng(0)
    a, b = draw.integers(-4, 5, (8, depth)), draw.integers(-4, 5, (depth, 6))
    c = draw.integers(-9, 9, (8, 6))
    expected = np.maximum(c + a @ b, 0) if last else np.maximum(c, 0) + a @ b
    nest = TiledNest(matmul(8, 6, depth), NEST)
    for region in split(nest, last=last):
        for point in product(*[range(first, end + 1) for first, end in region.ranges]):
            start = [0, 0, 0]
            for loop, x in zip(nest.loops, point, strict=True):
                start[loop.axis] += loop.size * x
            i, j, k = [slice(x, x + body) for x, body in zip(start, nest.body, strict=True)]
            if region.fused and not last:
                c[i, j] = np.maximum(c[i, j], 0)
            c[i, j] += a[i, k] @ b[k, j]
            if region.fused and last:
                c[i, j] = np.maximum(c[i, j], 0)
    assert np.array_equal(c, expected)
