# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Points of reductions that read padding alone, which a task may leave out: which, and how many are left.

Of an image of 7 rows, padded by one on each side, and a window of 3 rows, tiles of one row compute 19 of 21 taps.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from roller_mlir.mapping.edge_tiles import TiledWindow
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


_SPARE_REGISTERS = 2


def standing_loop(
    expression: TensorExpression, blocks: tuple[int, ...], lane: int | None, skips: tuple[int, ...], registers: int
) -> int | None:
    """Return the loop over a window all of whose taps stand in the code of each trip of the loops inside of it.

    Few channels are no loop of their own at each tap: its end would take as long as some of its trips. LLVM keeps more
    values for other taps then, for which registers must be left. Tiles at the ends of a row have such code where there
    are no channels; with channels, rows of several tiles are better as they are.

    Args:
        expression: The operator.
        blocks: Points of each loop in a tile.
        lane: The loop along vectors.
        skips: Inputs of which points on padding are left out.
        registers: That are left beside sums, a row of vectors and an element for all lanes.
    """
    loop, _ = known_window(expression, blocks, lane, skips, registers) or (None, None)
    return loop if loop is not None and not _asks(expression, blocks, loop) else None


@lru_cache(maxsize=4096)
def known_window(
    expression: TensorExpression, blocks: tuple[int, ...], lane: int | None, skips: tuple[int, ...], registers: int
) -> tuple[int, TiledWindow] | None:
    """Return the loop over the window of which tiles at its ends leave out single products on padding; and the window.

    It is the last one whose tiles have more than one point. Trips of loops over other windows end where a whole tile
    reads padding.

    Args:
        expression: The operator.
        blocks: Points of each loop in a tile.
        lane: The loop along vectors, whose points are computed together.
        skips: Inputs of which points on padding are left out.
        registers: That are left beside those of a tile.
    """
    channels = not all(map(expression.moves_window, expression.reductions()))
    for access in [expression.inputs[number] for number in skips]:
        for index, extent in zip(reversed(access.indices), reversed(access.bounds), strict=True):
            pair = _window(expression, index)
            if pair is None or pair[0] == lane or blocks[pair[0]] == 1:
                continue
            (moving, loop), steps = pair, index.terms()
            window = TiledWindow(
                points=expression.bounds[moving],
                block=blocks[moving],
                taps=expression.bounds[loop],
                extent=extent,
                first=index.constant,
                step=steps[moving],
                tap_step=steps[loop],
            )
            stands = registers >= _SPARE_REGISTERS and loop != expression.reductions()[-1]
            stands = stands and not (channels and window.tiles > 1)
            whole = blocks[loop] >= expression.bounds[loop]
            if whole and window.edges() and (stands or _asks(expression, blocks, loop)):
                return loop, window
    return None


@lru_cache(maxsize=4096)
def computed_share(
    expression: TensorExpression,
    blocks: tuple[int, ...],
    lane: int | None,
    skips: tuple[int, ...],
    registers: int = 0,
    least: float = 0.0,
) -> float:
    """Return the share of a reduction's points that tiles compute.

    Args:
        expression: The operator.
        blocks: Points of each loop in a tile.
        lane: The loop along vectors.
        skips: Inputs of which points on padding are left out.
        registers: That are left beside those of a tile.
        least: The share of a tile's time that few of its points take, too.
    """
    share, known = 1.0, known_window(expression, blocks, lane, skips, registers)
    for number in skips:
        access = expression.inputs[number]
        for index, extent in zip(access.indices, access.bounds, strict=True):
            pair = _window(expression, index)
            if pair is not None and known is not None and pair[1] == known[0]:
                share *= known[1].computed_share(least)
            elif pair is not None and _asks(expression, blocks, pair[1]):
                share *= _walked_share(expression, blocks, index, extent, pair)
    return share


def proven_loops(
    expression: TensorExpression, blocks: tuple[int, ...], lane: int | None, skips: tuple[int, ...], registers: int
) -> frozenset[int]:
    """Return the loops over windows along which no read of an input whose padding is left out is tested.

    Args:
        expression: The operator.
        blocks: Points of each loop in a tile.
        lane: The loop along vectors.
        skips: Inputs of which points on padding are left out.
        registers: That are left beside those of a tile.
    """
    pairs = [_window(expression, index) for number in skips for index in expression.inputs[number].indices]
    walked = {pair[1] for pair in pairs if pair and blocks[pair[0]] == 1 and _asks(expression, blocks, pair[1])}
    known = known_window(expression, blocks, lane, skips, registers)
    return frozenset(walked) if known is None else frozenset({*walked, known[0]})


def _asks(expression: TensorExpression, blocks: Sequence[int], loop: int) -> bool:
    """Return whether code asks at each trip of a loop over a window for padding."""
    whole = blocks[loop] >= expression.bounds[loop]
    return whole and _points_inside(expression, blocks, loop) >= LEAST_POINTS_INSIDE


def _points_inside(expression: TensorExpression, blocks: Sequence[int], loop: int) -> int:
    return prod([blocks[i] for i in expression.reductions() if i > loop])


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
