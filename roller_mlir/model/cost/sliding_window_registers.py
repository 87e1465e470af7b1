# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many registers hold what a thread of a candidate reads while windows slide over its results, estimated.

Plans count it (`mapping.layout.window_reads`); for hundreds of candidates two of the orders in which a thread may
walk its points are looked at by formula. Place by place of the reduction, a window's whole share stays in registers,
beside one read of the others. Row by row of the window, one read of it does, beside what the others need for the places
of the window.
"""

from collections.abc import Sequence
from math import prod

from roller_mlir.mapping.layout.thread_reads import own_reads
from roller_mlir.mapping.layout.window_reads import slides
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.plan import AxisPlan

_ONE_POINT = AxisPlan(block=1)


def sliding_window_registers(
    context: ProblemContext, candidate: Candidate, widths: Sequence[int], *, ahead: bool
) -> int | None:
    """Return the registers of reads that live at a time, None where no window slides over a thread's results.

    Args:
        context: The expression.
        candidate: The candidate.
        widths: Per input, the elements of one read of a thread.
        ahead: Whether steps follow each other in a loop, in which ptxas reads ahead.
    """
    blocks, registers, axes = candidate.blocks, candidate.registers, candidate.axes()
    tiles = [access.dimensions(blocks) for access in context.inputs]
    sliding = [slides(tile, axes, context.reduction) for tile in tiles]
    if not any(sliding):
        return None
    inside = {
        loop
        for tile in tiles
        for dimension in tile
        if slides((dimension,), axes, context.reduction)
        for loop in dimension.coefficients
        if context.reduction[loop]
    }
    still = [
        _ONE_POINT if reduces and loop not in inside else axis
        for loop, (reduces, axis) in enumerate(zip(context.reduction, axes, strict=True))
    ]
    alone = [_ONE_POINT if reduces else axis for reduces, axis in zip(context.reduction, axes, strict=True)]
    by_place, by_row, place = 0, 0, 0
    for access, tile, moves, width in zip(context.inputs, tiles, sliding, widths, strict=True):
        read = width * access.words
        if moves:
            by_place += own_reads(tile, still, len(tile) - 1, width) * read
            by_row += 2 * read
            place += own_reads(tile, alone, len(tile) - 1, width) * read
        else:
            by_place += read
            by_row += prod([registers[loop] for loop in access.loops if loop in inside or not context.reduction[loop]])
            place += prod([registers[loop] for loop in access.parallel]) * access.words
    live = min(by_place, by_row)
    return 2 * max(live, place) if ahead else live
