# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans of vectors whose tasks walk tiles at random: along which loops, how far, what they pack, in which steps."""

import random
from dataclasses import replace

from roller_mlir.evaluation.fuzz.plans.rasters import with_raster
from roller_mlir.hal import Device
from roller_mlir.mapping.checks.plan import plan_problem
from roller_mlir.model.vectors.construct import vector_plan_problem
from roller_mlir.model.vectors.packing import packed_operand
from roller_mlir.model.vectors.shape import TaskShape
from roller_mlir.plan import OperandPlan, Plan, TensorExpression
from roller_mlir.plan.plan import REGISTER

_TRIED = 8


def with_walks(expression: TensorExpression, device: Device, plan: Plan, generator: random.Random) -> Plan:
    """Return a plan with the tiles of another, but for steps of its reductions, and random walks; or that plan itself.

    Args:
        expression: What is planned.
        device: The device, one of vectors.
        plan: A plan for it.
        generator: What draws.
    """
    lane, reductions = plan.lane, expression.reductions()
    if lane is None or lane in reductions or expression.whole or not reductions:
        return plan
    for _ in range(_TRIED):
        blocks = [axis.block for axis in plan.axes]
        for loop in reductions:
            if generator.random() < 0.5:
                blocks[loop] = generator.randint(1, expression.bounds[loop])
        tiles = [loop.extent.most_tiles(block) for loop, block in zip(expression.loops, blocks, strict=True)]
        outside = [loop for loop in expression.parallel() if tiles[loop] > 1]
        if not outside:
            return plan
        inner = generator.sample(outside, generator.randint(1, len(outside)))
        walked = {loop: generator.randint(2, tiles[loop]) for loop in inner if generator.random() < 0.5}
        whole = [loop for loop in inner if walked.get(loop, tiles[loop]) == tiles[loop]]
        order = [loop for loop in generator.sample(outside, len(outside)) if loop not in whole]
        staged = [
            number
            for number, access in enumerate(expression.inputs)
            if access.shape and not access.gathered and generator.random() < 0.6
        ]
        shape = TaskShape(tuple(blocks), lane, (*order, *whole), tuple(inner), walked, tuple(staged))
        axes = [
            replace(axis, block=block, chunk=1 if loop in reductions else axis.chunk, walked=walked.get(loop, 0))
            for loop, (axis, block) in enumerate(zip(plan.axes, blocks, strict=True))
        ]
        operands = [
            packed_operand(expression, shape, number, plan.axes[lane].chunk, one.pad_value)
            if number in staged
            else OperandPlan(layer=REGISTER, order=one.order, pad_value=one.pad_value)
            for number, one in enumerate(plan.operands)
        ]
        made = replace(
            plan,
            axes=tuple(axes),
            operands=tuple(operands),
            unit_order=shape.order,
            inner_order=shape.inner,
            raster=(),
            pipeline="",
            unroll=1,
            prediction=None,
        )
        if not plan_problem(expression, made) and not vector_plan_problem(made, device):
            return with_raster(expression, made, generator)
    return plan
