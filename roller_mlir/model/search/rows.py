# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Construction of groups that need whole rows in one task: a softmax, a layer norm, means with what follows them.

Beyond the ROLLER paper, whose element-wise expressions are tiled freely (section 3.2): a loop that one part of the
group reduces over and another walks again is spread over the threads and registers of one task from end to end. What
remains to choose is how many threads share a row, and how many rows a task has.
"""

from collections.abc import Iterator
from math import prod

from roller_mlir.model.facts import Facts
from roller_mlir.model.program import Program, make_program
from roller_mlir.model.search.direct import ceil_power
from roller_mlir.model.search.problems import stages_problem


def row_programs(facts: Facts) -> Iterator[Program]:
    """Yield distinct programs whose tasks hold the expression's `whole` loops from end to end."""
    device = facts.machine.device
    whole = facts.expression.whole
    lead = _lead(facts)
    rows = [loop for loop in range(len(facts.extents)) if loop not in whole]
    chunk = _chunk(facts, lead)
    seen: set[Program] = set()
    for wanted in _powers(device.max_threads_per_block):
        for across in _powers(device.max_threads_per_block // wanted):
            threads, registers = [1] * len(facts.extents), [1] * len(facts.extents)
            left, right = wanted, across
            for loop in _near(whole, lead):
                unit = chunk if loop == lead else 1
                threads[loop] = min(left, ceil_power(-(-facts.extents[loop] // unit)))
                left //= threads[loop]
                registers[loop] = -(-facts.extents[loop] // (threads[loop] * unit)) * unit
            for loop in _near(rows, lead):
                unit = chunk if loop == lead else 1
                threads[loop] = min(right, ceil_power(-(-facts.extents[loop] // unit)))
                right //= threads[loop]
                registers[loop] = unit
            count = prod(threads)
            if left > 1 or right > 1 or (count % device.subgroup_size and count > 1):
                continue
            fastest = _near(range(len(facts.extents)), lead)
            program = make_program(facts, registers, threads, fastest, lead, lane_chunk=chunk, reuse=False, stage=False)
            if program not in seen:
                seen.add(program)
                yield program


def row_problem(facts: Facts, stages: int) -> str:
    """Return why no task can hold the rows of a group, or why not with so many stages (0 for any)."""
    if stages > 1:
        return stages_problem(facts)
    points = prod(facts.extents[loop] for loop in facts.expression.whole)
    device = facts.machine.device
    words = points * facts.expression.live_words
    held = (device.max_registers_per_thread - device.model.addressing_registers) * device.max_threads_per_block
    return (
        f"needs rows of {points} points in one task, {words} registers of 4 bytes, where '{device.name}' gives at most "
        f"{min(held, device.registers_per_unit)}"
    )


def _lead(facts: Facts) -> int | None:
    """Return the contiguous loop of the largest tensor."""
    accesses = sorted((*facts.inputs, facts.output), key=lambda access: -access.walked_bytes)
    return next((access.contiguous for access in accesses if access.contiguous is not None), None)


def _near(loops: Iterator[int] | range | tuple[int, ...] | list[int], lead: int | None) -> list[int]:
    """Return loops with the leading one first, then the innermost first."""
    return sorted(loops, key=lambda loop: (loop != lead, -loop))


def _chunk(facts: Facts, lead: int | None) -> int:
    """Return the widest vector along the leading loop that every tensor which it indexes allows."""
    if lead is None:
        return 1
    chunk = facts.output.limit
    for access in (*facts.inputs, facts.output):
        if lead not in access.loops:
            continue
        row = access.access.shape[-1] if access.contiguous == lead else 1
        chunk = min(chunk, access.limit, row & -row)
    return chunk if facts.extents[lead] % chunk == 0 else 1


def _powers(high: int) -> list[int]:
    return [1 << bit for bit in range(high.bit_length()) if 1 << bit <= high]
