# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vectors of neighbours in memory at any multiple of their element, under masks where bounds are not proven.

    %m = vector.create_mask %left : vector<16xi1>              left = extent - position, where position >= 0
    %x = vector.maskedload %a[%i, %j], %m, %pad : memref<100x100xf32>, ...

What the mask leaves out is not touched; a load has the pad there. A vector that it leaves out whole still names a place
in the array, the nearest one: where no page is, as before the first row of an image, such a load takes a Zen 4 0.3 us.
"""

from collections.abc import Callable, Sequence

from roller_mlir.lowering.codegen.builder.emitter import Emitter, Within
from roller_mlir.lowering.codegen.builder.task_context import element_bytes, slice_of, splat
from roller_mlir.lowering.loops.attributes import SITE
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.support.bindings import ir


def takes_vectors(element: ir.Type) -> bool:
    """Return whether vectors of a type can be loaded: LLVM would pack those of i1, of which each has a byte."""
    return not isinstance(element, ir.IntegerType) or ir.IntegerType(element).width > 1


def neighbours_inside(emit: Emitter, at: Sequence[Linear], shape: Sequence[int], width: int) -> ir.Value | None:
    """Return which of `width` neighbours along the last dimension lie inside of a shape: a mask; None: all do.

    Where vectors divide that dimension and begin at multiples of them, all neighbours do, or none.
    """
    extent, kind = shape[-1], ir.VectorType.get([width], ir.IntegerType.get_signless(1))
    if extent % width == 0 and at[-1].divisor() % width == 0:
        condition = emit.inside(at, shape)
        return None if condition is None else emit.op("vector.broadcast", [condition], kind)
    condition = emit.inside(at[:-1], shape[:-1])
    low, high = at[-1].range()
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
_FAR = 512
"""Elements: nearer ones lie in the same page of memory, or the next."""


def load_neighbours(
    emit: Emitter, buffer: ir.Value, at: Sequence[Linear], width: int, mask: ir.Value | None, pad: float, site: str
) -> ir.Value:
    """Emit the load of a vector; where the mask is not set, lanes are the pad."""
    element = ir.MemRefType(buffer.type).element_type
    kind, attributes = ir.VectorType.get([width], element), _attributes(element, site)
    if mask is None:
        return emit.op("vector.load", [buffer, *map(emit.index, at)], kind, attributes)
    operands = [buffer, *_nearest(emit, buffer, at, width), mask, splat(emit, element, width, pad)]
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
        operands = [buffer, *_nearest(emit, buffer, at, ir.VectorType(value.type).shape[0]), mask, value]
        ir.Operation.create("vector.maskedstore", operands=operands, attributes=attributes)


def _nearest(emit: Emitter, buffer: ir.Value, at: Sequence[Linear], width: int) -> list[ir.Value]:
    """Return indices in a buffer, which are taken into its shape.

    Along the last, where a vector may be far outside as a whole, it has an element there: a core may take long over
    masked vectors where no memory is.
    """
    shape = ir.MemRefType(buffer.type).shape
    last, (low, high) = emit.index(at[-1]), at[-1].range()
    if low <= -_FAR:
        last = emit.binary("arith.maxsi", last, emit.constant(1 - width))
    if high >= shape[-1] + _FAR:
        last = emit.binary("arith.minsi", last, emit.constant(shape[-1] - 1))
    return [*map(emit.clamped, at[:-1], shape[:-1]), last]


def store_vectors(
    emit: Emitter,
    buffer: ir.Value,
    shape: Sequence[int],
    places: Sequence[tuple[Sequence[Linear], ir.Value]],
    site: str,
    *,
    mask_registers: bool,
) -> None:
    """Emit the stores of a tile's vectors, twice where it depends whether all lie inside: without masks, and with.

    Of most tiles none leaves the tensor. Where masks have no registers, each vector is asked by itself, and one that
    leaves the tensor is stored in pieces: an AMD Zen 3 or 4 stores 256 bits in 12 to 16 cycles under a mask, whatever
    the mask, in one to two without. Tiles whose rows all lie inside have code of their own then, which asks of none.

    Args:
        emit: The emitter.
        buffer: Where they go.
        shape: Its extents.
        places: Where each begins, and its value, a vector; all are equally wide.
        site: What errors call the stores.
        mask_registers: Whether masks have registers of their own.
    """
    width = ir.VectorType(places[0][1].type).shape[0]
    starts = [at for at, _ in places]

    def whole() -> list[ir.Value]:
        for at, value in places:
            store_neighbours(emit, buffer, at, None, value, site)
        return []

    def parted() -> list[ir.Value]:
        if mask_registers:
            for at, value in places:
                store_neighbours(emit, buffer, at, neighbours_inside(emit, at, shape, width), value, site)
        elif len(places) > 1:
            _where_inside(emit, _asked(starts, 1, shape[:-1]), each, each)
        else:
            _store_part(emit, buffer, shape, *places[0], site)
        return []

    def each() -> list[ir.Value]:
        for place in places:
            store_vectors(emit, buffer, shape, [place], site, mask_registers=False)
        return []

    _where_inside(emit, _asked(starts, width, shape), whole, parted)


def _asked(places: Sequence[Sequence[Linear]], width: int, shape: Sequence[int]) -> list[Within] | None:
    """Return what must hold, and may, so that all vectors of a tile lie inside of a tensor; None: it cannot.

    Args:
        places: Of the first of each vector's neighbours, in more dimensions than are asked of, maybe.
        width: How many neighbours a vector has along the last of these.
        shape: Of the tensor.
    """
    ends: dict[tuple[int, frozenset[tuple[Symbol, int]]], tuple[Linear, Linear]] = {}
    for place in places:
        for number, (first, _) in enumerate(zip(place, shape, strict=False)):
            last = first + (width - 1) if number == len(shape) - 1 else first
            key = number, frozenset(first.terms.items())
            low, high = ends.get(key, (first, last))
            ends[key] = min(low, first, key=_constant), max(high, last, key=_constant)
    if any(high.range()[0] >= shape[number] or low.range()[1] < 0 for (number, _), (low, high) in ends.items()):
        return None
    return [Within(low, high, shape[number]) for (number, _), (low, high) in ends.items()]


def _where_inside(
    emit: Emitter,
    asked: Sequence[Within] | None,
    inside: Callable[[], list[ir.Value]],
    otherwise: Callable[[], list[ir.Value]],
) -> None:
    """Emit what is done where facts hold, with them given, and where not; one of both where that is known."""
    condition: ir.Value | None = None
    for one in asked or ():
        condition = emit.both(condition, emit.inside([one.low, one.high], [one.extent] * 2))
    if asked is None:
        otherwise()
    elif condition is None:
        inside()
    else:

        def known() -> list[ir.Value]:
            with emit.given(asked):
                return inside()

        emit.branch(condition, [], known, otherwise)


def _store_part(
    emit: Emitter, buffer: ir.Value, shape: Sequence[int], at: Sequence[Linear], value: ir.Value, site: str
) -> None:
    """Emit the store of a vector that does not lie inside of a tensor whole: of the elements that do.

    Where vectors begin at multiples of their width, as many lie inside in all that are cut at the tensor's end: these
    are stored as a half, a quarter and so on. Else they are stored under a mask.
    """
    width = ir.VectorType(value.type).shape[0]
    if at[-1].divisor() % width or at[-1].range()[0] < 0:
        store_neighbours(emit, buffer, at, neighbours_inside(emit, at, shape, width), value, site)
        return

    def pieces() -> list[ir.Value]:
        left, first = shape[-1] % width, 0
        while left:
            size = 1 << (left.bit_length() - 1)
            place, part = [*at[:-1], at[-1] + first], slice_of(emit, value, first, size)
            if size > 1:
                store_neighbours(emit, buffer, place, None, part, site)
            else:
                operands = [part, buffer, *map(emit.index, place)]
                attributes = _attributes(ir.MemRefType(buffer.type).element_type, site)
                ir.Operation.create("memref.store", operands=operands, attributes=attributes)
            left, first = left - size, first + size
        return []

    condition = emit.inside(at, shape)
    if condition is None:
        pieces()
    elif shape[-1] % width:
        emit.branch(condition, [], pieces)


def _constant(linear: Linear) -> int:
    return linear.constant


def prefetch(emit: Emitter, buffer: ir.Value, at: Sequence[Linear], *, write: bool = False, near: bool = True) -> None:
    """Emit a hint that the line of an element is soon needed; no element need be there.

    Args:
        emit: The emitter.
        buffer: Where the element lies.
        at: Its indices.
        write: Whether it is stored to.
        near: Whether it is needed so soon that it should come to the nearest cache; else to the second one.
    """
    i32 = ir.IntegerType.get_signless(32)
    attributes: dict[str, ir.Attribute] = {
        "isWrite": ir.BoolAttr.get(write),
        "localityHint": ir.IntegerAttr.get(i32, _NEAREST if near else _SECOND),
        "isDataCache": ir.BoolAttr.get(True),
    }
    operands = [buffer, *[emit.index(x) for x in at]]
    ir.Operation.create("memref.prefetch", operands=operands, attributes=attributes)


_NEAREST, _SECOND = 3, 2
"""Of hints: the cache that they name."""


def _attributes(element: ir.Type, site: str) -> dict[str, ir.Attribute]:
    alignment = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), element_bytes(element))
    return {SITE: ir.StringAttr.get(site), "alignment": alignment}
