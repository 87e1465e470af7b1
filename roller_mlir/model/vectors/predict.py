# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the model expects of a plan of vectors: by ports of plain arithmetic, or by an instruction for products."""

from roller_mlir.hal import Device
from roller_mlir.model.vectors.atom_programs import predicted_work
from roller_mlir.model.vectors.cost import VectorCost, predict_vectors
from roller_mlir.plan import Plan, Prediction, TensorExpression


def predict_vector_plan(expression: TensorExpression, plan: Plan, device: Device) -> Prediction:
    """Return what the model expects of a plan; see `cost.performance.predict`.

    Raises:
        ConstructionError: The plan is for an instruction that the device has not.
    """
    if plan.atom is None:
        return predict_vectors(expression, plan, device)
    cost = VectorCost(expression, device)
    return cost.prediction(predicted_work(cost, plan))
