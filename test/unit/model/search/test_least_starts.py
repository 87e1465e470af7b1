# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that differ in where their slices begin alone are planned alike, predictions included."""

from dataclasses import replace

import pytest

from roller_mlir.hal import find_device
from roller_mlir.model import ConstructOptions
from roller_mlir.model.search.construct import construct
from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression
from roller_mlir.plan.rewrite.least_starts import with_least_starts


def product_of_slice(start: int, row: int, at: int = 0) -> TensorExpression:
    """Return a product of 24 rows of a tensor of 200, from one on, with a matrix of its own."""
    i, j, k = (LinearIndex(tuple(int(loop == n) for loop in range(3))) for n in range(3))
    a = Access("a", (200, row), "f32", (replace(i, constant=start), replace(k, constant=at)))
    b = Access("b", (48, 40), "f32", (k, j))
    c = Access("c", (24, 40), "f32", (i, j))
    loops = (Loop(24), Loop(40), Loop(48, reduction=True))
    return TensorExpression(loops, (a, b), c, "arith.addf", 2, (0.0, 0.0), fused_multiply_add=True)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("device", ["h200", "mi300x"])
@pytest.mark.parametrize(("start", "row", "at"), [(7, 64, 0), (64, 48, 0), (65, 49, 0), (130, 50, 2), (176, 51, 3)])
def test_plans_and_predictions_are_equal(start: int, row: int, at: int, device: str) -> None:
    expression = product_of_slice(start, row, at)
    least = with_least_starts(expression)
    moved = least.inputs[0].indices[0].constant
    assert 1 <= moved <= 64
    assert (moved - start) * row * 4 % 256 == 0
    options = ConstructOptions(top_k=3)
    mine, others = (construct(one, find_device(device), options) for one in (expression, least))
    assert mine == others
    assert [plan.prediction for plan in mine] == [plan.prediction for plan in others]


def test_starts_that_matter_stay() -> None:
    whole = product_of_slice(0, 48)
    assert with_least_starts(whole) == whole
    along = product_of_slice(0, 256, 128)
    assert with_least_starts(along) == along
    padded = product_of_slice(190, 48)  # beyond the last row
    assert with_least_starts(padded) == padded


def test_a_walk_from_the_far_end_begins_inside() -> None:
    expression = product_of_slice(150, 64)
    back = replace(expression.inputs[0].indices[0], coefficients=(-1, 0, 0))
    access = replace(expression.inputs[0], indices=(back, expression.inputs[0].indices[1]))
    found = with_least_starts(replace(expression, inputs=(access, expression.inputs[1])))
    assert found.inputs[0].indices[0] == LinearIndex((-1, 0, 0), 23)
