# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the partial results of threads that split a reduction are joined: shuffles, then workgroup memory.

Threads that hold several values halve them as they go: each passes one half to its partner, and joins what it gets to
the other half. A butterfly would pass and join all values each time, and leave all threads with the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from roller_mlir.plan import AxisPlan, Loop

SHUFFLE_ISSUE = 4
"""Selects that take as long as one shuffle: assumed, for the schedulers of a unit, 4 on most devices, share what passes
words."""

SHUFFLE_CYCLES = 25
"""Cycles until a shuffled value is there: assumed, about as many as a load of workgroup memory takes."""

_WORD_BYTES = 4


def passed_units(values: int, width: int, element_bytes: int) -> int:
    """Return in how many units threads pass values: elements, or whole vectors of those that are less than a word.

    >>> passed_units(16, 4, 4), passed_units(16, 4, 2)
    (16, 4)
    """
    return values // width if element_bytes < _WORD_BYTES else values


@dataclass(frozen=True)
class AcrossSubgroups:
    """One split loop whose partial results lie in several subgroups.

    Attributes:
        loop: The reduction loop.
        stride: Slots between neighbouring partial results.
        count: Partial results to join.
        joined: Threads of the loop that shuffles joined before.
    """

    loop: int
    stride: int
    count: int
    joined: int


@dataclass(frozen=True)
class Passing:
    """What a thread does to join its values with those of its subgroup.

    Attributes:
        halvings: In how many of the first shuffles threads pass one half of their values each.
        shuffles: Values that it passes.
        joins: Operations that join two values.
        selects: Choices between two values.
    """

    halvings: int
    shuffles: int
    joins: int
    selects: int


@dataclass(frozen=True)
class JoinWork:
    """What the threads of a task do to join their values.

    Attributes:
        issue: Instructions of a thread, accesses to workgroup memory apart.
        phases: Passes of the task through workgroup memory.
        waits: Exchanges that follow each other: shuffles, a store and a load of workgroup memory.
    """

    issue: int
    phases: int
    waits: int


_NO_WORK = JoinWork(0, 0, 0)


@dataclass(frozen=True)
class Combination:
    """The joining of one accumulator's partial results.

    Attributes:
        shuffles: Distances of the shuffles, in threads, in order; each a power of two.
        across: Joins through workgroup memory, applied together after the shuffles.
        split_loops: Reduction loops that are split over threads; the thread with coordinate 0 on all holds the result.
        slots: Threads of a task over those that shuffles join: the partial results that go to workgroup memory.
        alone: Whether all threads of a subgroup have one slot.
    """

    shuffles: tuple[int, ...]
    across: tuple[AcrossSubgroups, ...]
    split_loops: tuple[int, ...]
    slots: int
    alone: bool

    def passing(self, values: int) -> Passing:
        """Return how a thread joins so many values with those of its subgroup.

        What goes to workgroup memory stays halved. Else all threads get all values again, in as many shuffles as there
        were halvings; there are as many as take the least time.

        >>> one = Combination((1, 2, 4, 8, 16), (), (0,), 8, alone=True)
        >>> one.passing(1), one.passing(16)
        (Passing(halvings=0, shuffles=5, joins=5, selects=0), Passing(halvings=4, shuffles=31, joins=16, selects=60))
        """
        return _passing(len(self.shuffles), through_memory=bool(self.across), values=values)

    def shared_reading(self, values: int) -> int | None:
        """Return over how many shuffles the threads of a subgroup divide slots that they read for each other.

        Each reads the values that it would hold after halving, of some slots, and they pass on what they find. None
        where each thread reads all that it needs itself: where that takes less time, and where several loops or
        subgroups of several slots are in the way.

        >>> few, many = (
        ...     Combination((1, 2, 4, 8, 16), (AcrossSubgroups(0, 1, slots, 32),), (0,), slots, alone=True)
        ...     for slots in (8, 32)
        ... )
        >>> [few.shared_reading(values) for values in (1, 16)], [many.shared_reading(values) for values in (1, 16)]
        ([None, 0], [4, 1])
        """
        if not self.alone or len(self.across) != 1:
            return None
        return _shared_reading(len(self.shuffles), self.slots, self.across[0].count, values)

    def divided_reading(self, points: int, steps: int) -> int:
        """Return over how many shuffles threads that need the same points divide the slots that they read.

        Args:
            points: What a thread needs.
            steps: Shuffles between threads of a subgroup that need the same.

        >>> gates = Combination((1, 2, 4, 8, 16), (AcrossSubgroups(0, 1, 8, 32),), (0,), 8, alone=True)
        >>> gates.divided_reading(1, 3), gates.divided_reading(4, 3), gates.divided_reading(4, 0)
        (0, 2, 0)
        """
        (across,) = self.across
        ways = [divisions for divisions in range(steps + 1) if across.count % (1 << divisions) == 0]

        def cycles(divisions: int) -> int:
            passed = points * ((across.count >> divisions) + divisions)
            return self.slots * passed + SHUFFLE_CYCLES * divisions

        return min(ways, key=cycles)

    def work(self, values: int, subgroups: int, *, everyone: bool) -> JoinWork:
        """Return what a task does to join so many values a thread.

        Args:
            values: Values of a thread.
            subgroups: Subgroups of the task.
            everyone: Whether all threads need the results, not those alone that store them.
        """
        if not self.split_loops:
            return _NO_WORK
        passing = self.passing(values)
        left = values >> passing.halvings
        issue, waits = passing.shuffles + passing.joins + passing.selects, len(self.shuffles)
        if not self.across:
            return JoinWork(issue, 0, waits + passing.halvings)
        read = values  # of its own share of the slots, as those of others do not read
        if everyone:
            count = prod(one.count for one in self.across)
            shared = self.shared_reading(values)
            read = values * count
            if shared is not None:
                read = left * (count >> shared)
                issue += 2 * shared * left + 3 * (values - left)
                waits += shared + passing.halvings
        return JoinWork(issue, (left + read) * subgroups, waits + 2)

    def spread_work(self, values: int, points: int, steps: int, subgroups: int) -> JoinWork:
        """Return what a task does to join values where each thread needs some of them, see `mapping.layout.spread`.

        Args:
            values: Values of a thread.
            points: Of these, what a thread needs.
            steps: As of `divided_reading`.
            subgroups: Subgroups of the task.

        Each of 256 threads has 16 values and needs 4, of which it reads 2 of 8 slots:

        >>> gates = Combination((1, 2, 4, 8, 16), (AcrossSubgroups(0, 1, 8, 32),), (0,), 8, alone=True)
        >>> gates.spread_work(16, 4, 3, 8)
        JoinWork(issue=82, phases=72, waits=9)
        """
        (across,) = self.across
        passing, divisions = self.passing(values), self.divided_reading(points, steps)
        read = points * (across.count >> divisions)
        issue = passing.shuffles + passing.joins + passing.selects + read - points + 2 * divisions * points
        written = values >> passing.halvings
        return JoinWork(issue, (written + read) * subgroups, len(self.shuffles) + 2 + divisions)


@lru_cache(maxsize=1024)
def _passing(steps: int, *, through_memory: bool, values: int) -> Passing:
    """Return how values are joined in so many steps."""
    ways: list[Passing] = []
    for halvings in range(steps + 1):
        if values % (1 << halvings):
            break
        left = values >> halvings
        passed = values - left
        rest = (steps - halvings) * left
        again = 0 if through_memory else passed
        ways.append(Passing(halvings, passed + rest + again, passed + rest, 2 * (passed + again)))
    return min(ways, key=lambda way: SHUFFLE_ISSUE * way.shuffles + way.joins + way.selects)


@lru_cache(maxsize=1024)
def _shared_reading(steps: int, slots: int, count: int, values: int) -> int | None:
    """Return how many times a subgroup that shares its reading divides the slots, None where it does not share."""
    halvings = _passing(steps, through_memory=True, values=values).halvings
    left = values >> halvings
    ways: list[tuple[int, int | None]] = [(slots * values * count, None)]
    for divisions in range(steps - halvings + 1):
        if count % (1 << divisions):
            break
        passed = left * (count >> divisions) + divisions * left + values - left
        ways.append((slots * passed + SHUFFLE_CYCLES * (divisions + halvings), divisions))
    return min(ways, key=lambda way: way[0])[1]


def combination(
    loops: Sequence[Loop], axes: Sequence[AxisPlan], thread_order: Sequence[int], subgroup_size: int
) -> Combination:
    """Return how partial results are joined.

    >>> row = (Loop(8), Loop(4096, True))
    >>> combination(row, (AxisPlan(block=1), AxisPlan(block=1024, threads=128, chunk=4)), (1,), 32).shuffles
    (1, 2, 4, 8, 16)
    """
    shuffles: list[int] = []
    across: list[AcrossSubgroups] = []
    split: list[int] = []
    stride = 1
    for loop in thread_order:
        threads = axes[loop].threads
        if loops[loop].reduction and threads > 1:
            split.append(loop)
            joined = 1
            if stride & (stride - 1) == 0 and threads & (threads - 1) == 0:
                while joined < threads and stride * joined < subgroup_size:
                    shuffles.append(stride * joined)
                    joined *= 2
            if joined < threads:
                # Threads that shuffles joined, all of them nearer than these, have one slot.
                across.append(AcrossSubgroups(loop, stride * joined >> len(shuffles), threads // joined, joined))
        stride *= threads
    alone = 1 << len(shuffles) >= min(stride, subgroup_size)
    return Combination(tuple(shuffles), tuple(across), tuple(split), stride >> len(shuffles), alone)


def combination_bytes(
    loops: Sequence[Loop], axes: Sequence[AxisPlan], thread_order: Sequence[int], subgroup_size: int, element_bytes: int
) -> int:
    """Return the workgroup memory that joining needs, in bytes: every accumulator of every slot, 0 without a join."""
    found = combination(loops, axes, thread_order, subgroup_size)
    if not found.across:
        return 0
    accumulators = prod(axes[i].registers for i, loop in enumerate(loops) if not loop.reduction)
    return accumulators * found.slots * element_bytes
