# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Footprint, traffic and reuse score against enumeration and against the paper's worked example."""

from itertools import product
from math import gcd, inf, prod

from hypothesis import given
from hypothesis import strategies as st
from model_expressions import CASES, QUICK, conv2d, expressions, matmul, row_sum
from tile_definitions import footprint_bytes, tile_counts, traffic_bytes

from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.tile import (
    access_traffic,
    contiguous_loop,
    has_outer_product,
    reuse_loops,
    reuse_score,
)
from roller_mlir.plan import Access, TensorExpression


def touched(access: Access, tile: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Enumerate the coordinates that a box of the loops at the origin touches."""
    points = product(*[range(size) for size in tile])
    return sorted(
        {
            tuple(sum(k * p for k, p in zip(index.coefficients, point, strict=True)) for index in access.indices)
            for point in points
        }
    )


def box_of(coordinates: list[tuple[int, ...]]) -> list[list[int]]:
    """Return, per dimension, the evenly spaced values that span the coordinates."""
    spans: list[list[int]] = []
    for values in zip(*coordinates, strict=True):
        step = gcd(*values) or 1
        spans.append(list(range(0, max(values) + 1, step)))
    return spans


tiles = st.tuples(*[st.sampled_from([1, 2, 3, 4, 8]) for _ in range(4)])


@QUICK
@given(expressions(largest=12), tiles)
def test_footprint_is_the_box_of_what_is_touched(expr: TensorExpression, sizes: tuple[int, ...]) -> None:
    tile = sizes[: len(expr.loops)]
    expected = 0
    for access in (*expr.inputs, expr.output):
        coordinates = touched(access, tile)
        spans = box_of(coordinates)
        assert set(coordinates) <= set(product(*spans))
        expected += prod(len(span) for span in spans) * 4
    assert footprint_bytes(expr, tile) == expected


@QUICK
@given(expressions(largest=12), tiles, st.sampled_from([4, 16, 32]))
def test_traffic_is_the_transactions_of_every_tile(
    expr: TensorExpression, sizes: tuple[int, ...], transaction: int
) -> None:
    # Of others a part lies outside.
    tile = tuple(gcd(loop.extent.static, size) for loop, size in zip(expr.loops, sizes, strict=False))
    counts = [-(-loop.extent.static // size) for loop, size in zip(expr.loops, tile, strict=True)]
    assert tile_counts(expr, tile) == tuple(counts)

    def moved(access: Access) -> int:
        spans = box_of(touched(access, tile))
        if not spans:
            return transaction
        rows = prod(len(span) for span in spans[:-1])
        return rows * len({at * 4 // transaction for at in spans[-1]}) * transaction

    stores = prod(c for c, loop in zip(counts, expr.loops, strict=True) if not loop.reduction)
    expected = prod(counts) * sum(moved(access) for access in expr.inputs) + stores * moved(expr.output)
    assert traffic_bytes(expr, tile, transaction) == expected


@QUICK
@given(expressions(largest=20), tiles)
def test_facts_repeat_the_definitions(expr: TensorExpression, sizes: tuple[int, ...]) -> None:
    from roller_mlir.hal import find_device
    from roller_mlir.model.machine import machine_of

    tile = sizes[: len(expr.loops)]
    facts = ProblemContext(expr, machine_of(find_device("h200")))
    inputs = sum(each.tile(tile)[0] * 4 for each in facts.inputs)
    assert inputs == footprint_bytes(expr, tile, output=False)
    for each in (*facts.inputs, facts.output):
        assert each.traffic(tile) == access_traffic(each.access, tile, 32, expr.bounds)


def test_figure_1() -> None:
    """Transactions of 4 elements: a 1x1 tile reads 5mnk, 1x4 1.25mnk, 4x4 0.5mnk elements."""
    expr = matmul(64, 64, 64)
    points = 64**3
    for tile, share in (((1, 1, 4), 5.0), ((1, 4, 4), 1.25), ((4, 4, 4), 0.5)):
        assert traffic_bytes(expr, tile, 16, output=False) == share * points * 4


def test_figure_1_without_transactions() -> None:
    """Counted in elements, a 1x1 tile reads 2mnk."""
    assert traffic_bytes(matmul(64, 64, 64), (1, 1, 1), output=False) == 2 * 64**3 * 4


def test_figure_4() -> None:
    """A tile [4, 4, 2] loads 4x2 and 2x4 and stores 4x4."""
    assert footprint_bytes(matmul(64, 64, 64), (4, 4, 2)) == 4 * (8 + 8 + 16)


def test_halo() -> None:
    """A 3x3 window over 8x4 outputs reads 10x6 inputs per channel."""
    expr = conv2d(1, 16, 4, 8, 3)
    tile = (1, 8, 4, 1, 3, 3, 1)
    assert footprint_bytes(expr, tile, output=False) == 4 * (10 * 6 + 9)


def test_reuse_score_prefers_the_free_and_then_the_cheap() -> None:
    assert reuse_score(10, 0) == inf
    assert reuse_score(0, 0) == 0.0
    assert reuse_score(10, 5) > reuse_score(10, 20)


def test_reuse_score_of_an_element_wise_expression_is_constant() -> None:
    expr = CASES["element_wise"]
    scores = {
        reuse_score(
            traffic_bytes(expr, (a, b)) - traffic_bytes(expr, (c, d)),
            footprint_bytes(expr, (c, d)) - footprint_bytes(expr, (a, b)),
        )
        for (a, b), (c, d) in (((1, 33), (2, 33)), ((4, 33), (8, 33)), ((1, 33), (1000, 33)))
    }
    assert scores == {0.0}


@QUICK
@given(st.sampled_from([1, 2, 4, 8, 16, 32]), st.sampled_from([1, 2, 4, 8, 16, 32]))
def test_growing_a_tile_moves_less_and_holds_more(rows: int, columns: int) -> None:
    expr = matmul(64, 64, 64)
    small, large = (rows, columns, 8), (2 * rows, columns, 8)
    assert traffic_bytes(expr, large, 32) <= traffic_bytes(expr, small, 32)
    assert footprint_bytes(expr, large) > footprint_bytes(expr, small)


def test_shape_of_reuse() -> None:
    assert reuse_loops(matmul(4, 4, 4)) == (0, 1)
    assert has_outer_product(matmul(4, 4, 4))
    assert not has_outer_product(matmul(1, 4, 4))
    assert not has_outer_product(CASES["matrix_vector"])
    assert reuse_loops(CASES["matrix_vector"]) == (0,)
    assert reuse_loops(row_sum(4, 4)) == ()
    assert reuse_loops(CASES["batch"]) == (1, 2)
    assert reuse_loops(conv2d(2, 4, 3, 5, 3)) == (0, 1, 2, 3)


def test_contiguous_loop() -> None:
    a, b = matmul(4, 6, 8).inputs
    assert (contiguous_loop(a), contiguous_loop(b)) == (2, 1)
    column = matmul(4, 1, 8)
    assert contiguous_loop(column.output) == 0
    assert contiguous_loop(CASES["scalar"].output) is None
