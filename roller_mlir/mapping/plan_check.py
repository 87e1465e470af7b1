# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a plan fits an expression: what every stage relies on, whoever wrote the plan."""

from roller_mlir.mapping.layout import steps_of
from roller_mlir.mapping.thread_map import ThreadMap
from roller_mlir.plan import OperandPlan, Plan, TensorExpression
from roller_mlir.plan.plan import REGISTER, WORKGROUP
from roller_mlir.plan.uneven import reads_outside


def plan_problem(expression: TensorExpression, plan: Plan) -> str:
    """Return what is wrong with a plan for an expression, or an empty string."""
    loops, inputs = len(expression.loops), len(expression.inputs)
    if len(plan.axes) != loops or len(plan.operands) != inputs:
        planned = f"{len(plan.axes)} loops and {len(plan.operands)} inputs"
        return f"has a plan for {planned}, but its op has {loops} and {inputs}"
    for loop, axis in enumerate(plan.axes):
        if min(axis.block, axis.threads, axis.chunk) < 1:
            return f"has a plan whose block, threads and chunk of loop {loop} must be at least 1"
    try:
        ThreadMap(plan.axes, plan.thread_order)
    except ValueError as error:
        return f"cannot take its plan: {error}"
    if plan.lane is not None and not 0 <= plan.lane < loops:
        return f"has a plan with lane {plan.lane}, which is none of its {loops} loops"
    if plan.stages not in (1, 2) or plan.unroll < 1:
        return f"has a plan with {plan.stages} stages and unroll {plan.unroll}; stages are 1 or 2, unroll at least 1"
    for name, order, wanted in (
        ("unit_order", plan.unit_order, expression.parallel()),
        ("reduction_order", plan.reduction_order, expression.reductions()),
    ):
        if len(set(order)) != len(order) or not set(order) <= set(wanted):
            return f"has a plan whose {name} {list(order)} must be some of the loops {list(wanted)}, each once"
        missing = [
            loop for loop in wanted if loop not in order and steps_of(expression.loops[loop], plan.axes[loop]) > 1
        ]
        if missing:
            return f"has a plan whose {name} {list(order)} leaves out loop {missing[0]}, which has several blocks"
    accesses = zip(expression.inputs, expression.pad_values, plan.operands, strict=True)
    for number, (access, pad, operand) in enumerate(accesses):
        problem = _operand_problem(operand, len(access.shape))
        if not problem and operand.pad_value != pad and reads_outside(expression, access):
            problem = f"has pad_value {operand.pad_value}; it is read outside of its tensor, where it is {pad}"
        if problem:
            return f"has a plan whose operand {number} {problem}"
    return ""


def _operand_problem(operand: OperandPlan, rank: int) -> str:
    if operand.layer not in (WORKGROUP, REGISTER):
        return f"is in layer '{operand.layer}'; layers are '{WORKGROUP}' and '{REGISTER}'"
    if sorted(operand.order) != list(range(rank)):
        return f"has order {list(operand.order)}, which must hold each of its {rank} dimensions once"
    if min(operand.vector, operand.store_vector, operand.fragment_vector) < 1 or operand.pad < 0:
        return "has a width below 1 or a negative pad"
    return ""
