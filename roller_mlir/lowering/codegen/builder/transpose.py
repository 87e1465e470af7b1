# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of vectors turned into columns in registers: what lies apart in memory becomes neighbours."""

from collections.abc import Sequence

from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.support.bindings import ir


def transposed(emit: Emitter, rows: Sequence[ir.Value]) -> list[ir.Value]:
    """Return the columns of rows, which are vectors of `width` lanes each: `width` vectors, whose lane r is of row r.

        a0 a1 a2 a3      a0 a1 b0 b1      a0 b0 c0 d0
        b0 b1 b2 b3  ->  ...          ->  a1 b1 c1 d1          halves of blocks of 4, 2 change places, step by step
        c0 c1 c2 c3
        d0 d1 d2 d3

    Args:
        emit: The emitter.
        rows: At most `width`, a power of two; what lanes beyond them hold says nothing.
    """
    kind = ir.VectorType(rows[0].type)
    width = kind.shape[0]
    found = [*rows, *[emit.poison(kind)] * (width - len(rows))]
    distance = width // 2
    while distance:
        for low in (n for n in range(width) if not n & distance):
            first, second = found[low], found[low + distance]
            found[low] = _shuffled(emit, first, second, distance, 0)
            found[low + distance] = _shuffled(emit, first, second, distance, distance)
        distance //= 2
    return found


def _shuffled(emit: Emitter, first: ir.Value, second: ir.Value, distance: int, start: int) -> ir.Value:
    """Return every other block of `distance` lanes of two vectors, of one and the other in turns, from a start on."""
    kind = ir.VectorType(first.type)
    width = kind.shape[0]
    order = [lane + start if not lane & distance else width + lane - distance + start for lane in range(width)]
    return emit.op("vector.shuffle", [first, second], kind, {"mask": ir.DenseI64ArrayAttr.get(order)})
