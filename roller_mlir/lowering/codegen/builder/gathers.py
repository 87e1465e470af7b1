# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of a tensor at computed positions, as a thread reads them: one load a lane, never outside of the tensor.

    %last = arith.constant 49 : index
    %at = arith.minui %position, %last : index        a negative position is a large one without a sign
    %x = memref.load %table[%at] : memref<50xf32>

Points outside of their loops are computed too, at whatever positions follow from elements that were not loaded: the cut
makes every position safe, and those of the program's own points have been clamped dimension by dimension before.
"""

from collections.abc import Mapping

from roller_mlir.lowering.codegen.builder.fragments import Wide
from roller_mlir.lowering.codegen.builder.task_context import TaskContext, access_memory, vector_type
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile
from roller_mlir.lowering.linalg.body import BodyArgument, BodyOp
from roller_mlir.support.bindings import ir


def emit_gather(context: TaskContext, tables: Mapping[int, DirectTile], op: BodyOp, position: Wide) -> Wide:
    """Emit the loads of one `rtile.gather`.

    Args:
        context: The task.
        tables: The tensors that arguments stand for, by argument.
        op: The operation.
        position: Where its lanes read.

    Returns:
        The elements, as wide as the positions.
    """
    argument = op.operands[0]
    assert isinstance(argument, BodyArgument)
    tile, emit, (places, width) = tables[argument.number], context.emit, position
    last = emit.constant(tile.shape[0] - 1)

    def element(place: ir.Value) -> ir.Value:
        at = emit.op("arith.minui", [place, last], emit.index_type)
        value = access_memory(emit, tile.buffer, [at], 1, f"global load {tile.name}")
        assert value is not None
        return value

    key = ("gather", tile.buffer, places)
    if width == 1:
        return emit.cached(key, lambda: element(places)), 1
    kind = vector_type(op.result_type, width)

    def elements() -> ir.Value:
        return emit.op("vector.from_elements", [element(emit.extract(places, lane)) for lane in range(width)], kind)

    return emit.cached(key, elements), width
