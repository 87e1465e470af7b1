# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where an element of a staged tile lies when the 16-byte pieces of its rows are permuted against bank conflicts."""

from collections.abc import Sequence
from math import prod

from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.codegen.builder.task_context import element_bytes
from roller_mlir.mapping.index import Linear
from roller_mlir.mapping.layout.swizzle import PIECE_BYTES, row_period, row_run
from roller_mlir.plan import OperandPlan
from roller_mlir.plan.plan import XOR
from roller_mlir.support.bindings import ir


def buffer_indices(emit: Emitter, view: ir.Value, layout: OperandPlan, at: Sequence[Linear]) -> list[ir.Value]:
    """Return the indices of a tile's element in its buffer.

    Args:
        emit: The emitter.
        view: The buffers, a memref of stages x buffer extents.
        layout: The layout.
        at: Tile coordinates in the buffer's order, innermost last.
    """
    if layout.swizzle != XOR:
        return [emit.index(x) for x in at]
    kind = ir.MemRefType(view.type)
    extents, size = list(kind.shape)[1:], element_bytes(kind.element_type)
    pieces = extents[-1] * size // PIECE_BYTES
    period, run = row_period(pieces), row_run(pieces)
    row = Linear()
    for number, x in enumerate(at[:-1]):
        row = row + x * prod(extents[number + 1 : -1])
    inner = emit.index(at[-1])
    # Only the row's number modulo the period counts: what is a multiple of it drops out.
    whole = period * run
    terms = {symbol: k for symbol, k in row.terms.items() if k * symbol.divisor % whole}
    low = Linear(terms, row.constant % whole)
    if not low.terms and not low.constant:
        return [*[emit.index(x) for x in at[:-1]], inner]
    per_piece = PIECE_BYTES // size

    turn = emit.index(low)
    if run > 1:
        turn = emit.binary("arith.divui", turn, emit.constant(run))
    turn = emit.binary("arith.remui", turn, emit.constant(period))
    turn = emit.binary("arith.muli", turn, emit.constant(per_piece))
    return [*[emit.index(x) for x in at[:-1]], emit.binary("arith.xori", inner, turn)]
