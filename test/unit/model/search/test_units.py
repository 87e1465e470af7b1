# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small operators shrink until units have work; a program may be bounded to a part of the units."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_expressions import CASES, QUICK, conv2d, expressions, matmul

from roller_mlir.hal import find_device
from roller_mlir.model import ConstructOptions, construct, predict
from roller_mlir.model.machine import machine_of
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.search.alignment import device_rules
from roller_mlir.model.search.programs.tiled import TiledSearch
from roller_mlir.model.tile import reuse_score
from roller_mlir.plan import Plan, Prediction, TensorExpression
from roller_mlir.plan.records.codec import from_json, to_json

DEVICES = ("v100", "k80", "h200", "mi300x")
CONV = conv2d(16, 28, 64, 128, 3)


def best(expr: TensorExpression, name: str, **options: object) -> tuple[Plan, Prediction]:
    """Return the first plan and its prediction."""
    made = ConstructOptions(top_k=1, **options)
    plan = construct(expr, find_device(name), made)[0]
    assert plan.prediction is not None
    return plan, plan.prediction


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", DEVICES)
@pytest.mark.parametrize("size", [512, 768, 1024])
def test_small_products_shrink_to_fill_the_units(size: int, name: str) -> None:
    """A tile that is best for a large product gives a small one too few tasks: the small one gets smaller tiles."""
    small, large = matmul(size, size, 1024), matmul(8192, 8192, 1024)
    plan, prediction = best(small, name, split=False)
    tile = best(large, name, split=False)[0]
    own, wide = (one.axes[0].block * one.axes[1].block for one in (plan, tile))
    units = find_device(name).units
    tasks = -(-size // tile.axes[0].block) * -(-size // tile.axes[1].block)
    if tasks < units:
        assert own < wide
        assert prediction.tasks > tasks
        assert prediction.tasks >= 0.75 * units
        forced = predict(small, replace(tile, unit_order=plan.unit_order), find_device(name))
        assert prediction.seconds < forced.seconds, "shrinking is what pays"


def test_shrinking_takes_the_axis_of_smallest_reuse_score() -> None:
    """Each shrunk program halves one axis of a found one: the one, or next to it, that costs least traffic a byte."""
    expr, device = matmul(512, 256, 1024), find_device("v100")
    facts = ProblemContext(expr, machine_of(device))
    search = TiledSearch(facts, device_rules(device, 0.5, facts.atom))
    search.programs()
    assert search.shrunk

    def cost(blocks: tuple[int, ...]) -> tuple[int, int]:
        moved = sum(a.traffic(blocks) for a in facts.inputs)
        counts = 1
        for extent, block in zip(facts.bounds, blocks, strict=True):
            counts *= -(-extent // block)
        return moved * counts, sum(a.tile(blocks)[0] * a.element_bytes for a in facts.inputs)

    for (_, small), ((_, blocks), axis, score) in search.shrunk.items():
        assert small == (*blocks[:axis], blocks[axis] // 2, *blocks[axis + 1 :])
        (moved, held), (more, less) = cost(blocks), cost(small)
        assert score == reuse_score(more - moved, held - less)
        tasks = -(-512 // blocks[0]) * -(-256 // blocks[1])
        assert tasks < 2 * device.units, "only programs with too few tasks shrink"


def test_large_products_do_not_shrink() -> None:
    for name in DEVICES:
        device, expr = find_device(name), matmul(16384, 16384, 256)
        facts = ProblemContext(expr, machine_of(device))
        search = TiledSearch(facts, device_rules(device, 0.5, facts.atom))
        search.programs()
        assert not search.shrunk


OPERATORS = {"matmul": matmul(1024, 1024, 1024), "conv": CONV, "M2": matmul(128, 1000, 2048)}
OPERATORS |= {name: CASES[name] for name in ("row_sum", "transpose", "matrix_vector")}


@pytest.mark.full(every=6)
@pytest.mark.parametrize("name", ["v100", "h200", "mi300x"])
@pytest.mark.parametrize("operator", list(OPERATORS))
def test_more_units_take_no_longer(operator: str, name: str) -> None:
    """Within 5 %: what is constructed for more units is chosen among other programs."""
    expr, units = OPERATORS[operator], find_device(name).units
    seconds: list[float] = []
    for bound in (1, 2, 3, units // 8, units // 2, units - 1, units):
        plan, prediction = best(expr, name, max_units=bound)
        assert plan.max_units == bound
        assert prediction == predict(expr, plan, find_device(name))
        assert from_json(Plan, to_json(plan)) == plan
        seconds.append(prediction.seconds)
    for fewer, more in pairwise(seconds):
        assert more <= 1.05 * fewer
    free, unbounded = best(expr, name)
    assert free.max_units is None
    assert seconds[-1] == pytest.approx(unbounded.seconds)


def test_all_units_and_more_are_no_bound() -> None:
    for name in ("v100", "mi300x"):
        device = find_device(name)
        free = construct(OPERATORS["matmul"], device)
        for bound in (device.units, 10 * device.units):
            bounded = construct(OPERATORS["matmul"], device, ConstructOptions(max_units=bound))
            assert [replace(plan, max_units=None) for plan in bounded] == free
            assert [plan.prediction for plan in bounded] == [plan.prediction for plan in free]


@pytest.mark.parametrize("name", ["v100", "h200", "a100"])
def test_one_unit_computes_units_times_longer(name: str) -> None:
    device, expr = find_device(name), matmul(4096, 4096, 4096)
    launch = device.launch_latency_s or 0.0
    one, every = (best(expr, name, max_units=bound)[1] for bound in (1, None))
    ratio = (one.seconds - launch) / (every.seconds - launch)
    # All units have rounds of tasks that are not full; one unit has none to speak of.
    assert 0.75 * device.units <= ratio <= 1.1 * device.units


def test_tasks_are_spread_over_the_permitted_units_only() -> None:
    """Waves count rounds over the units that a plan may use: the same plan for a quarter of them has four times as
    many."""
    device = find_device("h200")
    plan, prediction = best(matmul(4096, 4096, 1024), "h200")
    bounded = predict(matmul(4096, 4096, 1024), replace(plan, max_units=device.units // 4), device)
    assert bounded.waves == pytest.approx(4 * prediction.waves)
    assert bounded.global_load_bytes == prediction.global_load_bytes
    assert bounded.seconds > 3 * prediction.seconds


@pytest.mark.parametrize("name", ["v100", "h200", "mi300x"])
def test_a_part_of_the_units_draws_its_share_of_the_caches_bandwidth(name: str) -> None:
    """One unit cannot drain the device's memory: it gets its share of the last cache's bandwidth at most."""
    device, expr = find_device(name), CASES["row_sum"]
    machine = machine_of(device)
    for bound in (1, 4, device.units // 2):
        part = machine_of(device, bound)
        assert part.units == bound
        assert part.cache_bytes_per_s == pytest.approx(machine.cache_bytes_per_s * bound / device.units)
        assert part.global_bytes_per_s == min(machine.global_bytes_per_s, part.cache_bytes_per_s)
        prediction = best(expr, name, max_units=bound)[1]
        assert prediction.seconds >= expr.inputs[0].size_bytes / part.cache_bytes_per_s


def test_a_bounded_plan_divides_for_the_units_it_has() -> None:
    """128x1000 results fill 4 units: a reduction that is divided for 132 units is not for 4."""
    assert best(OPERATORS["M2"], "h200")[0].split is not None
    assert best(OPERATORS["M2"], "h200", max_units=4)[0].split is None


@QUICK
@given(expressions(), st.sampled_from(DEVICES), st.integers(1, 400))
def test_any_expression_on_any_number_of_units(expr: TensorExpression, name: str, bound: int) -> None:
    device = find_device(name)
    for plan in construct(expr, device, ConstructOptions(top_k=2, max_units=bound)):
        assert plan.max_units == bound
        assert plan.prediction is not None
        assert plan.prediction == predict(expr, plan, device)
        assert plan.prediction.waves == pytest.approx(
            plan.prediction.tasks / (min(bound, device.units) * plan.prediction.tasks_per_unit)
        )


def test_options_refuse_no_units() -> None:
    for bound in (0, -1):
        with pytest.raises(ValueError, match="max_units must be at least 1"):
            ConstructOptions(max_units=bound)
