# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""User schedules: what a user asks for passes the checks of what is constructed, and fails with the reason."""

from collections.abc import Iterator, Sequence
from itertools import islice
from math import prod

from roller_mlir.model.candidate import Candidate, make_candidate
from roller_mlir.model.cost.estimate import estimate
from roller_mlir.model.cost.estimates import Estimate
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.instructions.atom import Atom
from roller_mlir.model.options import ConstructOptions
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.search.problems import candidate_problem, count_problem, resource_problem, thread_problem
from roller_mlir.model.search.programs.direct import direct_candidates
from roller_mlir.model.search.programs.rows import with_kept_rows
from roller_mlir.model.tile import has_outer_product

MAX_USER_TILES = 256
"""Thread tiles that are tried for the block of a user schedule."""

MAX_THREAD_POINTS = 1024
"""Points of one thread along a reduction loop that are tried for a step of the user."""

Split = tuple[tuple[int, ...], tuple[int, ...]]
"""Points per thread, and threads, per loop."""


def user_schedule_estimates(context: ProblemContext, options: ConstructOptions) -> list[Estimate]:
    """Return the candidates of a user schedule.

    Raises:
        ConstructionError: There is none; the message says what is needed against which limit, and what to change.
    """
    reason = count_problem(context, options)
    if reason:
        raise ConstructionError(reason)
    found: list[Estimate] = []
    for candidate in _candidates(context, options):
        if context.task_threads not in (None, candidate.thread_count):
            continue
        problem = candidate_problem(context, candidate, options.stages, options.disabled_rules)
        one = None if problem else estimate(context, candidate, stages=options.stages)
        if one is not None:
            found.append(one)
        else:
            reason = reason or problem or resource_problem(context, candidate, options.stages)
    if not found:
        raise ConstructionError(reason or thread_problem(context, options))
    return found


def _candidates(context: ProblemContext, options: ConstructOptions) -> Iterator[Candidate]:
    """Yield the programs with the user's block, thread tile or both, in several thread orders."""
    seen: set[Candidate] = set()
    for registers, threads in _splits(context, options):
        split = any(threads[loop] > 1 for loop in context.reductions)
        reuse = bool(context.reductions and context.reused) and not split
        for lane, fastest in _orders(context, threads):
            made = make_candidate(context, registers, threads, fastest, lane, reuse=reuse)
            for candidate in with_kept_rows(context, made):
                if candidate not in seen:
                    seen.add(candidate)
                    yield candidate


def _orders(context: ProblemContext, threads: Sequence[int]) -> Iterator[tuple[int | None, tuple[int, ...]]]:
    """Yield lane loops and thread orders: along the output's rows, or along a split reduction that is contiguous."""
    largest = max(context.inputs, key=lambda a: a.walked_bytes, default=context.output)
    lead = context.output.contiguous
    along = largest.contiguous
    if along is not None and context.reduction[along] and threads[along] > 1:
        lead = along
    rest = sorted((loop for loop in reversed(range(len(threads))) if loop != lead), key=lambda i: context.reduction[i])
    yield lead, (*([lead] if lead is not None else []), *rest)


def _splits(context: ProblemContext, options: ConstructOptions) -> Iterator[Split]:
    """Yield the splits over threads that agree with the user schedule."""
    blocks, own = options.tile_sizes, options.thread_tile
    if blocks and own:
        yield own, tuple(b // r for b, r in zip(blocks, own, strict=True))
    elif own:
        for candidate in direct_candidates(context):
            if candidate.registers == own:
                yield own, candidate.threads
        yield from islice(((own, threads) for threads in _thread_tiles(context, own)), MAX_USER_TILES)
    else:
        found = False
        if has_outer_product(context.expression):
            for split in islice(_thread_splits(context, blocks, split_reductions=False), MAX_USER_TILES):
                found = True
                yield split
        if not found:
            yield from islice(_thread_splits(context, blocks, split_reductions=True), MAX_USER_TILES)


def _thread_splits(context: ProblemContext, blocks: Sequence[int], *, split_reductions: bool) -> Iterator[Split]:
    """Yield the splits of a block that fill subgroups."""
    device = context.machine.device
    choices: list[list[int]] = []
    atom = context.atom
    for loop, block in enumerate(blocks):
        if loop == atom.extra_axis:
            choices.append([1])
        elif loop in (atom.row, atom.column):
            choices.append(_matrix_splits(atom, loop, block))
        elif not context.reduction[loop]:
            choices.append([r for r in range(1, min(block, 16) + 1) if block % r == 0 and (_is_power(r) or r == block)])
        elif split_reductions and not context.steps_divide[loop]:
            sizes = range(1, min(block, MAX_THREAD_POINTS) + 1)
            choices.append([r for r in sizes if block % r == 0 and _is_power(block // r)])
        else:
            choices.append([block])
    for registers in _combinations(choices):
        threads = tuple(b // r for b, r in zip(blocks, registers, strict=True))
        total = prod(threads)
        if total <= device.max_threads_per_block and total % device.subgroup_size == 0:
            yield registers, threads


def _matrix_splits(atom: Atom, loop: int, block: int) -> list[int]:
    """Return the points per thread of a block along the rows or columns of a matrix instruction, most first."""
    own, lanes = (pair[loop == atom.column] for pair in (atom.per_thread, atom.lanes))
    subgroups = [1 << bit for bit in range(6)]
    found = [block // (lanes * count) for count in subgroups if block % (lanes * count) == 0]
    return [points for points in found if points and points % own == 0]


def _thread_tiles(context: ProblemContext, own: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the threads per loop, powers of two, that a thread tile of the user may be repeated over."""
    device = context.machine.device
    choices: list[list[int]] = []
    for loop, extent in enumerate(context.bounds):
        sizes = [1]
        if loop in (context.atom.row, context.atom.column):
            sizes = [context.atom.lanes[loop == context.atom.column]]
        while (
            not context.reduction[loop] and sizes[-1] * own[loop] < extent and sizes[-1] < device.max_threads_per_block
        ):
            sizes.append(sizes[-1] * 2)
        choices.append(sizes)
    for threads in _combinations(choices):
        total = prod(threads)
        if total % device.subgroup_size == 0 and total <= device.max_threads_per_block:
            yield threads


def _combinations(choices: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    if not choices:
        yield ()
        return
    for first in choices[0]:
        for rest in _combinations(choices[1:]):
            yield (first, *rest)


def _is_power(value: int) -> bool:
    return value & (value - 1) == 0
