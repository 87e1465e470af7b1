# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose reduction is divided over tasks, where the parallel loops alone leave units idle.

Beyond the ROLLER paper, which shrinks small operators (section 3.2) and keeps the parts of a reduction on one unit:
that is still what a program does by itself; parts leave the unit only where the prediction, with the second stage that
joins them, says that it pays.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from roller_mlir.model.cost.estimate import estimate
from roller_mlir.model.cost.estimates import Estimate
from roller_mlir.model.cost.performance import warm
from roller_mlir.model.facts import Facts
from roller_mlir.model.program import Program, make_program
from roller_mlir.model.search.direct import lone_thread
from roller_mlir.plan.split import divisible_loops, first_expression, join_expression
from roller_mlir.plan.uneven import uneven_problem

WORTH = 0.85
"""Share of the best undivided time that a program must promise, were the device full, to have its reduction divided."""

FILLS = (1, 4)
"""Tasks per unit that a division aims at, besides as many as fit on a unit at a time."""

BASES = 8
"""Programs of different numbers of tasks whose reduction is divided: the fastest, were only the device full."""

MOST_PARTS = 32
"""Partial results of one point that a thread loads at a time."""

STARTS, LOOKS = 3, 24
"""Divisions from whose fastest programs a descent along the predicted time starts; programs each weighs at most."""

LEAST_STEPS = 4
"""Steps of a part at least: below, starting and ending it costs more than it saves."""


@dataclass(frozen=True)
class Division:
    """A way to divide an expression.

    Attributes:
        loop: The reduction loop.
        parts: Number of parts.
        extent: Points of the loop in a part.
        facts: Facts of the first stage.
        join_facts: Facts of the second stage.
        join: The second stage.
    """

    loop: int
    parts: int
    extent: int
    facts: Facts
    join_facts: Facts
    join: Estimate


Stream = Callable[[Facts], Sequence[Program]]
"""Gives the streaming programs of an expression."""


class Divider:
    """Divides the reductions of one expression.

    Args:
        facts: The expression.
        stream: Gives streaming programs.
    """

    def __init__(self, facts: Facts, stream: Stream) -> None:
        self.facts, self._stream = facts, stream
        self.loops = divisible_loops(facts.expression)[:1]
        self._ragged = {loop: not uneven_problem(facts.expression, loop) for loop in self.loops}
        self.refined: dict[Program, Program] = {}
        """Of each program that the descent with a divided reduction weighed: the program before."""
        self._divisions: dict[tuple[int, int], Division | None] = {}
        self._joins: dict[int, tuple[Facts, Estimate] | None] = {}

    def tiled(
        self, found: Sequence[Estimate], stages: int, neighbours: Callable[[Program], Iterable[Program]]
    ) -> list[tuple[Division, Estimate]]:
        """Return programs with the tiles of others, and a divided reduction.

        Args:
            found: Weighed programs.
            stages: Buffers of staged inputs, 0 to decide.
            neighbours: Gives the programs next to one, see `neighbours.neighbours`.
        """
        units = self.facts.machine.units
        limit = WORTH * min(one.seconds for one in found)
        promising = [(one.seconds * _filled(one, units), i) for i, one in enumerate(found)]
        small: dict[int, Estimate] = {}
        for promised, i in sorted(promising):
            if promised < limit:
                small.setdefault(found[i].work.tasks, found[i])
        result: list[tuple[Division, Estimate]] = []
        for loop in self.loops:
            for one in list(small.values())[:BASES]:
                step = one.program.blocks[loop]
                for division in self._of(loop, one.work.tasks, one.work.resident, step, step):
                    first = _with_part(one.program)
                    weighed = estimate(division.facts, first, stages=stages)
                    if weighed is not None:
                        result.append((division, _joined(weighed, division)))
        starts: dict[int, tuple[Division, Estimate]] = {}
        for division, one in sorted(result, key=lambda one: one[1].seconds):
            starts.setdefault(division.parts, (division, one))
        for division, one in list(starts.values())[:STARTS]:
            result += self._descended(division, one, stages, neighbours)
        return result

    def _descended(
        self,
        division: Division,
        best: Estimate,
        stages: int,
        neighbours: Callable[[Program], Iterable[Program]],
    ) -> list[tuple[Division, Estimate]]:
        """Return what a descent along the predicted time passes, with the division as it is."""
        result: list[tuple[Division, Estimate]] = []
        seen: set[Program] = set()
        falling = True
        while falling:
            falling = False
            for program in neighbours(without_part(best.program)):
                if program in seen or division.extent % program.blocks[division.loop]:
                    continue
                if len(seen) >= LOOKS:
                    return result
                seen.add(program)
                one = estimate(division.facts, _with_part(program), stages=stages)
                if one is not None:
                    one = _joined(one, division)
                    self.refined.setdefault(program, without_part(best.program))
                    result.append((division, one))
                    if one.seconds < 0.999 * best.seconds:
                        best, falling = one, True
                        break
        return result

    def streaming(self, best: Estimate, stages: int) -> list[tuple[Division, Estimate]]:
        """Return streaming programs of a divided reduction, where the best of the undivided leaves units idle."""
        units = self.facts.machine.units
        result: list[tuple[Division, Estimate]] = []
        if _filled(best, units) >= WORTH:
            return result
        for loop in self.loops:
            tasks = max(1, best.work.tasks)
            widest = 1 << max(5, (self.facts.extents[loop] * tasks // (16 * units)).bit_length())
            for division in self._of(loop, tasks, best.work.resident, min(widest, 4096), 1):
                for program in self._stream(division.facts):
                    weighed = estimate(division.facts, program, stages=stages)
                    if weighed is not None and program.blocks[0] == program.threads[0] == 1:
                        result.append((division, _joined(weighed, division)))
        return result

    def _of(self, loop: int, tasks: int, resident: int, granule: int, step: int) -> list[Division]:
        """Return the divisions of a loop into parts of whole granules that fill the device."""
        extent, found = self.facts.extents[loop], list[Division]()
        for fill in (*FILLS, resident):
            parts = -(-fill * self.facts.machine.units // tasks)
            points = -(-extent // (parts * granule)) * granule
            if points < LEAST_STEPS * step or points >= extent or (extent % points and not self._ragged[loop]):
                continue
            one = self._division(loop, points)
            if one is not None and one not in found:
                found.append(one)
        return found

    def _division(self, loop: int, extent: int) -> Division | None:
        key = loop, extent
        if key not in self._divisions:
            parts = -(-self.facts.extents[loop] // extent)
            join = self._join(parts)
            self._divisions[key] = None
            if parts > 1 and join is not None:
                expression = first_expression(self.facts.expression, loop, parts, extent)
                facts = Facts(expression, self.facts.machine, self.facts.atom.moved(1))
                self._divisions[key] = Division(loop, parts, extent, facts, *join)
        return self._divisions[key]

    def _join(self, parts: int) -> tuple[Facts, Estimate] | None:
        if parts not in self._joins:
            expression = join_expression(self.facts.expression, parts)
            facts = Facts(expression, warm(self.facts.machine, expression))
            weighed = [one for program in join_programs(facts) if (one := estimate(facts, program)) is not None]
            best = min(weighed, key=lambda one: one.seconds, default=None)
            self._joins[parts] = None if best is None else (facts, best)
        return self._joins[parts]


def join_programs(facts: Facts) -> list[Program]:
    """Return programs of the second stage: threads along the points as far as there are any, the rest along the parts.

    Args:
        facts: A `join_expression`: loops (points, parts).
    """
    points, parts = facts.extents
    lanes, limit = facts.machine.device.subgroup_size, facts.machine.device.max_threads_per_block
    widest = facts.output.limit
    while points % widest:
        widest //= 2
    programs: list[Program] = []
    for threads in (lanes, 2 * lanes, 4 * lanes, 8 * lanes):
        for chunk in {1, widest}:
            along = min(threads, 1 << max(0, -(-points // chunk) - 1).bit_length())
            across = min(threads // along, 1 << max(0, parts - 1).bit_length())
            if threads > limit or along * across < min(threads, lanes):
                continue
            own = min(MOST_PARTS, -(-parts // across))
            lane = 0 if chunk > 1 else None
            programs.append(make_program(facts, (chunk, own), (along, across), (0, 1), lane, reuse=False))
    return programs or [lone_thread(facts)]


def _filled(one: Estimate, units: int) -> float:
    """Return the share of the units' time that a program's whole rounds of tasks use."""
    return one.work.tasks / (units * -(-one.work.tasks // units))


def _with_part(program: Program) -> Program:
    """Return the program of the first stage: the part is one more loop in front, one part a task."""
    return replace(
        program,
        blocks=(1, *program.blocks),
        threads=(1, *program.threads),
        chunks=(1, *program.chunks),
        order=tuple(loop + 1 for loop in program.order),
        lane=None if program.lane is None else program.lane + 1,
        registers=(1, *program.registers),
    )


def without_part(program: Program) -> Program:
    """Return the program whose first stage this is."""
    return replace(
        program,
        blocks=program.blocks[1:],
        threads=program.threads[1:],
        chunks=program.chunks[1:],
        order=tuple(loop - 1 for loop in program.order),
        lane=None if program.lane is None else program.lane - 1,
        registers=program.registers[1:],
    )


def _joined(first: Estimate, division: Division) -> Estimate:
    return replace(first, seconds=first.seconds + division.join.seconds)
