# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Divided reductions: what the two stages compute, when they may be uneven, and when they pay."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from model_expressions import CASES, QUICK, conv2d, expression, expressions, matmul, row_sum
from random_expressions import evaluate, random_expressions

from roller_mlir.hal import find_device
from roller_mlir.model import ConstructOptions, construct, predict
from roller_mlir.model.cost.task.join import hand_over_s
from roller_mlir.model.machine import machine_of
from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression
from roller_mlir.plan.expression import NEUTRAL
from roller_mlir.plan.rewrite.split import divisible_loops, first_expression, first_plan, points_expression, whole_plan
from roller_mlir.plan.rewrite.uneven import uneven_problem

DEVICES = ("v100", "k80", "mi50", "a100", "h100", "h200", "mi300x")


def tensors(expr: TensorExpression, seed: int, values: tuple[int, ...] = (-2, -1, 0, 1, 2)) -> list[np.ndarray]:
    """Return inputs of small integers, with which sums and products are exact."""
    source = np.random.default_rng(seed)
    return [source.choice(np.array(values, float), access.static_shape) for access in expr.inputs]


def in_two_stages(
    expr: TensorExpression, loop: int, extent: int, inputs: list[np.ndarray], old: np.ndarray
) -> np.ndarray:
    """Compute an expression by its first stage and its second."""
    parts = -(-expr.bounds[loop] // extent)
    first, join = first_expression(expr, loop, parts, extent), points_expression(expr, parts)
    assert not first.accumulates
    partial = evaluate(first, inputs)
    assert partial.shape == (parts, *expr.output.static_shape)
    result = evaluate(join, [partial.reshape(parts, -1)], old.reshape(-1))
    return result.reshape(expr.output.static_shape)


@QUICK
@given(random_expressions(loops=4, most_points=1000), st.data(), st.integers(0, 99))
def test_two_stages_compute_what_one_does(expr: TensorExpression, data: st.DataObject, seed: int) -> None:
    """Even parts of any divisible loop; uneven ones where nothing is said against them."""
    loops = divisible_loops(expr)
    assume(loops)
    loop = data.draw(st.sampled_from(loops))
    whole = expr.bounds[loop]
    extent = data.draw(st.integers(1, whole))
    parts = -(-whole // extent)
    inputs = tensors(expr, seed)
    old = np.random.default_rng(seed + 1).integers(-3, 4, expr.output.static_shape).astype(float)
    if whole % extent == 0 or not uneven_problem(expr, loop):
        np.testing.assert_array_equal(in_two_stages(expr, loop, extent, inputs, old), evaluate(expr, inputs, old))
    assert (parts - 1) * extent < whole <= parts * extent


def reduction(combiner: str, pad: float | None, *, accumulates: bool = False) -> TensorExpression:
    """Return y[i] = combine(y[i], x[i, j])."""
    return replace(row_sum(5, 14), combiner=combiner, pad_values=(pad,), accumulates=accumulates)


@pytest.mark.parametrize("combiner", ["arith.addf", "arith.mulf", "arith.maximumf", "arith.minimumf"])
@pytest.mark.parametrize("extent", [1, 2, 3, 4, 5, 7, 9, 13])
@pytest.mark.parametrize("accumulates", [False, True])
def test_every_combiner_joins_even_and_uneven_parts(combiner: str, extent: int, accumulates: bool) -> None:
    expr = reduction(combiner, NEUTRAL[combiner], accumulates=accumulates)
    assert uneven_problem(expr, 1) == ""
    inputs = tensors(expr, extent, (-2, -1, 1, 2))
    old = np.array([1.0, -1, 2, -2, 3])
    np.testing.assert_array_equal(in_two_stages(expr, 1, extent, inputs, old), evaluate(expr, inputs, old))


@pytest.mark.parametrize(
    ("combiner", "neutral"),
    [("arith.addf", 0.0), ("arith.mulf", 1.0), ("arith.maximumf", -inf), ("arith.minimumf", inf)],
)
def test_the_neutral_element_leaves_the_other(combiner: str, neutral: float) -> None:
    assert NEUTRAL[combiner] == neutral
    expr = reduction(combiner, neutral)
    wide = replace(expr, loops=(expr.loops[0], Loop(20, True)))
    inputs = tensors(expr, 0)
    np.testing.assert_array_equal(evaluate(wide, inputs), evaluate(expr, inputs))


def test_uneven_parts_that_would_be_wrong_are_refused() -> None:
    """Each refusal by an expression for which the two stages are in fact wrong."""
    k = LinearIndex((0, 1))
    wider = Access("x", (5, 16), "f32", (LinearIndex((1, 0)), k))
    behind = replace(row_sum(5, 14), inputs=(wider,))
    assert "elements behind the loop's end" in uneven_problem(behind, 1)
    inputs = [np.ones((5, 16))]
    assert not np.array_equal(in_two_stages(behind, 1, 5, inputs, np.zeros(5)), evaluate(behind, inputs))

    constant = replace(row_sum(5, 14), inputs=(Access("s", (5,), "f32", (LinearIndex((1, 0)),)),))
    assert "does not depend on the loop" in uneven_problem(constant, 1)
    inputs = [np.ones(5)]
    assert not np.array_equal(in_two_stages(constant, 1, 5, inputs, np.zeros(5)), evaluate(constant, inputs))

    unknown = replace(row_sum(5, 14), pad_values=(None,))
    assert "no value outside" in uneven_problem(unknown, 1)

    # A sum over rows that were padded by fives: behind the padding, fives are no zeros.
    x = Access("x", (5, 12), "f32", (LinearIndex((1, 0)), LinearIndex((0, 1), -1)))
    fives = replace(row_sum(5, 14), inputs=(x,), pad_values=(5.0,))
    assert "no value outside" in uneven_problem(fives, 1)
    inputs = [np.ones((5, 12))]
    assert not np.array_equal(in_two_stages(fives, 1, 5, inputs, np.zeros(5)), evaluate(fives, inputs))
    np.testing.assert_array_equal(in_two_stages(fives, 1, 7, inputs, np.zeros(5)), np.full(5, 22.0))
    padded = conv2d(1, 4, 3, 2, 3)
    assert 6 in divisible_loops(padded)
    assert uneven_problem(padded, 6) == ""


def test_parts_cover_the_loop_and_none_is_empty() -> None:
    expr = matmul(4, 4, 10)
    for parts, extent in ((2, 4), (4, 4), (3, 3), (6, 2), (1, 9)):
        with pytest.raises(ValueError, match="must cover a loop of 10"):
            first_expression(expr, 2, parts, extent)
    assert first_expression(expr, 2, 3, 4).loops == (Loop(3), Loop(4), Loop(4), Loop(4, True))


def test_windows_are_not_divided() -> None:
    assert divisible_loops(conv2d(1, 8, 16, 4, 3)) == (6,)
    assert divisible_loops(matmul(8, 8, 8)) == (2,)
    assert divisible_loops(CASES["element_wise"]) == ()
    assert divisible_loops(replace(matmul(8, 8, 8), combiner="arith.xori")) == ()
    strided = expression([8], [9], [("x", (8, 9), (0, 1))], ("y", (16,), ({0: 2},)), product=False)
    assert divisible_loops(strided) == (), "an output with elements that no point writes has no second stage"


M = {"M1": matmul(128, 1000, 4032), "M2": matmul(128, 1000, 2048)}


def best(expr: TensorExpression, name: str, **options: object) -> float:
    """Return the predicted seconds of the first plan."""
    made = ConstructOptions(top_k=1, **options)
    prediction = construct(expr, find_device(name), made)[0].prediction
    assert prediction is not None
    return prediction.seconds


@pytest.mark.full(every=10)
@pytest.mark.parametrize("name", ["v100", "a100", "h100", "h200", "mi300x"])
@pytest.mark.parametrize("operator", list(M))
def test_splitting_pays_for_small_products(operator: str, name: str) -> None:
    """128x1000 results of deep reductions: at least 1.3 times over the best program that is not divided."""
    expr = M[operator]
    assert best(expr, name, split=False) >= 1.3 * best(expr, name)
    plan = construct(expr, find_device(name), ConstructOptions(top_k=1))[0]
    assert plan.split is not None
    assert plan.split.loop == 2


@pytest.mark.full(each=["operator", "name"])
@pytest.mark.parametrize("name", DEVICES)
@pytest.mark.parametrize("operator", [*M, "deep", "full_sum"])
def test_splitting_never_makes_it_worse(operator: str, name: str) -> None:
    expr = M.get(operator) or CASES[operator]
    assert best(expr, name) <= best(expr, name, split=False) * 1.0001


@pytest.mark.full(every=3)
@pytest.mark.parametrize("name", ["v100", "h200", "mi300x"])
def test_without_splitting_no_plan_is_divided(name: str) -> None:
    divided = 0
    for expr in (*M.values(), CASES["deep"], CASES["full_sum"], CASES["row_sum_odd"]):
        whole = construct(expr, find_device(name), ConstructOptions(split=False))
        assert all(plan.split is None and plan.part is None for plan in whole)
        divided += sum(plan.split is not None for plan in construct(expr, find_device(name)))
    assert divided


def test_large_operators_are_not_divided() -> None:
    for name in ("v100", "h200", "mi300x"):
        plans = construct(matmul(8192, 8192, 512), find_device(name))
        assert all(plan.split is None for plan in plans)
        assert construct(matmul(4096, 4096, 1024), find_device(name))[0].split is None


@pytest.mark.full(every=12)
@pytest.mark.parametrize("name", ["v100", "h200", "mi300x"])
@pytest.mark.parametrize("operator", [*M, "deep", "full_sum"])
def test_both_stages_are_predicted(operator: str, name: str) -> None:
    expr, device = M.get(operator) or CASES[operator], find_device(name)
    for plan in construct(expr, device):
        if plan.split is None:
            continue
        parts, extent, loop = plan.split.parts.static, plan.split.extent.static, plan.split.loop
        assert (parts - 1) * extent < expr.bounds[loop] <= parts * extent
        first = first_plan(plan)
        assert replace(whole_plan(first), split=plan.split) == plan
        one = predict(first_expression(expr, loop, parts, extent), first, device)
        two = plan.split.join.prediction
        assert two is not None and plan.prediction is not None
        spared = two.launch_s - hand_over_s(machine_of(device)) if plan.split.joined else 0.0
        assert plan.prediction.seconds == pytest.approx(one.seconds + two.seconds - spared)
        assert plan.prediction.seconds_by_layer["join"] == pytest.approx(two.seconds - spared)
        assert two.seconds > spared >= 0
        assert plan.prediction.global_load_bytes == one.global_load_bytes + two.global_load_bytes
        assert two.global_store_bytes == expr.output.size_bytes
        assert one.global_store_bytes == parts * expr.output.size_bytes
        assert two.global_load_bytes == parts * expr.output.size_bytes
        assert one.tasks == plan.prediction.tasks
        assert one.tasks % parts == 0


@pytest.mark.full
@QUICK
@given(expressions(largest=3000, windows=True), st.sampled_from(["v100", "h200", "mi300x"]))
def test_uneven_parts_only_where_they_are_neutral(expr: TensorExpression, name: str) -> None:
    for plan in construct(expr, find_device(name), ConstructOptions(top_k=20)):
        if plan.split is not None:
            assert plan.split.loop in divisible_loops(expr)
            if expr.bounds[plan.split.loop] % plan.split.extent.static:
                assert uneven_problem(expr, plan.split.loop) == ""


def test_an_uneven_division_without_a_neutral_value_is_not_made() -> None:
    """A prime reduction: with values that contribute nothing there are divisions, without there are none."""
    prime = matmul(64, 64, 100003)
    device = find_device("h200")
    assert any(plan.split is not None for plan in construct(prime, device))
    masked = replace(prime, pad_values=(None, None))
    assert all(plan.split is None for plan in construct(masked, device, ConstructOptions(top_k=40)))
