# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions that are divided over the tasks of several threads: each computes a part, a second kernel joins the parts.

    sum of 16,777,216 f32, two threads: 2 parts of 8,388,608, one a task; then 2 sums are joined

As on devices with threads in blocks (`model.search.programs.splitting`), it is done where the prediction, with the
second stage and its launch, says that it pays: where the tasks of whole reductions are too few for all cores, or only
small tiles give enough of them.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from roller_mlir.hal import Device
from roller_mlir.model.cost.task.join import in_turn
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.options import ConstructOptions
from roller_mlir.model.search.programs.splitting import WORTH
from roller_mlir.model.vectors.cost import VectorCost, launch_s
from roller_mlir.model.vectors.lanes import lanes_of
from roller_mlir.plan import Plan, SplitK, TensorExpression
from roller_mlir.plan.extent import as_extent
from roller_mlir.plan.rewrite.split import divisible_loops, first_expression, join_expression, whole_plan
from roller_mlir.plan.rewrite.uneven import uneven_problem

_FEWER = (1, 4, 16)
"""Parts are as many as cores, or as many fewer times, where a part has several tasks."""
_LONGER = 16
"""Share of its points by which a part may be longer, so that all are equal and no read is tested."""

Construct = Callable[[TensorExpression, ConstructOptions, bool, float], Plan]
"""Returns the best plan of an expression, of a time below another; its first loop numbers parts if so said, one a task.

It raises ConstructionError where there is none.
"""


def divided_plans(
    cost: VectorCost, options: ConstructOptions, spread_s: float, best_s: float, construct: Construct
) -> Iterator[Plan]:
    """Yield plans that divide a reduction and are predicted to pay, each with the plan of its second stage.

    Args:
        cost: The costs of the operator on the device.
        options: Those of the construction.
        spread_s: A bound of the time of programs that divide nothing, were all cores busy throughout.
        best_s: The predicted time of the best plan that divides nothing.
        construct: Constructs the stages.
    """
    expression, device = cost.expression, cost.device
    loop = next(iter(divisible_loops(expression)), None)
    if cost.units < 2 or loop is None:
        return
    worth = WORTH * best_s
    if spread_s + launch_s(device) >= worth:
        return  # whole reductions are tasks enough
    asked = replace(options, top_k=1, split=False, tile_sizes=(), constants=(), finite=())
    for parts, points in _divisions(expression, device, loop, cost.units):
        try:
            join = construct(join_expression(expression, parts, joined=False), asked, False, worth)
            assert join.prediction is not None
            left = worth - join.prediction.seconds
            first = construct(first_expression(expression, loop, parts, points), asked, True, left)
        except ConstructionError:
            continue
        assert first.prediction is not None
        both = in_turn(first.prediction, join.prediction)
        if both.seconds < worth:
            worth = both.seconds
            split = SplitK(loop=loop, parts=as_extent(parts), extent=as_extent(points), join=join)
            yield replace(whole_plan(first), split=split, prediction=both)


def _divisions(expression: TensorExpression, device: Device, loop: int, units: int) -> Iterator[tuple[int, int]]:
    """Yield numbers of parts of a loop and the points of each: equal ones, or whole vectors and a shorter last part."""
    extent, granule = expression.bounds[loop], lanes_of(expression, device)
    ragged = not uneven_problem(expression, loop)
    taken: set[int] = set()
    for fewer in _FEWER:
        wanted = -(-units // fewer)
        least = -(-extent // max(2, wanted))
        most = min(least + (least // _LONGER if ragged else least), extent - 1)
        equal = next((points for points in range(least, most + 1) if extent % points == 0), 0)
        points = equal or (-(-least // granule) * granule if ragged else 0)
        if 0 < points < extent and points not in taken:
            taken.add(points)
            yield -(-extent // points), points
