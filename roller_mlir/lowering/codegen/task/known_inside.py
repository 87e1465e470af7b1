# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Points that stand twice in the code of a CPU: as if all reads lay inside of their tensors, and tested one by one.

Most tiles, and most rows of a window, read no padding. One condition decides, in place of a test or a mask a read.
"""

from collections.abc import Callable, Iterator, Sequence

from roller_mlir.lowering.codegen.builder.emitter import Within
from roller_mlir.lowering.codegen.builder.task_context import TaskContext
from roller_mlir.lowering.codegen.builder.thread_box import Positions, ThreadBox
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile
from roller_mlir.mapping.index import Linear
from roller_mlir.plan import LinearIndex
from roller_mlir.support.bindings import ir

Read = tuple[object, Sequence[LinearIndex]]
"""A tile, and where points of a box read it."""


def known_or_tested(
    context: TaskContext, facts: Sequence[Within], values: Sequence[ir.Value], emit: Callable[[], list[ir.Value]]
) -> list[ir.Value]:
    """Emit points, twice where it depends whether some facts hold: with them given, and without.

    Args:
        context: The task.
        facts: What would prove that reads lie inside.
        values: The points' accumulators.
        emit: Emits them, and returns the new ones.
    """
    condition: ir.Value | None = None
    for one in facts:
        inside = context.emit.inside([one.low, one.high], [one.extent] * 2)
        condition = context.emit.both(condition, inside)
    if condition is None:
        return emit()

    def known() -> list[ir.Value]:
        with context.emit.given(facts):
            return emit()

    def tested() -> list[ir.Value]:
        expected = context.fma_count, context.matrix_count
        found = emit()
        # Nobody stores what rows outside give, which LLVM drops where it proves that they are: none of it is expected.
        context.fma_count, context.matrix_count = expected
        return found

    return context.emit.branch(condition, [value.type for value in values], known, tested)


def tile_inside(box: ThreadBox, reads: Sequence[Read]) -> Iterator[Within]:
    """Yield what must hold, and may, so that no row of a tile is tested that is read where it lies.

    Of rows that vectors read nothing is asked: they end under one mask for all points, or `window_inside` asks.

    Args:
        box: The tile's points.
        reads: What they read.
    """
    for tile, functions in reads:
        if isinstance(tile, DirectTile) and not any(box.lane in one.terms() for one in functions):
            for dimension, function in enumerate(functions):
                yield from _asked(box, tile, dimension, function, {})


def window_inside(box: ThreadBox, reads: Sequence[Read], loop: int, positions: Positions) -> Iterator[Within]:
    """Yield what must hold, and may, so that vectors at one row of a window have no mask for that row.

    Args:
        box: The tile's points.
        reads: What they read.
        loop: The loop over the window's rows.
        positions: Where the tile stands on reduction loops, this one and those around it.
    """
    for tile, functions in reads:
        if isinstance(tile, DirectTile) and any(box.lane in one.terms() for one in functions):
            for dimension, function in enumerate(functions):
                reduced = {one for one in function.terms() if box.loops[one].reduction}
                if loop in reduced <= set(positions) and box.lane not in function.terms():
                    yield from _asked(box, tile, dimension, function, positions)


def _asked(
    box: ThreadBox, tile: DirectTile, dimension: int, function: LinearIndex, positions: Positions
) -> Iterator[Within]:
    """Yield that all points read inside of a dimension, where it is neither proven nor surely untrue."""
    step, extent = tile.steps[dimension], tile.shape[dimension]
    low = high = tile.origin[dimension] + function.constant * step
    for loop, factor in function.terms().items():
        if loop in positions:
            first = last = positions[loop] * (factor * step)
        else:
            end = factor * (box.axes[loop].block - 1) * step
            first, last = Linear() + min(0, end), Linear() + max(0, end)
        low, high = low + first, high + last
    proven = low.range()[0] >= 0 and high.range()[1] < extent
    if not proven and low.range()[1] >= 0 and high.range()[0] < extent:
        yield Within(low, high, extent)
