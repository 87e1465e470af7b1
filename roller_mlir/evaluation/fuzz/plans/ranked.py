# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans other than the best: those further down the list that the construction gives, and random tiles."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace

from roller_mlir.compiler.entry import isolate_entry
from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.evaluation.fuzz.forced import Forced
from roller_mlir.evaluation.fuzz.plans.divided import with_division
from roller_mlir.evaluation.fuzz.plans.rasters import with_raster
from roller_mlir.evaluation.fuzz.plans.vector_walks import with_walks
from roller_mlir.hal import Device, find_device
from roller_mlir.hal.atoms import FAMILIES
from roller_mlir.lowering.linalg.group.dispatches import named_dispatches
from roller_mlir.lowering.targets.family import passes_to
from roller_mlir.lowering.targets.stage import FUSED
from roller_mlir.model import ConstructionError, ConstructOptions, construct
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.records.codec import to_json
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.support.passes.pipeline import run_pipeline

_TILES_TRIED = 12
_STEPS = (1, 2, 3, 4, 8, 16, 24, 32, 64, 96, 128)


class UnknownPlansError(Exception):
    """A program has no operator of its own to plan, or more than one where one is needed; nothing is forced then."""


def plan_file_text(source: Source, target: str, rank: int) -> str:
    """Return a plan file with a plan of that rank for each kernel, or its last one where it has fewer.

    Raises:
        UnknownPlansError: There is nothing to plan, or something cannot be planned.
    """
    device, generator = find_device(target), random.Random(rank)
    try:
        plans = dict[str, Plan]()
        for name, (expression, divisible) in dispatches(source, target).items():
            options = ConstructOptions(top_k=rank + 1, instructions=FAMILIES, split=divisible)
            plan = construct(expression, device, options)[-1]
            plan = with_division(expression, plan, device, generator) if divisible else plan
            plans[name] = with_raster(expression, plan, generator)
    except (ConstructionError, DiagnosedError) as error:
        raise UnknownPlansError(str(error)) from None
    return json.dumps(to_json(plans))


def walked_plans_text(source: Source, target: str, forced: Forced) -> str:
    """Return a plan file: of what has rows a plan whose tasks walk them in random steps, of the rest the best.

    On a device of vectors, plans whose tasks walk tiles at random, see `vector_walks`.

    Raises:
        UnknownPlansError: Nothing has rows that tasks can walk, or something cannot be planned.
    """
    device, generator = find_device(target), random.Random(forced.tile_seed)
    try:
        found = dispatches(source, target)
        if device.vector_bytes is not None:
            options = ConstructOptions(top_k=forced.rank + 1, split=False)
            plans = {
                name: with_walks(expression, device, construct(expression, device, options)[-1], generator)
                for name, (expression, _) in found.items()
            }
            return json.dumps(to_json(plans))
        if not any(one.row_passes for one, _ in found.values()):
            raise UnknownPlansError("no rows that tasks walk")
        plans = {
            name: _walked(expression, divisible, device, forced, generator)
            for name, (expression, divisible) in found.items()
        }
    except (ConstructionError, DiagnosedError) as error:
        raise UnknownPlansError(str(error)) from None
    return json.dumps(to_json(plans))


def _walked(
    expression: TensorExpression, divisible: bool, device: Device, forced: Forced, generator: random.Random
) -> Plan:
    options = ConstructOptions(top_k=forced.rank + 1, instructions=FAMILIES, split=divisible)
    for _ in range(_TILES_TRIED if expression.row_passes else 0):
        sizes = [
            generator.choice([n for n in _STEPS if n < max(2, extent)] if loop in expression.whole else (1, 1, 2, 3, 4))
            for loop, extent in enumerate(expression.bounds)
        ]
        try:
            made = construct(expression, device, replace(options, tile_sizes=tuple(sizes)))[-1]
            return with_raster(expression, made, generator)
        except ConstructionError:
            continue
    return construct(expression, device, replace(options, top_k=1))[0]


def random_tile(source: Source, target: str, generator: random.Random) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return random points of each loop in a task and in a thread, or one of both, for a program of one kernel.

    Raises:
        UnknownPlansError: There is not exactly one.
    """
    try:
        found = dispatches(source, target)
    except DiagnosedError as error:
        raise UnknownPlansError(str(error)) from None
    if len(found) != 1:
        raise UnknownPlansError(f"{len(found)} kernels")
    ((expression, _),) = found.values()
    extents = expression.bounds
    kind = generator.choice(("task", "task", "thread", "both"))
    own = _sizes([min(extent, 4) for extent in extents], 16, generator)
    if kind == "thread":
        return (), own
    if kind == "task":
        return _sizes([2 * extent for extent in extents], 4096, generator), ()
    threads = [1] * len(extents)
    for _ in range(generator.choice((5, 5, 6, 7, 8)) if threads else 0):
        threads[generator.randrange(len(threads))] *= 2
    return tuple(a * n for a, n in zip(own, threads, strict=True)), own


def _sizes(most: Sequence[int], room: int, generator: random.Random) -> tuple[int, ...]:
    """Return a size per loop, none above its limit, whose product is at most `room`."""
    sizes: list[int] = []
    for limit in most:
        choices = [n for n in (1, 2, 3, 4, 5, 8, 13, 16, 32, 64, 128) if n <= min(limit, room)]
        sizes.append(generator.choice(choices or [1]))
        room //= sizes[-1]
    return tuple(sizes)


def dispatches(source: Source, target: str) -> dict[str, tuple[TensorExpression, bool]]:
    """Return what gets a plan, by name: its expression, and whether its reduction may be divided."""
    with make_context() as context, ir.Location.unknown():
        module = parse_source(source, context)
        isolate_entry(module, None)
        run_pipeline(module, passes_to(FUSED, {"device": target}))
        planned = named_dispatches(module)
        found = {name: (dispatch.expression, dispatch.divisible) for name, dispatch in planned.items()}
    if not found:
        raise UnknownPlansError("nothing to plan")
    return found
