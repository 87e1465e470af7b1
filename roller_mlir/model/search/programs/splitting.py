# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose reduction is divided over tasks, where the parallel loops alone leave units idle.

Beyond the ROLLER paper, which shrinks small operators (section 3.2) and keeps the parts of a reduction on one unit:
that is still what a program does by itself; parts leave the unit only where the prediction, with the second stage that
joins them, says that it pays.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import gcd, prod

from roller_mlir.model.candidate import Candidate, make_candidate
from roller_mlir.model.cost.estimate import estimate
from roller_mlir.model.cost.estimates import Estimate
from roller_mlir.model.cost.performance import l2_resident
from roller_mlir.model.cost.task.join import GAIN, hand_over_s, inside_s
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.search.programs.direct import lone_thread
from roller_mlir.plan import TensorExpression
from roller_mlir.plan.rewrite.split import (
    divisible_loops,
    first_expression,
    join_expression,
    output_loops,
    tile_expression,
)
from roller_mlir.plan.rewrite.uneven import uneven_problem

WORTH = 0.85
"""Share of the best undivided time that a program must promise, were the device full, to have its reduction divided."""

FILLS = (1, 4)
"""Tasks per unit that a division aims at, besides as many as fit on a unit at a time."""

BASES = 8
"""Programs of different numbers of tasks whose reduction is divided: the fastest, were only the device full."""

MOST_PARTS = 32
"""Partial results of one point that a thread loads at a time."""

STARTS, LOOKS = 3, 24
"""Divisions from whose fastest programs a descent along the predicted time starts; programs each evaluates at most."""

LEAST_STEPS = 4
"""Steps of a part at least: below, starting and ending it costs more than it saves."""


@dataclass(frozen=True)
class Division:
    """A way to divide an expression.

    Attributes:
        loop: The reduction loop.
        parts: Number of parts.
        points: Points of the loop in a part.
        context: Context of the first stage.
        combine_context: Context of the second stage.
        combine: The second stage, as a kernel.
        tiles: Gives the context of the second stage as blocks of the first may run it; None where they may not.
    """

    loop: int
    parts: int
    points: int
    context: ProblemContext
    combine_context: ProblemContext
    combine: Estimate
    tiles: Callable[[], ProblemContext] | None = None


Stream = Callable[[ProblemContext], Sequence[Candidate]]
"""Gives the streaming programs of an expression."""


class Divider:
    """Divides the reductions of one expression.

    Args:
        facts: The expression.
        stream: Gives streaming programs.
        joins: Whether blocks of a first stage may run the second one.
    """

    def __init__(self, context: ProblemContext, stream: Stream, *, joins: bool = True) -> None:
        self.context, self._stream, self._joins = context, stream, joins
        self.loops = divisible_loops(context.expression)[:1]
        self._ragged = {loop: not uneven_problem(context.expression, loop) for loop in self.loops}
        self.refined: dict[Candidate, Candidate] = {}
        """Of each program that the descent with a divided reduction weighed: the program before."""
        self._divisions: dict[tuple[int, int], Division | None] = {}
        self._tile_joins: dict[tuple[int, tuple[int, ...], int], Estimate | None] = {}
        self._combines: dict[int, tuple[ProblemContext, Estimate] | None] = {}

    def tiled(
        self, found: Sequence[Estimate], stages: int, neighbours: Callable[[Candidate], Iterable[Candidate]]
    ) -> list[tuple[Division, Estimate]]:
        """Return programs with the tiles of others, and a divided reduction.

        Args:
            found: Evaluated programs.
            stages: Buffers of staged inputs, 0 to decide.
            neighbours: Gives the programs next to one, see `neighbours.neighbours`.
        """
        units = self.context.machine.units
        limit = WORTH * min(one.seconds for one in found)
        promising = [(one.seconds * _filled(one, units), i) for i, one in enumerate(found)]
        small: dict[int, Estimate] = {}
        for promised, i in sorted(promising):
            if promised < limit:
                small.setdefault(found[i].work.tasks, found[i])
        result: list[tuple[Division, Estimate]] = []
        for loop in self.loops:
            for one in list(small.values())[:BASES]:
                step = one.candidate.blocks[loop]
                for division in self._of(loop, one.work.tasks, one.work.resident, step, step):
                    first = _with_part(one.candidate)
                    evaluated = estimate(division.context, first, stages=stages)
                    if evaluated is not None:
                        result.append((division, self._joined(evaluated, division)))
        starts: dict[int, tuple[Division, Estimate]] = {}
        for division, one in sorted(result, key=lambda one: one[1].seconds):
            starts.setdefault(division.parts, (division, one))
        for division, one in list(starts.values())[:STARTS]:
            result += self._descended(division, one, stages, neighbours)
        return result

    def _descended(
        self, division: Division, best: Estimate, stages: int, neighbours: Callable[[Candidate], Iterable[Candidate]]
    ) -> list[tuple[Division, Estimate]]:
        """Return what a descent along the predicted time passes, with the division as it is."""
        result: list[tuple[Division, Estimate]] = []
        seen: set[Candidate] = set()
        falling = True
        while falling:
            falling = False
            for candidate in neighbours(without_part(best.candidate)):
                if candidate in seen or division.points % candidate.blocks[division.loop]:
                    continue
                if len(seen) >= LOOKS:
                    return result
                seen.add(candidate)
                one = estimate(division.context, _with_part(candidate), stages=stages)
                if one is not None:
                    one = self._joined(one, division)
                    self.refined.setdefault(candidate, without_part(best.candidate))
                    result.append((division, one))
                    if one.seconds < 0.999 * best.seconds:
                        best, falling = one, True
                        break
        return result

    def streaming(self, best: Estimate, stages: int) -> list[tuple[Division, Estimate]]:
        """Return streaming programs of a divided reduction, where the best of the undivided leaves units idle."""
        units = self.context.machine.units
        result: list[tuple[Division, Estimate]] = []
        if _filled(best, units) >= WORTH:
            return result
        for loop in self.loops:
            tasks = max(1, best.work.tasks)
            widest = 1 << max(5, (self.context.bounds[loop] * tasks // (16 * units)).bit_length())
            for division in self._of(loop, tasks, best.work.resident, min(widest, 4096), 1):
                for candidate in self._stream(division.context):
                    if not candidate.blocks[0] == candidate.threads[0] == 1:
                        continue  # a task is of one part
                    evaluated = estimate(division.context, candidate, stages=stages)
                    if evaluated is not None:
                        result.append((division, self._joined(evaluated, division)))
        return result

    def _of(self, loop: int, tasks: int, resident: int, granule: int, step: int) -> list[Division]:
        """Return the divisions of a loop into parts of whole granules that fill the device."""
        extent, divisor, found = self.context.bounds[loop], self.context.divisors[loop], list[Division]()
        for fill in (*FILLS, resident):
            parts = -(-fill * self.context.machine.units // tasks)
            points = -(-extent // (parts * granule)) * granule
            if points < LEAST_STEPS * step or points >= extent or (divisor % points and not self._ragged[loop]):
                continue
            one = self._division(loop, points)
            if one is not None and one not in found:
                found.append(one)
        return found

    def _division(self, loop: int, points: int) -> Division | None:
        key = loop, points
        if key not in self._divisions:
            parts = -(-self.context.bounds[loop] // points)
            join = self._combine(parts)
            self._divisions[key] = None
            if parts > 1 and join is not None:
                first = partial(first_expression, self.context.expression, loop, parts, points)
                atom = self.context.atom.moved(1)
                context = self.context.stage(
                    ("first", loop, points, atom), lambda machine: ProblemContext(first(), machine, atom)
                )
                shared = self._joins and self.context.machine.cache_bytes  # through which blocks hand over
                tiles = partial(_tile_context, self.context, parts) if shared else None
                self._divisions[key] = Division(loop, parts, points, context, *join, tiles)
        return self._divisions[key]

    def _joined(self, first: Estimate, division: Division) -> Estimate:
        """Return a first stage's program with the time of both stages that is compared, whoever joins the parts."""
        machine = self.context.machine
        seconds = first.seconds + division.combine.seconds
        if division.tiles is not None and first.seconds + hand_over_s(machine) < GAIN * seconds:
            join = self._tile_estimate(division, first)
            if join is not None:
                inside = first.seconds + inside_s(join.seconds, machine.launch_s, machine)
                seconds = min(seconds, inside / GAIN)
        return replace(first, seconds=seconds)

    def _tile_estimate(self, division: Division, first: Estimate) -> Estimate | None:
        assert division.tiles is not None
        kept = [loop for loop in output_loops(division.context.expression) if loop]
        blocks = tuple(first.candidate.blocks[loop] for loop in kept)
        key = division.parts, blocks, first.candidate.thread_count
        if key not in self._tile_joins:
            self._tile_joins[key] = tile_estimate(division.tiles(), blocks, first.candidate.thread_count)
        found = self._tile_joins[key]
        return found if found is not None and found.work.resident >= first.work.resident else None

    def _combine(self, parts: int) -> tuple[ProblemContext, Estimate] | None:
        if parts not in self._combines:
            expression = join_expression(self.context.expression, parts, joined=False)
            context = _second_stage(self.context, ("join", parts), expression)
            evaluated = [
                one for candidate in combine_candidates(context) if (one := estimate(context, candidate)) is not None
            ]
            best = min(evaluated, key=lambda one: one.seconds, default=None)
            self._combines[parts] = None if best is None else (context, best)
        return self._combines[parts]


def _tile_context(context: ProblemContext, parts: int) -> ProblemContext:
    """Return the context of the second stage as blocks of the first may run it."""
    return _second_stage(context, ("tile", parts), tile_expression(context.expression, parts))


def _second_stage(context: ProblemContext, name: tuple[str, int], expression: TensorExpression) -> ProblemContext:
    return context.stage(name, lambda machine: ProblemContext(expression, l2_resident(machine, expression)))


def combine_candidates(context: ProblemContext) -> list[Candidate]:
    """Return programs of the second stage: threads along the points as far as there are any, the rest along the parts.

    Args:
        context: A `join_expression`: loops (those of the output, part).
    """
    *extents, parts = context.bounds
    rows = _rows(context)
    lanes, limit = context.machine.device.subgroup_size, context.machine.device.max_threads_per_block
    widest = context.output.limit if rows else 1
    while rows and context.divisors[rows[0]] % widest:
        widest //= 2
    candidates: list[Candidate] = []
    wanted = context.task_threads
    for threads in (wanted,) if wanted else (lanes, 2 * lanes, 4 * lanes, 8 * lanes):
        for chunk in {1, widest}:
            along, left = [1] * len(extents), threads
            for loop in rows:
                points = -(-extents[loop] // (chunk if loop == rows[0] else 1))
                along[loop] = min(left, 1 << (points - 1).bit_length())
                left //= along[loop]
            across = min(left, 1 << max(0, parts - 1).bit_length())
            if wanted and rows:  # some threads have no point
                along[rows[-1]] *= wanted // (prod(along) * across)
            elif wanted:  # or no part
                across = wanted
            if threads > limit or prod(along) * across < min(threads, lanes):
                continue
            own = min(MOST_PARTS, -(-parts // across))
            registers = [chunk if rows and loop == rows[0] else 1 for loop in range(len(extents))]
            lane = rows[0] if chunk > 1 else None
            order = (*rows, len(extents))
            candidates.append(make_candidate(context, (*registers, own), (*along, across), order, lane, reuse=False))
    return candidates or [lone_thread(context)]


def _rows(context: ProblemContext) -> list[int]:
    """Return the loops of a second stage's output, from that which its elements lie along."""
    return [loop for index in reversed(context.expression.output.indices) for loop in index.terms()]


def tile_estimate(context: ProblemContext, blocks: Sequence[int], threads: int) -> Estimate | None:
    """Return the program of the second stage that blocks of the first can run; None where there is none.

    Threads lie along rows of the tile, each with neighbouring points as far as there are enough for all. What threads
    are left take parts of sums; their number must be a power of two.

    Args:
        context: A `tile_expression`: loops (those of the output, part).
        blocks: The tile of the first stage along each of the output's loops.
        threads: Threads of its blocks.
    """
    part, parts, divisors = len(blocks), context.bounds[-1], context.divisors
    rows = _rows(context)
    chunk = context.output.limit if rows else 1
    while chunk > 1 and (blocks[rows[0]] % chunk or divisors[rows[0]] % chunk or prod(blocks) < chunk * threads):
        chunk //= 2
    along, left = [1] * (part + 1), threads
    for loop in rows:
        along[loop] = gcd(blocks[loop] // (chunk if loop == rows[0] else 1), left)
        left //= along[loop]
    if left & (left - 1):
        return None
    along[part] = left
    registers = [block // own for block, own in zip(blocks, along, strict=False)]
    own = min(max(1, MOST_PARTS // prod(registers)), -(-parts // left))
    lane = rows[0] if chunk > 1 else None
    return estimate(
        context,
        make_candidate(context, (*registers, own), along, (*rows, part), lane, lane_chunk=chunk, reuse=False),
    )


def _filled(one: Estimate, units: int) -> float:
    """Return the share of the units' time that a program's whole rounds of tasks use."""
    return one.work.tasks / (units * -(-one.work.tasks // units))


def _with_part(candidate: Candidate) -> Candidate:
    """Return the program of the first stage: the part is one more loop in front, one part a task."""
    return replace(
        candidate,
        blocks=(1, *candidate.blocks),
        threads=(1, *candidate.threads),
        chunks=(1, *candidate.chunks),
        order=tuple(loop + 1 for loop in candidate.order),
        lane=None if candidate.lane is None else candidate.lane + 1,
        registers=(1, *candidate.registers),
    )


def without_part(candidate: Candidate) -> Candidate:
    """Return the program whose first stage this is."""
    return replace(
        candidate,
        blocks=candidate.blocks[1:],
        threads=candidate.threads[1:],
        chunks=candidate.chunks[1:],
        order=tuple(loop - 1 for loop in candidate.order),
        lane=None if candidate.lane is None else candidate.lane - 1,
        registers=candidate.registers[1:],
    )
