# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Points of reductions that read padding alone, which a task may leave out: which, and how many are left.

Of an image of 7 rows, padded by one on each side, and a window of 3 rows, tiles of one row compute 19 of 21 taps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from roller_mlir.mapping.edge_tiles import TiledWindow
from roller_mlir.mapping.last_tiles import computed_share
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


@dataclass(frozen=True)
class PaddedTile:
    """A tile of an operator some of whose inputs have points on padding that are left out.

    Attributes:
        expression: The operator.
        blocks: Points of each loop in a tile.
        lane: The loop along vectors, whose points are computed together.
        skips: Inputs of which points on padding are left out.
        registers: That are left beside sums, a row of vectors and an element for all lanes.
    """

    expression: TensorExpression
    blocks: tuple[int, ...]
    lane: int | None
    skips: tuple[int, ...]
    registers: int = 0

    @cached_property
    def known_window(self) -> tuple[int, TiledWindow] | None:
        """The loop over the window of which tiles at its ends leave out single products on padding; and the window.

        It is the last one whose tiles have more than one point. Trips of loops over other windows end where a whole
        tile reads padding.
        """
        expression, blocks = self.expression, self.blocks
        channels = not all(map(expression.moves_window, expression.reductions()))
        for access in [expression.inputs[number] for number in self.skips]:
            for index, extent in zip(reversed(access.indices), reversed(access.bounds), strict=True):
                pair = _window(expression, index)
                if pair is None or pair[0] == self.lane or blocks[pair[0]] == 1:
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
                stands = self.registers >= _SPARE_REGISTERS and loop != expression.reductions()[-1]
                stands = stands and not (channels and window.tiles > 1)
                if self._is_whole(loop) and window.edges() and (stands or self._asks(loop)):
                    return loop, window
        return None

    @property
    def standing_loop(self) -> int | None:
        """The loop over a window all of whose taps stand in the code of each trip of the loops inside of it.

        Few channels are no loop of their own at each tap: its end would take as long as some of its trips. LLVM keeps
        more values for other taps then, for which registers must be left. Tiles at the ends of a row have such code
        where there are no channels; with channels, rows of several tiles are better as they are.
        """
        loop, _ = self.known_window or (None, None)
        return loop if loop is not None and not self._asks(loop) else None

    @cached_property
    def proven_loops(self) -> frozenset[int]:
        """The loops over windows along which no read of an input whose padding is left out is tested."""
        expression, blocks = self.expression, self.blocks
        pairs = [_window(expression, index) for number in self.skips for index in expression.inputs[number].indices]
        walked = {pair[1] for pair in pairs if pair and blocks[pair[0]] == 1 and self._asks(pair[1])}
        return frozenset(walked) if self.known_window is None else frozenset({*walked, self.known_window[0]})

    def computed_share(self, least: float = 0.0) -> float:
        """Return the share of a reduction's points that tiles compute.

        Args:
            least: The share of a tile's time that few of its points take, too.
        """
        share, known = 1.0, self.known_window
        for number in self.skips:
            access = self.expression.inputs[number]
            for index, extent in zip(access.indices, access.bounds, strict=True):
                pair = _window(self.expression, index)
                if pair is not None and known is not None and pair[1] == known[0]:
                    share *= known[1].computed_share(least)
                elif pair is not None and self._asks(pair[1]):
                    share *= _walked_share(self.expression, self.blocks, index, extent, pair)
        return share

    def last_share(self, width: int, least: float) -> float:
        """Return the share of the time of all tiles that is left where the last one of a loop computes fewer points.

        Args:
            width: Points of a vector.
            least: The share of a tile's time that few of its points take, too.
        """
        expression, rows = self.expression, self.known_window is None  # else rows' ends have code of their own
        if not expression.reductions() or self.lane in expression.reductions():
            return 1.0
        loops = [loop for loop in expression.parallel() if rows or loop == self.lane]
        sizes = {i: (expression.bounds[i], self.blocks[i], width if i == self.lane else 1) for i in loops}
        return computed_share(sizes, least)

    def _is_whole(self, loop: int) -> bool:
        return self.blocks[loop] >= self.expression.bounds[loop]

    def _asks(self, loop: int) -> bool:
        """Return whether code asks at each trip of a loop over a window for padding."""
        inside = prod([self.blocks[i] for i in self.expression.reductions() if i > loop])
        return self._is_whole(loop) and inside >= LEAST_POINTS_INSIDE


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
