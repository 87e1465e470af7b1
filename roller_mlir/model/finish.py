# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a chosen candidate to a plan: layouts of the staged inputs, loop orders, the prediction."""

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from roller_mlir.model.estimate import Estimate
from roller_mlir.model.facts import Facts
from roller_mlir.model.layouts import operand_layout
from roller_mlir.model.performance import predict_with
from roller_mlir.plan import Plan

MAX_UNROLLED_POINTS = 2048
"""Points of one thread and step that are unrolled; a forced step beyond that stays a loop over its reduction points."""


def unrolled_points(registers: Sequence[int], facts: Facts) -> int:
    """Return the reduction points that are unrolled: all of a step, unless the code grew too large."""
    points = prod([registers[loop] for loop in facts.reductions])
    accumulators = prod([registers[loop] for loop in facts.parallel])
    return points if points * accumulators <= MAX_UNROLLED_POINTS else max(1, MAX_UNROLLED_POINTS // accumulators)


def finish(facts: Facts, chosen: Estimate) -> Plan:
    """Return the plan of a candidate, with its prediction."""
    expression, program = facts.expression, chosen.program
    axes = program.axes()
    operands = tuple(
        operand_layout(
            access,
            expression.loops,
            axes,
            program.order,
            program.lane,
            facts.machine,
            staged=staged,
            pad_value=pad,
        )
        for access, staged, pad in zip(expression.inputs, program.staged, expression.pad_values, strict=True)
    )
    counts = [-(-extent // block) for extent, block in zip(facts.extents, program.blocks, strict=True)]
    plan = Plan(
        device=facts.machine.device.name,
        axes=axes,
        thread_order=program.order,
        lane=program.lane,
        unit_order=tuple(loop for loop in facts.parallel if counts[loop] > 1),
        reduction_order=facts.reductions,
        operands=operands,
        stages=chosen.stages,
        unroll=unrolled_points(program.registers, facts),
    )
    prediction = predict_with(facts, plan)
    return replace(plan, tasks_per_unit=prediction.tasks_per_unit, prediction=prediction)
