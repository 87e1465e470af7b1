# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data tiles of accesses that run backwards along some loops, against brute force; reductions that keep an order."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roller_mlir.mapping.checks.plan import ordered_problem
from roller_mlir.mapping.layout.data_tile import first_elements, tile_dimensions
from roller_mlir.mapping.layout.layout import row_alignment, steps_of
from roller_mlir.model.cost.traffic.counting import Boxes, copied_elements
from roller_mlir.plan import Access, AxisPlan, LinearIndex, Loop, TensorExpression

ONE = AxisPlan(block=1)
COEFFICIENTS = st.integers(-3, 3)


def row(*coefficients: int, constant: int = 0, extent: int = 50) -> Access:
    return Access("x", (extent,), "f32", (LinearIndex(coefficients, constant),))


def touched(index: LinearIndex, origin: tuple[int, ...], blocks: tuple[int, ...]) -> set[int]:
    """Every element of a dimension that a box touches."""
    return {
        index.constant + sum(k * (o + p) for k, o, p in zip(index.coefficients, origin, point, strict=True))
        for point in product(*map(range, blocks))
    }


@given(
    st.tuples(COEFFICIENTS, COEFFICIENTS),
    st.integers(-5, 5),
    st.tuples(st.integers(1, 5), st.integers(1, 5)),
    st.tuples(st.integers(0, 20), st.integers(0, 20)),
)
def test_tile_is_the_bounding_box(
    coefficients: tuple[int, int], constant: int, blocks: tuple[int, int], origin: tuple[int, int]
) -> None:
    access = row(*coefficients, constant=constant)
    (dimension,) = tile_dimensions(access, blocks)
    (first,) = first_elements(access, blocks)
    found = touched(access.indices[0], origin, blocks)
    start = first.constant + sum(k * o for k, o in zip(first.coefficients, origin, strict=True))
    assert start == min(found)
    assert start + (dimension.extent - 1) * dimension.step == max(found)
    for point in product(*map(range, blocks)):
        local = dimension.offset + sum(k * point[loop] for loop, k in dimension.coefficients.items())
        own = constant + sum(k * (o + p) for k, o, p in zip(coefficients, origin, point, strict=True))
        assert start + local * dimension.step == own


@given(
    st.tuples(COEFFICIENTS, COEFFICIENTS), st.integers(0, 60), st.sampled_from((1, 2, 4, 8)), st.sampled_from((1, 2, 4))
)
def test_copies_read_what_lies_inside(coefficients: tuple[int, int], constant: int, first: int, second: int) -> None:
    access = row(*coefficients, constant=constant)
    loops, axes = (Loop(16), Loop(9)), (AxisPlan(block=first), AxisPlan(block=second))
    boxes = Boxes(loops, axes)
    (dimension,) = tile_dimensions(access, (first, second))
    (index,) = first_elements(access, (first, second))
    expected = 0
    for origin in product(boxes.origins(0), boxes.origins(1)):
        start = index.constant + sum(k * o for k, o in zip(index.coefficients, origin, strict=True))
        elements = [start + n * dimension.step for n in range(dimension.extent)]
        expected += sum(0 <= element < access.static_shape[0] for element in elements)
    assert copied_elements(access, boxes, 1) == expected


def test_rows_start_at_the_far_end() -> None:
    """x[63 - i] in boxes of 16 starts at 48, 32, 16, 0; x[62 - i] starts one earlier, at odd places."""
    loops, axes = (Loop(64),), (AxisPlan(block=16, threads=4, chunk=4),)
    assert steps_of(loops[0], axes[0]) == 4
    assert row_alignment(row(-1, constant=63, extent=64), loops, [16]) == 16
    assert row_alignment(row(-1, constant=62, extent=64), loops, [16]) == 1


@pytest.mark.parametrize(
    ("axes", "lane", "problem"),
    [
        ((AxisPlan(block=8, threads=8), ONE, ONE), 0, ""),
        ((AxisPlan(block=4, threads=4), ONE, AxisPlan(block=9, chunk=3)), None, ""),
        ((ONE, AxisPlan(block=4), AxisPlan(block=2)), None, "takes 4 points of reduction loop 1 in a step"),
        ((ONE, ONE, AxisPlan(block=4, threads=2)), None, "splits reduction loop 2 over 2 threads"),
        ((ONE, ONE, AxisPlan(block=4, chunk=4)), 2, "splits reduction loop 2 over lanes"),
    ],
)
def test_what_keeps_the_order(axes: tuple[AxisPlan, ...], lane: int | None, problem: str) -> None:
    access = Access("x", (8, 8, 9), "f32", tuple(LinearIndex(tuple(int(i == d) for i in range(3))) for d in range(3)))
    output = Access("y", (8,), "f32", (LinearIndex((1, 0, 0)),))
    loops = (Loop(8), Loop(8, True), Loop(9, True))
    expression = TensorExpression(loops, (access,), output, None, 1, (None,))
    found = ordered_problem(expression, axes, lane)
    assert found.startswith(problem) and bool(found) == bool(problem)
