# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Construction of groups that need whole rows in one task: a softmax, a layer norm, means with what follows them.

Beyond the ROLLER paper, whose element-wise expressions are tiled freely (section 3.2): a loop that one part of the
group reduces over and another walks again is spread over the threads and registers of one task from end to end. What
remains to choose is how many threads share a row, and how many rows a task has.
"""

from collections.abc import Iterator
from math import prod

from roller_mlir.model.candidate import Candidate, make_candidate
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.search.direct import ceil_power
from roller_mlir.model.search.problems import stages_problem


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
