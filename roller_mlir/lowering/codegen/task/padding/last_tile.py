# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The last tile of a loop that tiles do not divide has code of its own, without the registers that hold nothing.

Of 112 columns in tiles of 32, the last one has 16: one vector of each row, not two.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from roller_mlir.lowering.codegen.builder.emitter import Within
from roller_mlir.lowering.codegen.builder.task_context import TaskContext
from roller_mlir.lowering.codegen.builder.tile_values import RegisterTile
from roller_mlir.lowering.codegen.task.compute import Compute
from roller_mlir.mapping.index import Linear
from roller_mlir.mapping.last_tiles import LastTile, last_tile
from roller_mlir.support.bindings import ir


def by_last_tile(
    context: TaskContext,
    compute: Compute,
    values: Sequence[ir.Value],
    emit: Callable[[Compute, Sequence[ir.Value]], list[ir.Value]],
) -> list[ir.Value]:
    """Emit a compute, once more for a last tile of fewer registers, as if it were known that this is the tile.

    Args:
        context: The task.
        compute: The compute.
        values: Its accumulators.
        emit: Emits it, and returns the new ones.
    """
    last = _last_tile(compute)
    if last is None:
        return emit(compute, values)
    box, origin = compute.box, compute.origin[last.loop]
    block, extent = box.axes[last.loop].block, box.loops[last.loop].extent.static
    types = [value.type for value in values]

    def others() -> list[ir.Value]:
        inside = origin.range()[1] <= last.start  # else a task walks on to tiles that no tensor has
        with context.emit.given([Within(origin, origin + (block - 1), extent)] if inside else []):
            return emit(compute, values)

    def one() -> list[ir.Value]:
        expected = context.fma_count
        short = box.shortened(last.loop, last.live)
        kept = [n for n, key in enumerate(box.keys) if key in short.keys]
        places = [n + first for first in range(0, len(values), len(box.keys)) for n in kept]
        points = short.axes[last.loop].block
        whole = last.start + points <= extent  # the last vector may have lanes that lie outside
        with context.emit.given([Within(origin, origin + (points - 1), extent)] if whole else []):
            made = emit(replace(compute, box=short), [values[place] for place in places])
        found = list(values)
        for place, value in zip(places, made, strict=True):
            found[place] = value
        context.fma_count = expected  # of them what the code of the others has is expected
        return found

    is_last = context.emit.compare("eq", context.emit.index(origin), context.emit.constant(last.start))
    return context.emit.branch(is_last, types, one, others)


def _last_tile(compute: Compute) -> LastTile | None:
    """Return the last tile of a compute that may have code of its own, None where no tile's end is known or shorter."""
    box = compute.box
    if compute.atom is not None or compute.matrix is not None or not compute.reductions() or box.lane_reduces:
        return None
    if any(isinstance(tile, RegisterTile) for tile, _ in compute.inputs.values()):  # spread as the box is
        return None
    edges = compute.edge_dimension() is not None  # whose tiles have code of their own along rows
    loops = {
        loop: (box.loops[loop].extent.static, axis.block, axis.chunk)
        for loop, axis in enumerate(box.axes)
        if not box.loops[loop].reduction and axis.threads == 1 and (loop == box.lane or (not edges and axis.chunk == 1))
    }
    last = last_tile(loops)
    if last is None:
        return None
    origin = compute.origin[last.loop]
    known = origin == Linear(None, origin.constant) or origin.range()[1] < last.start
    return None if known or any(last.loop not in key for key in box.keys) else last
