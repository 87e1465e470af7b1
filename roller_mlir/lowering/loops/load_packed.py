# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads of tiles of constants that are packed when the program is compiled; see `packed_constants`."""

from collections.abc import Mapping, Sequence
from math import prod

from roller_mlir.dialects import rtile
from roller_mlir.lowering.linalg.affine import affine_sum
from roller_mlir.lowering.loops.compute_box import ComputeBox
from roller_mlir.mapping.layout.data_tile import tile_dimensions
from roller_mlir.mapping.layout.layout import buffer_shape
from roller_mlir.plan import Access, OperandPlan
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


def load_packed(
    box: ComputeBox,
    source: ir.Value,
    access: Access,
    operand: OperandPlan,
    trips: Mapping[int, int],
    used: Sequence[tuple[int, ir.Value, int]],
) -> ir.Value:
    """Load a tile by its number, and let the program's argument be a tensor of tiles x elements.

    Args:
        box: The compute's loops.
        source: The argument.
        access: How the box reads it.
        operand: Its layout.
        trips: Tiles along each loop of the box that moves it, outermost first.
        used: Loop, variable, and the points of one trip of it.
    """
    dimensions = tile_dimensions(access, box.blocks)
    counts = list(trips.values())
    distance = {loop: prod(counts[place + 1 :]) for place, loop in enumerate(trips)}
    factors = [distance[loop] * points // box.axes[loop].block for loop, _, points in used]
    kind = ir.RankedTensorType.get(
        [prod(counts), prod(buffer_shape(dimensions, operand))], ir.RankedTensorType(source.type).element_type
    )
    if sum(1 for _ in source.uses) > 1:
        program = ir.BlockArgument(source).owner.owner
        fail(program, f"'{program.name}' has a plan that packs a tensor which is read at several places")
    ir.BlockArgument(source).set_type(kind)
    load = rtile.load_tile(
        source,
        [value for _, value, _ in used],
        tile=rtile.TileAttr.of([d.extent for d in dimensions], operand.layer, [d.step for d in dimensions]),
        origin=ir.AffineMap.get(len(used), 0, [affine_sum(dict(enumerate(factors)), 0)]),
        layout=rtile.LayoutAttr.of(operand),
        pad_value=operand.pad_value,
    )
    return load.operation.results[0]
