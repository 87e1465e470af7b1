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

JAX reads the places, numbers in rising order, as a second input, and takes the lesser of two whose values are equal:

    %v, %p = linalg.generic ins(%x, %iota) outs(%low, %none) {
      %stays = arith.ori (arith.cmpf ogt, %value, %in), (arith.cmpf une, %value, %value)
      %same = arith.andi (arith.cmpf oeq, %value, %in), (arith.cmpi slt, %place, %number)
      linalg.yield (arith.select %stays, %value, %in), (arith.select (%stays or %same), %place, %number)
    }
    // becomes %v by arith.maximumf, and
    %q = linalg.generic ins(%x, %iota, %v) { the least number of which %in is %v, or both are no numbers }
    %p = linalg.generic ins(%q, %v) { arith.select (%v is %low), (arith.minsi %q, %none), %q }

Steps of the former depend on each other in the order of the row, so that one thread would walk a vocabulary. Both start
from constants. The first of equal values counts, as it does there. A row with a NaN, whose largest value by
`arith.maximumf` is that, has in the first form the place that it starts from: which one it has there depends on the
order of its steps. In the second it has the place of the first NaN.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan
from typing import Any, NamedTuple

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
        numbered: Whether places are a second input.
    """

    value: int
    joins: str
    compares: tuple[str, str]
    low: Any
    none: Any
    loop: int
    numbered: bool = False


def share_places(module: ir.Module) -> None:
    """Replace the ops of a module that give places of extreme values in rows."""
    for operation in entry_operations(module):
        if operation.name == "linalg.generic" and len(operation.results) == 2:
            read = {3: _read, 4: _read_numbered}.get(len(operation.operands), lambda *_: None)
            found = next((one for value in (0, 1) if (one := read(operation, value)) is not None), None)
            if found is not None:
                with ir.InsertionPoint(operation), operation.location:
                    value, place = (_build_numbered if found.numbered else _build)(operation, found)
                operation.results[found.value].replace_all_uses_with(value)
                operation.results[1 - found.value].replace_all_uses_with(place)
                operation.erase()


class _PlaceStep(NamedTuple):
    """What an op of two results does at a step along its only reduction, where one result is a chosen place.

    Attributes:
        loop: The reduction.
        taken: The elements of the inputs.
        old_value: What the value was.
        old_place: What the place was.
        joined: The operation that gives the new value.
        chosen: The operands of the selection that gives the new place: the condition, and what it chooses from.
        low: The constant that values start from; no NaN.
        none: The constant that places start from.
    """

    loop: int
    taken: list[Any]
    old_value: Any
    old_place: Any
    joined: Any
    chosen: list[Any]
    low: Any
    none: Any


def _place_step(operation: Any, value: int) -> _PlaceStep | None:
    """Return the step of an op whose result of this number is the value; None where it is of another kind."""
    maps = indexing_maps(operation)
    inputs = len(maps) - 2
    loops = [loop for loop, kind in enumerate(iterators_of(operation, maps)) if kind == "reduction"]
    block = operation.regions[0].blocks[0]
    taken, olds = list(block.arguments)[:inputs], list(block.arguments)[inputs:]
    yielded = list(block.operations[len(block.operations) - 1].operation.operands)
    joined, chosen = defining_op(yielded[value]), defining_op(yielded[1 - value], "arith.select")
    low, none = (fill_constant(operation.operands[inputs + one]) for one in (value, 1 - value))
    if len(loops) != 1 or maps[-2] != maps[-1] or joined is None or chosen is None or low is None or none is None:
        return None
    if olds[value].type != taken[0].type or (isinstance(low, ir.FloatAttr) and isnan(low.value)):
        return None
    return _PlaceStep(loops[0], taken, olds[value], olds[1 - value], joined, list(chosen.operands), low, none)


def _read(operation: Any, value: int) -> _Places | None:
    """Return what an op gives whose result of this number is the value; None for any other op."""
    step = _place_step(operation, value)
    if step is None:
        return None
    (taken,), (condition, place, kept) = step.taken, step.chosen
    compares = _comparison(defining_op(condition), taken, step.old_value)
    if compares is None or kept != step.old_place or not _is_place(place, step.loop):
        return None
    joined = step.joined
    if joined.name == "arith.select":
        joins = _TAKEN[compares] if list(joined.operands) == [condition, taken, step.old_value] else ""
    else:
        joins = (
            joined.name if _KINDS.get(joined.name) == compares and {*joined.operands} == {taken, step.old_value} else ""
        )
    return _Places(value, joins, compares, step.low, step.none, step.loop) if joins else None


def _read_numbered(operation: Any, value: int) -> _Places | None:
    """Return the same of an op that reads places as its second input."""
    step = _place_step(operation, value)
    if step is None:
        return None
    (taken, number), (keeps, *places) = step.taken, step.chosen
    old_value, old_place, joined = step.old_value, step.old_place, step.joined
    compares = next((one for each in _any_of(keeps) if (one := _comparison(defining_op(each), old_value, taken))), None)
    if compares is None or places != [old_place, number] or not _holds_places(number.type):
        return None
    floats = compares[0] == "arith.cmpf"
    joins = next(name for name, kind in _KINDS.items() if kind == compares)

    def stays(one: Any) -> bool:
        is_none = floats and _asks(one, "une", old_value, old_value)
        return is_none or _comparison(defining_op(one), old_value, taken) == compares

    def is_lesser_equal(one: Any) -> bool:
        both = defining_op(one, "arith.andi")
        return both is not None and any(
            _asks(first, "oeq" if floats else "eq", old_value, taken) and _asks(second, "slt", old_place, number)
            for first, second in (list(both.operands), list(both.operands)[::-1])
        )

    kept = _any_of(keeps)
    beyond = [one for one in kept if stays(one)]
    if len(beyond) != 1 + floats or len(kept) != len(beyond) + 1 or not any(map(is_lesser_equal, kept)):
        return None
    if joined.name == "arith.select":
        condition, *values = joined.operands
        if values != [old_value, taken] or {*_any_of(condition)} != {*beyond}:
            return None
    elif floats or joined.name != joins or {*joined.operands} != {old_value, taken}:  # integers are folded to that
        return None
    return _Places(value, joins, compares, step.low, step.none, step.loop, numbered=True)


def _any_of(value: Any) -> list[Any]:
    """Return the conditions of which one or more hold where a value does."""
    either = defining_op(value, "arith.ori")
    return [value] if either is None else [one for operand in either.operands for one in _any_of(operand)]


def _asks(value: Any, predicate: str, left: Any, right: Any) -> bool:
    """Return whether a value is a comparison of two others."""
    operation = defining_op(value)
    if operation is None or operation.name not in ("arith.cmpf", "arith.cmpi"):
        return False
    name, operands = _predicate(operation), list(operation.operands)
    turned = _TURNED.get(predicate, predicate)
    return (name == predicate and operands == [left, right]) or (name == turned and operands == [right, left])


def _predicate(operation: Any) -> str:
    kinds: Any = arith.CmpFPredicate if operation.name == "arith.cmpf" else arith.CmpIPredicate
    return str(kinds(ir.IntegerAttr(operation.attributes["predicate"]).value))


def _comparison(operation: Any, taken: Any, old: Any) -> tuple[str, str] | None:
    """Return how an operation asks whether a value takes the place of the old one; None where it asks other things."""
    if operation is None or operation.name not in ("arith.cmpf", "arith.cmpi"):
        return None
    name, operands = _predicate(operation), list(operation.operands)
    if operands == [old, taken]:
        name = _TURNED.get(name, "")
    elif operands != [taken, old]:
        return None
    return (operation.name, name) if (operation.name, name) in _TAKEN else None


def _is_place(value: Any, loop: int) -> bool:
    """Return whether a value is the position in a loop, as an integer that holds all."""
    cast = defining_op(value, "arith.index_cast")
    index = None if cast is None else defining_op(cast.operands[0], "linalg.index")
    return index is not None and ir.IntegerAttr(index.attributes["dim"]).value == loop and _holds_places(value.type)


def _holds_places(kind: Any) -> bool:
    return isinstance(kind, ir.IntegerType) and kind.width in (32, 64)


def _build(operation: Any, found: _Places) -> tuple[Any, Any]:
    """Build the value and the place at the insertion point."""
    values = _values(operation, found, 1 + found.value)
    floats, (element, integer, last) = found.compares[0] == "arith.cmpf", _types(operation, found)

    def is_it(taken: Any, extreme: Any) -> tuple[Any, Any]:
        predicates: Any = arith.CmpFPredicate if floats else arith.CmpIPredicate
        beyond = getattr(predicates, found.compares[1].upper() if floats else found.compares[1])
        compare: Any = arith.cmpf if floats else arith.cmpi
        above = compare(beyond, taken, arith.constant(element, found.low))
        place = arith.index_cast(integer, linalg.IndexOp(found.loop).result)
        return arith.andi(_equal(taken, extreme), above), place

    first = _least_place(operation, found, values, is_it)

    def known(place: Any, _: Any) -> Any:
        missing = arith.cmpi(arith.CmpIPredicate.eq, place, arith.constant(integer, last))
        return arith.select(missing, arith.constant(integer, found.none), place)

    rank = ir.RankedTensorType(first.type).rank
    return values, generic([first], empty_like(first.type), [None, None], known, loops=rank)


def _build_numbered(operation: Any, found: _Places) -> tuple[Any, Any]:
    """Build the same where places are a second input."""
    values = _values(operation, found, 2 + found.value)
    element, integer, _ = _types(operation, found)

    def is_it(taken: Any, number: Any, extreme: Any) -> tuple[Any, Any]:
        same = _equal(taken, extreme)
        if found.compares[0] == "arith.cmpf":
            same = arith.ori(same, arith.cmpf(arith.CmpFPredicate.UNO, taken, taken))
        return same, number

    first = _least_place(operation, found, values, is_it)

    def known(place: Any, extreme: Any, _: Any) -> Any:
        at_start = _equal(extreme, arith.constant(element, found.low))
        return arith.select(at_start, arith.minsi(place, arith.constant(integer, found.none)), place)

    rank = ir.RankedTensorType(first.type).rank
    return values, generic([first, values], empty_like(first.type), [None, None, None], known, loops=rank)


def _types(operation: Any, found: _Places) -> tuple[Any, Any, Any]:
    """Return the types of values and places, and the largest place that there is."""
    element, integer = (
        ir.RankedTensorType(operation.results[one].type).element_type for one in (found.value, 1 - found.value)
    )
    return element, integer, number_attribute(integer, (1 << (ir.IntegerType(integer).width - 1)) - 1)


def _equal(left: Any, right: Any) -> Any:
    if isinstance(left.type, ir.IntegerType):
        return arith.cmpi(arith.CmpIPredicate.eq, left, right)
    return arith.cmpf(arith.CmpFPredicate.OEQ, left, right)


def _values(operation: Any, found: _Places, start: int) -> Any:
    """Build the extreme value of each row, from the operand of this number on."""
    maps = indexing_maps(operation)
    kinds, (element, _, _) = list(iterators_of(operation, maps)), _types(operation, found)
    values = bodiless_generic([operation.operands[0]], [operation.operands[start]], [maps[0], maps[-1]], kinds)
    block = values.regions[0].blocks.append(element, element, arg_locs=[operation.location] * 2)
    with ir.InsertionPoint(block):
        joined = ir.Operation.create(found.joins, results=[element], operands=list(block.arguments))
        linalg.YieldOp([joined.results[0]])
    return values.results[0]


def _least_place(operation: Any, found: _Places, values: Any, is_it: Callable[..., tuple[Any, Any]]) -> Any:
    """Build the least place of each row at which something holds; the largest integer where it holds nowhere.

    Args:
        operation: The op.
        found: What it gives.
        values: The extreme values.
        is_it: From the elements of the inputs and the extreme value: whether it holds, and the place.
    """
    maps = indexing_maps(operation)
    kinds, (element, integer, last) = list(iterators_of(operation, maps)), _types(operation, found)
    inputs = list(operation.operands)[: len(maps) - 2]
    start = filled(operation.results[1 - found.value].type, last)
    first = bodiless_generic([*inputs, values], [start], [*maps[:-2], maps[-1], maps[-1]], kinds)
    given = [element, *([integer] if found.numbered else []), element, integer]
    block = first.regions[0].blocks.append(*given, arg_locs=[operation.location] * len(given))
    with ir.InsertionPoint(block):
        *elements, least = block.arguments
        holds, place = is_it(*elements)
        linalg.YieldOp([arith.minsi(arith.select(holds, place, arith.constant(integer, last)), least)])
    return first.results[0]
