# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The 119 operators of the ROLLER paper: each has legal programs on each of the devices that results are shown for."""

from dataclasses import replace
from functools import cache
from math import prod

import pytest

from roller_mlir.evaluation.suites import Operator, find_suite
from roller_mlir.evaluation.suites.programs.expression import read_operator
from roller_mlir.evaluation.suites.stages.construct import construct_operator
from roller_mlir.hal import find_device
from roller_mlir.mapping.layout.layout import steps_of
from roller_mlir.mapping.resources import plan_resources
from roller_mlir.mapping.thread_map import ThreadMap
from roller_mlir.model import ConstructOptions, construct, predict
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.estimate import estimate
from roller_mlir.model.cost.performance import context_of
from roller_mlir.model.machine import machine_of
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.plan import TENSOR, WORKGROUP
from roller_mlir.plan.rewrite.split import first_expression, first_plan, join_expression
from roller_mlir.support.bindings import make_context

DEVICES = ("v100", "k80", "mi50", "a100", "h100", "h200", "mi300x")
OPERATORS = {operator.id: operator for operator in find_suite("roller119")}
TURNS = {name: (DEVICES[i % 7], DEVICES[(i + 3) % 7]) for i, name in enumerate(OPERATORS)}
"""Each operator on two devices, so that every class and all devices take their turns."""


@cache
def expression_of(name: str) -> TensorExpression:
    return read_operator(OPERATORS[name], make_context())


def check(expr: TensorExpression, plan: Plan, name: str) -> None:
    """Check that a plan is one that the device can run and that covers the operator."""
    device, split = find_device(name), plan.split
    if split is not None:
        assert expr.loops[split.loop].extent.tiles(split.extent.static) == split.parts
        check(first_expression(expr, split.loop, split.parts, split.extent), first_plan(plan), name)
        join = split.join
        check(join_expression(expr, split.parts, joined=split.joined), replace(join, prediction=None), name)
        assert plan.prediction == predict(expr, plan, device)
        return
    found = predict(expr, plan, device)
    assert plan.prediction in (None, found)
    assert (
        ThreadMap(plan.axes, plan.thread_order, plan.lane_order).threads == plan.threads <= device.max_threads_per_block
    )
    assert plan.threads == 1 or plan.threads % device.subgroup_size == 0
    assert len(plan.axes) == len(expr.loops) and len(plan.operands) == len(expr.inputs)
    counts = [steps_of(loop, axis) for loop, axis in zip(expr.loops, plan.axes, strict=True)]
    assert sorted(plan.unit_order) == [i for i in expr.parallel() if counts[i] > 1]
    assert found.tasks == prod(counts[i] for i in expr.parallel()) <= device.max_grid_blocks
    assert found.registers <= device.max_registers_per_thread
    assert found.registers * plan.threads <= device.registers_per_unit
    assert found.shared_bytes <= device.max_workgroup_bytes_per_block
    assert found.tasks_per_unit >= 1
    assert found.seconds > 0
    check_estimate(expr, plan, name)
    for loop in expr.reductions():
        windows = any(i.coefficients[loop] and len(i.terms()) > 1 for a in expr.inputs for i in a.indices)
        assert not windows or counts[loop] * plan.axes[loop].block == expr.bounds[loop]


def check_estimate(expr: TensorExpression, plan: Plan, name: str) -> None:
    """Check that what a candidate is taken to need before it has layouts is what its plan has."""
    device = find_device(name)
    context = context_of(expr, machine_of(device), plan)
    candidate = Candidate.of_plan(plan)
    for access, operand in zip(context.inputs, plan.operands, strict=True):
        staged = operand.layer == WORKGROUP
        blocks, chunks = candidate.blocks, candidate.chunks
        width = access.copy_vector(blocks) if staged else access.direct_vector(blocks, chunks)
        if operand.copy != TENSOR:  # which copies whole boxes
            assert operand.vector == width if plan.atom is None else operand.vector <= width
    if plan.atom is None:
        found = estimate(context, candidate, stages=plan.stages)
        assert found is not None and found.registers == plan_resources(expr, plan, device).registers


def test_the_suite_is_whole() -> None:
    assert len(OPERATORS) == 119
    assert sum(operator.duplicate_of is not None for operator in OPERATORS.values()) == 11
    assert {name for pair in TURNS.values() for name in pair} == set(DEVICES)
    for name in DEVICES:
        kinds = {OPERATORS[key].kind for key, pair in TURNS.items() if name in pair}
        assert kinds == {operator.kind for operator in OPERATORS.values()}, "every class meets every device"


@pytest.mark.full(every=36)
@pytest.mark.parametrize("name", list(OPERATORS))
def test_every_operator_has_legal_programs(name: str) -> None:
    expr = expression_of(name)
    for device in TURNS[name]:
        plans = construct(expr, find_device(device))
        assert 1 <= len(plans) <= 10
        assert len(plans) == 10 or expr.points < 1 << 16, "K, where the shape allows it"
        check(expr, plans[0], device)
        check(expr, plans[-1], device)
        seconds = [plan.prediction.seconds for plan in plans if plan.prediction]
        assert len(seconds) == len(plans) and seconds == sorted(seconds)


def test_the_stage_says_the_same() -> None:
    """The command's stage goes from the text of the operator through the same construction."""
    context, by_kind = make_context(), dict[str, Operator]()
    for operator in OPERATORS.values():
        by_kind.setdefault(operator.kind, operator)
    for operator in by_kind.values():
        record = construct_operator(operator, find_device("h200"), context, ConstructOptions(top_k=3))
        plans = construct(expression_of(operator.id), find_device("h200"), ConstructOptions(top_k=3))
        assert plans[0].prediction is not None
        assert (record["id"], record["class"], record["programs"]) == (operator.id, operator.kind, len(plans))
        assert record["predicted_s"] == plans[0].prediction.seconds
        assert record["saturated"] == plans[0].prediction.saturated
        assert record["construct_s"] > 0
        parallel = expression_of(operator.id).parallel()
        assert record["tiles"]["block"] == [plans[0].axes[loop].block for loop in parallel]
