# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Points that read padding alone: trips of reduction loops that a task leaves out, and single points that do not stand.

An image of 7 rows, padded by one on each side, under a window of 3 rows r. Its output row y reads rows y + r - 1:

    for r = max(0, 1 - y) to min(3, 8 - y) { ... }          in place of 0 to 3

Paper: PolyDL section 6 (index-set splitting), of the reduction in place of the tile.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.codegen.builder.thread_box import Positions, ThreadBox
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile, StagedTile
from roller_mlir.mapping.index import Linear
from roller_mlir.plan import LinearIndex
from roller_mlir.support.bindings import ir


@dataclass(frozen=True)
class PaddedDimension:
    """Where points read along a dimension of a tensor: start + the sum of factor * position over loops of the box.

    Attributes:
        start: The first point's place.
        factors: By loop.
        extent: Of the tensor.
    """

    start: Linear
    factors: Mapping[int, int]
    extent: int

    def is_outside(self, box: ThreadBox, positions: Positions) -> bool:
        """Return whether a point surely lies outside, whatever the task."""
        if box.lane in self.factors:
            return False
        place = self.start
        for loop, factor in self.factors.items():
            place = place + positions.get(loop, box.base(loop)) * factor
        low, high = place.range()
        return high < 0 or low >= self.extent


def padded_dimensions(tile: DirectTile | StagedTile, functions: Sequence[LinearIndex]) -> list[PaddedDimension]:
    """Return the dimensions of a tile that may be read outside of their tensor.

    Args:
        tile: The tile, which reads as 0 there.
        functions: Where points of the box read it, one a dimension.
    """
    source = tile.source if isinstance(tile, StagedTile) else tile
    found: list[PaddedDimension] = []
    for dimension, (function, start, step, extent) in enumerate(
        zip(functions, source.origin, source.steps, source.shape, strict=True)
    ):
        if isinstance(tile, StagedTile) and tile.steps:
            start, step = start + tile.origin[dimension] * step, step * tile.steps[dimension]
        factors = {loop: factor * step for loop, factor in function.terms().items()}
        found.append(PaddedDimension(start + function.constant * step, factors, extent))
    return found


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
