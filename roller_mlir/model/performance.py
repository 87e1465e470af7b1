# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The prediction of a plan: what it moves, counted, and how long it takes, modelled. It is not a measurement.

Paper: ROLLER section 3.3.
"""

from math import prod

from roller_mlir.hal import Device
from roller_mlir.mapping.data_tile import tile_dimensions
from roller_mlir.mapping.layout import TileCost, buffer_shape
from roller_mlir.mapping.resources import plan_resources
from roller_mlir.model.estimate import OperandWidths, estimate
from roller_mlir.model.facts import Facts
from roller_mlir.model.machine import machine_of
from roller_mlir.model.program import Program
from roller_mlir.model.timing import seconds_by_layer, total_seconds
from roller_mlir.model.traffic import join_traffic, tile_costs, traffic_of
from roller_mlir.plan import Access, OperandPlan, Plan, Prediction, TensorExpression


def predict(expression: TensorExpression, plan: Plan, device: Device) -> Prediction:
    """Return what the model expects of a plan.

    Args:
        expression: The operator.
        plan: The decision, with layouts.
        device: The device to predict for, which may be another than the plan's.
    """
    return predict_with(Facts(expression, machine_of(device)), plan)


def predict_with(facts: Facts, plan: Plan) -> Prediction:
    """As `predict`, for an expression whose facts are known."""
    expression, machine = facts.expression, facts.machine
    device = machine.device
    resources = plan_resources(expression, plan, device)
    costs = tile_costs(facts, plan)
    widths = [
        None if cost is None else _widths(plan, access, operand, cost)
        for access, operand, cost in zip(expression.inputs, plan.operands, costs, strict=True)
    ]
    one = estimate(
        facts, Program.of_plan(plan), stages=plan.stages, widths=widths, resident=max(1, resources.tasks_per_unit)
    )
    assert one is not None, "residency is given"
    work = one.work
    layers = seconds_by_layer(work, machine)
    traffic = (*traffic_of(facts, plan, costs), join_traffic(facts, plan))
    limits = {key: value for key, value in layers.items() if key != "launch"}
    resident = resources.tasks_per_unit
    return Prediction(
        seconds=total_seconds(layers),
        seconds_by_layer=layers,
        saturated=max(limits, key=lambda key: limits[key]),
        global_load_bytes=sum(one.global_load_bytes for one in traffic),
        global_store_bytes=sum(one.global_store_bytes for one in traffic),
        global_load_sectors=sum(one.global_load_sectors for one in traffic),
        global_store_sectors=sum(one.global_store_sectors for one in traffic),
        shared_load_bytes=sum(one.shared_load_bytes for one in traffic),
        shared_store_bytes=sum(one.shared_store_bytes for one in traffic),
        shared_load_phases=sum(one.shared_load_phases for one in traffic),
        shared_store_phases=sum(one.shared_store_phases for one in traffic),
        flops=work.tasks * work.steps * prod(axis.block for axis in plan.axes) * expression.flops_per_point,
        registers=resources.registers,
        shared_bytes=resources.workgroup_bytes,
        tasks=work.tasks,
        threads=plan.threads,
        tasks_per_unit=resident,
        waves=work.tasks / (device.units * max(1, resident)),
        occupancy=resident * plan.threads / device.max_threads_per_unit,
    )


def _widths(plan: Plan, access: Access, operand: OperandPlan, cost: TileCost) -> OperandWidths:
    dimensions = tile_dimensions(access, [axis.block for axis in plan.axes])
    return OperandWidths(
        operand.vector,
        operand.store_vector,
        operand.fragment_vector,
        cost.load_phases,
        cost.store_phases,
        prod(buffer_shape(dimensions, operand)) * access.element_bytes,
    )
