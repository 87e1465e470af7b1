# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adopting a whole plan that a user wrote: it goes through the same checks as a constructed one."""

from collections.abc import Sequence
from dataclasses import replace

from roller_mlir.hal import Device
from roller_mlir.mapping.checks.plan import plan_problem
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.performance import context_of, predict
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.machine import machine_of
from roller_mlir.model.search.problems import candidate_problem
from roller_mlir.model.vectors.construct import vector_plan_problem
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.plan import CONSTANT
from roller_mlir.plan.rewrite.split import split_problem


def validate_plan(expression: TensorExpression, plan: Plan, device: Device, disabled_rules: Sequence[str] = ()) -> Plan:
    """Return a user's plan with its prediction for a device.

    Args:
        expression: The operator.
        plan: The whole decision.
        device: The device that it is for.
        disabled_rules: Alignment rules that the plan need not keep.

    Raises:
        ConstructionError: The plan does not fit the operator or the device.
    """
    if plan.device != device.name:
        raise ConstructionError(f"has a plan for '{plan.device}', but the device is '{device.name}'")
    problem = plan_problem(expression, plan) or (plan.split and split_problem(expression, plan.split))
    if problem:
        raise ConstructionError(problem)
    packed = next((number for number, one in enumerate(plan.operands) if one.layer == CONSTANT), None)
    if packed is not None and device.vector_bytes is None:
        raise ConstructionError(f"has a plan whose operand {packed} is packed as a constant, which is for CPUs alone")
    if device.vector_bytes is not None:
        problem = vector_plan_problem(plan, device)
        if problem:
            raise ConstructionError(problem)
        return replace(plan, tasks_per_unit=1, prediction=predict(expression, plan, device))
    context = context_of(expression, machine_of(device), plan)
    problem = candidate_problem(context, Candidate.of_plan(plan), plan.stages, disabled_rules)
    if problem:
        raise ConstructionError(problem)
    prediction = predict(expression, plan, device)
    if prediction.shared_bytes > device.max_workgroup_bytes_per_block:
        raise ConstructionError(
            f"has a plan that needs {prediction.shared_bytes} B of workgroup memory, '{device.name}' has "
            f"{device.max_workgroup_bytes_per_block} B; lower its blocks or stages"
        )
    if prediction.tasks_per_unit < 1:
        raise ConstructionError(
            f"has a plan that needs {prediction.registers} registers in each of {plan.threads} threads: no task "
            f"fits on a unit of '{device.name}'; lower the points per thread"
        )
    return replace(plan, tasks_per_unit=plan.tasks_per_unit or prediction.tasks_per_unit, prediction=prediction)
