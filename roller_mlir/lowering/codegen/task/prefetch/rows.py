# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hints that rows of a tile are soon read further on.

A core fetches ahead of what is read in order, up to the end of a page. Rows that are read where they lie, for more than
a page each, all come to the end of one at the same time, and what they need next is far.
"""

from collections.abc import Mapping, Sequence

from roller_mlir.lowering.codegen.builder.masked_access import prefetch
from roller_mlir.lowering.codegen.builder.task_context import TaskContext, element_bytes
from roller_mlir.lowering.codegen.builder.thread_box import Positions, ThreadBox
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile, RegisterTile, StagedTile
from roller_mlir.lowering.linalg.affine import apply_indices
from roller_mlir.mapping.index import Linear
from roller_mlir.plan import LinearIndex
from roller_mlir.support.bindings import ir

_PAGE_BYTES = 4096
_BYTES_AHEAD = 256
"""How far ahead of what is read: of 64 to 512 B, in turns over six products on a Zen 5, never slower than no hint."""


def prefetch_rows(
    context: TaskContext,
    box: ThreadBox,
    inputs: Mapping[int, tuple[DirectTile | StagedTile | RegisterTile, Sequence[LinearIndex]]],
    loop: int,
    positions: Positions,
) -> None:
    """Ask for what a trip of a reduction loop will read of rows that lie in memory, an element of each for all lanes.

    Args:
        context: The task, on a device of vectors.
        box: The tile's points.
        inputs: What they read, by number.
        loop: The innermost loop that is one.
        positions: Where the reduction is.
    """
    for tile, functions in inputs.values():
        if not isinstance(tile, DirectTile) or not functions or tile.steps[-1] != 1:
            continue
        if any(box.lane in one.terms() for one in functions) or functions[-1].terms() != {loop: 1}:
            continue
        size = element_bytes(ir.MemRefType(tile.buffer.type).element_type)
        if box.axes[loop].block * size < _PAGE_BYTES:
            continue
        rows: dict[tuple[Linear, ...], None] = {}
        for key in box.keys:
            at = {**positions, **box.at(key)}
            local = apply_indices(functions, [at.get(one, Linear()) for one in range(len(box.axes))])
            rows[tuple([o + x * s for o, x, s in zip(tile.origin, local, tile.steps, strict=True)])] = None
        for row in rows if len(rows) > 1 else ():
            prefetch(context.emit, tile.buffer, [*row[:-1], row[-1] + _BYTES_AHEAD // size])
