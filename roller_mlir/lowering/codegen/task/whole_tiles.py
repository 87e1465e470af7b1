# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that lie inside of all that they read, which is most of them: no read of theirs is tested.

Rows whose elements go to all lanes are read under no mask: where a tile may end outside of its tensor, each read of
such a row is a test and a branch, at every point of the reduction. So the points of a tile stand twice in the code of a
CPU, and one condition a tile decides between them.
"""

from collections.abc import Callable, Iterator, Sequence

from roller_mlir.lowering.codegen.builder.emitter import Within
from roller_mlir.lowering.codegen.builder.task_context import TaskContext
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile
from roller_mlir.lowering.codegen.task.compute import Compute
from roller_mlir.support.bindings import ir

PointEmitter = Callable[[TaskContext, Compute, Sequence[ir.Value]], list[ir.Value]]
"""Emits the points of a compute on its accumulators, and returns the new ones."""


def whole_or_tested(
    context: TaskContext, compute: Compute, values: Sequence[ir.Value], emit: PointEmitter
) -> list[ir.Value]:
    """Emit the points of a compute, twice where it depends whether its tile lies inside of the rows that it reads.

    Args:
        context: The task; of other devices than CPUs points are emitted once.
        compute: The compute.
        values: Its accumulators.
        emit: What emits them.
    """
    facts = list(_rows_inside(compute)) if context.masked else []
    condition: ir.Value | None = None
    for one in facts:
        inside = context.emit.inside([one.low, one.high], [one.extent] * 2)
        condition = context.emit.both(condition, inside)
    if condition is None:
        return emit(context, compute, values)

    def whole() -> list[ir.Value]:
        with context.emit.given(facts):
            return emit(context, compute, values)

    def tested() -> list[ir.Value]:
        promised = context.fma_count, context.matrix_count
        found = emit(context, compute, values)
        # Nobody stores what rows outside give, which LLVM drops where it proves that they are: none of it is promised.
        context.fma_count, context.matrix_count = promised
        return found

    return context.emit.branch(condition, [value.type for value in values], whole, tested)


def _rows_inside(compute: Compute) -> Iterator[Within]:
    """Yield what must hold, and may, so that no row is tested that is read where it lies, an element for all lanes."""
    box = compute.box
    for tile, functions in compute.inputs.values():
        if not isinstance(tile, DirectTile) or any(box.lane in one.terms() for one in functions):
            continue
        for function, origin, step, extent in zip(functions, tile.origin, tile.steps, tile.shape, strict=True):
            ends = [k * (box.axes[loop].block - 1) * step for loop, k in function.terms().items()]
            first = origin + function.constant * step
            low, high = (first + sum(pick(end, 0) for end in ends) for pick in (min, max))
            proven = low.range()[0] >= 0 and high.range()[1] < extent
            if not proven and low.range()[1] >= 0 and high.range()[0] < extent:
                yield Within(low, high, extent)
