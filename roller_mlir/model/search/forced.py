# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forced tiles: what a user asks for goes through the same checks as what is constructed, and fails with the reason."""

from collections.abc import Iterator, Sequence
from itertools import islice
from math import prod

from roller_mlir.model.atom import Atom
from roller_mlir.model.cost.estimate import estimate
from roller_mlir.model.cost.estimates import Estimate
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.facts import Facts
from roller_mlir.model.options import ConstructOptions
from roller_mlir.model.program import Program, make_program
from roller_mlir.model.search.direct import direct_programs
from roller_mlir.model.search.problems import count_problem, program_problem, resource_problem, thread_problem
from roller_mlir.model.tile import has_outer_product

MAX_FORCED = 256
"""Thread tiles that are tried for a forced block."""

MAX_THREAD_POINTS = 1024
"""Points of one thread along a forced reduction loop that are tried."""

Split = tuple[tuple[int, ...], tuple[int, ...]]
"""Points per thread, and threads, per loop."""


def forced_estimates(facts: Facts, options: ConstructOptions) -> list[Estimate]:
    """Return the candidates that have the forced tiles.

    Raises:
        ConstructionError: There is none; the message says what is needed against which limit, and what to change.
    """
    reason = count_problem(facts, options)
    if reason:
        raise ConstructionError(reason)
    found: list[Estimate] = []
    for program in _candidates(facts, options):
        problem = program_problem(facts, program, options.stages, options.disabled_rules)
        one = None if problem else estimate(facts, program, stages=options.stages)
        if one is not None:
            found.append(one)
        else:
            reason = reason or problem or resource_problem(facts, program, options.stages)
    if not found:
        raise ConstructionError(reason or thread_problem(facts, options))
    return found


def _candidates(facts: Facts, options: ConstructOptions) -> Iterator[Program]:
    """Yield the programs with the forced block, thread tile or both, in several thread orders."""
    seen: set[Program] = set()
    for registers, threads in _splits(facts, options):
        split = any(threads[loop] > 1 for loop in facts.reductions)
        reuse = bool(facts.reductions and facts.reused) and not split
        for lane, fastest in _orders(facts, threads):
            program = make_program(facts, registers, threads, fastest, lane, reuse=reuse)
            if program not in seen:
                seen.add(program)
                yield program


def _orders(facts: Facts, threads: Sequence[int]) -> Iterator[tuple[int | None, tuple[int, ...]]]:
    """Yield lane loops and thread orders: along the output's rows, or along a split reduction that is contiguous."""
    largest = max(facts.inputs, key=lambda a: a.walked_bytes, default=facts.output)
    lead = facts.output.contiguous
    along = largest.contiguous
    if along is not None and facts.reduction[along] and threads[along] > 1:
        lead = along
    rest = sorted((loop for loop in reversed(range(len(threads))) if loop != lead), key=lambda i: facts.reduction[i])
    yield lead, (*([lead] if lead is not None else []), *rest)


def _splits(facts: Facts, options: ConstructOptions) -> Iterator[Split]:
    """Yield the splits over threads that agree with what is forced."""
    blocks, own = options.tile_sizes, options.thread_tile
    if blocks and own:
        yield own, tuple(b // r for b, r in zip(blocks, own, strict=True))
    elif own:
        for program in direct_programs(facts):
            if program.registers == own:
                yield own, program.threads
        yield from islice(((own, threads) for threads in _thread_tiles(facts, own)), MAX_FORCED)
    else:
        found = False
        if has_outer_product(facts.expression):
            for split in islice(_thread_splits(facts, blocks, split_reductions=False), MAX_FORCED):
                found = True
                yield split
        if not found:
            yield from islice(_thread_splits(facts, blocks, split_reductions=True), MAX_FORCED)


def _thread_splits(facts: Facts, blocks: Sequence[int], *, split_reductions: bool) -> Iterator[Split]:
    """Yield the splits of a block that fill subgroups."""
    device = facts.machine.device
    choices: list[list[int]] = []
    atom = facts.atom
    for loop, block in enumerate(blocks):
        if loop == atom.beside:
            choices.append([1])
        elif loop in (atom.row, atom.column):
            choices.append(_matrix_splits(atom, loop, block))
        elif not facts.reduction[loop]:
            choices.append([r for r in range(1, min(block, 16) + 1) if block % r == 0 and (_is_power(r) or r == block)])
        elif split_reductions and not facts.steps_divide[loop]:
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
    own, lanes = (pair[loop == atom.column] for pair in (atom.own, atom.lanes))
    subgroups = [1 << bit for bit in range(6)]
    found = [block // (lanes * count) for count in subgroups if block % (lanes * count) == 0]
    return [points for points in found if points and points % own == 0]


def _thread_tiles(facts: Facts, own: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the threads per loop, powers of two, that a forced thread tile may be repeated over."""
    device = facts.machine.device
    choices: list[list[int]] = []
    for loop, extent in enumerate(facts.extents):
        sizes = [1]
        if loop in (facts.atom.row, facts.atom.column):
            sizes = [facts.atom.lanes[loop == facts.atom.column]]
        while not facts.reduction[loop] and sizes[-1] * own[loop] < extent and sizes[-1] < device.max_threads_per_block:
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
