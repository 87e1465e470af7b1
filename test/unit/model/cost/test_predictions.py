# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predictions as records: which layer saturates, what a plan gives again, and that JSON loses nothing."""

import json
import math
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_expressions import CASES, QUICK, conv2d, matmul, row_sum, typed
from random_expressions import random_expressions
from tile_definitions import traffic_bytes

from roller_mlir.hal import device_names, find_device
from roller_mlir.model import ConstructOptions, construct, predict
from roller_mlir.model.cost.task.matrix import SYNCHRONOUS_STAGES
from roller_mlir.model.cost.timing import total_seconds
from roller_mlir.model.machine import machine_of
from roller_mlir.plan import Plan, Prediction, SplitKPartial, TensorExpression
from roller_mlir.plan.plan import TMA128, XOR
from roller_mlir.plan.records.codec import CodecError, from_json, to_json
from roller_mlir.plan.rewrite.split import first_plan

THREADED = [name for name in device_names() if find_device(name).vector_bytes is None]
"""Devices whose blocks have threads; those of vectors have a model of their own."""


def check_prediction(expr: TensorExpression, plan: Plan, name: str) -> Prediction:
    """Check what holds of every prediction, and return it."""
    found = plan.prediction
    assert found is not None
    layers = found.seconds_by_layer
    for value in (found.seconds, found.waves, found.occupancy, *layers.values()):
        assert math.isfinite(value) and value >= 0
    assert found.seconds > 0 and found.waves > 0
    limits = {key: value for key, value in layers.items() if key not in ("launch", "join")}
    assert found.saturated in limits
    assert limits[found.saturated] == max(limits.values())
    assert found.seconds >= max(limits.values())
    assert found.seconds <= sum(layers.values()) * (1 + 1e-9)
    if plan.split is None:
        assert "join" not in layers
        ahead = plan.atom is not None and plan.stages > SYNCHRONOUS_STAGES  # copies go on by themselves
        assert found.seconds == pytest.approx(total_seconds(layers, ahead=ahead))
    for field in fields(found):
        value = getattr(found, field.name)
        assert not isinstance(value, int) or value >= 0, field.name
    assert found.tasks >= 1 and found.tasks_per_unit >= 1 and found.threads == plan.threads
    assert found.global_store_bytes >= expr.output.size_bytes
    assert 0 < found.occupancy <= 1
    assert predict(expr, plan, find_device(name)) == found
    return found


def check_round_trip(plan: Plan) -> None:
    """Check that a plan and its prediction survive both ways through JSON."""
    for again in (
        from_json(Plan, json.loads(json.dumps(to_json(plan)))),
        from_json(Plan, json.loads(json.dumps(to_json(plan)))),
    ):
        assert again == plan
        assert again.prediction == plan.prediction
        assert again.split == plan.split
        if again.split is not None and plan.split is not None:
            assert again.split.join.prediction == plan.split.join.prediction


@QUICK
@given(random_expressions(), st.sampled_from(THREADED), st.sampled_from([1, 3]))
def test_any_prediction_is_finite_and_given_again(expr: TensorExpression, name: str, k: int) -> None:
    for plan in construct(expr, find_device(name), ConstructOptions(top_k=k)):
        check_prediction(expr, plan, name)
        check_round_trip(plan)


@pytest.mark.full(every=18)
@pytest.mark.parametrize("name", THREADED)
def test_the_scope_on_every_device(name: str) -> None:
    for expr in (
        matmul(300, 200, 100),
        conv2d(2, 14, 16, 32, 3),
        row_sum(100, 1000),
        CASES["transpose"],
        CASES["bias"],
    ):
        for plan in construct(expr, find_device(name), ConstructOptions(top_k=2)):
            check_prediction(expr, plan, name)


@pytest.mark.full(each=["name", "operand", "options"])
@pytest.mark.parametrize("options", [{}, {"max_units": 5}, {"stages": 1}, {"split": False}], ids=str)
@pytest.mark.parametrize("operand", ["f32", "f16"])
@pytest.mark.parametrize("name", ["v100", "a100", "h200", "mi300x"])
def test_predictions_of_every_kind_of_plan(name: str, operand: str, options: dict[str, int]) -> None:
    """Divided, bounded, unstaged and with matrix instructions; in both orders of the raster."""
    expr = typed(matmul(128, 1000, 2048), operand, "f32")
    made = ConstructOptions(top_k=4, **options)
    for plan in construct(expr, find_device(name), made):
        check_prediction(expr, plan, name)
        check_round_trip(plan)
        assert plan.stages == options.get("stages", plan.stages)


def test_kinds_of_plans_occur() -> None:
    """What the round trips above are about."""
    half = typed(matmul(128, 1000, 4096), "f16", "f32")
    plans = [plan for name in ("v100", "a100", "h200") for plan in construct(half, find_device(name))]
    assert any(plan.split is not None for plan in plans)
    swizzles = {operand.swizzle for plan in plans for operand in plan.operands}
    assert {XOR, TMA128} <= swizzles
    assert {plan.instruction for plan in plans} >= {"wmma", "mma", "wgmma"}


def test_the_plan_of_a_first_stage_survives_json() -> None:
    """What code is generated from: a plan whose loop 0 numbers the parts."""
    plan = construct(matmul(128, 1000, 4096), find_device("h200"), ConstructOptions(top_k=1))[0]
    assert plan.split is not None
    part = SplitKPartial(loop=plan.split.loop, parts=plan.split.parts, extent=plan.split.extent)
    first = replace(first_plan(plan), part=part)
    check_round_trip(first)
    assert from_json(Plan, to_json(first)).part == part
    assert first != replace(first, part=None)


def test_a_wrong_plan_record_is_refused() -> None:
    plan = construct(matmul(64, 64, 64), find_device("h200"), ConstructOptions(top_k=1))[0]
    data: Any = to_json(plan)
    for key in ("axes", "unit_order", "operands", "device"):
        with pytest.raises(CodecError, match=f"^{key}: missing"):
            from_json(Plan, {name: value for name, value in data.items() if name != key})
    for changed, message in (
        ({"colour": "red"}, "colour: expected one of the keys"),
        ({"split": {"loop": 2, "join": data}}, "split.parts: missing"),
        ({"stages": 0}, "stages: expected an integer of at least 1, but got 0"),
        ({"axes": [{"block": 1 << 31}]}, r"axes\[0\].block: expected an integer of at most 1048576"),
        ({"operands": [{"layer": "l1", "order": []}]}, r"operands\[0\].layer: expected 'workgroup' or 'register'"),
        ({"operands": [{"layer": "register", "order": [], "vector": 3}]}, "vector: expected a power of two, but got 3"),
        ({"operands": [{"layer": "register", "order": [], "vector": 256}]}, "vector: expected an integer in 1 to 128"),
    ):
        with pytest.raises(CodecError, match=message):
            from_json(Plan, {**data, **changed})


@pytest.mark.parametrize(
    ("expr", "name", "saturated"),
    [
        (row_sum(8192, 8192), "h200", "global"),
        (row_sum(8192, 8192), "v100", "global"),
        (matmul(8192, 8192, 1024), "h200", "compute"),
        (matmul(16, 16, 16), "h200", "latency"),
    ],
)
def test_who_saturates(expr: TensorExpression, name: str, saturated: str) -> None:
    """A stream is limited by global memory, a large product by arithmetic, a tiny one by latency."""
    plan = construct(expr, find_device(name), ConstructOptions(top_k=1, split=False))[0]
    assert check_prediction(expr, plan, name).saturated == saturated


@pytest.mark.full(each=["operator", "name"])
@pytest.mark.parametrize("name", ["v100", "h200", "mi300x"])
@pytest.mark.parametrize("operator", ["1000x1000x1020", "conv", "transposed_a"])
def test_the_last_cache_serves_what_the_tiles_of_a_plan_move(operator: str, name: str) -> None:
    """Q(T) of the plan's tiles is a lower bound of what passes the last cache, step by step."""
    expr, machine = CASES[operator], machine_of(find_device(name))
    for plan in construct(expr, find_device(name), ConstructOptions(split=False)):
        found = check_prediction(expr, plan, name)
        moved = traffic_bytes(expr, [axis.block for axis in plan.axes], machine.sector_bytes)
        assert found.seconds_by_layer["l2"] >= moved / machine.cache_bytes_per_s


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", ["v100", "k80", "h200", "mi300x", "mi50"])
def test_a_bound_of_each_layer_is_kept(name: str) -> None:
    """No prediction is faster than the arithmetic at its peak, or than the unique bytes at the bandwidth."""
    device = find_device(name)
    for key in ("256x256x256", "conv", "row_sum", "element_wise", "deep"):
        expr = CASES[key]
        plan = construct(expr, device, ConstructOptions(top_k=1))[0]
        found = check_prediction(expr, plan, name)
        peak = max(
            device.peak_flops_per_s(one)
            for one in device.instructions
            if (one.operand_type, one.result_type) == ("f32", "f32")
        )
        assert found.seconds >= expr.flops / peak
        unique = sum(access.size_bytes for access in expr.inputs) + expr.output.size_bytes
        assert found.seconds >= unique / machine_of(device).global_bytes_per_s


@QUICK
@given(random_expressions(loops=4), st.sampled_from(["v100", "h200"]), st.sampled_from(["mi300x", "k80", "a100"]))
def test_a_plan_is_predicted_for_any_device(expr: TensorExpression, own: str, other: str) -> None:
    plan = construct(expr, find_device(own), ConstructOptions(top_k=1))[0]
    found = predict(expr, plan, find_device(other))
    assert math.isfinite(found.seconds) and found.seconds > 0
    assert found.saturated in found.seconds_by_layer
