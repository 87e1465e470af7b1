# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans of vectors as short records of JSON: what the model ranks them by."""

from typing import Any

from roller_mlir.model.vectors.shape import TaskShape
from roller_mlir.plan import Plan, TensorExpression


def plan_record(expression: TensorExpression, plan: Plan) -> dict[str, Any]:
    """Return what of a plan decides its time."""
    shape = TaskShape.of(expression, plan)
    return {
        "blocks": list(shape.blocks),
        "chunks": [axis.chunk for axis in plan.axes],
        "lane": shape.lane,
        "order": list(shape.order),
        "inner": list(shape.inner),
        "walked": [[loop, shape.walked[loop]] for loop in shape.inner],
        "staged": list(shape.staged),
    }


def shape_of(expression: TensorExpression, record: dict[str, Any]) -> TaskShape:
    """Return the shape of a plan's record; one that does not say how many tiles a task walks means all."""
    blocks = tuple(record["blocks"])
    tiles = [loop.extent.tiles(block).bound for loop, block in zip(expression.loops, blocks, strict=True)]
    return TaskShape(
        blocks=blocks,
        lane=record["lane"],
        order=tuple(i for i in record["order"] if tiles[i] > 1),
        inner=tuple(i for i in record["inner"] if tiles[i] > 1),
        walked=dict(record.get("walked", [])),
        staged=tuple(record["staged"]),
    )
