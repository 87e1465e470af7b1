# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adopting a whole plan that a user wrote: it goes through the same checks as a constructed one."""

from dataclasses import replace

from roller_mlir.hal import Device
from roller_mlir.mapping.thread_map import ThreadMap
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.facts import Facts
from roller_mlir.model.forced import program_problem
from roller_mlir.model.machine import machine_of
from roller_mlir.model.performance import predict_with
from roller_mlir.model.program import Program
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.plan import WORKGROUP


def adopt(expression: TensorExpression, plan: Plan, device: Device) -> Plan:
    """Return a user's plan with its prediction for a device.

    Args:
        expression: The operator.
        plan: The whole decision.
        device: The device that it is for.

    Raises:
        ConstructionError: The plan does not fit the operator or the device.
    """
    loops, inputs = len(expression.loops), len(expression.inputs)
    if len(plan.axes) != loops or len(plan.operands) != inputs:
        raise ConstructionError(
            f"has {loops} loops and {inputs} inputs, but the plan is for {len(plan.axes)} loops and "
            f"{len(plan.operands)} inputs"
        )
    try:
        ThreadMap(plan.axes, plan.thread_order)
    except ValueError as error:
        raise ConstructionError(f"cannot take the plan: {error}") from error
    for order, wanted in ((plan.unit_order, expression.parallel()), (plan.reduction_order, expression.reductions())):
        if not set(order) <= set(wanted) or len(set(order)) != len(order):
            raise ConstructionError(
                f"cannot take the plan: loops {list(order)} must be some of {list(wanted)}, each once"
            )
    facts = Facts(expression, machine_of(device))
    for loop in facts.parallel:
        if -(-facts.extents[loop] // plan.axes[loop].block) > 1 and loop not in plan.unit_order:
            raise ConstructionError(
                f"cannot take the plan: parallel loop {loop} has several blocks but is no unit loop"
            )
    for loop in facts.reductions:
        if loop not in plan.reduction_order:
            raise ConstructionError(f"cannot take the plan: reduction loop {loop} is missing in reduction_order")
    program = Program(
        tuple(axis.block for axis in plan.axes),
        tuple(axis.threads for axis in plan.axes),
        tuple(axis.chunk for axis in plan.axes),
        plan.thread_order,
        plan.lane,
        tuple(operand.layer == WORKGROUP for operand in plan.operands),
        tuple(axis.registers for axis in plan.axes),
        plan.threads,
    )
    problem = program_problem(facts, program, plan.stages)
    if problem:
        raise ConstructionError(problem)
    adopted = replace(plan, device=device.name)
    prediction = predict_with(facts, adopted)
    if prediction.shared_bytes > device.max_workgroup_bytes_per_block:
        raise ConstructionError(
            f"plan needs {prediction.shared_bytes} B of workgroup memory, '{device.name}' has "
            f"{device.max_workgroup_bytes_per_block} B; lower its blocks or stages"
        )
    return replace(adopted, prediction=prediction)
