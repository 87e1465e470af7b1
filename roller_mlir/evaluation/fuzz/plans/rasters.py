# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random rasters: loops over tasks cut into levels, in any order."""

import random
from dataclasses import replace

from roller_mlir.mapping.layout.layout import steps_of
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.tasks.raster import Level
from roller_mlir.plan.tasks.walks import tasks_along

_SHARE = 0.4


def with_raster(expression: TensorExpression, plan: Plan, generator: random.Random) -> Plan:
    """Return a plan whose tasks run in a random raster, in a share of cases; of several stages as it is.

    Args:
        expression: What it is for.
        plan: The plan.
        generator: Where the raster is drawn from.
    """
    if plan.split is not None or plan.part is not None or generator.random() > _SHARE:
        return plan
    levels: list[Level] = []
    for loop in plan.unit_order:
        left, apart = tasks_along(plan, loop, steps_of(expression.loops[loop], plan.axes[loop])), 1
        if loop in expression.whole:
            continue
        while left > 1:
            steps = generator.choice([n for n in range(2, left + 1) if left % n == 0])
            levels.append((loop, steps, apart))
            left, apart = left // steps, apart * steps
    generator.shuffle(levels)
    return replace(plan, raster=tuple(levels))
