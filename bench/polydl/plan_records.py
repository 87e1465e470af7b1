# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans of vectors as short records of JSON: what the model ranks them by, and what measurements of them say."""

import json
from collections.abc import Sequence
from math import sqrt
from statistics import median
from typing import Any

from roller_mlir.hal import Device
from roller_mlir.model.vectors.cost import VectorCost
from roller_mlir.model.vectors.shape import TaskShape
from roller_mlir.plan import Plan, TensorExpression


def plan_record(expression: TensorExpression, plan: Plan) -> dict[str, Any]:
    """Return what of a plan decides its time."""
    shape = TaskShape.of(expression, plan)
    found: dict[str, Any] = {
        "blocks": list(shape.blocks),
        "chunks": [axis.chunk for axis in plan.axes],
        "lane": shape.lane,
        "order": list(shape.order),
        "inner": list(shape.inner),
        "walked": [[loop, shape.walked[loop]] for loop in shape.inner],
        "staged": list(shape.staged),
    }
    seldom = {
        "ahead": list(shape.ahead),
        "raster": [list(level) for level in shape.raster],
        "skips": list(plan.skips),
    }
    return found | {name: value for name, value in seldom.items() if value}


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
        ahead=tuple(record.get("ahead", [])),
        raster=tuple((loop, steps, apart) for loop, steps, apart in record.get("raster", [])),
    )


class PlanCosts:
    """What a device's model says of measured plans of an operator on one core."""

    def __init__(self, expression: TensorExpression, device: Device) -> None:
        """Take both."""
        self._expression, self._device = expression, device
        self._costs: dict[tuple[int, ...], VectorCost] = {}

    def seconds(self, record: dict[str, Any]) -> float:
        """Return the predicted seconds of a plan's record."""
        return self.parts(record)[0]

    def parts(self, record: dict[str, Any]) -> tuple[float, dict[str, float]]:
        """Return the same, and those of each layer."""
        skips = tuple(record.get("skips", []))
        if skips not in self._costs:
            self._costs[skips] = VectorCost(self._expression, self._device, 1, skips)
        cost = self._costs[skips]
        return cost.seconds(cost.shaped(shape_of(self._expression, record)))


def merged(runs: Sequence[dict[str, list[dict[str, Any]]]]) -> dict[str, list[dict[str, Any]]]:
    """Return the plans that several runs measured, each once.

    Machines are not as fast in one hour as in another: times of a run are scaled by those of the plans that earlier
    ones have, too, by their median. Of a plan that several have it is the geometric mean.

    Args:
        runs: By problem the plans with their seconds.

    >>> a = {"p": [{"plan": {"lane": 0}, "seconds": 1.0}, {"plan": {"lane": 1}, "seconds": 2.0}]}
    >>> b = {"p": [{"plan": {"lane": 1}, "seconds": 4.0}, {"plan": {"lane": 2}, "seconds": 6.0}]}
    >>> [(row["plan"]["lane"], row["seconds"]) for row in merged([a, b])["p"]]
    [(0, 1.0), (1, 2.0), (2, 3.0)]
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for run in runs:
        for name, rows in run.items():
            known = found.setdefault(name, {})
            keyed = [(json.dumps(row["plan"], sort_keys=True), row) for row in rows]
            ratios = [known[key]["seconds"] / row["seconds"] for key, row in keyed if key in known]
            scale = median(ratios) if ratios else 1.0
            for key, row in keyed:
                seconds = row["seconds"] * scale
                if key in known:
                    seconds = sqrt(known[key]["seconds"] * seconds)
                known[key] = {"plan": row["plan"], "seconds": seconds}
    return {name: list(rows.values()) for name, rows in found.items()}


def packed(data: dict[str, Any]) -> str:
    """Return data as JSON, one plan a line."""
    parts: list[str] = []
    for name, rows in data["problems"].items():
        lines = ",\n".join(f"   {json.dumps(row)}" for row in rows)
        parts.append(f"  {json.dumps(name)}: [\n{lines}\n  ]")
    head = ["{", f' "provenance": {json.dumps(data["provenance"])},', ' "problems": {']
    return "\n".join([*head, ",\n".join(parts), " }", "}"]) + "\n"
