# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Construction of groups that need whole rows in one task: a softmax, a layer norm, means with what follows them.

Beyond the ROLLER paper, whose element-wise expressions are tiled freely (section 3.2): a loop that one part of the
group reduces over and another walks again is spread over the threads and registers of one task from end to end. What
remains to choose is how many threads share a row, and how many rows a task has. A task of long rows may walk them in
steps instead, pass by pass, with rows that stay in workgroup memory or are read again by each pass.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from roller_mlir.mapping.layout.layout import keeps_rows
from roller_mlir.model.candidate import Candidate, make_candidate
from roller_mlir.model.cost.task.rows import kept_bytes
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.search.problems import stages_problem
from roller_mlir.model.search.programs.direct import ceil_power

LONG_ROW = 8192
"""Points of a row up to which tasks hold it: 1024 threads then hold 8 points each."""

STEP_POINTS = (1, 2, 4)
"""Vectors that a thread takes of a row in one step."""

LEAST_WALKERS = 128
"""Threads of a task that walks rows, at least: fewer wait for each load alone."""


def row_candidates(context: ProblemContext) -> Iterator[Candidate]:
    """Yield distinct programs whose tasks hold the expression's `whole` loops from end to end."""
    device = context.machine.device
    whole = context.expression.whole
    lead = _lead(context)
    rows = [loop for loop in range(len(context.bounds)) if loop not in whole]
    chunk = _chunk(context, lead)
    seen: set[Candidate] = set()
    for wanted in _powers(device.max_threads_per_block):
        for across in _powers(device.max_threads_per_block // wanted):
            threads, registers = [1] * len(context.bounds), [1] * len(context.bounds)
            left, right = wanted, across
            for loop in _by_locality(whole, lead):
                unit = chunk if loop == lead else 1
                threads[loop] = min(left, ceil_power(-(-context.bounds[loop] // unit)))
                left //= threads[loop]
                registers[loop] = -(-context.bounds[loop] // (threads[loop] * unit)) * unit
            for loop in _by_locality(rows, lead):
                unit = chunk if loop == lead else 1
                threads[loop] = min(right, ceil_power(-(-context.bounds[loop] // unit)))
                right //= threads[loop]
                registers[loop] = unit
            if right > 1 and context.task_threads and rows:  # some threads have no row
                threads[_by_locality(rows, lead)[0]] *= right
                right = 1
            count = prod(threads)
            if left > 1 or right > 1 or (count % device.subgroup_size and count > 1):
                continue
            fastest = _by_locality(range(len(context.bounds)), lead)
            candidate = make_candidate(
                context, registers, threads, fastest, lead, lane_chunk=chunk, reuse=False, stage=False
            )
            if candidate not in seen:
                seen.add(candidate)
                yield candidate


def walked_candidates(context: ProblemContext) -> Iterator[Candidate]:
    """Yield programs whose tasks walk the expression's `whole` loops in steps, where they can and rows are long.

    Of each, inputs stay in workgroup memory that several passes read, where they fit, or are read again.
    """
    device, expression = context.machine.device, context.expression
    whole = expression.whole
    if not expression.row_passes or prod(context.bounds[loop] for loop in whole) <= LONG_ROW:
        return
    lead = _lead(context)
    chunk = _chunk(context, lead)
    first, *others = _by_locality(whole, lead)
    rows = _by_locality([loop for loop in range(len(context.bounds)) if loop not in whole], lead)
    unit = chunk if lead == first else 1
    for count in _powers(device.max_threads_per_block):
        beside = lead not in whole and lead is not None
        for along in _powers(count) if beside else [count]:
            if count < LEAST_WALKERS or along * unit * STEP_POINTS[0] >= 2 * context.bounds[first]:
                continue
            for more in STEP_POINTS:
                threads, registers = [1] * len(context.bounds), [1] * len(context.bounds)
                threads[first], registers[first] = along, unit * more
                if beside and lead is not None:
                    threads[lead], registers[lead] = count // along, chunk
                if any(threads[loop] * registers[loop] >= 2 * context.bounds[loop] for loop in rows):
                    continue
                order = (*([lead] if beside and lead is not None else []), first, *others, *rows)
                fastest = tuple(dict.fromkeys(order))
                walks = make_candidate(context, registers, threads, fastest, lead, lane_chunk=chunk, reuse=False)
                if expression.walks_rows(walks.blocks):
                    yield from with_kept_rows(context, walks)


def with_kept_rows(context: ProblemContext, candidate: Candidate) -> Iterator[Candidate]:
    """Yield a program, and where its tasks walk their rows, the same with rows that stay in workgroup memory."""
    yield candidate
    if context.expression.walks_rows(candidate.blocks):
        kept = _kept(context, candidate)
        if any(kept):
            yield replace(candidate, staged=kept)


def _kept(context: ProblemContext, candidate: Candidate) -> tuple[bool, ...]:
    """Return the inputs whose rows can stay in workgroup memory together, those that most passes read first."""
    expression = context.expression
    reads = [sum(number in one.inputs for one in expression.row_passes) for number in range(len(context.inputs))]
    left = context.machine.device.max_workgroup_bytes_per_block
    left -= candidate.thread_count * context.result_bytes  # for joining partial results
    kept = [False] * len(context.inputs)
    for number in sorted(range(len(kept)), key=lambda number: -reads[number]):
        if reads[number] < 2 or not keeps_rows(expression, context.inputs[number].access):
            continue
        if not any(loop in context.inputs[number].loops for loop in context.parallel if loop not in expression.whole):
            continue  # what all tasks read, the last cache has
        size = kept_bytes(context, candidate.blocks, number)
        if size <= left:
            kept[number], left = True, left - size
    return tuple(kept)


def row_problem(context: ProblemContext, stages: int) -> str:
    """Return why no task can hold the rows of a group, or why not with so many stages (0 for any)."""
    if stages > 1:
        return stages_problem(context)
    points = prod(context.bounds[loop] for loop in context.expression.whole)
    device = context.machine.device
    words = points * context.expression.live_words
    held = (device.max_registers_per_thread - device.model.addressing_registers) * device.max_threads_per_block
    return (
        f"needs rows of {points} points in one task, {words} registers of 4 bytes, where '{device.name}' gives at most "
        f"{min(held, device.registers_per_unit)}"
    )


def _lead(context: ProblemContext) -> int | None:
    """Return the contiguous loop of the largest tensor."""
    accesses = sorted((*context.inputs, context.output), key=lambda access: -access.walked_bytes)
    return next((access.contiguous for access in accesses if access.contiguous is not None), None)


def _by_locality(loops: Iterator[int] | range | tuple[int, ...] | list[int], lead: int | None) -> list[int]:
    """Return loops with the leading one first, then the innermost first."""
    return sorted(loops, key=lambda loop: (loop != lead, -loop))


def _chunk(context: ProblemContext, lead: int | None) -> int:
    """Return the widest vector along the leading loop that every tensor which it indexes allows."""
    if lead is None:
        return 1
    chunk = context.output.limit
    for access in (*context.inputs, context.output):
        if lead not in access.loops:
            continue
        row = access.access.shape[-1].divisor if access.contiguous == lead else 1
        chunk = min(chunk, access.limit, row & -row)
    return chunk if context.divisors[lead] % chunk == 0 else 1


def _powers(high: int) -> list[int]:
    return [1 << bit for bit in range(high.bit_length()) if 1 << bit <= high]
