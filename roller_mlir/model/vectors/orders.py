# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of the tasks around a tile: loops that follow each other, or a space-filling curve through two of them.

    loops (0, 1), 4 x 4 tasks      the curve (Z-order)
      0  1  2  3                    0  1  4  5
      4  5  6  7                    2  3  6  7
      8  9 10 11                    8  9 12 13
     12 13 14 15                   10 11 14 15

Neighbours on the curve are a box of about as many points along one loop as along the other, whatever their number: what
they read of both tensors is about the least for any cache. In an order of loops that is so of one number alone. A loop
of n tasks is cut by the prime factors of n.

Paper: PolyDL section 4 (orders ranked by what their working sets move).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from math import inf

from roller_mlir.model.vectors.cost import VectorCost, Work
from roller_mlir.model.vectors.shape import TaskShape, TaskWalk
from roller_mlir.plan import TensorExpression
from roller_mlir.plan.tasks.raster import Level

_ORDERED_LOOPS = 4
_WORTH = 0.97
"""Share of the time of loops that follow each other below which a curve is taken."""


@dataclass(frozen=True)
class VectorProgram:
    """A program of tasks, and what it costs.

    Attributes:
        shape: Its tiles and the loops around them.
        work: What the tasks do.
        seconds: The predicted time.
    """

    shape: TaskShape
    work: Work
    seconds: float

    def rank(self) -> tuple[float, int, int, tuple[int, ...], bool]:
        """Order by predicted time; among equals what stages less, then what was packed before, then smaller tiles."""
        shape = self.shape
        return self.seconds, len(shape.staged), -len(shape.ahead), shape.blocks, shape.lane is None


def ordered(
    cost: VectorCost, shape: TaskShape, work: Work, below_s: float = inf, first: int | None = None
) -> VectorProgram | None:
    """Return a shape's best program: one that packs has an order, others are weighed in each, then along curves.

    Behind one that takes what the work, a bound of all of them, does, there is none: no other takes less.

    Args:
        cost: What programs cost.
        shape: The shape.
        work: Its bound.
        below_s: The time that programs may not exceed; None is returned where each does.
        first: A loop that has to stay the first one by itself.
    """
    orders, least = [shape.order] if shape.inner else _orders(cost.expression, shape.order), cost.seconds(work)[0]
    best: VectorProgram | None = None
    plain_s, plain = inf, shape  # the best order of loops, or the one whose bound is the least
    for order in orders:
        if first is not None and order[0] != first:
            continue
        made = replace(shape, order=tuple(order))
        seconds, one = _weighed(cost, work, made, best.seconds if best else below_s)
        if best is None or seconds < best.seconds:
            best = one or best
        if seconds < plain_s:
            plain_s, plain = seconds, made
        if seconds <= least:
            return best
    if first is not None or least >= _WORTH * plain_s:
        return best
    for made in _curved(cost.expression, plain):
        _, one = _weighed(cost, work, made, min(_WORTH * plain_s, best.seconds if best else below_s))
        best = one or best
    return best


def _weighed(cost: VectorCost, work: Work, shape: TaskShape, below_s: float) -> tuple[float, VectorProgram | None]:
    """Return what a shape costs, or a bound of that, and its program, None where that is more than so many seconds."""
    if below_s < inf:
        bound = cost.least_seconds(work, shape)
        if bound > below_s:
            return bound, None
    one = cost.bounded(work, shape)
    seconds = cost.seconds(one)[0]
    return seconds, VectorProgram(shape, one, seconds) if seconds <= below_s else None


def _curved(expression: TensorExpression, shape: TaskShape) -> Iterator[TaskShape]:
    """Yield a shape with two of its loops over tasks along a curve, inside of the others."""
    walk = TaskWalk.of(expression, shape)
    walked, units = dict(walk.inner), {loop: count for loop, count, _ in walk.units}
    points = {loop: shape.blocks[loop] * walked.get(loop, 1) for loop in units}
    for pair in combinations(units, 2):
        levels = _curve(*pair, units, points)
        if len(levels) > len(pair):
            yield replace(shape, raster=(*((i, count, 1) for i, count in units.items() if i not in pair), *levels))


def _orders(expression: TensorExpression, loops: Sequence[int]) -> Iterator[list[int]]:
    """Yield orders of the loops around tasks: all of the longest ones, the others outside as they stand."""
    moving = sorted(sorted(loops, key=lambda i: -expression.bounds[i])[:_ORDERED_LOOPS])
    others = [i for i in loops if i not in moving]
    for order in permutations(moving):
        yield [*others, *order]


def _curve(first: int, second: int, tasks: Mapping[int, int], points: Mapping[int, int]) -> tuple[Level, ...]:
    """Return the levels of a curve through the tasks of two loops, outermost first.

    Args:
        first: The loop that is preferred outside.
        second: The other one.
        tasks: How many each has.
        points: By loop the points of one task.

    >>> _curve(0, 1, {0: 4, 1: 4}, {0: 8, 1: 8})
    ((0, 2, 2), (1, 2, 2), (0, 2, 1), (1, 2, 1))
    >>> _curve(0, 1, {0: 12, 1: 2}, {0: 8, 1: 32})
    ((0, 3, 4), (1, 2, 1), (0, 4, 1))
    >>> _curve(0, 1, {0: 7, 1: 3}, {0: 8, 1: 8})  # no loop can be cut: they follow each other
    ((0, 7, 1), (1, 3, 1))
    """
    left = {loop: _factors(tasks[loop]) for loop in (first, second)}
    covered, levels = dict.fromkeys(left, 1), list[Level]()
    while any(left.values()):
        # The box grows along its shorter side; a loop that has no more tasks leaves the others to follow.
        loop = min((one for one in (second, first) if left[one]), key=lambda one: covered[one] * points[one])
        steps = left[loop].pop(0)
        if levels and levels[-1][0] == loop:
            levels[-1] = loop, levels[-1][1] * steps, levels[-1][2]
        else:
            levels.append((loop, steps, covered[loop]))
        covered[loop] *= steps
    return tuple(reversed(levels))


def _factors(number: int) -> list[int]:
    """Return the prime factors of a number, smallest first."""
    found, factor = list[int](), 2
    while factor * factor <= number:
        while number % factor == 0:
            found.append(factor)
            number //= factor
        factor += 1
    return [*found, number] if number > 1 else found
