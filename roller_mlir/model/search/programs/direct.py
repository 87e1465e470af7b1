# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Construction of programs that stream: element-wise expressions, reductions, products without reuse in two directions.

Paper: ROLLER section 3.2: where the reuse score is constant, tiles are made for the top layer only and loaded straight
from the lowest. What remains to choose is how many threads run along the contiguous loop, where the others go, and how
many independent loads each thread has in flight.
"""

from collections.abc import Iterator, Sequence

from roller_mlir.model.candidate import Candidate, make_candidate
from roller_mlir.model.problem_context import AccessContext, ProblemContext

LOADS = ((1, 1), (2, 1), (4, 1), (8, 1), (1, 4), (1, 8))
"""Vectors that one thread loads per step and input: along the leading loop, and along the next one."""

MAX_STREAM_THREADS = 512
"""Threads of a task without reductions: larger tasks only end later."""

STAGED_ROWS = (32, 64)
"""Extents of a tile that is transposed on its way through workgroup memory."""


def direct_candidates(context: ProblemContext, *, stage: bool = True) -> Iterator[Candidate]:
    """Yield distinct streaming programs, without regard to padding.

    Args:
        context: The expression.
        stage: Whether transposed inputs go through workgroup memory.
    """
    seen: set[Candidate] = set()
    for dominant in _dominants(context):
        for candidate in _along(context, dominant, stage):
            if candidate not in seen:
                seen.add(candidate)
                yield candidate


def _dominants(context: ProblemContext) -> list[AccessContext]:
    """Return the accesses whose contiguous loop the lanes may follow: the output's and the largest input's."""
    ranked = sorted(context.inputs, key=lambda a: -a.walked_bytes)[:1]
    if not context.reductions or context.expression.ordered:
        ranked = [context.output]
    elif context.output.contiguous is not None:
        ranked.append(context.output)
    result: list[AccessContext] = []
    for access in ranked or [context.output]:
        if access.contiguous not in [other.contiguous for other in result]:
            result.append(access)
    return result


def _along(context: ProblemContext, dominant: AccessContext, stage: bool) -> Iterator[Candidate]:
    device = context.machine.device
    extents = context.bounds
    if not extents:
        yield make_candidate(context, (), (), (), None, reuse=False)
        return
    locality = sorted(
        range(len(extents)), key=lambda loop: (dominant.strides[loop] == 0, dominant.strides[loop], -loop)
    )
    lead = dominant.contiguous if dominant.contiguous is not None else locality[0]
    locality.remove(lead)
    parallel = [loop for loop in locality if not context.reduction[loop]]
    reductions = [loop for loop in locality if context.reduction[loop]]
    spreads = [parallel + reductions]
    if reductions:
        spreads.append(reductions + parallel)
    lane = lead if dominant.contiguous is not None else None
    across = _transposed(context, lead) if stage else None
    if across is not None:
        yield from _staged(context, lead, across, locality)
        return
    chunk = _chunk(context, dominant, lead)
    widest = ceil_power(-(-extents[lead] // chunk))
    if _is_undivided(context, lead):
        widest = max(1, _most_threads(context, lead) // chunk)
    # Neighbouring threads cover a whole row of banks, or all of the loop: narrower accesses waste transactions.
    narrowest = min(widest, max(1, context.machine.phase_bytes // (chunk * dominant.element_bytes)))
    top = device.max_threads_per_block if context.reductions else min(MAX_STREAM_THREADS, device.max_threads_per_block)
    wanted = context.task_threads
    for threads in [wanted] if wanted else _powers(device.subgroup_size, top):
        for spread in spreads:
            for share in _powers(min(narrowest, threads), min(threads, widest)):
                yield from _filled(context, lane, lead, locality, spread, threads, share, chunk, stage)


def _filled(
    context: ProblemContext,
    lane: int | None,
    lead: int,
    locality: Sequence[int],
    spread: Sequence[int],
    threads: int,
    share: int,
    chunk: int,
    stage: bool,
) -> Iterator[Candidate]:
    """Yield the programs with `share` threads on the leading loop and the rest spread over others, nearest first."""
    extents = context.bounds
    split = [1] * len(extents)
    split[lead], rest = share, threads // share
    for loop in spread:
        split[loop] = min(rest, _most_threads(context, loop))
        rest //= split[loop]
    if rest > 1:
        # Fewer points than threads: the smallest task has idle threads along a loop that may be padded.
        idle = [loop for loop in (lead, *_parallel_first(context, locality)) if not _is_undivided(context, loop)]
        if (threads > context.machine.device.subgroup_size and not context.task_threads) or not idle:
            return
        split[idle[0]] *= rest
    second = [
        loop for loop in (*(i for i in locality if context.reduction[i]), *locality) if extents[loop] > split[loop]
    ][:1]
    fastest = (lead, *locality)
    for along, more in LOADS:
        if along > 1 and split[lead] * chunk * along >= 2 * extents[lead]:
            continue
        if more > 1 and (not second or split[second[0]] * more >= 2 * extents[second[0]]):
            continue
        registers = [1] * len(extents)
        registers[lead] = chunk * along
        if more > 1:
            registers[second[0]] = more
        if context.expression.ordered and any(registers[loop] > 1 for loop in context.reductions[:-1]):
            continue
        yield make_candidate(context, registers, split, fastest, lane, lane_chunk=chunk, reuse=False, stage=stage)


def _transposed(context: ProblemContext, lead: int) -> int | None:
    """Return the contiguous loop of an input that runs across the leading loop in an element-wise expression."""
    if context.reductions:
        return None
    for access in sorted(context.inputs, key=lambda a: -a.walked_bytes):
        if access.contiguous is not None and access.contiguous != lead and lead in access.loops:
            return access.contiguous
    return None


def _staged(context: ProblemContext, lead: int, across: int, locality: Sequence[int]) -> Iterator[Candidate]:
    """Yield tiles of lead x across that are transposed through workgroup memory."""
    device, extents = context.machine.device, context.bounds
    for rows in STAGED_ROWS:
        for columns in STAGED_ROWS:
            for chunk in (4, 2, 1):
                if chunk > 1 and context.output.access.shape[-1].divisor % chunk:
                    continue
                for threads in _powers(device.subgroup_size, min(256, rows * columns // chunk)):
                    split = [1] * len(extents)
                    split[lead] = min(threads, columns // chunk)
                    split[across] = threads // split[lead]
                    if rows % split[across]:
                        continue
                    registers = [1] * len(extents)
                    registers[lead] = columns // split[lead]
                    registers[across] = rows // split[across]
                    yield make_candidate(
                        context, registers, split, (lead, *locality), lead, lane_chunk=chunk, reuse=False
                    )


def _chunk(context: ProblemContext, dominant: AccessContext, lead: int) -> int:
    """Return the widest vector along the leading loop that the dominant tensor's rows and the loop's extent allow."""
    chunk = dominant.limit
    row = dominant.access.shape[-1].divisor if dominant.access.shape else 1
    while chunk > 1 and (row % chunk or chunk >= 2 * context.bounds[lead] or context.divisors[lead] % chunk):
        chunk //= 2
    return chunk


def _powers(low: int, high: int) -> list[int]:
    sizes: list[int] = []
    while low <= high:
        sizes.append(low)
        low *= 2
    return sizes


def _parallel_first(context: ProblemContext, loops: Sequence[int]) -> list[int]:
    """Return the loops with the parallel ones first, otherwise in order."""
    return sorted(loops, key=lambda loop: context.reduction[loop])


def _is_undivided(context: ProblemContext, loop: int) -> bool:
    """Return whether the threads along a loop must divide it: steps must, or one thread walks it in order."""
    return context.steps_divide[loop] or (context.expression.ordered and context.reduction[loop])


def _most_threads(context: ProblemContext, loop: int) -> int:
    """Return the most threads of use along a loop, a power of two; where steps must divide the loop, so must they."""
    divisor = context.divisors[loop]
    if context.expression.ordered and context.reduction[loop]:
        return 1
    return divisor & -divisor if context.steps_divide[loop] else ceil_power(context.bounds[loop])


def lone_thread(context: ProblemContext) -> Candidate:
    """Return the program of one thread per task: what is left where no loop can hold a subgroup."""
    ones = [1] * len(context.bounds)
    return make_candidate(context, ones, ones, (), None, reuse=False)


def ceil_power(value: int) -> int:
    """Return the least power of two that is not below a value.

    >>> ceil_power(1), ceil_power(5), ceil_power(8)
    (1, 8, 8)
    """
    return 1 << max(0, value - 1).bit_length()


def padding_share(context: ProblemContext, candidate: Candidate) -> float:
    """Return the largest share of an axis that padding to whole tiles adds: (S - N % S) / N."""
    worst = 0.0
    for extent, block in zip(context.bounds, candidate.blocks, strict=True):
        rest = extent % block
        if rest:
            worst = max(worst, (block - rest) / extent)
    return worst
