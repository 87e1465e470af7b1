# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a chosen candidate to a plan: layouts of the staged inputs, loop orders, the prediction."""

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from roller_mlir.model.cost.estimates import Estimate
from roller_mlir.model.cost.layouts import matrix_layout, operand_layout
from roller_mlir.model.cost.performance import joined, predict_with
from roller_mlir.model.cost.raster import raster
from roller_mlir.model.facts import Facts
from roller_mlir.model.search.splitting import Division
from roller_mlir.plan import Plan, Split
from roller_mlir.plan.plan import SYNCHRONOUS, TENSOR
from roller_mlir.plan.split import whole_plan

MAX_UNROLLED_POINTS = 2048
"""Points of one thread and step that are unrolled; a forced step beyond that stays a loop over its reduction points."""


def unrolled_points(registers: Sequence[int], facts: Facts) -> int:
    """Return the reduction points that are unrolled: all of a step, unless the code grew too large."""
    points = prod([registers[loop] for loop in facts.reductions])
    accumulators = prod([registers[loop] for loop in facts.parallel])
    if facts.atom.is_matrix:
        # Instructions, each for many points.
        accumulators = -(-accumulators // facts.atom.points(registers[facts.atom.column]))
    return points if points * accumulators <= MAX_UNROLLED_POINTS else max(1, MAX_UNROLLED_POINTS // accumulators)


def finish(facts: Facts, chosen: Estimate, *, padded: bool = True) -> Plan:
    """Return the plan of a candidate, with its prediction.

    Args:
        facts: The expression.
        chosen: The candidate.
        padded: Whether rows in workgroup memory may be padded to spread them over the banks.
    """
    expression, program = facts.expression, chosen.program
    atom = facts.atom
    axes = atom.axes(program.axes())
    atom_plan = atom.plan(program.registers[atom.column]) if atom.is_matrix else None
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
            padded=padded,
        )
        if atom_plan is None
        else matrix_layout(facts, number, axes, atom_plan, padded=padded)
        for number, (access, staged, pad) in enumerate(
            zip(expression.inputs, program.staged, expression.pad_values, strict=True)
        )
    )
    counts = [-(-extent // block) for extent, block in zip(facts.extents, program.blocks, strict=True)]
    plan = Plan(
        device=facts.machine.device.name,
        instruction=atom.instruction.family,
        axes=axes,
        thread_order=program.order,
        lane=program.lane,
        unit_order=tuple(loop for loop in facts.parallel if counts[loop] > 1),
        reduction_order=facts.reductions,
        operands=operands,
        stages=chosen.stages,
        unroll=unrolled_points(program.registers, facts),
        atom=atom_plan,
        store=TENSOR if facts.tensor_store else SYNCHRONOUS,
    )
    plan = replace(plan, unit_order=raster(facts, program, chosen.work))
    prediction = predict_with(facts, plan)
    resident = prediction.tasks_per_unit
    # Blocks that stay begin the next task's copies while the last one's results are stored.
    persistent = atom.reads_memory and prediction.tasks > facts.machine.units * resident
    return replace(plan, tasks_per_unit=resident, prediction=prediction, persistent=persistent)


def divided_plan(first: Plan, division: Division) -> Plan:
    """Return the plan of an operator from that of the first stage of its division: both stages, predicted together."""
    join = finish(division.join_facts, division.join)
    assert first.prediction is not None and join.prediction is not None
    plan = whole_plan(first)
    split = Split(loop=division.loop, parts=division.parts, extent=division.extent, join=join)
    return replace(plan, split=split, prediction=joined(first.prediction, join.prediction))
