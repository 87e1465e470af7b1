# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The place of the largest or smallest value of a row becomes two reductions that threads can share.

    %v, %p = linalg.generic ins(%x at (i, j)) outs(%low at (i), %none at (i)) {      // argmax, as importers write it
      %larger = arith.cmpf ogt, %in, %value
      linalg.yield (arith.maximumf %in, %value), (arith.select %larger, j, %place)
    }
    // becomes
    %v = linalg.generic ins(%x) outs(%low) { arith.maximumf %in, %value }
    %q = linalg.generic ins(%x, %v) outs(fill of the largest integer) { the least j of which %in is %v and above %low }
    %p = linalg.generic ins(%q) { arith.select (%q is that integer), %none, %q }

Steps of the former depend on each other in the order of the row, so that one thread would walk a vocabulary. Both start
from constants. The first of equal values counts, as it does there. A row with a NaN, whose largest value by
`arith.maximumf` is that, has the place that it starts from: which one it has there depends on the order of its steps.
"""

from dataclasses import dataclass
from math import isnan
from typing import Any

from roller_mlir.lowering.linalg.front_end.walk import entry_operations
from roller_mlir.lowering.linalg.generic import bodiless_generic, empty_like, filled, generic, iterators_of
from roller_mlir.lowering.linalg.reader import fill_constant
from roller_mlir.support.bindings import arith, ir, linalg
from roller_mlir.support.values import defining_op, indexing_maps, number_attribute

_KINDS = {
    "arith.maximumf": ("arith.cmpf", "ogt"),
    "arith.maxnumf": ("arith.cmpf", "ogt"),
    "arith.minimumf": ("arith.cmpf", "olt"),
    "arith.minnumf": ("arith.cmpf", "olt"),
    "arith.maxsi": ("arith.cmpi", "sgt"),
    "arith.minsi": ("arith.cmpi", "slt"),
    "arith.maxui": ("arith.cmpi", "ugt"),
    "arith.minui": ("arith.cmpi", "ult"),
}
"""What joins values, and the comparison that says that a value takes the place of another."""

_TAKEN = {
    kind: joins
    for joins, kind in _KINDS.items()
    if joins not in ("arith.maximumf", "arith.minimumf")  # of which a NaN is the result; a comparison passes it over
}
"""What joins values that are selected by the comparison itself."""

_TURNED = {"ogt": "olt", "olt": "ogt", "sgt": "slt", "slt": "sgt", "ugt": "ult", "ult": "ugt"}


@dataclass(frozen=True)
class _Places:
    """An op that gives the extreme value of each row and its place.

    Attributes:
        value: The number of the result that is the value.
        joins: The operation that joins values.
        compares: The operation that compares two, and how.
        low: The value that rows start from.
        none: The place that they start from.
        loop: The loop along rows.
    """

    value: int
    joins: str
    compares: tuple[str, str]
    low: Any
    none: Any
    loop: int


def share_places(module: ir.Module) -> None:
    """Replace the ops of a module that give places of extreme values in rows."""
    for operation in entry_operations(module):
        if operation.name == "linalg.generic" and len(operation.operands) == 3 and len(operation.results) == 2:
            found = next((one for value in (0, 1) if (one := _read(operation, value)) is not None), None)
            if found is not None:
                with ir.InsertionPoint(operation), operation.location:
                    value, place = _build(operation, found)
                operation.results[found.value].replace_all_uses_with(value)
                operation.results[1 - found.value].replace_all_uses_with(place)
                operation.erase()


def _read(operation: Any, value: int) -> _Places | None:
    """Return what an op gives whose result of this number is the value; None for any other op."""
    maps = indexing_maps(operation)
    loops = [loop for loop, kind in enumerate(iterators_of(operation, maps)) if kind == "reduction"]
    block = operation.regions[0].blocks[0]
    taken, old_value, old_place = block.arguments[0], block.arguments[1 + value], block.arguments[2 - value]
    yielded = list(block.operations[len(block.operations) - 1].operation.operands)
    joined, chosen = defining_op(yielded[value]), defining_op(yielded[1 - value], "arith.select")
    if len(loops) != 1 or maps[1] != maps[2] or joined is None or chosen is None or old_value.type != taken.type:
        return None
    condition, place, kept = chosen.operands
    compares = _comparison(defining_op(condition), taken, old_value)
    if compares is None or kept != old_place or not _is_place(place, loops[0]):
        return None
    if joined.name == "arith.select":
        joins = _TAKEN[compares] if list(joined.operands) == [condition, taken, old_value] else ""
    else:
        both = list(joined.operands) in ([taken, old_value], [old_value, taken])
        joins = joined.name if both and _KINDS.get(joined.name) == compares else ""
    low, none = (fill_constant(operation.operands[1 + number]) for number in (value, 1 - value))
    if not joins or low is None or none is None or (isinstance(low, ir.FloatAttr) and isnan(low.value)):
        return None
    return _Places(value, joins, compares, low, none, loops[0])


def _comparison(operation: Any, taken: Any, old: Any) -> tuple[str, str] | None:
    """Return how an operation asks whether a value takes the place of the old one; None where it asks other things."""
    if operation is None or operation.name not in ("arith.cmpf", "arith.cmpi"):
        return None
    kinds: Any = arith.CmpFPredicate if operation.name == "arith.cmpf" else arith.CmpIPredicate
    name = str(kinds(ir.IntegerAttr(operation.attributes["predicate"]).value))
    operands = list(operation.operands)
    if operands == [old, taken]:
        name = _TURNED.get(name, "")
    elif operands != [taken, old]:
        return None
    return (operation.name, name) if (operation.name, name) in _TAKEN else None


def _is_place(value: Any, loop: int) -> bool:
    """Return whether a value is the position in a loop, as an integer that holds all."""
    cast = defining_op(value, "arith.index_cast")
    index = None if cast is None else defining_op(cast.operands[0], "linalg.index")
    return (
        index is not None
        and ir.IntegerAttr(index.attributes["dim"]).value == loop
        and isinstance(value.type, ir.IntegerType)
        and value.type.width in (32, 64)
    )


def _build(operation: Any, found: _Places) -> tuple[Any, Any]:
    """Build the value and the place at the insertion point."""
    maps = indexing_maps(operation)
    kinds = list(iterators_of(operation, maps))
    source, start = operation.operands[0], operation.operands[1 + found.value]
    places: Any = operation.results[1 - found.value].type
    element, integer = ir.RankedTensorType(source.type).element_type, ir.RankedTensorType(places).element_type
    last = number_attribute(integer, (1 << (ir.IntegerType(integer).width - 1)) - 1)

    values = bodiless_generic([source], [start], maps[:2], kinds)
    block = values.regions[0].blocks.append(element, element, arg_locs=[operation.location] * 2)
    with ir.InsertionPoint(block):
        joined = ir.Operation.create(found.joins, results=[element], operands=list(block.arguments))
        linalg.YieldOp([joined.results[0]])

    first = bodiless_generic([source, values.results[0]], [filled(places, last)], [*maps[:2], maps[1]], kinds)
    block = first.regions[0].blocks.append(element, element, integer, arg_locs=[operation.location] * 3)
    with ir.InsertionPoint(block):
        taken, extreme, least = block.arguments
        floats = found.compares[0] == "arith.cmpf"
        predicates: Any = arith.CmpFPredicate if floats else arith.CmpIPredicate
        compare: Any = arith.cmpf if floats else arith.cmpi
        equal = predicates.OEQ if floats else predicates.eq
        beyond = getattr(predicates, found.compares[1].upper() if floats else found.compares[1])
        is_it = arith.andi(compare(equal, taken, extreme), compare(beyond, taken, arith.constant(element, found.low)))
        place = arith.index_cast(integer, linalg.IndexOp(found.loop).result)
        linalg.YieldOp([arith.minsi(arith.select(is_it, place, arith.constant(integer, last)), least)])

    def known(place: Any, _: Any) -> Any:
        missing = arith.cmpi(arith.CmpIPredicate.eq, place, arith.constant(integer, last))
        return arith.select(missing, arith.constant(integer, found.none), place)

    rank = ir.RankedTensorType(places).rank
    return values.results[0], generic([first.results[0]], empty_like(places), [None, None], known, loops=rank)
