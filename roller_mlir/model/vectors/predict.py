# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the model expects of a plan of vectors: by ports of plain arithmetic, or by an instruction for products."""

from dataclasses import replace

from roller_mlir.hal import Device
from roller_mlir.model.vectors.atom_programs import predicted_work
from roller_mlir.model.vectors.cost import VectorCost, Work, predict_vectors
from roller_mlir.model.vectors.shape import TaskShape, TaskWalk
from roller_mlir.plan import Plan, Prediction, TensorExpression
from roller_mlir.plan.plan import CONSTANT


def predict_vector_plan(expression: TensorExpression, plan: Plan, device: Device) -> Prediction:
    """Return what the model expects of a plan; see `cost.performance.predict`.

    Raises:
        ConstructionError: The plan is for an instruction that the device has not.
    """
    ahead = next((number for number, operand in enumerate(plan.operands) if operand.layer == CONSTANT), None)
    if plan.atom is None and ahead is None:
        return predict_vectors(expression, plan, device)
    cost = VectorCost(expression, device)
    if plan.atom is not None:
        return cost.prediction(predicted_work(cost, plan))
    assert ahead is not None
    return cost.prediction(packed_ahead(cost, TaskShape.of(expression, plan), ahead))


def packed_ahead(cost: VectorCost, shape: TaskShape, number: int) -> Work:
    """Return the work of tasks that walk one tile, for which an input was packed when the program was compiled."""
    alone = replace(shape, inner=(), walked={}, staged=())
    packing = replace(alone, staged=(number,))
    work = cost.bound(packing)
    box = TaskWalk.of(cost.expression, packing).packed_box(packing, cost.expression, number)
    return cost.bounded(replace(work, cycles=work.cycles - cost.packing(number, box)), alone, (number,))
