# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Construction: from an expression and a device to ranked plans, without measuring anything.

Paper: ROLLER section 3.2. Programs are constructed by the recursion of Figure 8 where data is reused (`tiled`), and
for the top layer only where it is not (`direct`); epsilon grows until there are K; small operators shrink. Beyond the
paper, a descent along the predicted time follows (`refine`), and reductions are divided over tasks (`splitting`).
Dozens to a few hundred distinct programs are ranked by predicted time before K are returned: stopping at the first K
sees one corner of them only.
"""

from dataclasses import dataclass, field, replace
from functools import partial
from math import inf

from roller_mlir.hal import Device
from roller_mlir.mapping.checks.plan import plan_problem
from roller_mlir.model.block_limits import block_problem, machine_for, no_plan
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.collection import collection_paused
from roller_mlir.model.cost.estimate import estimate
from roller_mlir.model.cost.estimates import Estimate
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.instructions.choice import atoms
from roller_mlir.model.options import ConstructOptions
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.search.alignment import device_rules
from roller_mlir.model.search.correct import corrected_order, is_corrected
from roller_mlir.model.search.finish import TimedPlan, divided_plan, finish
from roller_mlir.model.search.neighbours import neighbours
from roller_mlir.model.search.problems import capacity_problem, matrix_problem, resource_problem, stages_problem
from roller_mlir.model.search.programs.direct import direct_candidates, lone_thread, padding_share
from roller_mlir.model.search.programs.rows import row_candidates, row_problem, walked_candidates
from roller_mlir.model.search.programs.splitting import Divider, Division
from roller_mlir.model.search.programs.tiled import TiledSearch
from roller_mlir.model.search.programs.whole_rounds import fill_rounds
from roller_mlir.model.search.refine import refine
from roller_mlir.model.search.user_schedule import user_schedule_estimates
from roller_mlir.model.tile import has_outer_product
from roller_mlir.model.vectors.construct import construct_vectors
from roller_mlir.plan import Plan, TensorExpression

EPSILON_STEPS = (1.0, 4.0, 16.0, 64.0, 1024.0)
"""Epsilon grows to these until K programs exist; 1024 lets one point fill a task of 1024 threads."""

SPARSE = 8
"""A product whose best tiling occupies less than one unit in so many is also built as a streaming reduction."""

LEAST_REFINED = 10
"""Programs at most whose layouts are decided for the first plan, and at least for several."""


@dataclass(frozen=True)
class RankedCandidate:
    """An evaluated program.

    Attributes:
        context: What it is a program of: the expression, or the first stage of its division.
        estimate: What the model expects of it, the second stage included.
        division: How the reduction is divided, None where it is not.
    """

    context: ProblemContext
    estimate: Estimate
    division: Division | None = None

    @property
    def rank(self) -> tuple[float, float, int]:
        """Order by predicted time; among equals prefer less traffic, then fewer threads."""
        one = self.estimate
        return one.seconds, one.work.cache_bytes, one.work.threads


@dataclass(frozen=True)
class Construction:
    """What a construction found.

    Attributes:
        plans: At least one and at most `top_k` distinct plans, best predicted time first, each with its prediction.
        programs: Distinct programs that were evaluated.
        epsilon: Largest share by which padding grew an axis of a candidate (ROLLER section 3.1).
    """

    plans: tuple[Plan, ...]
    programs: int
    epsilon: float


def construct(expression: TensorExpression, device: Device, options: ConstructOptions | None = None) -> list[Plan]:
    """Return plans for an operator, best predicted time first.

    Args:
        expression: The operator.
        device: What it runs on.
        options: What the user asks of plans, and how many to return; None for the defaults.

    Returns:
        At least one and at most `options.top_k` distinct plans, each with its prediction.

    Raises:
        ConstructionError: No program fits the device, or the user schedule cannot be.
    """
    return list(construction(expression, device, options).plans)


def construction(expression: TensorExpression, device: Device, options: ConstructOptions | None = None) -> Construction:
    """Return what `construct` returns, with how many programs were evaluated."""
    options = options or ConstructOptions()
    if device.vector_bytes is not None:
        plans, programs = construct_vectors(expression, device, options)
        return Construction(tuple(plans), programs, 0.0)
    machine_for(device, options)  # refuses what is no block of the device, however it is limited
    with collection_paused():
        try:
            return _construction(expression, device, options)
        except ConstructionError:
            if not options.limits_block:
                raise
            free = replace(
                options,
                block_threads=None,
                task_threads=None,
                block_registers=None,
                block_workgroup_bytes=None,
                blocks_per_unit=None,
            )
            best = _construction(expression, device, free).plans[0]
            raise ConstructionError(no_plan(best, options)) from None


@dataclass(frozen=True)
class _Attempt:
    """What is known of an expression with one instruction.

    Attributes:
        context: The expression.
        searches: Its searches by epsilon.
    """

    context: ProblemContext
    searches: dict[float, TiledSearch] = field(default_factory=dict)


def _construction(expression: TensorExpression, device: Device, options: ConstructOptions) -> Construction:
    """Return the plans of one search, or of two where some of the best programs store through workgroup memory.

    The second one is without such stores: a descent that they lead elsewhere may miss what is faster without them.
    """
    attempts: list[_Attempt] = []
    found = _searched(expression, device, options, attempts)
    plans, weighed, programs, epsilon = found.plans, found.plans[:LEAST_REFINED], found.programs, found.epsilon
    if found.staged:
        attempts = [_Attempt(one.context.unstaged(), one.searches) for one in attempts]
        direct = _searched(expression, device, replace(options, staged_stores=False), attempts)
        known = [one.plan for one in plans]
        others = [one for one in direct.plans if one.plan not in known]
        plans, weighed = plans + others, weighed + others[:LEAST_REFINED]
        programs, epsilon = max(programs, direct.programs), max(epsilon, direct.epsilon)
    plans = sorted(plans, key=lambda plan: plan.seconds)
    if is_corrected(weighed[0].plan, device, options):
        order = corrected_order([plan.plan for plan in weighed], device, options)
        others = [plan for plan in plans if all(plan is not one for one in weighed)]
        plans = [*(weighed[place] for place in order), *others]
    return Construction(tuple(plan.counted() for plan in plans[: options.top_k]), programs, epsilon)


@dataclass(frozen=True)
class _Search:
    """What one search found.

    Attributes:
        plans: In the order in which they were finished.
        programs: Distinct programs that were evaluated.
        epsilon: As of `Construction`.
        staged: Whether some of the best programs are faster with stores through workgroup memory.
    """

    plans: list[TimedPlan]
    programs: int
    epsilon: float
    staged: bool


def _searched(
    expression: TensorExpression, device: Device, options: ConstructOptions, attempts: list[_Attempt]
) -> _Search:
    """Return what a search finds.

    Args:
        expression: The operator.
        device: What it runs on.
        options: What the user asks of plans.
        attempts: What is known of the instructions that are tried, one after the other; receives the rest.
    """
    machine = machine_for(device, options)
    user_schedule = bool(options.tile_sizes or options.thread_tile)
    usable = atoms(expression, device, options.instructions, allow_tf32=options.allow_tf32)
    if not usable:
        raise ConstructionError(
            f"has no instruction for {', '.join(sorted({a.element_type for a in expression.inputs}))} to "
            f"{expression.output.element_type} on '{device.name}' in the families "
            f"{', '.join(options.instructions) or 'of the device'}"
        )
    every: list[RankedCandidate] = []
    plans: list[TimedPlan] = []
    epsilon = options.epsilon
    failure: ConstructionError | None = None
    waiting = list(enumerate(usable))
    while waiting and not plans:
        group: list[RankedCandidate] = []
        peak = 0
        while waiting:
            number, atom = waiting[0]
            if len(group) >= options.top_k and atom.instruction.flops_per_cycle_per_unit < peak:
                break  # slower instructions could only add worse programs
            del waiting[0]
            if number == len(attempts):
                first = attempts[0].context if attempts else None
                attempts.append(_Attempt(first.with_atom(atom) if first else ProblemContext(expression, machine, atom)))
            context = attempts[number].context
            try:
                if user_schedule:
                    found = [RankedCandidate(context, one) for one in user_schedule_estimates(context, options)]
                else:
                    found, used = _candidates(context, options, attempts[number].searches)
                    epsilon = max(epsilon, used)
            except ConstructionError as error:
                failure = failure or error
                continue
            group += found
            # Tiles of instructions that read memory are too large for small operators: others may be better there.
            if found and (user_schedule or not atom.reads_memory):
                peak = max(peak, atom.instruction.flops_per_cycle_per_unit)
        every += group
        plans = _finished(group, options)
    if not every and failure is not None:
        raise failure
    if len(plans) < options.top_k and not (user_schedule or options.stages or expression.whole):
        # Padding took the last of the workgroup memory of some; streaming programs need none.
        context = ProblemContext(expression, machine)
        known = {one.estimate.candidate for one in every}
        unstaged = _evaluated(context, _streaming(context, options, stage=False), options)
        plans += _finished([RankedCandidate(context, one) for one in unstaged if one.candidate not in known], options)
    if not plans:
        first = every[0]
        raise ConstructionError(resource_problem(first.context, first.estimate.candidate, first.estimate.stages))
    best = sorted(every, key=lambda one: one.rank)[:LEAST_REFINED]
    return _Search(plans, len(every), epsilon, any(one.estimate.staged for one in best))


def _finished(found: list[RankedCandidate], options: ConstructOptions) -> list[TimedPlan]:
    """Return the plans of the best candidates that fit with their layouts, at least `LEAST_REFINED` for several.

    Layouts add conflicts of banks and padding to what was estimated, and hardly ever take anything away: once the next
    estimate is above the best plan's time, no further program is finished for the first plan. Those that are finished
    for the sake of several come behind it, so that the first is the same however many are asked for: one that turns out
    faster, against its estimate, is left out. Where a residual counts, the first plan is one of several, too. A plan
    that no kernel could be made of is left out: what is checked of the plans of others is checked of these.
    """
    plans: list[TimedPlan] = []
    best, decided, several = inf, False, False
    for one in sorted(found, key=lambda one: one.rank):
        decided = decided or one.estimate.seconds >= best
        if len(plans) == max(LEAST_REFINED, options.top_k) or (decided and options.top_k == 1 and not several):
            break
        if matrix_problem(one.context, one.estimate.candidate):  # without its rule, tiles that no instruction has
            continue
        first = finish(one.context, one.estimate, padded="memory-bank" not in options.disabled_rules, counted=False)
        fits = first.prediction is not None and first.prediction.tasks_per_unit > 0
        if fits and not plan_problem(one.context.expression, first):
            first = replace(first, max_units=options.max_units) if options.max_units is not None else first
            plan = first if one.division is None else divided_plan(first, one.division, counted=False)
            timed = TimedPlan(one.context, first, one.division, plan)
            if not block_problem(plan, options) and not (decided and timed.seconds < best):
                plans.append(timed)
                if len(plans) == 1:
                    several = is_corrected(plan, one.context.machine.device, options)
                best = best if decided else min(best, timed.seconds)
    return plans


def _candidates(
    context: ProblemContext, options: ConstructOptions, searches: dict[float, TiledSearch]
) -> tuple[list[RankedCandidate], float]:
    """Return the evaluated programs of an expression with one instruction, and the epsilon that they needed."""
    expression, atom = context.expression, context.atom
    product = has_outer_product(expression)
    found: dict[Candidate, Estimate] = {}
    if expression.whole:
        _evaluate(context, [*row_candidates(context), *walked_candidates(context)], options, found)
        if not found:
            raise ConstructionError(row_problem(context, options.stages))
        return [RankedCandidate(context, one) for one in found.values()], options.epsilon
    filled, used = False, options.epsilon
    divided: list[tuple[Division, Estimate]] = []
    divider = Divider(context, lambda of: _streaming(of, options), joins=options.join)
    if context.reductions and context.reused and not expression.ordered:
        used, search = search_tiled(context, options, found, searches)[-1]
        if options.split and found:
            divided = divider.tiled(list(found.values()), options.stages, partial(neighbours, search))
        reason = capacity_problem(context) if product and not found else ""
        if reason:
            raise ConstructionError(reason)
        if found:
            best = min(found.values(), key=lambda one: one.seconds)
            filled = SPARSE * best.work.tasks >= context.machine.units
    windowed = any(access.windows for access in context.inputs)
    if not ((product or windowed) and filled) and not atom.is_matrix:
        streaming: dict[Candidate, Estimate] = {}
        _evaluate(context, _streaming(context, options), options, streaming)
        if options.split and streaming and context.reductions and not options.stages:
            divided += divider.streaming(min(streaming.values(), key=lambda one: one.seconds), options.stages)
        found |= streaming
    if not found and not atom.is_matrix:
        _evaluate(context, _streaming(context, options, stage=False), options, found)
    if not found:
        raise ConstructionError(stages_problem(context))
    candidates = [RankedCandidate(context, one) for one in found.values()]
    distinct = {(division.loop, division.points, one.candidate): (division, one) for division, one in divided}
    candidates += [RankedCandidate(division.context, one, division) for division, one in distinct.values()]
    return candidates, used


def search_tiled(
    context: ProblemContext,
    options: ConstructOptions,
    found: dict[Candidate, Estimate],
    searches: dict[float, TiledSearch],
) -> list[tuple[float, TiledSearch]]:
    """Weigh programs with reuse, with growing epsilon until there are K.

    Args:
        context: The expression.
        options: What is asked for.
        found: Receives the evaluated programs.
        searches: Those of the same expression and rules by epsilon, as far as there are any; receives the others.

    Returns:
        Each epsilon with its search; the last one is the largest.
    """
    used: list[tuple[float, TiledSearch]] = []
    for epsilon in (options.epsilon, *(step for step in EPSILON_STEPS if step > options.epsilon)):
        search = searches.get(epsilon)
        if search is None:
            rules = device_rules(context.machine.device, epsilon, context.atom, options.disabled_rules)
            search = searches[epsilon] = TiledSearch(context, rules)
        used.append((epsilon, search))
        _evaluate(context, search.programs(), options, found)
        refine(search, found, lambda candidate: _estimate(context, candidate, options))
        fill_rounds(search, found, lambda candidate: _estimate(context, candidate, options))
        if len(found) >= options.top_k:
            break
    return used


def _streaming(context: ProblemContext, options: ConstructOptions, *, stage: bool = True) -> list[Candidate]:
    """Return the streaming programs within the smallest epsilon that leaves K of them."""
    candidates = [
        candidate
        for candidate in direct_candidates(context, stage=stage)
        if context.task_threads in (None, candidate.thread_count)
        and not any(
            divide and divisor % block
            for divide, divisor, block in zip(context.steps_divide, context.divisors, candidate.blocks, strict=True)
        )
    ]
    if not candidates:
        return [lone_thread(context)]
    shares = sorted((padding_share(context, candidate), i) for i, candidate in enumerate(candidates))
    for epsilon in (options.epsilon, *EPSILON_STEPS):
        kept = [candidates[i] for share, i in shares if share <= epsilon]
        if len(kept) >= options.top_k:
            return kept
    return candidates


def _evaluated(context: ProblemContext, candidates: list[Candidate], options: ConstructOptions) -> list[Estimate]:
    found: dict[Candidate, Estimate] = {}
    _evaluate(context, candidates, options, found)
    return list(found.values())


def _evaluate(
    context: ProblemContext, candidates: list[Candidate], options: ConstructOptions, found: dict[Candidate, Estimate]
) -> None:
    for candidate in candidates:
        if candidate not in found and context.task_threads in (None, candidate.thread_count):
            one = _estimate(context, candidate, options)
            if one is not None:
                found[candidate] = one


def _estimate(context: ProblemContext, candidate: Candidate, options: ConstructOptions) -> Estimate | None:
    """Return what the model expects of a program, None where it does not fit or lacks the stages asked for."""
    one = estimate(context, candidate, stages=options.stages)
    if one is not None and options.stages > 1 and not (one.work.staged and one.work.steps > 1):
        return None
    return one
