# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Orders of tasks of vectors: each task once along a curve, bounds that are bounds, and what they let be left out."""

from dataclasses import replace
from itertools import permutations
from itertools import product as every
from math import inf, prod

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from model_expressions import QUICK, conv2d
from random_expressions import random_expressions
from vector_problems import product

from roller_mlir.hal import find_device
from roller_mlir.model import ConstructOptions, construct
from roller_mlir.model.search.validate_plan import validate_plan
from roller_mlir.model.vectors.cost import VectorCost
from roller_mlir.model.vectors.orders import _curve, ordered
from roller_mlir.model.vectors.shape import TaskShape, TaskWalk
from roller_mlir.plan import TensorExpression
from roller_mlir.plan.tasks.raster import Level, raster_problem

ZEN5 = find_device("zen5")
counts = st.integers(1, 60)


@given(counts, counts, st.sampled_from([1, 6, 8, 14]), st.sampled_from([16, 32, 64]))
def test_a_curve_reaches_each_task_once(rows: int, columns: int, height: int, width: int) -> None:
    levels = _curve(0, 1, {0: rows, 1: columns}, {0: height, 1: width})
    assert raster_problem(levels, {0: rows, 1: columns}) == ""
    places = _places(levels)
    assert sorted(places) == [(i, j) for i, j in every(range(rows), range(columns))]


def test_neighbours_on_a_curve_are_boxes() -> None:
    """Of 32 x 8 tasks of 8 x 32 points any 4^n that begin at a multiple of that cover a square of points."""
    places = _places(_curve(0, 1, {0: 32, 1: 8}, {0: 8, 1: 32}))
    for size, side in ((4, 1), (16, 2), (64, 4)):
        for begin in range(0, len(places), size):
            rows, columns = zip(*places[begin : begin + size], strict=True)
            assert (max(rows) - min(rows) + 1, max(columns) - min(columns) + 1) == (4 * side, side)


def _places(levels: tuple[Level, ...]) -> list[tuple[int, int]]:
    found = [(0, 0)]
    for loop, steps, apart in levels:
        moved = [(apart * step * (loop == 0), apart * step * (loop == 1)) for step in range(steps)]
        found = [(i + di, j + dj) for i, j in found for di, dj in moved]
    return found


@QUICK
@given(random_expressions(loops=4, most_points=400), st.sampled_from([1, 2, 5, 96]), st.data())
def test_bounds_of_an_order_are_bounds(expression: TensorExpression, cores: int, data: st.DataObject) -> None:
    """Of any plan in any order of its loops, whatever it packs, on one core or many."""
    device = find_device(data.draw(st.sampled_from(["zen5", "haswell", "spr"])))
    plans = construct(expression, device, ConstructOptions(top_k=8, max_units=cores, split=False))
    plan = data.draw(st.sampled_from(plans))
    assume(plan.atom is None)
    cost = VectorCost(expression, device, cores)
    shape = TaskShape.of(expression, plan)
    order = shape.order if shape.inner else tuple(data.draw(st.permutations(shape.order)))
    shape = replace(shape, order=order, raster=())
    work = cost.bound(shape)
    assert cost.least_seconds(work, shape) <= cost.seconds(cost.bounded(work, shape))[0] * (1 + 1e-9)


@pytest.mark.parametrize("cores", [1, 4])
def test_bounds_of_orders_say_what_is_read_again(cores: int) -> None:
    """Of 4096^3 each order of the loops reads one factor for each row or column of tiles: the bound knows it."""
    cost = VectorCost(product(4096, 4096, 4096), ZEN5, cores)
    for order in ((0, 1), (1, 0)):
        shape = TaskShape((8, 32, 4096), 1, order)
        work = cost.bound(shape)
        nest = cost.caches.walked(shape, TaskWalk.of(cost.expression, shape), cores)
        any_order, least, found = (
            one.seconds["global"]
            for one in (work.caches, cost.caches.at_least(nest, cores), cost.bounded(work, shape).caches)
        )
        assert 10 * any_order < least <= found


@pytest.mark.parametrize("expression", [product(512, 384, 640), product(2048, 4096, 32), conv2d(1, 28, 64, 96, 3)])
def test_nothing_is_lost_below_a_limit(expression: TensorExpression) -> None:
    """With a limit that it keeps, a shape has the program that it has without; with one that it exceeds, none."""
    cost = VectorCost(expression, ZEN5)
    for plan in construct(expression, ZEN5, ConstructOptions(top_k=6, split=False)):
        shape = TaskShape.of(expression, plan)
        shape = replace(shape, raster=())
        work = cost.bound(shape)
        free = ordered(cost, shape, work)
        assert free is not None
        if not shape.inner:
            orders = [replace(shape, order=one) for one in permutations(shape.order)]
            assert free.seconds <= min(cost.seconds(cost.bounded(work, one))[0] for one in orders)
        assert ordered(cost, shape, work, free.seconds) == free
        assert ordered(cost, shape, work, 0.999 * free.seconds) is None


def test_a_curve_is_taken_where_it_moves_less() -> None:
    """2048 x 4096 x 32 on 96 cores: results that no cache holds, of which each core computes a square."""
    expression = product(2048, 4096, 32)
    plan = construct(expression, ZEN5, ConstructOptions(top_k=1))[0]
    assert len(plan.raster) > 2 and not plan.inner_order
    assert prod(steps for _, steps, _ in plan.raster) == plan.prediction.tasks  # pyrefly: ignore
    shape, cost = TaskShape.of(expression, plan), VectorCost(expression, ZEN5)
    assert shape.raster == plan.raster
    plain = [replace(shape, order=one, raster=()) for one in permutations(shape.order)]
    seconds = [cost.seconds(cost.shaped(one))[0] for one in plain]
    assert plan.prediction is not None and plan.prediction.seconds < 0.97 * min(seconds)
    assert validate_plan(expression, replace(plan, prediction=None), ZEN5).raster == plan.raster  # as from a file


@pytest.mark.parametrize("cores", [1, 2, 5, 7, 96])
def test_levels_are_divided_among_any_number_of_cores(cores: int) -> None:
    cost = VectorCost(product(36 * 8, 9 * 32, 64), ZEN5, cores)
    levels = _curve(0, 1, {0: 36, 1: 9}, {0: 8, 1: 32})
    shape = TaskShape((8, 32, 64), 1, (0, 1), raster=levels)
    nest = cost.caches.walked(shape, TaskWalk.of(cost.expression, shape), cores)
    assert prod(loop.count for loop in nest.loops) == 36 * 9
    assert 1 <= prod(loop.count for loop in nest.loops if loop.parallel) <= max(1, cores)
    assert 0 < cost.seconds(cost.shaped(shape))[0] < inf


def test_short_rows_that_lie_apart_take_longer() -> None:
    """Columns of 32 in rows of 256 f32, all of which the last cache holds; rows of 128 f32 are no further apart."""
    slow, fast = (replace(ZEN5, vectors=replace(ZEN5.vectors, short_row_factor=one)) for one in (2.0, 1.0))

    def seconds(columns: int, packed: tuple[int, ...] = ()) -> list[float]:
        shape = TaskShape((8, 32, 8192), 1, (0, 1) if not packed else (1, 0), (0,) if packed else (), {}, packed)
        expression = product(256, columns, 8192)
        found = [VectorCost(expression, device, 1).shaped(shape).caches.seconds["l3"] for device in (slow, fast)]
        bounds = [VectorCost(expression, device, 1).bound(shape).caches.seconds["l3"] for device in (slow, fast)]
        assert all(low <= high for low, high in zip(bounds, found, strict=True))
        return found

    assert seconds(256)[0] > 1.5 * seconds(256)[1]
    assert seconds(128)[0] == seconds(128)[1]
    assert seconds(256, (1,))[0] == seconds(256, (1,))[1]


def test_points_that_lie_pages_apart_take_their_time() -> None:
    """Of rows of 1024 f32 a point takes some cycles at least; tiles of more rows hide it."""

    def cycles(rows: int, columns: int) -> float:
        shape = TaskShape((rows, 32, 256), 1, (0, 1))
        return VectorCost(product(168, columns, 256), ZEN5, 1).kernel_cycles(shape) / (168 // rows) / (columns // 32)

    assert cycles(7, 1024) == 256 * ZEN5.vectors.far_point_cycles > 1.5 * cycles(7, 256)
    assert cycles(14, 1024) == cycles(14, 256)


def test_short_rows_of_their_own_pages_are_packed_slowly() -> None:
    cost = VectorCost(product(64, 1024, 256), ZEN5, 1)
    rows = [cost.packing(1, (8, columns, 256), 1) / 256 for columns in (64, 128)]
    near = VectorCost(product(64, 512, 256), ZEN5, 1)
    assert rows[0] - near.packing(1, (8, 64, 256), 1) / 256 == pytest.approx(ZEN5.vectors.pack_page_cycles)
    assert rows[1] < rows[0]


def test_short_rows_of_their_own_pages_take_longest_from_memory() -> None:
    """64 x 32768 of a factor of 32 MB whose rows have 128 KB: what a core draws of memory so is a fifth."""
    shape = TaskShape((13, 32, 256), 1, (0, 1))
    slow, fast = (replace(ZEN5, vectors=replace(ZEN5.vectors, short_row_factor=one)) for one in (2.5, 1.0))
    found = [
        VectorCost(product(64, 32768, 256), device, 1).shaped(shape).caches.seconds["global"] for device in (slow, fast)
    ]
    assert found[0] > 2 * found[1]
    many = [
        VectorCost(product(64, 32768, 256), device).shaped(shape).caches.seconds["global"] for device in (slow, fast)
    ]
    assert many[0] < 1.2 * many[1]  # a share of the bandwidth of 96 cores is no more
