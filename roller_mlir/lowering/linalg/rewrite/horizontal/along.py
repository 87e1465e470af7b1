# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops seen along one of their loops, and which of them lie side by side along it."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from roller_mlir.lowering.linalg.affine import loops_in
from roller_mlir.lowering.linalg.body import INDEX, UnknownValueError, read_body
from roller_mlir.lowering.linalg.generic import iterators_of
from roller_mlir.lowering.linalg.reader import fill_constant
from roller_mlir.lowering.linalg.rewrite.horizontal.concatenation import Concatenation, PlacedPart, in_order
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import indexing_maps


@dataclass(frozen=True)
class Along:
    """An op, seen along one of its loops.

    Attributes:
        operation: The op.
        axis: The dimension of its result that the loop indexes.
        axes: Of each input the dimension that the loop indexes; None where the loop does not move it. One more for what
            the result starts from, if that is read and no fill.
        form: What ops that may be joined have alike.
        scalar: What fills the tensor that its result starts from; None where it has no fill, or is not read.
        places: Where inputs that the loop moves lie.
    """

    operation: ir.Operation
    axis: int
    axes: tuple[int | None, ...]
    form: Hashable
    scalar: Any
    places: tuple[PlacedPart, ...] = ()


class KnownBodies:
    """What the bodies of ops say, each read once."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def forget(self, results: Sequence[Any]) -> None:
        """Know nothing more of ops that are about to be erased."""
        for result in results:
            self._known.pop(result, None)

    def of(self, operation: ir.Operation) -> Any:
        """Return what a body says, the loops whose position it reads, and whether it reads what its result starts from.

        None: It reads whole tensors at computed positions.
        """
        result = operation.results[0]
        if result not in self._known:
            self._known[result] = _read(operation)
        return self._known[result]

    def along(self, operation: ir.Operation, loop: int) -> Along | None:
        """Return an op along a loop; None where it cannot be joined with others along it."""
        *maps, written = indexing_maps(operation)
        axis, axes = _dimension(written, loop), [_dimension(each, loop) for each in maps]
        *inputs, start = operation.operands
        body = self.of(operation)
        if axis is None or axis < 0 or body is None or all(one is None for one in axes):
            return None
        said, indexed, goes_on = body
        scalar = fill_constant(start) if goes_on else None
        if any(one is not None and one < 0 for one in axes) or loop in indexed:
            return None
        kinds = [(_without(one.type, at), one if at is None else None) for one, at in zip(inputs, axes, strict=True)]
        same = iterators_of(operation, [*maps, written]), said, scalar, _without(start.type, axis), *kinds
        if goes_on and scalar is None:
            axes.append(axis)
        return Along(operation, axis, tuple(axes), (operation.name, loop, *maps, written, *same), scalar)


def side_by_side(seen: Sequence[Along], concatenation: Concatenation) -> Iterator[list[Along]]:
    """Yield ops that are alike, and what they read lies side by side, in the order in which it does."""
    alike: dict[Hashable, list[Along]] = {}
    for one in seen:
        moved = zip(one.operation.operands, one.axes, strict=False)
        places = [concatenation.place(value, axis) for value, axis in moved if axis is not None]
        known = tuple([place for place in places if place is not None])
        if len(known) == len(places):
            kinds = tuple([place.kind for place in known])
            alike.setdefault((one.form, kinds), []).append(replace(one, places=known))
    for found in alike.values():
        fixed = [number for number, place in enumerate(found[0].places) if place.at is not None]
        if fixed:
            found.sort(key=lambda one: one.places[fixed[0]].at or 0)
        run = found[:1]
        for before, one in pairwise(found):
            if not all(in_order(pair) for pair in zip(before.places, one.places, strict=True)):
                if len(run) > 1:
                    yield run
                run = []
            run.append(one)
        if len(run) > 1:
            yield run


def _dimension(map_: ir.AffineMap, loop: int) -> int | None:
    """Return the dimension that a loop alone indexes; None where none depends on it, -1 where that says not all."""
    found = [number for number, result in enumerate(map_.results) if loop in loops_in(result)]
    if not found:
        return None
    return found[0] if len(found) == 1 and isinstance(map_.results[found[0]], ir.AffineDimExpr) else -1


def _without(kind: Any, axis: int | None) -> Hashable:
    """Return a type, without its extent along a dimension."""
    if axis is None or not isinstance(kind, ir.RankedTensorType):
        return kind
    ranked = ir.RankedTensorType(kind)
    return ranked.element_type, tuple(ranked.shape[:axis]), tuple(ranked.shape[axis + 1 :])


def _read(operation: ir.Operation) -> Any:
    inputs = len(operation.operands) - 1
    try:
        body = read_body(operation.regions[0].blocks[0], inputs)
    except UnknownValueError:
        return None
    indexed = {ir.IntegerAttr(op.attributes["dim"]).value for op in body.ops if op.name == INDEX}
    return None if body.gathered() else (body.said, indexed, body.reads(inputs))
