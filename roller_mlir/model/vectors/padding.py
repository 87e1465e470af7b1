# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Points of reductions that read padding alone, which a task may leave out: which, and how many are left.

Of an image of 7 rows, padded by one on each side, and a window of 3 rows, tiles of one row compute 19 of 21 taps.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from math import prod

from roller_mlir.mapping.unrolling import LEAST_POINTS_INSIDE
from roller_mlir.plan import LinearIndex, TensorExpression
from roller_mlir.plan.rewrite.uneven import reads_outside
from roller_mlir.plan.tasks.skips import skip_problem


def skipped_inputs(expression: TensorExpression, finite: Sequence[int]) -> tuple[int, ...]:
    """Return the inputs of which points on padding contribute nothing: factors of constants of finite numbers.

    Args:
        expression: The operator.
        finite: Its inputs that are such constants.
    """
    return tuple(
        number
        for number, access in enumerate(expression.inputs)
        if 1 - number in finite and not skip_problem(expression, number) and reads_outside(expression, access)
    )


@lru_cache(maxsize=4096)
def standing_loop(
    expression: TensorExpression, blocks: tuple[int, ...], lane: int | None, skips: tuple[int, ...], registers: int
) -> int | None:
    """Return the loop over a window all of whose taps are to stand in the code, None where the last loop's points are.

    Where a tile is as wide as the image, each of its columns has taps on padding that are known when code is generated.
    LLVM keeps more values for other taps then, for which registers must be left.

    Args:
        expression: The operator.
        blocks: Points of each loop in a tile.
        lane: The loop along vectors, whose points are computed together.
        skips: Inputs of which points on padding are left out.
        registers: That are left beside sums, a row of vectors and an element for all lanes.
    """
    if registers < _SPARE_REGISTERS:
        return None
    last = expression.reductions()[-1]
    for number in skips:
        access = expression.inputs[number]
        for index, extent in zip(reversed(access.indices), reversed(access.bounds), strict=True):
            pair = _window(expression, index)
            if pair is None or pair[0] == lane or pair[1] == last or not 1 < expression.bounds[pair[1]] <= _MOST_TAPS:
                continue
            moving, loop = pair
            whole = blocks[moving] >= expression.bounds[moving] and blocks[loop] >= expression.bounds[loop]
            if whole and _standing_share(expression, index, extent, pair) < 1:
                return loop
    return None


_SPARE_REGISTERS = 2
_MOST_TAPS = 8


@lru_cache(maxsize=4096)
def computed_share(
    expression: TensorExpression, blocks: tuple[int, ...], skips: tuple[int, ...], standing: int | None = None
) -> float:
    """Return the share of a reduction's points that tiles compute.

    Args:
        expression: The operator.
        blocks: Points of each loop in a tile.
        skips: Inputs of which points on padding are left out.
        standing: The loop over a window whose taps stand in the code, one by one.
    """
    share, reductions = 1.0, expression.reductions()
    for number in skips:
        access = expression.inputs[number]
        for index, extent in zip(access.indices, access.bounds, strict=True):
            pair = _window(expression, index)
            if pair is not None and pair[1] == standing:
                share *= _standing_share(expression, index, extent, pair)
            elif pair is not None and prod([blocks[i] for i in reductions if i > pair[1]]) >= LEAST_POINTS_INSIDE:
                share *= _walked_share(expression, blocks, index, extent, pair)
    return share


def _window(expression: TensorExpression, index: LinearIndex) -> tuple[int, int] | None:
    """Return the parallel loop and the reduction loop that move a window along a dimension, None of others."""
    terms = index.terms()
    reduced = [loop for loop in terms if expression.loops[loop].reduction]
    along = [loop for loop in terms if not expression.loops[loop].reduction]
    if len(reduced) != 1 or len(along) != 1 or terms[reduced[0]] <= 0:
        return None
    return along[0], reduced[0]


def _walked_share(
    expression: TensorExpression, blocks: Sequence[int], index: LinearIndex, extent: int, pair: tuple[int, int]
) -> float:
    """Return the share of a window's taps for which some point of a tile lies on the tensor."""
    moving, loop = pair
    terms, size, trips = index.terms(), blocks[moving], expression.bounds[loop]
    left, starts = 0, range(0, expression.bounds[moving], size)
    for start in starts:
        ends = [index.constant + terms[moving] * at for at in (start, start + size - 1)]
        low, high, step = min(ends), max(ends), terms[loop]
        left += sum(high + step * trip >= 0 and low + step * trip < extent for trip in range(trips))
    return left / (trips * len(starts))


def _standing_share(expression: TensorExpression, index: LinearIndex, extent: int, pair: tuple[int, int]) -> float:
    """Return the share of pairs of a point and a tap that lie on the tensor."""
    moving, loop = pair
    steps, pairs = index.terms(), product(*(range(expression.bounds[i]) for i in pair))
    places = [index.constant + steps[moving] * point + steps[loop] * tap for point, tap in pairs]
    return sum(0 <= place < extent for place in places) / len(places)
