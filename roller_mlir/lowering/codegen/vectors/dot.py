# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of pairs of bf16 or fours of i8 in each lane of vectors, all sums of a task in registers.

    %a = the pair of a row, in all lanes      %b = the pairs of 16 columns
    %s = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%sum, %a, %b)

The instruction for i8 has one unsigned factor. 128 is added to the first one, which is an exclusive or of its bits, and
128 times the sum of the second one is taken off at the end: sums wrap around, so that this is exact.
"""

from collections.abc import Sequence
from math import prod

from roller_mlir.lowering.codegen.builder.masked_access import load_neighbours, neighbours_inside
from roller_mlir.lowering.codegen.builder.task_context import TaskContext
from roller_mlir.lowering.codegen.builder.thread_box import Positions
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile
from roller_mlir.lowering.codegen.task.compute import Compute
from roller_mlir.lowering.codegen.task.prefetch.constants import ask_ahead
from roller_mlir.lowering.codegen.vectors.atom import FactorReads, VectorAtom, converted
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import call_intrinsic

_WORDS = {"bf16": "llvm.x86.avx512bf16.dpbf16ps", "i8": "llvm.x86.avx512.vpdpbusd"}
_OFFSET = 0x80808080
"""128 in each of four bytes."""


def emit_dot_points(context: TaskContext, compute: Compute, values: Sequence[ir.Value]) -> list[ir.Value]:
    """Emit all points of a box; return the new accumulators.

    Args:
        context: The task.
        compute: The compute, with an instruction of family "dot".
        values: The accumulators, vectors in the type of the result.
    """
    atom, box = compute.atom, compute.box
    assert atom is not None
    factors = FactorReads(context, atom, compute.inputs)
    element = ir.VectorType(values[0].type).element_type
    sums = converted(context, values, atom.sum)
    loops, groups = len(box.axes), box.axes[atom.depth].block // atom.near
    others = [i for i, loop in enumerate(box.loops) if loop.reduction and i != atom.depth and box.axes[i].block > 1]
    unroll = max(1, compute.unroll // atom.near)
    unroll = next(n for n in range(unroll, 0, -1) if groups % n == 0)
    columns = sorted({key[atom.column] for key in box.keys})
    signed = isinstance(atom.factor, ir.IntegerType)
    carried = [*sums, *[_zero(context, atom)] * (len(columns) if signed else 0)]

    def step(at: Positions, group: Linear, current: list[ir.Value]) -> None:
        found: dict[int, ir.Value] = {}
        seen: dict[tuple[Linear, ...], ir.Value] = {}
        for number, key in enumerate(box.keys):
            place = {**at, **box.at(key), atom.depth: group * atom.near}
            column = key[atom.column]
            if column not in found:
                found[column] = _columns(context, atom, factors, factors.column_place(place, group, loops))
                if signed:
                    extra = len(sums) + columns.index(column)
                    current[extra] = _dot(context, atom, current[extra], _offset(context, atom), found[column])
            row = tuple(factors.row_place(place, loops))
            if row not in seen:
                seen[row] = _rows(context, atom, factors, list(row))
            current[number] = _dot(context, atom, current[number], seen[row], found[column])

    trips = prod([groups // unroll, *(box.axes[loop].block for loop in others)])

    def nest(rest: Sequence[int], at: Positions, current: Sequence[ir.Value], trip: Linear) -> list[ir.Value]:
        if rest:
            count = box.axes[rest[0]].block
            return context.emit.loop(
                0,
                count,
                current,
                lambda run, inner: nest(
                    rest[1:], {**at, rest[0]: Linear.of(run)}, inner, trip * count + Linear.of(run)
                ),
            )

        def some(run: Symbol, inner: list[ir.Value]) -> list[ir.Value]:
            ask_ahead(context, factors.columns, trip * (groups // unroll) + Linear.of(run), trips)
            new = list(inner)
            for number in range(unroll):
                step(at, Linear.of(run, unroll) + number, new)
            return new

        return context.emit.loop(0, groups // unroll, current, some)

    found = nest(others, {}, carried, Linear())
    if signed:
        extra = {column: found[len(sums) + number] for number, column in enumerate(columns)}
        sums = [
            context.emit.op("arith.subi", [value, extra[key[atom.column]]], value.type)
            for value, key in zip(found, box.keys, strict=False)
        ]
    else:
        sums = found
    return converted(context, sums, element)


def _word(atom: VectorAtom) -> ir.VectorType:
    """Return the type of a vector of sums' words."""
    return ir.VectorType.get([atom.shape[1]], ir.IntegerType.get_signless(32))


def _factor(atom: VectorAtom) -> ir.VectorType:
    return ir.VectorType.get([prod(atom.shape)], atom.factor)


def _zero(context: TaskContext, atom: VectorAtom) -> ir.Value:
    kind = _word(atom)
    return context.emit.typed_constant(ir.DenseElementsAttr.get_splat(kind, ir.IntegerAttr.get(kind.element_type, 0)))


def _offset(context: TaskContext, atom: VectorAtom) -> ir.Value:
    kind = _factor(atom)
    one = ir.IntegerAttr.get(kind.element_type, -128)
    return context.emit.typed_constant(ir.DenseElementsAttr.get_splat(kind, one))


def _columns(context: TaskContext, atom: VectorAtom, factors: FactorReads, at: list[Linear]) -> ir.Value:
    """Load what the lanes of a vector multiply of the second factor."""
    tile = factors.columns
    return load_neighbours(
        context.emit, tile.view, at, prod(atom.shape), None, 0.0, f"workgroup load {tile.source.name}"
    )


def _rows(context: TaskContext, atom: VectorAtom, factors: FactorReads, at: list[Linear]) -> ir.Value:
    """Load what all lanes multiply of the first factor."""
    emit, tile = context.emit, factors.rows
    assert isinstance(tile, DirectTile)  # no tile registers
    mask = neighbours_inside(emit, at, tile.shape, atom.near)
    pair = load_neighbours(emit, tile.buffer, at, atom.near, mask, tile.pad, f"global load {tile.name}")
    word = emit.op("vector.bitcast", [pair], ir.VectorType.get([1], ir.IntegerType.get_signless(32)))
    everywhere = emit.op("vector.broadcast", [emit.extract(word, 0)], _word(atom))
    if isinstance(atom.factor, ir.IntegerType):
        offset = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), _OFFSET - (1 << 32))
        offsets = emit.typed_constant(ir.DenseElementsAttr.get_splat(_word(atom), offset))
        everywhere = emit.op("arith.xori", [everywhere, offsets], _word(atom))
    return emit.op("vector.bitcast", [everywhere], _factor(atom))


def _dot(context: TaskContext, atom: VectorAtom, total: ir.Value, first: ir.Value, second: ir.Value) -> ir.Value:
    context.matrix_count += 1
    name = f"{_WORDS[str(atom.factor)]}.{32 * atom.shape[1]}"
    return call_intrinsic(name, [total, first, second], total.type)
