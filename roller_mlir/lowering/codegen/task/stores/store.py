# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writing register tiles to global memory, as wide as alignment allows, with masks only where a bound is not proven."""

from collections.abc import Iterator, Sequence
from math import prod

from roller_mlir.lowering.codegen.builder.masked_access import (
    prefetch,
    store_vectors,
    takes_vectors,
)
from roller_mlir.lowering.codegen.builder.task_context import TaskContext, access_memory
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile, RegisterTile, along_row
from roller_mlir.lowering.codegen.task.compute import Compute
from roller_mlir.lowering.codegen.task.stores.turned import prefetch_turned, store_turned, turned_groups
from roller_mlir.lowering.linalg.affine import apply_indices
from roller_mlir.mapping.index import Linear
from roller_mlir.plan import LinearIndex
from roller_mlir.support.bindings import ir


def store_register_tile(context: TaskContext, tile: RegisterTile, target: DirectTile) -> None:
    """Store a thread's elements of a joined tile to a place in the destination."""
    box, indices, width = tile.box, tile.indices, tile.width
    if groups := turned_groups(context, box, indices, target):
        store_turned(context, groups, tile.values, target)
        return
    element, places = ir.MemRefType(target.buffer.type).element_type, list(_places(tile, target))
    if context.masked and takes_vectors(element) and along_row(tile.box, tile.indices, target):
        site = f"global store {target.name}"
        store_vectors(context.emit, target.buffer, target.shape, places, site, mask_registers=context.mask_registers)
        return
    for at, value in places:
        if width == 1:
            _store(context, target, at, value, 1)
            continue
        assert box.lane is not None
        factors = [f.coefficients[box.lane] * s for f, s in zip(indices, target.steps, strict=True)]
        if not any(factors):
            _store(context, target, at, context.emit.extract(value, 0), 1)
            continue
        if _is_vector(at, factors, target.shape, width):
            _store(context, target, at, value, width)
            continue
        for lane in range(width):
            scalar = context.emit.extract(value, lane)
            _store(context, target, [x + k * lane for x, k in zip(at, factors, strict=True)], scalar, 1)


def _places(tile: RegisterTile, target: DirectTile) -> Iterator[tuple[list[Linear], ir.Value]]:
    """Yield where each value of a tile goes; an element that several registers hold once."""
    box, indices = tile.box, tile.indices
    unused = {loop for loop in range(len(box.loops)) if not any(index.coefficients[loop] for index in indices)}
    for key, value in zip(box.keys, tile.values, strict=True):
        if any(register for loop, register in key.items() if loop in unused):
            continue
        positions = box.at(key)
        local = apply_indices(indices, [positions.get(loop, Linear()) for loop in range(len(box.axes))])
        yield [o + x * s for o, x, s in zip(target.origin, local, target.steps, strict=True)], value


def prefetch_results(
    context: TaskContext, compute: Compute, indices: Sequence[LinearIndex], target: DirectTile
) -> None:
    """Ask for the lines that results of a compute go to, before it computes them, where it reduces for long.

    Args:
        context: The task, on a device whose vectors are masked.
        compute: What is to be computed.
        indices: Tile coordinates as functions of its loops.
        target: Where the results go.
    """
    box = compute.box
    points = prod([axis.block for axis, loop in zip(box.axes, box.loops, strict=True) if loop.reduction])
    if points < _LEAST_POINTS or any(loop.reduction for loop in box.loops[box.lane or 0 : (box.lane or 0) + 1]):
        return
    if groups := turned_groups(context, box, indices, target):
        prefetch_turned(context, groups, target)
        return
    for key in box.keys:
        positions = box.at(key)
        local = apply_indices(indices, [positions.get(loop, Linear()) for loop in range(len(box.axes))])
        at = [o + x * s for o, x, s in zip(target.origin, local, target.steps, strict=True)]
        prefetch(context.emit, target.buffer, at, write=True)


_LEAST_POINTS = 64
"""Of a reduction that is long enough for what is asked for to come."""


def _is_vector(at: Sequence[Linear], factors: Sequence[int], shape: Sequence[int], width: int) -> bool:
    """Return whether the lanes are neighbours in an aligned row, so that a vector is inside or outside as a whole."""
    return (
        bool(factors)
        and factors[-1] == 1
        and not any(factors[:-1])
        and at[-1].divisor() % width == 0
        and shape[-1] % width == 0
    )


def _store(context: TaskContext, target: DirectTile, at: Sequence[Linear], value: ir.Value, width: int) -> None:
    emit = context.emit

    def store() -> list[ir.Value]:
        access_memory(emit, target.buffer, [emit.index(x) for x in at], width, f"global store {target.name}", value)
        return []

    condition = emit.inside(at, target.shape)
    if condition is None:
        store()
    else:
        emit.branch(condition, [], store)
