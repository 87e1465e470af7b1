# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans with matrix instructions: such as the construction ranks lower, with some stages, or with random tiles."""

import json
import random

from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.fuzz.forced import Forced
from roller_mlir.evaluation.fuzz.plans.ranked import UnknownPlansError, dispatches
from roller_mlir.evaluation.fuzz.plans.rasters import with_raster
from roller_mlir.hal import Device, find_device
from roller_mlir.hal.atoms import FAMILIES
from roller_mlir.model import ConstructionError, ConstructOptions, construct
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.records.codec import to_json
from roller_mlir.support.diagnostics import DiagnosedError

_TILES_TRIED = 12


def matrix_plans_text(source: Source, target: str, forced: Forced) -> str:
    """Return a plan file: of what matrix instructions can compute a plan with them as forced, of the rest the best.

    Raises:
        UnknownPlansError: There is nothing to plan, or something cannot be planned.
    """
    device = find_device(target)
    generator = random.Random(forced.tile_seed)
    try:
        plans = {
            name: _plan(expression, divisible, device, forced, generator)
            for name, (expression, divisible) in dispatches(source, target).items()
        }
    except (ConstructionError, DiagnosedError) as error:
        raise UnknownPlansError(str(error)) from None
    return json.dumps(to_json(plans))


def _plan(
    expression: TensorExpression, divisible: bool, device: Device, forced: Forced, generator: random.Random
) -> Plan:
    families = tuple(one for one in forced.families if one in FAMILIES)
    split = forced.split and divisible
    tries = [()] if forced.tile_seed is None else [_tile(expression, generator) for _ in range(_TILES_TRIED)] + [()]
    for stages in dict.fromkeys((forced.stages, 0)):
        for sizes in tries:
            options = ConstructOptions(
                top_k=forced.rank + 1,
                tile_sizes=sizes,
                stages=stages,
                split=split,
                instructions=families,
                allow_tf32=forced.allow_tf32,
            )
            try:
                return with_raster(expression, construct(expression, device, options)[-1], generator)
            except ConstructionError:
                continue
    usual = ConstructOptions(top_k=1, instructions=FAMILIES, split=split, allow_tf32=forced.allow_tf32)
    return construct(expression, device, usual)[0]


def _tile(expression: TensorExpression, generator: random.Random) -> tuple[int, ...]:
    """Return random points of each loop in a task: several tiles of an instruction on some, few on others."""
    room = 1 << 19
    sizes: list[int] = []
    for extent in expression.bounds:
        many = [
            n
            for n in (8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 160, 192, 200, 224, 256)
            if n <= min(2 * max(extent, 16), room)
        ]
        choices = many if extent >= 7 and generator.random() < 0.9 else [1, 1, 2, 4]
        sizes.append(generator.choice([n for n in choices if n <= room] or [1]))
        room //= sizes[-1]
    return tuple(sizes)
