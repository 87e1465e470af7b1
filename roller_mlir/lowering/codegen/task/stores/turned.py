# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results whose lanes lie apart in memory while rows are neighbours there: turned in registers, stored by rows.

Lanes f0..f15 of columns x0..x13 are stored into y[f, x] as y[f0, x0..x13], y[f1, x0..x13], and so on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from roller_mlir.lowering.codegen.builder.masked_access import (
    prefetch,
    store_vectors,
    takes_vectors,
)
from roller_mlir.lowering.codegen.builder.task_context import TaskContext
from roller_mlir.lowering.codegen.builder.thread_box import ThreadBox
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile
from roller_mlir.lowering.codegen.builder.transpose import transposed
from roller_mlir.lowering.linalg.affine import apply_indices
from roller_mlir.mapping.index import Linear
from roller_mlir.plan import LinearIndex
from roller_mlir.support.bindings import ir


@dataclass(frozen=True)
class TurnedResults:
    """Results that are neighbours along a loop, of the same lanes.

    Attributes:
        numbers: Their numbers among the keys of a box.
        places: Where the lanes of the first one go.
    """

    numbers: tuple[int, ...]
    places: tuple[list[Linear], ...]


def turned_groups(
    context: TaskContext, box: ThreadBox, indices: Sequence[LinearIndex], target: DirectTile
) -> list[TurnedResults]:
    """Return a box's results in groups that are turned before they are stored; none where lanes are neighbours.

    Args:
        context: The task.
        box: Who holds what.
        indices: Tile coordinates as functions of its loops.
        target: Where the results go.
    """
    row = _row(context, box, indices, target)
    return [] if row is None else list(_groups(box, indices, target, row))


def store_turned(
    context: TaskContext, groups: Sequence[TurnedResults], values: Sequence[ir.Value], target: DirectTile
) -> None:
    """Store groups of results.

    Args:
        context: The task.
        groups: Of `turned_groups`.
        values: A vector for each key of the box.
        target: Where they go.
    """
    emit, site = context.emit, f"global store {target.name}"
    for group in groups:
        columns = [
            _first_lanes(context, column, len(group.numbers))
            for column in transposed(emit, [values[number] for number in group.numbers])
        ]
        places = list(zip(group.places, columns, strict=True))
        store_vectors(emit, target.buffer, target.shape, places, site, mask_registers=context.mask_registers)


def prefetch_turned(context: TaskContext, groups: Sequence[TurnedResults], target: DirectTile) -> None:
    """Ask for the lines that groups of results go to."""
    for group in groups:
        for place in group.places:
            prefetch(context.emit, target.buffer, place, write=True)


def _row(context: TaskContext, box: ThreadBox, indices: Sequence[LinearIndex], target: DirectTile) -> int | None:
    """Return the loop along which results are neighbours in memory, where it is not that of the lanes."""
    lane, element = box.lane, ir.MemRefType(target.buffer.type).element_type
    if not context.masked or lane is None or box.width == 1 or box.lane_reduces or not takes_vectors(element):
        return None
    if not indices or indices[-1].coefficients[lane] or not any(index.coefficients[lane] for index in indices):
        return None
    steps = {loop: factor * target.steps[-1] for loop, factor in indices[-1].terms().items() if loop in box.keys[0]}
    (row, step), *others = [*steps.items()] or [(lane, 0)]
    if step != 1 or others or any(index.coefficients[row] for index in indices[:-1]):
        return None
    return row if box.axes[row].chunk == 1 and len({key[row] for key in box.keys}) > 1 else None


def _groups(box: ThreadBox, indices: Sequence[LinearIndex], target: DirectTile, row: int) -> Iterator[TurnedResults]:
    """Yield at most as many neighbours as there are lanes, along one loop."""
    lane = box.lane
    assert lane is not None
    factors = [f.coefficients[lane] * s for f, s in zip(indices, target.steps, strict=True)]
    apart: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for number, key in enumerate(box.keys):
        apart.setdefault(tuple((loop, at) for loop, at in sorted(key.items()) if loop != row), []).append(number)
    for numbers in apart.values():
        numbers.sort(key=lambda number: box.keys[number][row])
        for first in range(0, len(numbers), box.width):
            together = numbers[first : first + box.width]
            positions = box.at(box.keys[together[0]])
            local = apply_indices(indices, [positions.get(loop, Linear()) for loop in range(len(box.axes))])
            start = [o + x * s for o, x, s in zip(target.origin, local, target.steps, strict=True)]
            places = tuple([x + k * n for x, k in zip(start, factors, strict=True)] for n in range(box.width))
            yield TurnedResults(tuple(together), places)


def _first_lanes(context: TaskContext, vector: ir.Value, count: int) -> ir.Value:
    """Return the first lanes of a vector."""
    kind = ir.VectorType(vector.type)
    if kind.shape[0] == count:
        return vector
    sizes = {"offsets": [0], "sizes": [count], "strides": [1]}
    i64 = ir.IntegerType.get_signless(64)
    attributes: dict[str, ir.Attribute] = {
        name: ir.ArrayAttr.get([ir.IntegerAttr.get(i64, n) for n in numbers]) for name, numbers in sizes.items()
    }
    return context.emit.op(
        "vector.extract_strided_slice", [vector], ir.VectorType.get([count], kind.element_type), attributes
    )
