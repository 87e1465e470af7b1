# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reuses of a nest: for each tensor and loop, the first iteration that touches again what an earlier one did.

A dependence of any kind (read after read, read after write, write after read or write) is a pair of iterations that
touch the same element. Those of one tensor whose iterations agree in all loops outside of one, and differ there, are
one dependence: PolyDL's d1, d2 and d3 of a product are C along k, A along j, B along i.

Paper: PolyDL section 3.2, and lines 5 to 14 of Algorithm 1.
"""

from dataclasses import dataclass
from functools import lru_cache

from roller_mlir.model.polydl.footprint import TouchedDimension, TouchedTensor
from roller_mlir.model.polydl.intervals import Point
from roller_mlir.model.polydl.nest import TiledNest
from roller_mlir.model.polydl.solve import Constraint, first_point
from roller_mlir.plan import Access


@dataclass(frozen=True, slots=True)
class Dependence:
    """A reuse that a loop carries.

    Attributes:
        tensor: The tensor's place among `touched`.
        level: The loop's place among the nest's point loops.
        source: The first iteration that touches an element which another, later in that loop, touches again.
        first: The first of those.
        last: The last of those.
        parallel: Whether source and target may lie in different iterations of a parallel loop.
    """

    tensor: int
    level: int
    source: Point
    first: Point
    last: Point
    parallel: bool = False


def touched(nest: TiledNest) -> tuple[Access, ...]:
    """Return what a nest reads and writes, each once: inputs, outputs, and what an epilogue reads."""
    return tuple([one.access for one in nest.tensors])


def dependences(nest: TiledNest) -> tuple[Dependence, ...]:
    """Return the reuses that the loops of a nest carry.

    What an epilogue reads is read once for each point of the output, so that no reduction loop reuses it. Data that are
    read at positions which are data themselves have none; those by points of the body, which registers serve, are left
    out.
    """
    loops = nest.point_loops
    levels = sum(one.count > 1 for one in nest.loops)
    accesses = touched(nest)
    found: list[Dependence] = []
    solvers = [_Reuse(nest, one) for one in nest.tensors]
    for number, (access, reuse) in enumerate(zip(accesses, solvers, strict=True)):
        if access.gathered:
            continue
        once = access not in nest.expression.inputs and access not in nest.expression.outputs
        for level in range(levels):
            if once and nest.expression.loops[loops[level].axis].reduction:
                continue
            points = reuse.along(level)
            if points is not None:
                found.append(Dependence(number, level, *points, parallel=reuse.crosses(level)))
    return tuple(found)


class _Reuse:
    """The reuses of one tensor.

    Loops fall into groups: those whose axes move along one dimension. No constraint joins two groups, so that the
    lexicographic extremes of each are those of all.
    """

    def __init__(self, nest: TiledNest, tensor: TouchedTensor) -> None:
        self._loops, self._extents, self._tensor = nest.point_loops, nest.extents, tensor
        self._free = [m for m, one in enumerate(self._loops) if one.axis not in tensor.axes]
        self._groups: list[_DimensionLoops] = []
        if not tensor.plain:
            self._groups = [_group(nest, dimension) for dimension in tensor.dimensions]

    def along(self, level: int) -> tuple[Point, Point, Point] | None:
        """Return source, first and last target of the dependence that a loop carries, None where there is none."""
        loops = self._loops
        zero = [0] * len(loops)
        source, first, last = zero, list(zero), list(zero)
        axis = loops[level].axis
        if axis not in self._tensor.axes:
            if loops[level].size >= self._extents[axis]:
                return None  # all iterations but the first lie behind the axis's end
            first[level] = 1
        elif self._tensor.plain:
            return None
        left = [extent - 1 for extent in self._extents]
        for m in self._free:
            if m >= level:
                axis = loops[m].axis
                last[m] = min(loops[m].count - 1, left[axis] // loops[m].size)
                left[axis] -= last[m] * loops[m].size
        for group in self._groups:
            points = group.extremes(level)
            if points is None:
                return None
            for m, x, y, z in zip(group.members, *points, strict=True):
                source[m], first[m], last[m] = x, y, z
        return tuple(source), tuple(first), tuple(last)

    def crosses(self, level: int) -> bool:
        """Return whether iterations that share an element along a loop may differ in a parallel one."""
        for m in range(level, len(self._loops)):
            if self._loops[m].parallel and (
                m == level or m in self._free or any(group.moves(level, m) for group in self._groups)
            ):
                return True
        return False


@dataclass(frozen=True)
class _DimensionLoops:
    """The loops along one dimension.

    Attributes:
        members: Their places in the nest, outermost first.
        counts: Their iterations.
        steps: What an iteration of each adds to the index.
        held: What each point must fulfil: axes end, and padding is not there.
    """

    members: tuple[int, ...]
    counts: tuple[int, ...]
    steps: tuple[int, ...]
    held: tuple[Constraint, ...]

    def extremes(self, level: int) -> tuple[Point, Point, Point] | None:
        """Return source, first and last target, as far as the group goes, None where it allows no reuse."""
        outer = sum(m < level for m in self.members)
        return _extremes(self.counts, self.steps, self.held, outer, level in self.members)

    def moves(self, level: int, loop: int) -> bool:
        """Return whether a reuse can lead from one iteration of a loop to another."""
        if loop not in self.members:
            return False
        outer, place = sum(m < level for m in self.members), self.members.index(loop)
        ranges, rows = _pairs(self.counts, self.steps, self.held, outer, level in self.members)
        apart = _difference(len(self.counts), outer, place)
        width = self.counts[place]
        return any(first_point(ranges, [*rows, Constraint(apart, *ends)]) for ends in ((1, width), (-width, -1)))


def _group(nest: TiledNest, dimension: TouchedDimension) -> _DimensionLoops:
    loops, extents = nest.point_loops, nest.extents
    along = {axis: -step if turned else step for step, axis, turned in dimension.terms}
    members = tuple([m for m, one in enumerate(loops) if one.axis in along])
    own = [loops[m] for m in members]
    steps = tuple([along[one.axis] * one.size for one in own])
    held = []
    for axis in along:
        sizes = tuple([one.size if one.axis == axis else 0 for one in own])
        if sum(one.size * (one.count - 1) for one in own if one.axis == axis) >= extents[axis]:
            held.append(Constraint(sizes, 0, extents[axis] - 1))
    if dimension.limits is not None:
        turned = sum(step * (extents[axis] - 1) for axis, step in along.items() if step < 0)
        held.append(Constraint(steps, dimension.limits[0] + turned, dimension.limits[1] + turned))
    return _DimensionLoops(members, tuple([one.count for one in own]), steps, tuple(held))


@lru_cache(maxsize=4096)
def _extremes(
    counts: Point, steps: tuple[int, ...], held: tuple[Constraint, ...], outer: int, carried: bool
) -> tuple[Point, Point, Point] | None:
    """Return `_DimensionLoops.extremes`; the first `outer` loops lie outside the level, the next where `carried`."""
    zeros = (0,) * len(counts)
    source = zeros
    reach = sum(abs(step) * (count - 1) for step, count in zip(steps[outer + 1 :], counts[outer + 1 :], strict=True))
    if carried and abs(steps[outer]) > reach:
        return None  # as parts of a loop are: one iteration leads beyond what the loops inside span
    if carried or not all(row.low <= 0 <= row.high for row in held):
        pair = first_point(*_pairs(counts, steps, held, outer, carried))
        if pair is None:
            return None
        source = pair[: len(counts)]
    elif min(steps, default=0) > 0:
        return zeros, zeros, zeros
    reached = sum(step * x for step, x in zip(steps, source, strict=True))
    ranges = [(x, x) if m < outer else (0, count - 1) for m, (x, count) in enumerate(zip(source, counts, strict=True))]
    if carried:
        ranges[outer] = (source[outer] + 1, counts[outer] - 1)
    rows = [Constraint(steps, reached, reached), *held]
    first, last = first_point(ranges, rows), first_point(ranges, rows, largest=True)
    assert first is not None and last is not None, "a source has a target"
    return source, first, last


def _pairs(
    counts: Point, steps: tuple[int, ...], held: tuple[Constraint, ...], outer: int, carried: bool
) -> tuple[list[tuple[int, int]], list[Constraint]]:
    """Return the pairs of points that touch the same element: unknowns are a point, and another's inner loops."""
    whole = [(0, count - 1) for count in counts]
    nothing = (0,) * (len(counts) - outer)
    rows = [Constraint((*[0] * outer, *steps[outer:], *[-step for step in steps[outer:]]), 0, 0)]
    for row in held:
        own = row.coefficients
        rows.append(Constraint((*own, *nothing), row.low, row.high))
        rows.append(Constraint((*own[:outer], *nothing, *own[outer:]), row.low, row.high))
    if carried:
        rows.append(Constraint(_difference(len(counts), outer, outer), 1, counts[outer]))
    return [*whole, *whole[outer:]], rows


def _difference(loops: int, outer: int, place: int) -> tuple[int, ...]:
    """Return the coefficients of the second point's iteration of a loop less the first's."""
    row = [0] * (2 * loops - outer)
    if place >= outer:
        row[place], row[loops + place - outer] = -1, 1
    return tuple(row)
