# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The planner's working sets are PolyDL's: the nests of its plans, counted as integer sets, cost what it predicts."""

from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from isl_oracle import Oracle
from model_expressions import QUICK, conv2d, matmul
from random_expressions import random_expressions
from test_working_sets import by_place, pads_a_diagonal

from roller_mlir.hal import device_names, find_device
from roller_mlir.model import ConstructOptions, construct
from roller_mlir.model.polydl.caches import assign, caches_of
from roller_mlir.model.polydl.cost import handed_over, seconds_by_layer, served_bytes
from roller_mlir.model.polydl.dependences import touched
from roller_mlir.model.polydl.nest import TiledNest
from roller_mlir.model.polydl.working_sets import WorkingSet, working_sets
from roller_mlir.model.vectors.cache_work import CacheModel
from roller_mlir.model.vectors.shape import TaskShape, TaskWalk
from roller_mlir.plan import TensorExpression

SPR, HASWELL = find_device("spr"), find_device("haswell")
VECTORED = [name for name in device_names() if find_device(name).vector_bytes is not None]


def walked(model: CacheModel, shape: TaskShape, cores: int = 1) -> TiledNest:
    return model.walked(shape, TaskWalk.of(model.expression, shape), cores)


def shape(blocks: Sequence[int], order: Sequence[int], inner: Sequence[int] = ()) -> TaskShape:
    return TaskShape(tuple(blocks), None, tuple(order), tuple(inner))


@QUICK
@given(random_expressions(loops=4, most_points=400), st.sampled_from(VECTORED), st.sampled_from([1, 2, 3, 8]))
def test_working_sets_of_plans_equal_the_oracle(expression: TensorExpression, device: str, cores: int) -> None:
    """Any plan of any operator, on one core or several: both sets of each reuse, element by element."""
    plan = construct(expression, find_device(device), ConstructOptions(top_k=1))[0]
    nest = walked(CacheModel(expression, find_device(device)), TaskShape.of(expression, plan), cores)
    assume(not any(pads_a_diagonal(one, nest.extents) for one in touched(nest)))
    assert by_place(working_sets(nest)) == Oracle(nest).working_sets()


@pytest.mark.parametrize("cores", [1, 2, 5])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_predictions_are_of_the_oracles_sets(order: tuple[int, int], cores: int) -> None:
    """Sets that are counted as integer sets, given to Algorithm 2, cost the same seconds in each layer."""
    expression, blocks = matmul(24, 32, 12), (4, 16, 12)
    model = CacheModel(expression, HASWELL)
    nest = walked(model, shape(blocks, order), cores)
    known = {(one.dependence.tensor, one.dependence.level): one.dependence for one in working_sets(nest)}
    sets = tuple(
        WorkingSet(known[place], low, high) for place, (low, high) in sorted(Oracle(nest).working_sets().items())
    )
    assert len(sets) == len(known) > 0
    assigned = assign(sets, caches_of(HASWELL, cores), apart=False)
    served = served_bytes(nest, sets, assigned, handed_over(nest, sets, assigned, line_bytes=64, again=True))
    expected = seconds_by_layer(nest, sets, assigned, threads=cores, served=served)
    found = model.work(nest, (), cores)
    assert found.seconds == {name: seconds for name, seconds in expected.items() if name != "l1"}
    assert found.moved == tuple(sum(served[place:]) for place in range(1, len(served)))


@pytest.mark.parametrize("cores", [1, 3, 16])
def test_tasks_are_shared_out_in_ranges(cores: int) -> None:
    """The loops of a plan cover its tasks, the outermost of them divided among cores."""
    expression = conv2d(2, 8, 6, 16, 3)
    model = CacheModel(expression, SPR)
    for order in permutations((0, 2, 3, 1)):
        blocks = [1, 8, 1, 1, *expression.bounds[4:]]
        loops = [loop for loop in walked(model, shape(blocks, order), cores).loops if loop.parallel]
        counts = 1
        for loop in loops:
            counts *= loop.count
        assert counts <= 2 * cores and bool(loops) == (cores > 1)
        inner = walked(model, shape(blocks, order, order[-1:]), cores)
        assert not any(loop.parallel and loop.axis == order[-1] for loop in inner.loops)


def test_what_lies_in_few_sets_is_not_held() -> None:
    """Rows that are a power of two apart share sets: a reuse of them that would fit comes from farther away."""
    models = [CacheModel(matmul(256, 512, pitch), SPR) for pitch in (100, 4096)]
    near, far = [one.work(walked(one, shape((64, 32, one.expression.bounds[2]), (0, 1)))) for one in models]
    assert near.moved[1] < far.moved[1]


def test_tiles_that_lie_below_each_other_cost_more() -> None:
    """Tasks that walk down the columns of a result whose rows are pages apart have nothing fetched ahead of them."""
    model = CacheModel(matmul(512, 4096, 32), SPR)
    down, along = [model.work(walked(model, shape((8, 32, 32), order))).moved[0] for order in ((1, 0), (0, 1))]
    assert down > along


def test_rows_that_come_from_memory_beside_another_tensor_cost_more() -> None:
    """Sixteen rows of A pages apart, and B as a whole for each sixteen: neither fits, and A's lines are not ahead."""
    factor = SPR.vectors.far_factor
    for m, k, slower in ((64, 1 << 23, factor), (1 << 18, 4096, 1.0)):
        model = CacheModel(matmul(m, 16, k), SPR)
        a, b = (one.size_bytes for one in model.expression.inputs)
        times = m // 16 if slower > 1 else 1  # of B, which otherwise stays in a cache
        moved = model.work(walked(model, shape((16, 16, k), (0, 1)))).moved[-1]
        assert moved == pytest.approx(slower * a + times * b + 2 * m * 16 * 4, rel=0.02)
        single = model.work(walked(model, shape((1, 16, k), (0, 1)))).moved[-1]
        assert single == pytest.approx(a + (m if slower > 1 else 1) * b + 2 * m * 16 * 4, rel=0.02)
