# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole plan from a user goes through the same checks as a constructed one."""

from dataclasses import replace

import pytest
from model_expressions import matmul

from roller_mlir.hal import find_device
from roller_mlir.model import ConstructionError, construct
from roller_mlir.model.search.validate_plan import validate_plan
from roller_mlir.plan import AxisPlan, Plan

EXPRESSION = matmul(256, 256, 256)
H200 = find_device("h200")


@pytest.fixture(scope="module")
def plan() -> Plan:
    return construct(EXPRESSION, H200)[0]


def test_a_constructed_plan_is_adopted_as_it_is(plan: Plan) -> None:
    adopted = validate_plan(EXPRESSION, replace(plan, prediction=None), H200)
    assert adopted == plan
    assert adopted.prediction == plan.prediction


def test_a_plan_for_another_device_is_refused(plan: Plan) -> None:
    with pytest.raises(ConstructionError, match="for 'h200', but the device is 'a100-80'"):
        validate_plan(EXPRESSION, plan, find_device("a100"))


def test_too_many_registers(plan: Plan) -> None:
    wide = replace(plan, axes=(AxisPlan(block=256, threads=8), AxisPlan(block=256, threads=8), plan.axes[2]))
    with pytest.raises(ConstructionError, match="registers in each of 64 threads"):
        validate_plan(EXPRESSION, wide, H200)


def test_refusals(plan: Plan) -> None:
    axes = plan.axes
    for changed, message in (
        (replace(plan, axes=axes[:2]), "has a plan for 2 loops and 2 inputs, but its op has 3 and 2"),
        (replace(plan, axes=(replace(axes[0], block=axes[0].block + 1), *axes[1:])), "multiple of threads"),
        (replace(plan, reduction_order=()), "leaves out loop 2"),
        (replace(plan, unit_order=(0,)), "leaves out loop 1"),
        (replace(plan, unit_order=(0, 1, 2)), "each once"),
        (
            replace(plan, axes=(AxisPlan(block=64, threads=64), AxisPlan(block=64, threads=64), axes[2])),
            "threads per block",
        ),
    ):
        with pytest.raises(ConstructionError, match=message):
            validate_plan(EXPRESSION, changed, H200)


def test_too_much_workgroup_memory(plan: Plan) -> None:
    big = replace(plan, axes=(replace(plan.axes[0], block=1024), replace(plan.axes[1], block=1024), plan.axes[2]))
    deep = replace(big, axes=(*big.axes[:2], AxisPlan(block=128)))
    with pytest.raises(ConstructionError, match="B of workgroup memory"):
        validate_plan(EXPRESSION, deep, H200)
