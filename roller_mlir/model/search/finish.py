# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a chosen candidate to a plan: layouts of the staged inputs, loop orders, the prediction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from roller_mlir.mapping.layout.spread import may_spread, with_tail_vectors
from roller_mlir.mapping.resources import tasks_per_unit
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.estimates import Estimate
from roller_mlir.model.cost.performance import predict_time, predict_with, with_traffic
from roller_mlir.model.cost.raster.super_rows import raster
from roller_mlir.model.cost.task.join import GAIN, hand_over_s, in_turn, together
from roller_mlir.model.cost.task.rows import row_blocks, row_layout
from roller_mlir.model.cost.task.stores import direct_stores, may_stage
from roller_mlir.model.cost.traffic.layouts import matrix_layout, operand_layout
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.search.programs.splitting import Division, tile_estimate
from roller_mlir.plan import Plan, Prediction, SplitK
from roller_mlir.plan.extent import as_extent
from roller_mlir.plan.plan import PIPELINES, STAGED, SYNCHRONOUS, TENSOR
from roller_mlir.plan.rewrite.split import output_loops, whole_plan

MAX_UNROLLED_POINTS = 2048
"""Points of one thread and step that are unrolled; a longer step of a user schedule stays a loop over these."""


def unrolled_points(registers: Sequence[int], context: ProblemContext) -> int:
    """Return the reduction points that are unrolled: all of a step, unless the code grew too large."""
    points = prod([registers[loop] for loop in context.reductions])
    accumulators = prod([registers[loop] for loop in context.parallel])
    if context.atom.is_matrix:
        # Instructions, each for many points.
        accumulators = -(-accumulators // context.atom.points(registers[context.atom.column]))
    return points if points * accumulators <= MAX_UNROLLED_POINTS else max(1, MAX_UNROLLED_POINTS // accumulators)


@dataclass(frozen=True)
class TimedPlan:
    """A plan among others that it is compared with, of which it is not counted yet what it moves.

    Attributes:
        context: What it is a plan of: the expression, or the first stage of its division.
        first: The plan of that.
        division: How the reduction is divided, None where it is not.
        plan: The whole plan, both stages.
    """

    context: ProblemContext
    first: Plan
    division: Division | None
    plan: Plan

    @property
    def seconds(self) -> float:
        """The time that is compared: the predicted one, or more where parts are joined in the same kernel."""
        assert self.plan.prediction is not None
        split = self.plan.split
        return self.plan.prediction.seconds / (GAIN if split is not None and split.joined else 1.0)

    def counted(self) -> Plan:
        """Return the whole plan, with what it moves."""
        assert self.first.prediction is not None
        first = replace(self.first, prediction=with_traffic(self.context, self.first, self.first.prediction))
        return first if self.division is None else divided_plan(first, self.division)


def finish(
    context: ProblemContext, chosen: Estimate, *, padded: bool = True, counted: bool = True, staged: bool = True
) -> Plan:
    """Return the plan of a candidate, with its prediction.

    Args:
        context: The expression.
        chosen: The candidate.
        padded: Whether rows in workgroup memory may be padded to spread them over the banks.
        counted: Whether the prediction says what the plan moves; a time needs none of that (`TimedPlan`).
        staged: Whether results may pass workgroup memory, where that is faster.
    """
    key = chosen.candidate, chosen.stages, chosen.work.resident, padded
    if key not in context.plans:
        context.plans[key] = _plan_of_direct_stores(context, chosen, padded=padded)
    plan, prediction = context.plans[key]
    if staged:
        plan, prediction = _with_faster_store(context, chosen.candidate, plan, prediction)
    prediction = with_traffic(context, plan, prediction) if counted else prediction
    resident = prediction.tasks_per_unit
    # Blocks that stay begin the next task's copies while the last one's results are stored.
    persistent = PIPELINES[plan.pipeline].specialised and prediction.tasks > context.machine.units * resident
    return replace(plan, tasks_per_unit=resident, prediction=prediction, persistent=persistent)


def _plan_of_direct_stores(context: ProblemContext, chosen: Estimate, *, padded: bool) -> tuple[Plan, Prediction]:
    """Return the plan of a candidate whose results pass no workgroup memory, and its time; arguments as of `finish`."""
    expression, program = context.expression, chosen.candidate
    atom = context.atom
    axes = atom.axes(program.axes())
    atom_plan = atom.plan(program.registers[atom.column]) if atom.is_matrix else None
    walked = expression.walks_rows(program.blocks)
    ends = replace(program, blocks=tuple(row_blocks(context, program.blocks))) if walked else program
    operands = tuple(
        row_layout(context, number, program)
        if walked and staged
        else operand_layout(
            context,
            number,
            axes,
            program.order,
            program.lane,
            staged=staged,
            padded=padded,
            asynchronous=context.copies_alone(number, program.blocks),
        )
        if atom_plan is None
        else matrix_layout(context, number, axes, atom_plan, padded=padded)
        for number, staged in enumerate(program.staged)
    )
    tasks = raster(context, ends, chosen.work)
    plan = Plan(
        device=context.machine.device.name,
        instruction=atom.instruction.family,
        axes=axes,
        thread_order=program.order,
        lane=program.lane,
        unit_order=tasks.order,
        raster=tasks.levels,
        reduction_order=context.reductions,
        operands=operands,
        stages=chosen.stages,
        unroll=unrolled_points(program.registers, context),
        atom=atom_plan,
        store=TENSOR if context.tensor_store else SYNCHRONOUS,
    )
    if may_spread(expression, plan, context.machine.device.subgroup_size):
        plan = replace(plan, spread=True)
    plan = with_tail_vectors(expression, plan, context.machine.vector_bytes)
    return plan, predict_time(context, plan)


def _with_faster_store(
    context: ProblemContext, program: Candidate, plan: Plan, timed: Prediction
) -> tuple[Plan, Prediction]:
    """Return a plan, or the same with stores through workgroup memory where that is faster, with its prediction."""
    results = prod([program.registers[loop] for loop in context.parallel])
    if not may_stage(context, program, direct_stores(context, program, timed.tasks, results)):
        return plan, timed
    other = replace(plan, store=STAGED, spread=False)
    other = with_tail_vectors(context.expression, other, context.machine.vector_bytes)
    found = predict_time(context, other)
    faster = found.tasks_per_unit and (not timed.tasks_per_unit or found.seconds < STAGED_GAIN * timed.seconds)
    return (other, found) if faster else (plan, timed)


STAGED_GAIN = 0.97
"""Share of the time of direct stores that stores through workgroup memory must promise not to exceed."""


def divided_plan(first: Plan, division: Division, *, counted: bool = True) -> Plan:
    """Return the plan of an operator from that of the first stage of its division: both stages, predicted together.

    Args:
        first: The plan of the first stage.
        division: How the reduction is divided.
        counted: As of `finish`, for the second stage.
    """
    join = replace(finish(division.combine_context, division.combine, counted=counted), max_units=first.max_units)
    assert first.prediction is not None and join.prediction is not None
    split = SplitK(loop=division.loop, parts=as_extent(division.parts), extent=as_extent(division.points), join=join)
    both = in_turn(first.prediction, join.prediction)
    plan = replace(whole_plan(first), split=split, prediction=both)
    machine = division.context.machine
    if division.tiles is None or first.prediction.seconds + hand_over_s(machine) > GAIN * both.seconds:
        return plan
    tile = tile_plan(first, division.context, division.tiles(), counted=counted)
    if tile is None or tile.prediction is None:
        return plan
    inside = replace(split, joined=True, join=replace(tile, max_units=first.max_units))
    other = replace(plan, split=inside)
    one = together(other, first.prediction, tile.prediction, machine)
    # Of registers the second stage takes no more than as many tasks leave it, see `tile_plan`.
    fits = one.tasks_per_unit <= tasks_per_unit(machine.device, one.threads, 1, one.shared_bytes)
    return replace(other, prediction=one) if fits and one.seconds < GAIN * both.seconds else plan


def tile_plan(first: Plan, of: ProblemContext, context: ProblemContext, *, counted: bool) -> Plan | None:
    """Return the fastest plan by which blocks of a first stage can run the second one; None where there is none.

    Args:
        first: The plan of the first stage, beside whose tasks as many must fit on a unit.
        of: The first stage, whose loop 0 numbers the parts.
        context: The second stage, see `plan.rewrite.split.tile_expression`.
        counted: As of `finish`.
    """
    kept = [loop for loop in output_loops(of.expression) if loop]
    blocks = [first.axes[loop].block for loop in kept]
    chosen = tile_estimate(context, blocks, first.threads)
    if chosen is None:
        return None
    plan = finish(context, chosen, counted=False, staged=False)
    order = tuple(kept.index(loop) for loop in first.unit_order if loop)
    plan = replace(plan, unit_order=order, raster=())
    prediction = predict_with(context, plan) if counted else predict_time(context, plan)
    if prediction.tasks_per_unit < max(1, first.tasks_per_unit or 1):
        return None
    return replace(plan, prediction=prediction)
