# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the model expects of a plan of vectors: by ports of plain arithmetic, or by an instruction for products."""

from roller_mlir.hal import Device
from roller_mlir.model.vectors.atom_programs import predicted_work
from roller_mlir.model.vectors.cost import VectorCost, predict_vectors
from roller_mlir.plan import Plan, Prediction, TensorExpression


def predict_vector_plan(
    expression: TensorExpression, plan: Plan, device: Device, max_units: int | None = None
) -> Prediction:
    """Return what the model expects of a plan that divides no reduction; see `cost.performance.predict`.

    Args:
        expression: The operator.
        plan: Its plan.
        device: What it runs on.
        max_units: Cores that share its tasks; None for all.

    Raises:
        ConstructionError: The plan is for an instruction that the device has not.
    """
    if plan.atom is None:
        return predict_vectors(expression, plan, device, max_units)
    cost = VectorCost(expression, device, max_units)
    return cost.prediction(predicted_work(cost, plan))
