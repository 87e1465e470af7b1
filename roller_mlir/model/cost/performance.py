# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The prediction of a plan: what it moves, counted, and how long it takes, modelled. It is not a measurement.

Paper: ROLLER section 3.3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, prod
from typing import Any

from roller_mlir.hal import Device
from roller_mlir.mapping.layout.data_tile import tile_dimensions
from roller_mlir.mapping.layout.layout import TileCost, buffer_shape
from roller_mlir.mapping.resources import plan_resources
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.estimate import estimate
from roller_mlir.model.cost.estimates import OperandWidths
from roller_mlir.model.cost.task.join import MOVED, together
from roller_mlir.model.cost.task.matrix import matrix_estimate
from roller_mlir.model.cost.timing import CandidateWork, first_tile_cycles, seconds_by_layer, total_seconds
from roller_mlir.model.cost.traffic.operands import combine_traffic, tile_costs, traffic_of
from roller_mlir.model.instructions.choice import atom_of
from roller_mlir.model.machine import Machine, machine_of
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.vectors.predict import predict_vector_plan
from roller_mlir.plan import Access, OperandPlan, Plan, Prediction, TensorExpression
from roller_mlir.plan.plan import SYNCHRONOUS, WORKGROUP
from roller_mlir.plan.rewrite.split import first_expression, first_plan, join_expression


def predict(expression: TensorExpression, plan: Plan, device: Device) -> Prediction:
    """Return what the model expects of a plan.

    Args:
        expression: The operator.
        plan: The decision, with layouts.
        device: The device to predict for, which may be another than the plan's.
    """
    if plan.split is not None:
        machine = machine_of(device, plan.max_units)
        return together(plan, *predict_stages(expression, plan, device), machine)
    if device.vector_bytes is not None:
        return predict_vector_plan(expression, plan, device)
    return predict_with(context_of(expression, machine_of(device, plan.max_units), plan), plan)


def predict_stages(
    expression: TensorExpression, plan: Plan, device: Device, max_units: int | None = None
) -> tuple[Prediction, Prediction]:
    """Return what the model expects of the two stages of a plan whose reduction is divided over tasks.

    Args:
        expression: The whole operator.
        plan: The whole decision.
        device: As of `predict`.
        max_units: Units that share the tasks, where the plan does not say it; None for all.
    """
    division = plan.split
    assert division is not None, "it has two stages"
    first = first_expression(expression, division.loop, division.parts, division.extent)
    join, parts = join_expression(expression, division.parts, joined=division.joined), first_plan(plan)
    if device.vector_bytes is not None:
        stages = (first, parts), (join, division.join)
        one, two = [predict_vector_plan(*stage, device, max_units) for stage in stages]
        return one, two
    machine = machine_of(device, plan.max_units or max_units)
    return (
        predict_with(context_of(first, machine, parts), parts),
        predict_with(context_of(join, l2_resident(machine, join), division.join), division.join),
    )


def context_of(expression: TensorExpression, machine: Machine, plan: Plan) -> ProblemContext:
    """Return the facts of an expression with the instruction of a plan."""
    return ProblemContext(expression, machine, atom_of(expression, machine.device, plan))


def predict_with(context: ProblemContext, plan: Plan) -> Prediction:
    """Predict as `predict` does, for an expression whose facts are known."""
    costs = tile_costs(context, plan)
    return _with_traffic(context, plan, costs, _predict_time(context, plan, costs))


def predict_time(context: ProblemContext, plan: Plan) -> Prediction:
    """Predict as `predict_with` does, without what is moved, on which no time depends: bytes, sectors and phases are 0.

    It takes a fraction of the time, for plans most of which are only compared; `with_traffic` adds the rest.
    """
    return _predict_time(context, plan, tile_costs(context, plan))


def with_traffic(context: ProblemContext, plan: Plan, timed: Prediction) -> Prediction:
    """Return what `predict_time` gives of a plan, with what the plan moves."""
    return _with_traffic(context, plan, tile_costs(context, plan), timed)


def _predict_time(context: ProblemContext, plan: Plan, costs: Sequence[TileCost | None]) -> Prediction:
    machine = context.machine
    device = machine.device
    work, resident, registers, workgroup_bytes = _work(context, plan, costs)
    layers = seconds_by_layer(work, machine)
    limits = {key: value for key, value in layers.items() if key != "launch"}
    return Prediction(
        seconds=total_seconds(layers, device.model, alternates=work.alternates, ahead=work.ahead),
        seconds_by_layer=layers,
        saturated=max(limits, key=lambda key: limits[key]),
        **dict.fromkeys(MOVED, 0),
        flops=_executed_flops(context, plan, work),
        registers=registers,
        shared_bytes=workgroup_bytes,
        tasks=work.tasks,
        threads=plan.threads,
        tasks_per_unit=resident,
        waves=work.tasks / (machine.units * max(1, resident)),
        occupancy=resident * plan.threads / device.max_threads_per_unit,
    )


def work_of(context: ProblemContext, plan: Plan) -> CandidateWork:
    """Return what a plan's tasks do."""
    return _work(context, plan, tile_costs(context, plan))[0]


def _work(context: ProblemContext, plan: Plan, costs: Sequence[TileCost | None]) -> tuple[CandidateWork, int, int, int]:
    """Return what a plan's tasks do, how many a unit holds, and the registers and workgroup memory of each."""
    expression, device = context.expression, context.machine.device
    candidate = Candidate.of_plan(plan)
    widths = [
        None if cost is None else _widths(plan, access, operand, cost, device.subgroup_size)
        for access, operand, cost in zip(expression.inputs, plan.operands, costs, strict=True)
    ]
    if context.atom.is_matrix:
        store = plan.store
        one = matrix_estimate(context, candidate, stages=plan.stages, widths=widths, store=store)
        resident = one.work.resident if one is not None else 0
        one = one or matrix_estimate(context, candidate, stages=plan.stages, widths=widths, resident=1, store=store)
        assert one is not None, "residency is given"
        registers, workgroup_bytes = one.registers, one.workgroup_bytes
    else:
        resources = plan_resources(expression, plan, device)
        registers, workgroup_bytes = resources.registers, resources.workgroup_bytes
        resident = resources.tasks_per_unit
        one = estimate(
            context,
            candidate,
            stages=plan.stages,
            widths=widths,
            resident=max(1, resident),
            store=plan.store,
            spread=plan.spread,
        )
        assert one is not None, "residency is given"
    return one.work, resident, registers, workgroup_bytes


def _with_traffic(
    context: ProblemContext, plan: Plan, costs: Sequence[TileCost | None], timed: Prediction
) -> Prediction:
    traffic = (*traffic_of(context, plan, costs), combine_traffic(context, plan))
    moved: dict[str, Any] = {key: sum([getattr(one, key) for one in traffic]) for key in MOVED}
    return replace(timed, **moved)


def busy_seconds(plan: Plan, machine: Machine) -> dict[str, float]:
    """Return for how long a plan keeps each resource of a machine busy, in seconds.

    Args:
        plan: A plan with its prediction.
        machine: What it was predicted for.

    Returns:
        "global" and "l2", the bandwidths of global memory and of the cache next to the units, and "l3", that of the
        last cache, where it is another; "workgroup" and "compute", the workgroup memory and the schedulers of all
        units.
    """
    assert plan.prediction is not None, "it has one"
    stages = [plan] if plan.split is None else [plan, plan.split.join]
    staged = [any(operand.layer == WORKGROUP for operand in stage.operands) for stage in stages]
    first_s = sum(first_tile_cycles(machine, staged=one) for one in staged) / machine.device.clock_hz
    layers, tasks = plan.prediction.seconds_by_layer, plan.prediction.tasks
    units = tasks / machine.units / -(-tasks // machine.units)  # as busy as the busiest one
    drawing = min(1.0, tasks / machine.units)  # units without a task leave bandwidth to others
    drawn = min(1.0, drawing * machine.cache_bytes_per_s / machine.global_bytes_per_s)
    shares = {"global": drawn, "l2": 1.0, "workgroup": units, "compute": units}
    if machine.private_caches > 1:
        shares["l3"] = min(1.0, drawing * machine.cache_bytes_per_s / machine.last_cache_bytes_per_s)
    return {name: share * max(0.0, layers[name] - first_s) for name, share in shares.items()}


def memories_busy(busy_s: Mapping[str, float]) -> tuple[float, ...]:
    """Return for how long memory and each of the shared caches are busy, of all resources."""
    return tuple(busy_s[name] for name in ("global", "l2", "l3") if name in busy_s)


def busy_on_share(plan: Plan, machine: Machine, units: int) -> dict[str, float]:
    """Return for how long a plan keeps each resource of a machine busy, if it has all of it, in seconds.

    Args:
        plan: A plan with its prediction on a share of the machine's units.
        machine: The whole.
        units: The share.
    """
    share = machine_of(machine.device, units)
    part = {
        "global": share.global_bytes_per_s / machine.global_bytes_per_s,
        "l2": share.cache_bytes_per_s / machine.cache_bytes_per_s,
        "l3": share.last_cache_bytes_per_s / machine.last_cache_bytes_per_s,
    }
    found = busy_seconds(plan, share)
    return {name: busy_s * part.get(name, units / machine.units) for name, busy_s in found.items()}


def _executed_flops(context: ProblemContext, plan: Plan, work: CandidateWork) -> int:
    """Return the operations of all tasks and steps, padding included: a prologue's each time that it is repeated."""
    expression, blocks = context.expression, [axis.block for axis in plan.axes]
    if expression.walks_rows(blocks):
        passes = expression.row_passes
        return work.tasks * (work.steps // len(passes)) * prod(blocks) * sum(one.flops for one in passes)
    step = prod(blocks) * expression.flops_per_point
    for access, operand, operations in zip(context.inputs, plan.operands, expression.prologue_flops, strict=False):
        own = prod(plan.axes[loop].registers for loop in access.loops) * plan.threads
        step += operations * (access.tile(blocks)[0] if operand.layer == WORKGROUP else own)
    return work.tasks * (work.steps * step + prod(blocks[i] for i in context.parallel) * expression.epilogue_flops)


def _widths(plan: Plan, access: Access, operand: OperandPlan, cost: TileCost, lanes: int) -> OperandWidths:
    dimensions = tile_dimensions(access, [axis.block for axis in plan.axes])
    subgroups = -(-plan.threads // lanes)
    return OperandWidths(
        operand.vector,
        operand.store_vector,
        operand.fragment_vector,
        cost.load_accesses / subgroups,
        cost.load_phases,
        cost.store_phases,
        prod(buffer_shape(dimensions, operand)) * access.element_bytes,
        synchronous=operand.copy == SYNCHRONOUS,
        order=operand.order,
    )


def l2_resident(machine: Machine, join: TensorExpression) -> Machine:
    """Return the machine as the second stage finds it: partial results that the last cache still holds come from there.

    The first stage has just written them, while its inputs streamed through the cache: of partial results as large as
    half of it everything is taken to be held, beyond that in proportion.
    """
    (partial,) = join.inputs
    near = partial.size_bytes + join.output.size_bytes
    # What the epilogue reads has not been written just now.
    far = sum(access.size_bytes for access in join.epilogue)
    held = min(1.0, machine.cache_bytes / (2 * near)) * (near / (near + far))
    if not held:
        return machine
    taken = held / machine.last_cache_bytes_per_s + (1 - held) / machine.global_bytes_per_s
    rate = 1 / taken if taken else inf
    latency = held * machine.last_cache_latency + (1 - held) * machine.global_latency
    return replace(machine, global_bytes_per_s=rate, global_latency=latency)
