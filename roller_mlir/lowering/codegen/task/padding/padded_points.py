# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Points that read padding alone: trips of reduction loops that a task leaves out, and single points that do not stand.

An image of 7 rows, padded by one on each side, under a window of 3 rows r. Its output row y reads rows y + r - 1:

    for r = max(0, 1 - y) to min(3, 8 - y) { ... }          in place of 0 to 3

Paper: PolyDL section 6 (index-set splitting), of the reduction in place of the tile.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.codegen.builder.thread_box import Positions, ThreadBox
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile, StagedTile
from roller_mlir.mapping.edge_tiles import TiledWindow
from roller_mlir.mapping.index import Linear
from roller_mlir.plan import LinearIndex
from roller_mlir.support.bindings import ir


@dataclass(frozen=True)
class WindowAlong:
    """A window along a dimension.

    Attributes:
        window: How tiles read it.
        moving: The parallel loop that moves it.
        taps: The reduction loop over it.
    """

    window: TiledWindow
    moving: int
    taps: int


@dataclass(frozen=True)
class PaddedDimension:
    """Where points read along a dimension of a tensor: start + the sum of factor * position over loops of the box.

    Attributes:
        start: The first point's place.
        factors: By loop.
        extent: Of the tensor.
        dimension: Which one of the tensor it is.
        along: The window along it, None where there is none, or its tiles are not those of the box.
        tile: Which tile of the window the box is, where that is known.
    """

    start: Linear
    factors: Mapping[int, int]
    extent: int
    dimension: int
    along: WindowAlong | None = None
    tile: int | None = None

    def is_outside(self, box: ThreadBox, positions: Positions) -> bool:
        """Return whether a point surely lies outside, whatever the task, or is none of the operator's."""
        if box.lane in self.factors:
            return False
        if self.along is not None and self.tile is not None:
            (point, _), taps = (
                (positions.get(loop, box.base(loop)) + box.base(loop) * -1).range()
                for loop in (self.along.moving, self.along.taps)
            )
            window = self.along.window
            return not any(window.counts(self.tile, point, tap) for tap in range(taps[0], taps[1] + 1))
        low, high = self.read_at(box, positions)[0].range()
        return high < 0 or low >= self.extent

    def read_at(self, box: ThreadBox, positions: Positions) -> tuple[Linear, int]:
        """Return the place that a point reads, and the dimension's extent."""
        place = self.start
        for loop, factor in self.factors.items():
            place = place + positions.get(loop, box.base(loop)) * factor
        return place, self.extent

    def walked_loop(self, box: ThreadBox) -> int | None:
        """Return the reduction loop that walks the dimension, where no other loop of the box does."""
        loops = [loop for loop in self.factors if box.axes[loop].block > 1]
        alone = len(loops) == 1 and box.loops[loops[0]].reduction and self.factors[loops[0]] > 0
        return loops[0] if alone and loops[0] != box.lane else None

    def at(self, tile: int) -> "PaddedDimension":
        """Return the dimension of a box of which it is known that it is some tile."""
        assert self.along is not None
        return replace(self, start=Linear(None, self.along.window.start(tile)), tile=tile)


def padded_dimensions(
    tile: DirectTile | StagedTile, functions: Sequence[LinearIndex], box: ThreadBox
) -> list[PaddedDimension]:
    """Return the dimensions of a tile that may be read outside of their tensor.

    Args:
        tile: The tile, which reads as 0 there.
        functions: Where points of the box read it, one a dimension.
        box: What the task computes.
    """
    source = tile.source if isinstance(tile, StagedTile) else tile
    found: list[PaddedDimension] = []
    for dimension, (function, start, step, extent) in enumerate(
        zip(functions, source.origin, source.steps, source.shape, strict=True)
    ):
        if isinstance(tile, StagedTile) and tile.steps:
            start, step = start + tile.origin[dimension] * step, step * tile.steps[dimension]
        factors = {loop: factor * step for loop, factor in function.terms().items()}
        one = PaddedDimension(start + function.constant * step, factors, extent, dimension)
        one = replace(one, along=_window_along(one, box))
        found.append(one.at(0) if one.along is not None and not one.start.terms else one)
    return found


def _window_along(one: PaddedDimension, box: ThreadBox) -> WindowAlong | None:
    moving = [loop for loop in one.factors if not box.loops[loop].reduction]
    taps = [loop for loop in one.factors if box.loops[loop].reduction]
    if len(moving) != 1 or len(taps) != 1 or box.lane in one.factors:
        return None
    step, block = one.factors[moving[0]], box.axes[moving[0]].block
    window = TiledWindow(
        points=box.loops[moving[0]].extent.static,
        block=block,
        taps=box.axes[taps[0]].block,
        extent=one.extent,
        first=one.start.range()[0],
        step=step,
        tap_step=one.factors[taps[0]],
    )
    starts = one.start + -window.first
    fits = step > 0 and starts.range()[1] == window.start(window.tiles - 1) - window.first
    fits = fits and (not starts.terms or starts.divisor() % (step * block) == 0)
    return WindowAlong(window, moving[0], taps[0]) if fits else None


def trips_inside(
    emit: Emitter, padded: Sequence[PaddedDimension], box: ThreadBox, loop: int, trips: int
) -> tuple[ir.Value, ir.Value] | None:
    """Return between which trips of a reduction loop some point of the box may lie on the tensors.

    Args:
        emit: Where to emit it.
        padded: The dimensions that count.
        box: What the task computes, with one point of the loop a trip.
        loop: The loop.
        trips: All of its trips.

    Returns:
        The first trip, and that behind the last; None where no trip of any task is known to have no such point.
    """
    lows: list[ir.Value] = []
    highs: list[ir.Value] = []

    def at_least(value: Linear, least: int) -> ir.Value:
        return emit.op("arith.maxsi", [emit.index(value), emit.constant(least)], emit.index_type)

    def parted(value: ir.Value, factor: int) -> ir.Value:
        return value if factor == 1 else emit.op("arith.divui", [value, emit.constant(factor)], emit.index_type)

    for one in padded:
        factor = one.factors.get(loop, 0)
        if factor <= 0:
            continue
        reach = [k * (box.axes[other].block - 1) for other, k in one.factors.items() if other != loop]
        first, last = one.start + sum(min(0, x) for x in reach), one.start + sum(max(0, x) for x in reach)
        if emit.proves(first, one.extent) and emit.proves(last + factor * (trips - 1), one.extent):
            continue
        if last.range()[0] < 0:  # some tile begins before the tensor
            lows.append(parted(at_least(last * -1 + (factor - 1), 0), factor))
        if first.range()[1] + factor * (trips - 1) >= one.extent:
            highs.append(parted(at_least(first * -1 + (one.extent - 1 + factor), 0), factor))
    if not lows and not highs:
        return None
    low, high = emit.constant(0), emit.constant(trips)
    for value in lows:
        low = emit.op("arith.maxsi", [low, value], emit.index_type)
    for value in highs:
        high = emit.op("arith.minsi", [high, value], emit.index_type)
    return low, high
