# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles at the ends of a padded image, which stand in the code by themselves, without the points that read padding."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from roller_mlir.lowering.codegen.builder.emitter import Within
from roller_mlir.lowering.codegen.builder.task_context import TaskContext
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile
from roller_mlir.lowering.codegen.task.compute import Compute
from roller_mlir.lowering.codegen.task.padding.padded_points import PaddedDimension
from roller_mlir.support.bindings import ir


def by_edges(
    context: TaskContext, compute: Compute, values: Sequence[ir.Value], emit: Callable[[Compute], list[ir.Value]]
) -> list[ir.Value]:
    """Emit a compute, once more for each tile at an end of a dimension, as if it were known that this is the tile.

    Args:
        context: The task.
        compute: The compute.
        values: Its accumulators.
        emit: Emits it, and returns the new ones.
    """
    one = compute.edge_dimension()
    if one is None or one.along is None or one.tile is not None:
        return emit(compute)
    padded, window = one, one.along.window
    types = [value.type for value in values]

    def between() -> list[ir.Value]:
        last = (window.block - 1) * window.step + (window.taps - 1) * window.tap_step
        with context.emit.given([Within(padded.start, padded.start + last, window.extent)]):
            return emit(compute)

    def version(edges: Sequence[int]) -> list[ir.Value]:
        if not edges:
            return between()
        if len(edges) == 1 and len(window.edges()) == window.tiles:
            return emit(_known(compute, padded, edges[0]))

        def edge() -> list[ir.Value]:
            expected = context.fma_count
            made = emit(_known(compute, padded, edges[0]))
            context.fma_count = expected  # of them what the code of the last one has is expected, or of those between
            return made

        start = context.emit.constant(window.start(edges[0]))
        condition = context.emit.compare("eq", context.emit.index(padded.start), start)
        return context.emit.branch(condition, types, edge, lambda: version(edges[1:]))

    return version(window.edges())


def _known(compute: Compute, one: PaddedDimension, tile: int) -> Compute:
    """Return a compute of which it is known which tile of a dimension it is."""
    known = one.at(tile)
    padded = tuple(known if each is one else each for each in compute.padded)
    inputs = dict(compute.inputs)
    assert compute.padded_input is not None
    source, functions = inputs[compute.padded_input]
    if isinstance(source, DirectTile):
        origin = list(source.origin)
        origin[one.dimension] = origin[one.dimension] + one.start * -1 + known.start
        inputs[compute.padded_input] = replace(source, origin=tuple(origin)), functions
    return replace(compute, padded=padded, inputs=inputs)
