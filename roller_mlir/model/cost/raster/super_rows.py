# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rasters of super-rows: tasks that run together cover a box of the result that is about as wide as high.

In the order of loops a wave of tasks covers a few whole rows of tiles, and each tensor is read again by every wave that
the last cache cannot span. In super-rows it covers a part of so many rows, which loads less. Where units have private
caches, tasks are dealt to these in turn; a level of the raster that has as many steps as there are caches, and runs
fastest, gives each cache a part of the result of its own. Paper: ROLLER section 3.2 leaves the order open.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from math import gcd, prod

from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.raster.order import Order, cache_traffic
from roller_mlir.model.cost.timing import CandidateWork
from roller_mlir.model.problem_context import AccessContext, ProblemContext
from roller_mlir.plan.tasks.raster import Level

HIGHEST = 64
"""Rows of tiles in a super-row at most."""

WORTH = 0.97
"""Share of the bytes of a plain raster below which another one is taken."""

FEW_WAVES = 4
"""Waves up to which what they load is counted of each."""

COUNTED = 2
"""Rasters of which it is counted what some waves load; others are told apart by the boxes that waves about cover."""


@dataclass(frozen=True)
class RasterTraffic:
    """What tasks in an order move.

    Attributes:
        global_bytes: Bytes that reach global memory.
        shared_bytes: Bytes between private caches and the last one, 0 without them.
        order: Loops with several tasks, outermost first.
        levels: The raster where it is not those loops one after the other, else empty.
    """

    global_bytes: float
    shared_bytes: float
    order: Order
    levels: tuple[Level, ...] = ()


def raster(context: ProblemContext, candidate: Candidate, work: CandidateWork) -> RasterTraffic:
    """Return the raster of a program's tasks that reads least."""
    counts = [-(-extent // block) for extent, block in zip(context.bounds, candidate.blocks, strict=True)]
    times = 2 if context.expression.accumulates else 1
    return raster_traffic(context, candidate.blocks, counts, context.machine.units * work.resident, times)


def raster_traffic(
    context: ProblemContext, blocks: Sequence[int], counts: Sequence[int], concurrent: int, times: int
) -> RasterTraffic:
    """Return what tasks move in the best raster; arguments as of `cost.raster.order.global_traffic`."""
    key = tuple(blocks), concurrent, times
    known = context.rasters.get(key)
    if known is None:
        known = context.rasters[key] = _raster_traffic(context, blocks, counts, concurrent, times)
    return known


def _raster_traffic(
    context: ProblemContext, blocks: Sequence[int], counts: Sequence[int], concurrent: int, times: int
) -> RasterTraffic:
    moved, shared, order = cache_traffic(context, blocks, counts, concurrent, times)
    best = RasterTraffic(moved, shared, order)
    tasks = prod([counts[loop] for loop in order])
    once = sum([access.access.size_bytes for access in context.reads]) + times * context.written_bytes
    machine = context.machine
    again = moved > 1.01 * once or (machine.private_caches > 1 and shared > 1.01 * once)
    if len(order) < 2 or tasks <= concurrent or not again or not _several_share(context, order):
        return best
    streams = _Streams(context, blocks, counts, concurrent, times)
    plain = [(loop, counts[loop], 1) for loop in order]
    found = [(_cost(context, *streams.traffic(one)), one) for one in _rasters(order, counts, machine.private_caches)]
    likely = [one for one in found if one[0] < WORTH * _cost(context, *streams.traffic(plain))]
    if not likely:
        return best
    exact = streams.exact(plain)
    least = WORTH * _cost(context, *exact)
    for _, levels in nsmallest(COUNTED, likely):
        counted = streams.exact(levels)
        if _cost(context, *counted) < least:
            least = _cost(context, *counted)
            ratios = [new / old if old else 0.0 for new, old in zip(counted, exact, strict=True)]
            scaled = moved * ratios[0], shared * ratios[1]
            best = RasterTraffic(max(float(once), scaled[0]), scaled[1], order, tuple(levels))
    return best


def _several_share(context: ProblemContext, order: Order) -> bool:
    """Return whether tasks next to each other along one loop load the same of a tensor, and along another of another.

    Both tensors must be larger than the caches hold; else the order of loops is as good as any raster.
    """
    machine = context.machine
    held = (machine.private_cache_bytes if machine.private_caches > 1 else machine.cache_bytes) // 2
    large = [access for access in context.reads if access.access.size_bytes > held]
    shared = {loop for access in large for loop in order if loop not in access.parallel}
    return len(shared) > 1 and sum(any(loop not in access.parallel for loop in order) for access in large) > 1


def _cost(context: ProblemContext, global_bytes: float, shared_bytes: float) -> float:
    """Return the seconds that memory and shared cache are busy."""
    machine = context.machine
    seconds = global_bytes / machine.global_bytes_per_s
    return max(seconds, shared_bytes / machine.last_cache_bytes_per_s if machine.private_caches > 1 else 0.0)


def _rasters(order: Order, counts: Sequence[int], caches: int) -> Iterator[list[Level]]:
    """Yield rasters with super-rows of the last two loops, and with parts of the result for private caches."""
    *outer, first, second = order
    before: list[Level] = [(loop, counts[loop], 1) for loop in outer]
    for rows, across in ((first, second), (second, first)):
        heights = [n for n in range(1, min(HIGHEST, counts[rows]) + 1) if counts[rows] % n == 0]
        for height in heights:
            levels: list[Level] = [*before]
            if height < counts[rows]:
                levels.append((rows, counts[rows] // height, height))
            levels.append((across, counts[across], 1))
            if height > 1:
                levels.append((rows, height, 1))
            if 1 < height < counts[rows]:
                yield levels
            if caches > 1:
                yield from _dealt(levels, caches)


def _dealt(levels: list[Level], caches: int) -> Iterator[list[Level]]:
    """Yield the raster with one part for each private cache, of the outermost level that has as many."""
    for at, (loop, steps, apart) in enumerate(levels):
        if steps % caches == 0:
            left = [(loop, steps // caches, apart)] if steps > caches else []
            yield [*levels[:at], *left, *levels[at + 1 :], (loop, caches, apart * (steps // caches))]
            return


class _Streams:
    """What each tensor moves in a raster; the arithmetic of `cost.raster.order`, of levels in the place of loops."""

    def __init__(
        self, context: ProblemContext, blocks: Sequence[int], counts: Sequence[int], concurrent: int, times: int
    ) -> None:
        self._context, self._concurrent = context, concurrent
        self._tasks = prod([counts[loop] for loop in context.parallel])
        self._written = times * context.written_bytes
        self._together = min(concurrent, self._tasks)
        self._caches = min(context.machine.private_caches, self._tasks)
        self._reads = [
            (
                access,
                min(access.access.size_bytes, access.traffic(blocks) * prod([counts[i] for i in access.loops])),
                access.traffic(blocks) * prod([counts[i] for i in access.loops if context.reduction[i]]),
            )
            for access in context.reads
        ]

    def traffic(self, levels: Sequence[Level]) -> tuple[float, float]:
        """Return the bytes that reach global memory, and those between private caches and the last one.

        A wave is taken to be a box, as in `cost.raster.order`.
        """
        covered, part = self._covered(levels, self._together, 1), self._covered(levels, self._together, self._caches)
        own = -(-self._together // self._caches)
        return self._moved(
            [float(prod([covered[loop] for loop in access.parallel])) for access, _, _ in self._reads],
            [float(min(own, prod([part[loop] for loop in access.parallel]))) for access, _, _ in self._reads],
        )

    def exact(self, levels: Sequence[Level]) -> tuple[float, float]:
        """Return `traffic` by a count of the tiles that each wave loads, of many waves the first and a middle one."""
        waves = self._tasks // self._together
        counted = range(waves) if waves <= FEW_WAVES else (0, waves // 2)
        numbers = [range(wave * self._together, (wave + 1) * self._together) for wave in counted]
        whole = [self._places(levels, one) for one in numbers]
        own = [{loop: at[cache :: self._caches] for loop, at in one.items()} for one in whole for cache in (0, 1)]
        if self._caches == 1:
            own = whole
        return self._moved(
            [_mean([_distinct(access, one) for one in whole]) for access, _, _ in self._reads],
            [_mean([_distinct(access, one) for one in own]) for access, _, _ in self._reads],
        )

    def _places(self, levels: Sequence[Level], numbers: Sequence[int]) -> dict[int, list[int]]:
        """Return the blocks along each loop of tasks with these numbers."""
        places = {loop: [0] * len(numbers) for loop in self._context.parallel}
        for loop, steps, apart in reversed(levels):
            places[loop] = [at + number % steps * apart for at, number in zip(places[loop], numbers, strict=True)]
            numbers = [number // steps for number in numbers]
        return places

    def _moved(self, tiles: Sequence[float], own: Sequence[float]) -> tuple[float, float]:
        """Return the bytes that tensors move.

        Args:
            tiles: Of each, the tiles that a wave loads.
            own: Of each, those that a private cache loads for a wave.
        """
        machine, waves = self._context.machine, self._tasks / self._concurrent
        moved, shared = float(self._written), float(self._written)
        once = sum([every for _, every, _ in self._reads]) + self._written
        for (_, every, task), count in zip(self._reads, tiles, strict=True):
            held = once <= machine.cache_bytes or every <= machine.cache_bytes // 2
            moved += every if held else min(max(every, task * count * waves), task * self._tasks)
        if machine.private_caches < 2:
            return moved, 0.0
        for (access, _, task), count in zip(self._reads, own, strict=True):
            most = task * self._tasks / self._caches
            every = min(access.access.size_bytes, most)
            held = every <= machine.private_cache_bytes // 2
            shared += self._caches * (every if held else min(task * count * max(1.0, waves), most))
        return moved, max(moved, shared)

    def _covered(self, levels: Sequence[Level], concurrent: int, caches: int) -> dict[int, int]:
        """Return the blocks of each loop that a wave covers for one of so many caches, to which tasks go in turn."""
        covered, left, skipped = dict.fromkeys(self._context.parallel, 1), concurrent, caches
        for loop, steps, _ in reversed(levels):
            apart = gcd(skipped, steps)
            covered[loop] *= -(-min(steps, left) // apart)
            left, skipped = max(1, left // steps), skipped // apart
        return covered


def _distinct(access: AccessContext, places: dict[int, list[int]]) -> int:
    """Return how many tiles of a tensor tasks at these places load."""
    return len(set(zip(*[places[loop] for loop in access.parallel], strict=True))) if access.parallel else 1


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values)
