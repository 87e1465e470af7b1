# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Construction: from an expression and a device to ranked plans, without measuring anything.

Paper: ROLLER section 3.2. Programs are constructed by the recursion of Figure 8 where data is reused (`tiled`), and
for the top layer only where it is not (`direct`); epsilon grows until there are K; small operators shrink. A few
hundred distinct programs are ranked by predicted time before K are returned: stopping at the first K sees one corner
of them only.
"""

from roller_mlir.hal import Device
from roller_mlir.model.alignment import device_rules
from roller_mlir.model.direct import direct_programs, lone_thread, padding_share
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.estimate import Estimate, estimate
from roller_mlir.model.facts import Facts
from roller_mlir.model.finish import finish
from roller_mlir.model.forced import forced_estimates
from roller_mlir.model.machine import machine_of
from roller_mlir.model.options import ConstructOptions
from roller_mlir.model.problems import capacity_problem, resource_problem, stages_problem
from roller_mlir.model.program import Program
from roller_mlir.model.tile import has_outer_product
from roller_mlir.model.tiled import TiledSearch
from roller_mlir.plan import Plan, TensorExpression

MAX_PROGRAMS = 96
"""Programs that are weighed at most, per kind."""

EPSILON_STEPS = (1.0, 4.0, 16.0, 64.0, 1024.0)
"""Epsilon grows to these until K programs exist; 1024 lets one point fill a task of 1024 threads."""

SPARSE = 8
"""A product whose best tiling occupies less than one unit in so many is also built as a streaming reduction."""

REFINED, LEAST_REFINED = 2, 8
"""Programs beyond K, and in all, whose layouts are decided before the last ranking."""


def construct(expression: TensorExpression, device: Device, options: ConstructOptions | None = None) -> list[Plan]:
    """Return plans for an operator, best predicted time first.

    Args:
        expression: The operator.
        device: What it runs on.
        options: What is forced, and how many plans to return; None for the defaults.

    Returns:
        At least one and at most `options.top_k` distinct plans, each with its prediction.

    Raises:
        ConstructionError: No program fits the device, or the forced tiles cannot be.
    """
    options = options or ConstructOptions()
    facts = Facts(expression, machine_of(device))
    if options.tile_sizes or options.thread_tile:
        found = forced_estimates(facts, options)
    else:
        found = _construct(facts, options)
    plans = _finished(facts, found, options)
    if not plans and not (options.tile_sizes or options.thread_tile or options.stages):
        # Padding took the last of the workgroup memory; streaming programs need none.
        unstaged: dict[Program, Estimate] = {}
        _weigh(facts, _streaming(facts, options, stage=False), options, unstaged)
        plans = _finished(facts, list(unstaged.values()), options)
    if not plans:
        raise ConstructionError(resource_problem(facts, found[0].program, found[0].stages))
    plans.sort(key=lambda plan: plan.prediction.seconds if plan.prediction else 0.0)
    return plans[: options.top_k]


def _finished(facts: Facts, found: list[Estimate], options: ConstructOptions) -> list[Plan]:
    """Return the plans of the best candidates, a few more than are asked for, that fit with their layouts."""
    plans: list[Plan] = []
    for one in sorted(found, key=_rank):
        plan = finish(facts, one)
        if plan.prediction is not None and plan.prediction.tasks_per_unit > 0:
            plans.append(plan)
        if len(plans) == max(LEAST_REFINED, options.top_k + REFINED):
            break
    return plans


def _construct(facts: Facts, options: ConstructOptions) -> list[Estimate]:
    expression = facts.expression
    product = has_outer_product(expression)
    found: dict[Program, Estimate] = {}
    filled = False
    if facts.reductions and facts.reused:
        for epsilon in (options.epsilon, *EPSILON_STEPS):
            rules = device_rules(facts.machine.device, epsilon)
            _weigh(facts, TiledSearch(facts, rules).programs(MAX_PROGRAMS), options, found)
            if len(found) >= options.top_k:
                break
        reason = capacity_problem(facts) if product and not found else ""
        if reason:
            raise ConstructionError(reason)
        if found:
            best = min(found.values(), key=_rank)
            filled = SPARSE * best.work.tasks >= facts.machine.device.units
    if not (product and filled):
        _weigh(facts, _streaming(facts, options), options, found)
    if not found:
        _weigh(facts, _streaming(facts, options, stage=False), options, found)
    if not found:
        raise ConstructionError(stages_problem(facts))
    return list(found.values())


def _streaming(facts: Facts, options: ConstructOptions, *, stage: bool = True) -> list[Program]:
    """Return the streaming programs within the smallest epsilon that leaves K of them."""
    programs = [
        program
        for program in direct_programs(facts, stage=stage)
        if not any(
            divide and extent % block
            for divide, extent, block in zip(facts.steps_divide, facts.extents, program.blocks, strict=True)
        )
    ]
    if not programs:
        return [lone_thread(facts)]
    shares = sorted((padding_share(facts, program), i) for i, program in enumerate(programs))
    for epsilon in (options.epsilon, *EPSILON_STEPS):
        kept = [programs[i] for share, i in shares if share <= epsilon]
        if len(kept) >= options.top_k:
            return kept
    return programs


def _weigh(facts: Facts, programs: list[Program], options: ConstructOptions, found: dict[Program, Estimate]) -> None:
    for program in programs:
        if program not in found:
            one = estimate(facts, program, stages=options.stages)
            if one is not None and (options.stages != 2 or (one.work.staged and one.work.steps > 1)):
                found[program] = one


def _rank(one: Estimate) -> tuple[float, float, int]:
    """Order by predicted time; among equals prefer less traffic, then fewer threads."""
    return one.seconds, one.work.cache_bytes, one.work.threads
