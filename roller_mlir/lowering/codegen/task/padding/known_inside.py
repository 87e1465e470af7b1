# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Points that stand in the code of a CPU more than once: as if reads lay inside of their tensors, and tested.

Most tiles, and most rows of a window, read no padding. One condition decides, in place of a test or a mask a read; of
vectors whose masks have no registers a second one, which tells tiles that only the last lanes leave from whole ones.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

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
    context: TaskContext,
    facts: Sequence[Sequence[Within]],
    values: Sequence[ir.Value],
    emit: Callable[[], list[ir.Value]],
) -> list[ir.Value]:
    """Emit points, once more for each group of facts of which it depends whether they hold: with them given.

    Args:
        context: The task.
        facts: What would prove that reads lie inside, in groups, each of which is asked where those before it hold.
        values: The points' accumulators.
        emit: Emits them, and returns the new ones.
    """
    if not facts:
        return emit()
    first, rest = facts[0], facts[1:]
    condition: ir.Value | None = None
    for one in first:
        inside = context.emit.inside([one.low, one.high], [one.extent] * 2)
        condition = context.emit.both(condition, inside)
    if condition is None:
        return known_or_tested(context, rest, values, emit)

    def known() -> list[ir.Value]:
        with context.emit.given(first):
            return known_or_tested(context, rest, values, emit)

    def tested() -> list[ir.Value]:
        expected = context.fma_count, context.matrix_count
        found = emit()
        # Nobody stores what rows outside give, which LLVM drops where it proves that they are: none of it is expected.
        context.fma_count, context.matrix_count = expected
        return found

    return context.emit.branch(condition, [value.type for value in values], known, tested)


def tile_inside(
    box: ThreadBox, inputs: Mapping[int, Read], *, vectors: bool, inside: Collection[tuple[int | None, int]] = ()
) -> tuple[list[Within], list[Within]]:
    """Return what must hold, and may, so that no read of a tile where it lies is tested; then, that none has a mask.

    Of vectors it is asked where windows move over padding: elsewhere they end under one mask for all points.

    Args:
        box: The tile's points.
        inputs: What they read, by number.
        vectors: Whether it is asked of vectors, too, not of rows alone whose elements go to all lanes.
        inside: Of which inputs which dimensions are never left.
    """
    tested: list[Within] = []
    masked: list[Within] = []
    for number, (tile, functions) in inputs.items():
        along = [box.lane in one.terms() for one in functions]
        if not isinstance(tile, DirectTile) or (any(along) and not vectors):
            continue
        found = [
            [] if (number, dimension) in inside else list(_asked(box, tile, dimension, one, {}))
            for dimension, one in enumerate(functions)
        ]
        asked = [one for each, lane in zip(found, along, strict=True) if not lane for one in each]
        tested += asked
        if asked:
            masked += [one for each, lane in zip(found, along, strict=True) if lane for one in each]
    return tested, masked


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
            neighbour = int(loop == box.lane and factor * step == 2)  # every other element comes of two whole vectors
            first, last = Linear() + min(0, end), Linear() + max(0, end) + neighbour
        low, high = low + first, high + last
    proven = low.range()[0] >= 0 and high.range()[1] < extent
    if not proven and low.range()[1] >= 0 and high.range()[0] < extent:
        yield Within(low, high, extent)
