# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vectors of neighbours in memory at any multiple of their element, under masks where bounds are not proven.

    %m = vector.create_mask %left : vector<16xi1>              left = extent - position, where position >= 0
    %x = vector.maskedload %a[%i, %j], %m, %pad : memref<100x100xf32>, ...

What the mask leaves out is not touched; a load has the pad there. A vector that it leaves out whole still names a place
in the array, the nearest one: where no page is, as before the first row of an image, such a load takes a Zen 4 0.3 us.
"""

from collections.abc import Callable, Sequence

from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.codegen.builder.task_context import element_bytes, splat
from roller_mlir.lowering.loops.attributes import SITE
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.support.bindings import ir


def takes_vectors(element: ir.Type) -> bool:
    """Return whether vectors of a type can be loaded: LLVM would pack those of i1, of which each has a byte."""
    return not isinstance(element, ir.IntegerType) or ir.IntegerType(element).width > 1


def neighbours_inside(emit: Emitter, at: Sequence[Linear], shape: Sequence[int], width: int) -> ir.Value | None:
    """Return which of `width` neighbours along the last dimension lie inside of a shape: a mask; None: all do."""
    condition = emit.inside(at[:-1], shape[:-1])
    low, high = at[-1].range()
    extent, kind = shape[-1], ir.VectorType.get([width], ir.IntegerType.get_signless(1))
    mask: ir.Value | None = None
    if emit.proves(at[-1], extent) and emit.proves(at[-1] + (width - 1), extent):
        pass
    elif low < 0:
        lanes_type = ir.VectorType.get([width], emit.index_type)
        lanes = ir.DenseElementsAttr.get([ir.IntegerAttr.get(emit.index_type, n) for n in range(width)], lanes_type)
        first = emit.op("vector.broadcast", [emit.index(at[-1])], lanes_type)
        places = emit.op("arith.addi", [first, emit.typed_constant(lanes)], lanes_type)
        most = ir.DenseElementsAttr.get_splat(lanes_type, ir.IntegerAttr.get(emit.index_type, extent))
        below = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _UNSIGNED_LESS)
        mask = emit.op("arith.cmpi", [places, emit.typed_constant(most)], kind, {"predicate": below})
    elif high + width > extent:
        left = emit.index(at[-1] * -1 + extent)
        mask = emit.cached(("mask", left, width), lambda: emit.op("vector.create_mask", [left], kind))
    if condition is None or mask is None:
        return mask if condition is None else emit.op("vector.broadcast", [condition], kind)
    return emit.op("arith.andi", [mask, emit.op("vector.broadcast", [condition], kind)], kind)


_UNSIGNED_LESS = 6


def load_neighbours(
    emit: Emitter, buffer: ir.Value, at: Sequence[Linear], width: int, mask: ir.Value | None, pad: float, site: str
) -> ir.Value:
    """Emit the load of a vector; where the mask is not set, lanes are the pad."""
    element = ir.MemRefType(buffer.type).element_type
    kind, attributes = ir.VectorType.get([width], element), _attributes(element, site)
    if mask is None:
        return emit.op("vector.load", [buffer, *map(emit.index, at)], kind, attributes)
    operands = [buffer, *_nearest(emit, buffer, at), mask, splat(emit, element, width, pad)]
    return emit.op("vector.maskedload", operands, kind, attributes)


def store_neighbours(
    emit: Emitter, buffer: ir.Value, at: Sequence[Linear], mask: ir.Value | None, value: ir.Value, site: str
) -> None:
    """Emit the store of a vector where the mask is set; None: everywhere."""
    attributes = _attributes(ir.MemRefType(buffer.type).element_type, site)
    if mask is None:
        operands = [value, buffer, *map(emit.index, at)]
        ir.Operation.create("vector.store", operands=operands, attributes=attributes)
    else:
        operands = [buffer, *_nearest(emit, buffer, at), mask, value]
        ir.Operation.create("vector.maskedstore", operands=operands, attributes=attributes)


def _nearest(emit: Emitter, buffer: ir.Value, at: Sequence[Linear]) -> list[ir.Value]:
    """Return indices in a buffer, of which all but the last, along which a vector lies, are taken into its shape."""
    shape = ir.MemRefType(buffer.type).shape
    return [*map(emit.clamped, at[:-1], shape[:-1]), emit.index(at[-1])]


def rows_inside(emit: Emitter, places: Sequence[Sequence[Linear]], width: int, shape: Sequence[int]) -> ir.Value | bool:
    """Return whether all vectors of a tile lie inside of a tensor: always, never, or under a condition.

    Args:
        emit: The emitter.
        places: Of the first of each vector's neighbours.
        width: How many neighbours a vector has.
        shape: Of the tensor.
    """
    ends: dict[tuple[int, frozenset[tuple[Symbol, int]]], tuple[Linear, Linear]] = {}
    for place in places:
        for number, first in enumerate(place):
            last = first + (width - 1) if number == len(place) - 1 else first
            key = number, frozenset(first.terms.items())
            low, high = ends.get(key, (first, last))
            ends[key] = min(low, first, key=_constant), max(high, last, key=_constant)
    if any(high.range()[0] >= shape[number] or low.range()[1] < 0 for (number, _), (low, high) in ends.items()):
        return False
    condition: ir.Value | None = None
    for (number, _), both in ends.items():
        condition = emit.both(condition, emit.inside(both, [shape[number]] * 2))
    return True if condition is None else condition


def whole_or_masked(emit: Emitter, inside: ir.Value | bool, store: Callable[[bool], Sequence[ir.Value]]) -> None:
    """Emit the stores of a tile, twice where it depends whether it lies inside of its tensor: without masks, and with.

    Of most tiles none leaves the tensor, and a mask costs: an AMD Zen 3 stores a vector of 256 bits in 13 to 16 cycles
    under one, in one to two without.

    Args:
        emit: The emitter.
        inside: Of `rows_inside`.
        store: Emits them, given whether under masks; returns nothing.
    """
    if isinstance(inside, bool):
        store(not inside)
    else:
        emit.branch(inside, [], lambda: store(False), lambda: store(True))


def _constant(linear: Linear) -> int:
    return linear.constant


def prefetch(emit: Emitter, buffer: ir.Value, at: Sequence[Linear], *, write: bool = False) -> None:
    """Emit a hint that the line of an element is soon needed; no element need be there."""
    i32 = ir.IntegerType.get_signless(32)
    attributes: dict[str, ir.Attribute] = {
        "isWrite": ir.BoolAttr.get(write),
        "localityHint": ir.IntegerAttr.get(i32, _KEPT),
        "isDataCache": ir.BoolAttr.get(True),
    }
    operands = [buffer, *[emit.index(x) for x in at]]
    ir.Operation.create("memref.prefetch", operands=operands, attributes=attributes)


_KEPT = 3
"""Of hints: to the nearest cache."""


def _attributes(element: ir.Type, site: str) -> dict[str, ir.Attribute]:
    alignment = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), element_bytes(element))
    return {SITE: ir.StringAttr.get(site), "alignment": alignment}
