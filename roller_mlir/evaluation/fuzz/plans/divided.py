# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans that divide a reduction though nothing says that it pays."""

import random
from collections.abc import Iterator
from dataclasses import replace

from roller_mlir.hal import Device
from roller_mlir.hal.atoms import FAMILIES
from roller_mlir.model import ConstructionError, ConstructOptions, construct
from roller_mlir.model.cost.performance import context_of, l2_resident
from roller_mlir.model.machine import machine_of
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.search.finish import tile_plan
from roller_mlir.model.search.validate_plan import validate_plan
from roller_mlir.plan import Plan, SplitK, TensorExpression
from roller_mlir.plan.extent import as_extent
from roller_mlir.plan.rewrite.split import (
    divisible_loops,
    first_expression,
    first_plan,
    join_expression,
    tile_expression,
    whole_plan,
)
from roller_mlir.plan.rewrite.uneven import uneven_problem

_SHARE = 0.5
_PARTS = (2, 2, 3, 4, 7)


def with_division(
    expression: TensorExpression,
    plan: Plan,
    device: Device,
    generator: random.Random,
    families: tuple[str, ...] = FAMILIES,
) -> Plan:
    """Return a plan that divides the reduction, in a share of cases where one can; else the plan.

    Args:
        expression: What it is for, whose reduction may be divided.
        plan: The plan.
        device: Where.
        generator: Where the division is drawn from.
        families: Instructions that the first stage may take.
    """
    loops = divisible_loops(expression)
    if not loops or generator.random() > _SHARE:
        return plan
    loop, parts = generator.choice(loops), generator.choice(_PARTS)
    whole = expression.bounds[loop]
    extent = -(-whole // parts)
    if whole % extent and uneven_problem(expression, loop):
        extent = next((n for n in range(extent, whole) if whole % n == 0), whole)
    if extent == whole:
        return plan
    try:
        found = list(divided_plans(expression, (loop, -(-whole // extent), extent), device, families, top_k=8))
    except ConstructionError:
        return plan
    if device.vector_bytes is None and generator.random() < 0.6:
        found = [inside for one in found if (inside := joined_inside(expression, one, device)) is not None] or found
    return generator.choice(found or [plan])


def divided_plans(
    expression: TensorExpression,
    division: tuple[int, int, int],
    device: Device,
    families: tuple[str, ...] = (),
    *,
    top_k: int = 64,
) -> Iterator[Plan]:
    """Yield plans that divide a loop: each stage as it is planned by itself, then parts as the whole is planned.

    Args:
        expression: The operator.
        division: The loop, the number of parts, and the points of each.
        device: Where.
        families: Instructions that the first stage may take.
        top_k: Programs that are looked at, of the first stage and of the whole.

    Raises:
        ConstructionError: The second stage cannot be planned.
    """
    loop, parts, extent = division
    second = join_expression(expression, parts, joined=False)
    (join,) = construct(second, device, ConstructOptions(top_k=1, split=False))
    first = first_expression(expression, loop, parts, extent)
    split = SplitK(loop=loop, parts=as_extent(parts), extent=as_extent(extent), join=replace(join, prediction=None))
    options = ConstructOptions(top_k=top_k, split=False, instructions=families)
    for one in _constructed(first, device, options):
        if one.axes[0].block == 1 and 0 in one.unit_order and not one.inner_order:
            yield replace(whole_plan(one), split=split, persistent=False, prediction=None)
    for one in _constructed(expression, device, options):
        alone = replace(one, epilogue_vectors=(), spread=False, persistent=False, prediction=None)
        plan = replace(alone, split=split, raster=())
        if extent % one.axes[loop].block == 0 and not one.inner_order and _is_plan(first, first_plan(plan), device):
            yield plan


def _constructed(expression: TensorExpression, device: Device, options: ConstructOptions) -> list[Plan]:
    """Return plans, none where there are none."""
    try:
        return construct(expression, device, options)
    except ConstructionError:
        return []


def _is_plan(expression: TensorExpression, plan: Plan, device: Device) -> bool:
    try:
        validate_plan(expression, plan, device)
    except ConstructionError:
        return False
    return True


def joined_inside(expression: TensorExpression, plan: Plan, device: Device) -> Plan | None:
    """Return a plan whose reduction is divided as one whose parts blocks of the first stage join; None where none can.

    Args:
        expression: The operator.
        plan: The plan, with a division.
        device: Where.
    """
    assert plan.split is not None
    machine, split = machine_of(device), plan.split
    tiles, first = tile_expression(expression, split.parts), first_plan(plan)
    of = context_of(first_expression(expression, split.loop, split.parts, split.extent), machine, first)
    join = tile_plan(first, of, ProblemContext(tiles, l2_resident(machine, tiles)), counted=True)
    return None if join is None else replace(plan, split=replace(split, joined=True, join=join), prediction=None)
