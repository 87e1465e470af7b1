# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans for devices of vectors: tiles of divisors and whole extents, what caches hold, packing, and what is refused."""

from dataclasses import replace
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_expressions import random_expressions
from vector_problems import SPR, best, layer, product

from roller_mlir.hal import device_names, find_device
from roller_mlir.hal.vector_constants import DEFAULT_VECTORS
from roller_mlir.mapping.checks.plan import plan_problem
from roller_mlir.mapping.edge_tiles import MOST_EDGES
from roller_mlir.model import ConstructionError, ConstructOptions, construct, predict
from roller_mlir.model.explain.decision import explain
from roller_mlir.model.polydl.nest import TiledNest, TileLoop
from roller_mlir.model.polydl.working_sets import working_sets
from roller_mlir.model.search.programs.splitting import WORTH
from roller_mlir.model.search.validate_plan import validate_plan
from roller_mlir.model.vectors.construct import construct_vectors, vector_plan_problem
from roller_mlir.model.vectors.cost import VectorCost, least_seconds
from roller_mlir.model.vectors.lanes import reads_lanes
from roller_mlir.model.vectors.orders import ordered
from roller_mlir.model.vectors.padding import PaddedTile, skipped_inputs
from roller_mlir.model.vectors.shape import TaskShape, TaskWalk
from roller_mlir.plan import Access, LinearIndex, Loop, Plan, TensorExpression
from roller_mlir.plan.records.codec import from_json, to_json
from roller_mlir.plan.rewrite.split import divisible_loops, first_expression, first_plan, points_expression, whole_plan

HASWELL = find_device("haswell")
PLAIN = replace(SPR, vectors=DEFAULT_VECTORS)
"""The same cores with the constants of any."""
VECTORED = [name for name in device_names() if find_device(name).vector_bytes is not None]


@pytest.mark.parametrize(("rows", "columns"), [(7, 64), (14, 64), (12, 48), (42, 512), (6, 16)])
def test_tiles_are_divisors_or_whole_extents(rows: int, columns: int) -> None:
    plan = best(product(rows, columns, 256))
    assert rows % plan.axes[0].block == 0 and columns % plan.axes[1].block == 0


@pytest.mark.parametrize(("device", "lanes", "registers"), [(SPR, 16, 32), (HASWELL, 8, 16)])
def test_sums_fit_into_the_registers_and_lanes_are_the_devices(device: object, lanes: int, registers: int) -> None:
    for extents in ((64, 64, 64), (1024, 1024, 1024), (100, 100, 100), (128, 4096, 2048)):
        plan = best(product(*extents), device)
        rows, columns, depth = plan.axes
        assert (plan.lane, columns.chunk, plan.threads) == (1, lanes, 1)
        assert rows.block * columns.block // lanes <= registers - 4
        assert extents[2] % depth.block == 0 and depth.chunk in (1, 2, 3, 4)


def test_an_extent_without_small_divisors_is_masked() -> None:
    plan = best(product(61, 61, 61))
    assert plan.axes[1].block % 16 == 0 and plan.axes[2].chunk == 1


def test_what_fits_into_a_cache_comes_into_it_once() -> None:
    """64x64x64 of f32 is 49,152 B, as much as the first cache has; 64x64x80 is more, but each reuse fits.

    Of the latter each tensor comes once from the second cache, where it was made; c is read, and written back.
    """
    work = VectorCost(product(64, 64, 64), SPR, 1).work((8, 32, 64), 1, (0, 1))
    assert (work.tasks, work.caches.moved) == (16, (0.0, 0.0, 0.0))
    work = VectorCost(product(64, 64, 80), SPR, 1).work((8, 32, 80), 1, (0, 1))
    assert work.caches.moved == (4.0 * (2 * 64 * 80 + 2 * 64 * 64), 0.0, 0.0)


def test_what_does_not_fit_comes_again_for_each_pass_that_moves_it() -> None:
    """Of 512x512x512 two tiles of rows and all of b are more than the first cache: b comes for each tile of rows."""
    expression = product(512, 512, 512)
    near, behind, far = VectorCost(expression, PLAIN, 1).work((8, 32, 512), 1, (0, 1)).caches.moved
    whole = 512 * 512 * 4
    assert near >= 64 * whole and behind == 4 * whole and far == 0  # all of them are more than the second cache has


def test_one_core_computes_at_most_its_peak() -> None:
    for extents in ((512, 512, 512), (100, 33, 7), (7, 7, 7)):
        expression = product(*extents)
        plan = best(expression, max_units=1)
        assert plan.prediction is not None
        assert plan.prediction.seconds * SPR.clock_hz * 64 >= expression.flops


def test_packing_pays_where_rows_share_sets_of_the_caches() -> None:
    """Columns are packed, and rows, too; these lie as they are where their sets of the first cache hold a tile's."""
    large, tall, small = best(product(4096, 4096, 4096)), best(product(2048, 2048, 2048)), best(product(16, 16, 16))
    assert large.inner_order and [one.layer for one in large.operands] == ["workgroup", "workgroup"]
    rows, columns = [one.layer for one in tall.operands]
    held = SPR.vectors.ways_share * (SPR.caches[0].ways or SPR.vectors.ways)
    assert tall.inner_order and columns == "workgroup" and (rows == "workgroup" or tall.axes[0].block <= held)
    assert (small.inner_order, [one.layer for one in small.operands]) == ((), ["register", "register"])


def test_tiles_of_a_packed_constant_lie_dense() -> None:
    """Rows of 1024 f32 share sets of every cache, rows of a packed tile do not, so that nobody has to pack them."""
    given = best(product(49, 1024, 512), max_units=1)
    ahead = best(product(49, 1024, 512), max_units=1, constants=(1,))
    assert ahead.operands[1].layer == "constant" and given.operands[1].layer == "workgroup"
    assert ahead.prediction is not None and given.prediction is not None
    assert ahead.prediction.seconds < given.prediction.seconds


def test_constants_and_packed_rows_go_together_and_few_programs_hide_no_better_one() -> None:
    """Rows of 2048 f32 share sets: a task packs these, the other factor was packed before."""
    few, many = (
        construct(product(70, 448, 2048), PLAIN, ConstructOptions(top_k=k, max_units=1, constants=(1,)))
        for k in (1, 20)
    )
    assert [one.layer for one in few[0].operands] == ["workgroup", "constant"] and few[0].inner_order
    assert few[0].prediction is not None and many[0].prediction is not None
    assert few[0].prediction.seconds == many[0].prediction.seconds


def test_nothing_hides_the_transfers_of_what_is_packed() -> None:
    """A task walks all tiles of rows and packs 64 columns for each step, so that all of b is packed once.

    All tensors together are more than the second cache has, so that they come from the third.
    """
    cost = VectorCost(product(512, 512, 1024), SPR, 1)
    shape = TaskShape((6, 64, 256), 1, (1, 0), (0,), {}, (1,))
    columns, both, none = (cost.shaped(replace(shape, staged=one)) for one in ((1,), (0, 1), ()))
    third = next(one for one in cost.caches.caches(1) if one.name == "l3")
    assert third.bandwidth_bytes_per_s is not None
    assert columns.caches.packed_s == pytest.approx(512 * 1024 * 4 / third.bandwidth_bytes_per_s)
    assert (none.caches.packed_s, none.packing) == (0.0, 0.0) and both.caches.packed_s > columns.caches.packed_s
    hidden = replace(columns, caches=replace(columns.caches, packed_s=0.0))
    slower = replace(columns, caches=replace(columns.caches, packed_s=1.0))
    own = columns.packing * columns.tasks / SPR.clock_hz  # what the core takes for it hides as much
    assert cost.seconds(slower)[0] == pytest.approx(cost.seconds(hidden)[0] + 1.0 - own, rel=0.1)
    assert slower.packing > 0


@pytest.mark.parametrize("extents", [(64, 448, 2048), (512, 512, 512), (49, 1024, 512), (1024, 16, 5000)])
def test_bounds_are_bounds(extents: tuple[int, int, int]) -> None:
    """Whatever a cache holds whole comes from no layer behind it."""
    cost = VectorCost(product(*extents), SPR, 1)
    for blocks in ((14, 32), (7, 48), (1, 16)):
        for order in ((0, 1), (1, 0)):
            shape = TaskShape((*blocks, extents[2]), 1, order)
            least, found = cost.seconds(cost.bound(shape))[0], cost.seconds(cost.shaped(shape))[0]
            assert least <= found


def test_a_bound_is_reached_where_each_tensor_comes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are read before they are written; behind an order that reaches the bound no other is weighed."""
    cost = VectorCost(product(64, 64, 80), SPR, 1)
    shape = TaskShape((8, 32, 80), 1, (0, 1))
    assert cost.caches.least(1).moved == cost.shaped(shape).caches.moved == (4.0 * (2 * 64 * 80 + 2 * 64 * 64), 0, 0)
    assert _weighed_orders(cost, shape, monkeypatch) == [(0, 1)]
    far = TaskShape((8, 32, 4096), 1, (0, 1))
    cost = VectorCost(product(4096, 4096, 4096), SPR, 1)
    assert _weighed_orders(cost, far, monkeypatch)[:2] == [(0, 1), (1, 0)]


def _weighed_orders(cost: VectorCost, shape: TaskShape, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    weighed: list[tuple[int, ...]] = []
    with monkeypatch.context() as patch:
        bounded = cost.bounded
        patch.setattr(cost, "bounded", lambda work, one: weighed.append(one.order) or bounded(work, one))
        assert ordered(cost, shape, cost.bound(shape)) is not None
    return weighed


def test_a_row_of_vectors_fits_beside_the_sums() -> None:
    """28 sums, four vectors of a row and an element for all lanes are more than 32 registers."""
    plans = construct(product(49, 1024, 512), SPR, ConstructOptions(top_k=40, max_units=1))
    for plan in plans:
        vectors = plan.axes[1].block // 16
        assert plan.axes[0].block * vectors + vectors + 1 <= 32


def test_a_reduction_that_no_cache_holds_is_divided() -> None:
    """A panel of 32 columns and 32768 points has 4 MB."""
    plan = best(product(1024, 1024, 32768), max_units=1)
    assert plan.inner_order and plan.axes[2].block <= 1024 and 32768 % plan.axes[2].block == 0


def test_steps_cost_what_sums_are_loaded_and_stored_again() -> None:
    cost = VectorCost(product(512, 512, 512), SPR, 1)
    whole = TaskShape((8, 32, 512), 1, (1, 0), (0,), staged=(1,))
    steps = replace(whole, blocks=(8, 32, 64))
    assert cost.shaped(steps).cycles > cost.shaped(whole).cycles


def test_sums_of_lanes_take_their_halvings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lanes along the reduction of C[m, n] += A[m, k] B[n, k]: each of 14 sums of 16 lanes is halved four times."""
    a, b = product(49, 2048, 512).inputs
    dots = replace(product(49, 2048, 512), inputs=(a, replace(b, shape=(2048, 512), indices=b.indices[::-1])))
    shape = TaskShape((7, 2, 512), 2, (1, 0))
    counted = VectorCost(dots, SPR, 1).bound(shape).cycles
    monkeypatch.setattr("roller_mlir.model.vectors.cost._HALVED", 0.0)
    assert counted - VectorCost(dots, SPR, 1).bound(shape).cycles == 14 * 4 * 2


@given(random_expressions())
def test_divided_reductions_are_two_plans_that_pay(expression: TensorExpression) -> None:
    """Parts are told by the first loop, one a task; the time of both stages is what `predict` says again."""
    try:
        plans = construct(expression, SPR, ConstructOptions(top_k=40))
    except ConstructionError:
        return
    whole = [plan for plan in plans if plan.split is None]
    for plan in plans:
        if plan.split is None:
            continue
        assert plan.prediction is not None and plan.split.loop == divisible_loops(expression)[0]
        first = first_expression(expression, plan.split.loop, plan.split.parts, plan.split.extent)
        for stage, of_stage in (
            (first, first_plan(plan)),
            (points_expression(expression, plan.split.parts), plan.split.join),
        ):
            assert plan_problem(stage, of_stage) == "" and vector_plan_problem(of_stage, SPR) == ""
            validate_plan(stage, of_stage, SPR)
        made = first_plan(plan)
        assert (made.axes[0].block, made.unit_order[0]) == (1, 0) and 0 not in made.inner_order and made.lane != 0
        assert replace(whole_plan(made), split=plan.split) == plan
        assert predict(expression, plan, SPR).seconds == pytest.approx(plan.prediction.seconds)
        assert not whole or plan.prediction.seconds <= WORTH * whole[0].prediction.seconds  # pyrefly: ignore


@pytest.mark.parametrize("extents", [(4, 16, 300_000), (1, 16, 4096), (64, 64, 65_536)])
def test_few_results_of_a_deep_reduction_are_divided_among_cores(extents: tuple[int, int, int]) -> None:
    expression = product(*extents)
    plan, one = best(expression), best(expression, max_units=1)
    assert plan.split is not None and plan.split.parts.bound > 1 and one.split is None
    assert best(expression, split=False).split is None
    assert best(expression, max_units=2).split is None or best(expression, max_units=2).split.parts.bound == 2


def test_a_part_is_reused_by_nothing_outside_of_it() -> None:
    """Of 500,000 points in two parts no element of one is in the other: said without a search among 250,000."""
    expression = first_expression(product(4, 16, 500_000), 2, 2, 250_000)
    nest = TiledNest(expression, (TileLoop(0, 2, 1), TileLoop(3, 250, 1000)))
    assert all(one.dependence.level != 0 for one in working_sets(nest))


@given(random_expressions())
def test_shapes_that_pack_are_plans(expression: TensorExpression) -> None:
    """Each keeps its loops, its tiles fit together, and it is the shape of its own plan."""
    try:
        plans, _ = construct_vectors(expression, SPR, ConstructOptions(top_k=40, split=False))
    except ConstructionError:
        return
    cost = VectorCost(expression, SPR)
    for plan in plans:
        assert plan_problem(expression, plan) == "" and vector_plan_problem(plan, SPR) == ""
        shape = TaskShape.of(expression, plan)
        walk = TaskWalk.of(expression, shape)
        covered = dict(enumerate(shape.blocks))
        for loop, trips in walk.loops():
            covered[loop] *= trips
        assert all(covered[i] >= expression.bounds[i] for i in (*expression.parallel(), *dict(walk.steps)))
        assert plan.prediction is not None and plan.prediction.tasks == cost.shaped(shape).tasks


def test_plans_that_pack_are_explained() -> None:
    found = explain(product(2048, 2048, 2048), replace(SPR, description="some machine, calibrated"))
    assert found.limits.description == "some machine, calibrated"
    assert found.candidates[0].seconds == found.prediction.seconds


def test_forced_tiles_are_taken_and_checked() -> None:
    assert [axis.block for axis in best(product(30, 64, 9), tile_sizes=(3, 16, 9)).axes] == [3, 16, 9]
    with pytest.raises(ConstructionError, match="needs 3 tile-sizes, one per loop, but got 2"):
        best(product(30, 64, 9), tile_sizes=(3, 16))
    for name, value in (("thread_tile", (1, 1, 1)), ("stages", 2), ("task_threads", 4)):
        word = name.replace("_", "-")
        with pytest.raises(ConstructionError, match=f"cannot have {word} on 'spr', which has no threads and stages"):
            best(product(30, 64, 9), **{name: value})


def test_plans_of_others_are_checked() -> None:
    expression = product(64, 64, 64)
    plan = best(expression)
    assert validate_plan(expression, plan, SPR) == plan
    threads = replace(plan, axes=(replace(plan.axes[0], block=8, threads=2), *plan.axes[1:]), thread_order=(0,))
    with pytest.raises(ConstructionError, match="2 threads along loop 0; 'spr' has none"):
        validate_plan(expression, threads, SPR)
    gpu = find_device("h200")
    wide = replace(plan, device="h200")
    assert predict(expression, wide, gpu).threads == 1


@given(random_expressions(), st.sampled_from(VECTORED), st.sampled_from([1, 3]))
def test_any_plan_fits_and_is_predicted_as_it_was_constructed(expression: TensorExpression, name: str, k: int) -> None:
    device = find_device(name)
    for plan in construct(expression, device, ConstructOptions(top_k=k)):
        assert not plan_problem(expression, plan)
        assert predict(expression, plan, device) == plan.prediction
        assert plan.prediction is not None
        assert least_seconds(expression, device) <= plan.prediction.seconds * (1 + 1e-9)
        assert validate_plan(expression, plan, device) == plan
        assert from_json(Plan, to_json(plan)) == plan


def test_lanes_read_neighbours_pairs_or_each_alone() -> None:
    def x(*factors: tuple[int, int]) -> Access:
        return Access("x", (64, 64), "f32", tuple(LinearIndex(one) for one in factors))

    found = [
        reads_lanes(x(*pair), 1) for pair in (((1, 0), (0, 1)), ((1, 0), (0, 2)), ((0, 1), (1, 0)), ((1, 0), (1, 0)))
    ]
    assert found == ["vector", "pairs", "each", "one"]


def test_dimensions_of_one_element_behind_say_nothing() -> None:
    """Lanes along the second loop of x[i, j, 0, 0] find neighbours, if these are of one element."""
    indices = (LinearIndex((1, 0)), LinearIndex((0, 1)), LinearIndex((0, 0)), LinearIndex((0, 0)))
    assert [reads_lanes(Access("x", (4, 64, n, 1), "f32", indices), 1) for n in (1, 2)] == ["vector", "each"]


@pytest.mark.parametrize("points", [1 << 20, 1204224, 1204225, 1 << 21])
def test_no_step_has_more_points_than_a_plan_may_say(points: int) -> None:
    """One core divides no reduction."""
    access = Access("x", (points,), "f32", (LinearIndex((1,)),))
    made = Access("c", (), "f32", ())
    largest = TensorExpression((Loop(points, True),), (access,), made, "arith.maximumf", 1, (float("-inf"),))
    plan = construct(largest, SPR, ConstructOptions(max_units=1))[0]
    assert plan.axes[0].block <= 1 << 20 and points % plan.axes[0].block == 0
    assert plan_problem(largest, plan) == ""


def test_taps_on_padding_are_as_many_as_counted() -> None:
    """Beside a count of each tile's taps, one by one."""
    for rows, taps, stride, dilation, low in ((7, 3, 1, 1, 1), (9, 5, 2, 1, 3), (6, 3, 1, 2, 5), (5, 1, 1, 1, 2)):
        places = (rows + 2 * low - dilation * (taps - 1) - 1) // stride + 1
        x = Access("x", (rows, 32), "f32", (LinearIndex((stride, 0, dilation, 0), -low), LinearIndex((0, 0, 0, 1))))
        filters = tuple(LinearIndex(one) for one in ((0, 0, 1, 0), (0, 0, 0, 1), (0, 1, 0, 0)))
        w = Access("w", (taps, 32, 16), "f32", filters)
        y = Access("y", (places, 16), "f32", (LinearIndex((1, 0, 0, 0)), LinearIndex((0, 1, 0, 0))))
        loops = (Loop(places), Loop(16), Loop(taps, True), Loop(32, True))
        expression = TensorExpression(loops, (x, w), y, "arith.addf", 2, (0.0, 0.0), fused_multiply_add=True)
        assert skipped_inputs(expression, (1,)) == (0,) and skipped_inputs(expression, ()) == ()
        for block in (1, 2, 4):
            tiles = [range(start, start + block) for start in range(0, places, block)]
            counts = [
                [sum(at < places and 0 <= stride * at + dilation * tap - low < rows for at in tile) for tile in tiles]
                for tap in range(taps)
            ]
            ends = [number for number in range(len(tiles)) if any(row[number] < block for row in counts)]
            left = sum(block * bool(count) for row in counts for count in row)
            if block > 1 and taps > 1 and len(ends) <= MOST_EDGES:
                left = sum(row[number] if number in ends else block for row in counts for number in range(len(tiles)))
            blocks = block, 16, taps, 32
            assert PaddedTile(expression, blocks, 1, (0,)).computed_share() == pytest.approx(
                left / (taps * len(tiles) * block)
            )
            assert PaddedTile(expression, blocks, 1, ()).computed_share() == 1.0
            few = block, 16, taps, 8
            assert PaddedTile(expression, few, 1, (0,)).computed_share() == 1.0  # too few to ask for
            known = {2} if block > 1 and taps > 1 and len(ends) <= MOST_EDGES else set[int]()
            stands = (
                PaddedTile(expression, few, 1, (0,), 2).known_window is not None
            )  # of one tile they may stand in the code
            assert stands == bool(known and len(tiles) == 1)
            assert PaddedTile(expression, blocks, 1, (0,)).proven_loops == known | ({2} if block == 1 else set())


@pytest.mark.parametrize(("size", "filters"), [(7, 32), (13, 64), (14, 64), (28, 64), (56, 64)])
def test_taps_on_padding_are_left_out_at_both_ends_of_a_row(size: int, filters: int) -> None:
    expression = layer(size, 64, filters)
    plan = best(expression, max_units=1, constants=(1,), finite=(1,))
    assert plan.skips == (0,) and plan.unroll == 4 and plan.axes[5].chunk == 4
    assert best(expression, max_units=1, constants=(1,)).skips == ()
    blocks = tuple(axis.block for axis in plan.axes)
    assert max(blocks[:2]) > 1 and PaddedTile(expression, blocks, 2, (0,)).proven_loops == {3, 4}
    points = prod(-(-size // block) * block for block in blocks[:2])
    taken = sum(0 <= y + r - 1 < size for y in range(size) for r in range(3)) ** 2
    assert PaddedTile(expression, blocks, 2, (0,)).computed_share() == pytest.approx(taken / (9 * points))


def test_one_dimension_of_two_has_code_for_its_ends() -> None:
    """Of both, each tap of one would stand at each of the other. Rows in pairs walk 2 of 3 taps at either end."""
    expression, blocks = layer(7, 64, 32), (2, 7, 32, 3, 3, 64)
    known = PaddedTile(expression, blocks, 2, (0,), 0).known_window
    assert known is not None and known[0] == 4 and PaddedTile(expression, blocks, 2, (0,)).proven_loops == {4}
    assert PaddedTile(expression, blocks, 2, (0,)).computed_share() == pytest.approx(19 / 21 * (3 + 3 + 3 + 2) / 12)


def test_taps_of_few_channels_stand_in_the_code() -> None:
    """A loop over 16 channels at each tap would end as often as it goes on."""
    plan = best(layer(28, 16, 32, window=5), max_units=1, constants=(1,), finite=(1,))
    assert (plan.unroll, plan.axes[4].chunk, plan.axes[5].chunk) == (5, 5, 1)
    assert best(layer(28, 32, 32, window=5), max_units=1, constants=(1,), finite=(1,)).axes[5].chunk == 4


def test_long_reductions_have_steps_that_the_second_cache_holds() -> None:
    """Else 32 MB of the other factor come from the last cache for each 16 of 1024 rows."""
    plan = best(product(1024, 16, 500000), max_units=1)
    step = plan.axes[2].block
    second = SPR.caches[1]
    assert 1024 < step < 500000 and step * 16 * 4 < second.capacity_bytes and step % plan.unroll == 0
    assert plan.inner_order == (0,) and plan.unroll == 4


def test_long_rows_are_fetched_ahead_but_for_a_page() -> None:
    """Tiles below each other: the longer their rows, the less a line of them takes."""
    cost = VectorCost(product(1024, 16, 500000), SPR, 1)
    taken = [
        cost.shaped(TaskShape((16, 16, step), 1, (0,), (0,), staged=(1,))).caches.seconds["global"]
        for step in (500, 5000, 50000)
    ]
    assert taken[0] > 1.5 * taken[1] and taken[1] > 1.1 * taken[2]


def test_rows_that_end_outside_are_tested_in_the_last_tile_alone() -> None:
    """The last two of 6 rows lie outside in one of 171 tiles, whose code tests all six at each point."""
    known = HASWELL.vectors
    shape = TaskShape((6, 16, 512), 1, (0, 1), (0,), staged=(1,))
    cycles = [
        VectorCost(product(rows, 16, 512), HASWELL, 1).kernel_cycles(shape) / (171 * 512) for rows in (171 * 6, 1024)
    ]
    assert cycles[1] - cycles[0] == pytest.approx(6 * known.mask_cycles / 171)


def test_a_row_that_is_packed_costs_more_than_its_lines() -> None:
    """Panels of a line a row: 16 of them pack as many lines as rows of 256 elements do."""
    expression = product(64, 256, 128)
    core = replace(HASWELL, vectors=replace(HASWELL.vectors, pack_row_cycles=20.0))
    dear, cheap = VectorCost(expression, core, 1), VectorCost(expression, HASWELL, 1)
    narrow, wide = (64, 16, 128), (64, 256, 128)
    assert dear.packing(1, narrow, 1) - cheap.packing(1, narrow, 1) == pytest.approx(128 * 20)
    assert dear.packing(1, wide, 1) - cheap.packing(1, wide, 1) == pytest.approx(128 * 20)


@pytest.mark.parametrize(("columns", "masked"), [(42, 1), (48, 0), (33, 1), (32, 0), (15, 1)])
def test_vectors_that_lie_in_the_last_tile_as_a_whole_have_no_mask(columns: int, masked: int) -> None:
    """Of three vectors along 42 columns the third one reaches beyond them."""
    shape = TaskShape((4, -(-columns // 16) * 16, 64), 1, (0,))
    known = replace(SPR.vectors, unaligned_loads=1.0)
    with_masks, without = (
        VectorCost(product(4, columns, 64), replace(SPR, vectors=one), 1).kernel_cycles(shape) / 64
        for one in (known, replace(known, mask_cycles=0.0))
    )
    assert with_masks - without == pytest.approx(masked * known.mask_cycles)


@pytest.mark.parametrize(("columns", "unaligned"), [(64, False), (72, False), (66, True), (65, True)])
def test_vectors_between_multiples_of_what_a_port_loads_cost_more(columns: int, unaligned: bool) -> None:
    """Rows of 72 f32 begin at multiples of 32 bytes, rows of 66 do not; packed tiles always do."""
    known = SPR.vectors
    shape = TaskShape((2, 64, 64), 1, (0, 1), (0,))
    costs = [
        VectorCost(product(4, columns, 64), replace(SPR, vectors=one), 1)
        for one in (known, replace(known, unaligned_loads=1.0))
    ]
    dear, usual = (cost.kernel_cycles(shape) for cost in costs)
    assert (dear > usual) == unaligned
    dear, usual = (cost.kernel_cycles(replace(shape, staged=(1,))) for cost in costs)
    assert dear == usual


def test_elements_for_all_lanes_may_cost_less_than_vectors() -> None:
    """Where they do, one vector of more rows keeps the units as busy as two, and leaves registers for the taps."""
    shape, points = TaskShape((14, 16, 512), 1, (0, 1)), 14 * 512 * (140 // 14) * (16 // 16)
    known = find_device("zen4").vectors
    cycles = [
        VectorCost(product(140, 16, 512), replace(find_device("zen4"), vectors=one), 1).kernel_cycles(shape) / points
        for one in (replace(known, broadcast_loads=1.0), known)
    ]
    assert cycles[1] < cycles[0] and 14 * (cycles[0] - cycles[1]) < 14 * (1 - known.broadcast_loads)


@pytest.mark.parametrize(("depth", "collide"), [(1024, True), (1000, False)])
def test_no_more_rows_than_their_sets_hold_are_read_where_they_lie(depth: int, collide: bool) -> None:
    """16 rows of 4 KB lie in one set of eight lines: each element of them would come from the second cache."""
    cost = VectorCost(product(256, 196, depth), find_device("zen4"), 1)
    few, many = (cost.kernel_cycles(TaskShape((rows, 16, depth), 1, (0, 1))) for rows in (8, 16))
    assert (many > 1.5 * few) == collide


@pytest.mark.parametrize("constants", [(), (1,)])
@pytest.mark.parametrize("extents", [(197, 96, 64), (128, 512, 256), (64, 70, 128)])
def test_bounds_of_atom_programs_hide_no_better_one(extents: tuple[int, int, int], constants: tuple[int, ...]) -> None:
    plain = product(*extents)
    narrow = replace(plain, inputs=tuple(replace(one, element_type="bf16") for one in plain.inputs))
    few, many = (
        construct(narrow, SPR, ConstructOptions(top_k=k, max_units=1, constants=constants, instructions=("amx",)))
        for k in (1, 60)
    )
    assert few[0].instruction == "amx" and len(many) > len(few)
    assert few[0].prediction is not None and many[0].prediction is not None
    assert few[0].prediction.seconds == many[0].prediction.seconds
