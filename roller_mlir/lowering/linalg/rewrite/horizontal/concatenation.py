# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that are one along a dimension without a copy: constants, and neighbouring slices of one tensor.

    %a = tensor.extract_slice %x[0, 0] [1, 64] [1, 1] ...      %b = tensor.extract_slice %x[1, 0] [1, 64] [1, 1] ...
    // along the first dimension are
    tensor.extract_slice %x[0, 0] [2, 64] [1, 1]

Reshapes and ops that only move elements (transposes, broadcasts) are done behind that. What is moved of a constant is
computed here, and so are constants together: a new constant.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from roller_mlir.lowering.linalg.generic import copy_body, empty_like
from roller_mlir.lowering.linalg.moved_constants import COLLAPSE, EXPAND, MovedConstants, loops_read, only_moves
from roller_mlir.lowering.linalg.views import SLICE, VIEWS, Slice, extract_slice, view_of
from roller_mlir.support.bindings import ir, tensor
from roller_mlir.support.values import defining_op, indexing_maps

Time = tuple[int, int, int]
"""When an op runs: a place of a block as it was, 0 for what is new before it, 1 for what stood there, and a number."""


@dataclass(frozen=True)
class PlacedPart:
    """Where a tensor lies in one that several are a part of.

    Attributes:
        kind: What the others have, too, that are parts of the same.
        at: Its first element along the dimension; None where parts may have any order.
        extent: Elements along the dimension.
    """

    kind: Hashable
    at: int | None
    extent: int


def in_order(places: Sequence[PlacedPart]) -> bool:
    """Return whether each of several parts begins where the one before it ends, or may."""
    return all(one.at is None or one.at + one.extent == other.at for one, other in pairwise(places))


class Concatenation:
    """Puts tensors of a block together along a dimension.

    Args:
        block: Of a function; where constants are made.
        part_of: What a value is a part of that is still to be made, along which dimension.
        made: Such a whole, when it has been made, by one of its parts.
    """

    def __init__(
        self, block: ir.Block, part_of: Callable[[Any, int], PlacedPart | None], made: Callable[[Any], Any]
    ) -> None:
        self._block, self._part_of, self._made = block, part_of, made
        self._constants = MovedConstants(block)
        self._known: dict[tuple[tuple[Any, ...], int], tuple[Time, Any]] = {}
        self.built: list[ir.Operation] = []

    def place(self, value: Any, axis: int) -> PlacedPart | None:
        """Return where a tensor lies; None where it can be put together with no other."""
        extent = ir.RankedTensorType(value.type).shape[axis]
        if (found := self._part_of(value, axis)) is not None:
            return found
        if self._constants.knows(value):
            return PlacedPart("constant", None, extent)
        operation = defining_op(value)
        if operation is None:
            return None
        if operation.name == SLICE:
            view = view_of(value)
            if view is None or view.padding is not None or view.strides[axis] != 1:
                return None
            start, shape = (one[:axis] + one[axis + 1 :] for one in (view.start, view.shape))
            return PlacedPart((SLICE, view.source, axis, start, view.strides, shape), view.start[axis], extent)
        inner = self._inner(operation, axis)
        if inner is None:
            return None
        found = self.place(operation.operands[0], inner.axis)
        return None if found is None else PlacedPart((inner.kind, axis, found.kind), found.at, found.extent)

    def of(self, values: Sequence[Any], axis: int, time: Time) -> Any:
        """Build the tensor that several are along a dimension, whose places are in order, or return it.

        Args:
            values: The tensors.
            axis: The dimension.
            time: When the insertion point is: what was built later is built anew.
        """
        first = values[0]
        extent = sum(ir.RankedTensorType(value.type).shape[axis] for value in values)
        if self._part_of(first, axis) is not None:
            return self._cut(self._made(first), axis, self._start(first, axis), extent)
        if self._constants.knows(first):
            return self._constants.together(values, axis)
        operation = defining_op(first)
        if operation.name == SLICE:
            view = view_of(first)
            assert view is not None
            sizes = tuple(with_extent(view.shape, axis, extent))
            if sizes == tuple(ir.RankedTensorType(view.source.type).shape):
                return view.source
            return self._record(extract_slice(view.source, Slice(view.start, sizes, view.strides)))
        key = (*values,), axis
        if key not in self._known or self._known[key][0] > time:
            inner = self._inner(operation, axis)
            assert inner is not None, "it has a place"
            whole = self.of([defining_op(value).operands[0] for value in values], inner.axis, time)
            made = inner.build(whole, extent)
            self._known[key] = time, made if made == whole else self._record(made)
        return self._known[key][1]

    def start_over(self) -> None:
        """Know nothing of what was built: ops are numbered anew."""
        self._known.clear()

    def forget(self, operations: Sequence[ir.Operation]) -> None:
        """Know nothing more of ops that are about to be erased."""
        gone = {result for operation in operations for result in operation.results}
        for key in [key for key, (_, made) in self._known.items() if made in gone]:
            del self._known[key]

    def _inner(self, operation: ir.Operation, axis: int) -> "_Inner | None":
        """Return an op that moves elements by what it reads."""
        if operation.name == EXPAND:
            return _expanded(operation, axis)
        if operation.name == COLLAPSE:
            # Any dimension with none of more than one element before it may be the one along which parts lie.
            shape, groups = ir.RankedTensorType(operation.operands[0].type).shape, reassociation(operation)
            first = next((d for d in groups[axis] if shape[d] != 1), groups[axis][-1])
            units = [d for d in groups[axis] if d < first and self._is_part(operation.operands[0], d)]
            return _collapsed(operation, axis, units[0] if units else first)
        return _moved(operation, axis)

    def _is_part(self, value: Any, axis: int) -> bool:
        """Return whether there is more of a tensor along a dimension than its own elements."""
        if self._part_of(value, axis) is not None:
            return True
        operation = defining_op(value)
        if operation is None or operation.name in (COLLAPSE, EXPAND):
            return False
        if operation.name == SLICE:
            view = view_of(value)
            return view is not None and not view.is_whole(axis)
        inner = _moved(operation, axis)
        return inner is not None and self._is_part(operation.operands[0], inner.axis)

    def _start(self, value: Any, axis: int) -> int:
        place = self._part_of(value, axis)
        assert place is not None and place.at is not None
        return place.at

    def _cut(self, whole: Any, axis: int, start: int, extent: int) -> Any:
        shape = list(ir.RankedTensorType(whole.type).shape)
        if shape[axis] == extent:
            return whole
        offsets, sizes = with_extent([0] * len(shape), axis, start), with_extent(shape, axis, extent)
        return self._record(extract_slice(whole, Slice(tuple(offsets), tuple(sizes), (1,) * len(shape))))

    def _record(self, value: Any) -> Any:
        self.built.append(value.owner.operation)
        return value


@dataclass(frozen=True)
class _Inner:
    """What an op that moves elements reads, and how it is done with more of them.

    Attributes:
        kind: What it does, but for the extent along the dimension.
        axis: The dimension of its operand.
        build: From an operand and the extent of the result.
    """

    kind: Hashable
    axis: int
    build: Callable[[Any, int], Any]


def reassociation(operation: ir.Operation) -> list[list[int]]:
    """Return which dimensions of the larger tensor of a reshape are one of the other."""
    groups: Any = operation.attributes["reassociation"]
    return [[ir.IntegerAttr(one).value for one in group] for group in groups]


def _expanded(operation: ir.Operation, axis: int) -> _Inner | None:
    """Return an expansion by what it reads, if the dimension lies outermost of those that are one."""
    (at,) = [number for number, group in enumerate(reassociation(operation)) if axis in group]
    kind = ir.RankedTensorType(operation.results[0].type)
    outer = [d for d in reassociation(operation)[at] if d < axis]
    return None if any(kind.shape[d] != 1 for d in outer) else _reshaped(operation, axis, at, tensor_expand)


def _collapsed(operation: ir.Operation, axis: int, inside: int) -> _Inner:
    """Return a collapse by what it reads, along a dimension before which none has more than one element."""
    return _reshaped(operation, axis, inside, tensor_collapse)


def _reshaped(operation: ir.Operation, axis: int, inside: int, build: Callable[..., Any]) -> _Inner:
    groups = reassociation(operation)
    read, made = (ir.RankedTensorType(value.type) for value in (operation.operands[0], operation.results[0]))
    same = [tuple(kind.shape[:d]) + tuple(kind.shape[d + 1 :]) for kind, d in ((read, inside), (made, axis))]

    def built(whole: Any, extent: int) -> Any:
        kind = ir.RankedTensorType.get(with_extent(made.shape, axis, extent), made.element_type)
        return build(kind, whole, groups)

    return _Inner((operation.name, str(groups), inside, *same), inside, built)


def tensor_expand(kind: Any, whole: Any, groups: Sequence[Sequence[int]]) -> Any:
    """Build a `tensor.expand_shape` at the insertion point."""
    return tensor.expand_shape(kind, whole, groups, [], list(kind.shape))


def tensor_collapse(kind: Any, whole: Any, groups: Sequence[Sequence[int]]) -> Any:
    """Build a `tensor.collapse_shape` at the insertion point."""
    return tensor.collapse_shape(kind, whole, groups)


def _moved(operation: ir.Operation, axis: int) -> _Inner | None:
    """Return an op that only moves elements by what it reads; None where that has no such dimension."""
    if not only_moves(operation):
        return None
    source, written = indexing_maps(operation)
    loop, read = ir.AffineDimExpr(written.results[axis]).position, loops_read(source)
    if loop not in read:
        return None
    kind = ir.RankedTensorType(operation.results[0].type)
    kept = tuple(kind.shape[:axis]) + tuple(kind.shape[axis + 1 :])

    def build(whole: Any, extent: int) -> Any:
        made = ir.RankedTensorType.get(with_extent(kind.shape, axis, extent), kind.element_type)
        if source == written and (defining_op(whole) is None or defining_op(whole).name not in VIEWS):
            return whole  # a copy of a part, which is read as it lies
        return like(operation, [whole, empty_like(made)])

    return _Inner((operation.name, source, written, kept), read.index(loop), build)


def like(operation: ir.Operation, operands: Sequence[Any]) -> Any:
    """Build an op of the same name, attributes and body on other tensors, at the insertion point.

    Args:
        operation: Of one result.
        operands: Its operands; the result has the type of the last one.
    """
    new = ir.Operation.create(
        operation.name,
        results=[operands[-1].type],
        operands=operands,
        attributes={name: operation.attributes[name] for name in operation.attributes},
        regions=1,
    )
    copy_body(operation, new)
    return new.results[0]


def moved_by(value: Any) -> ir.Operation | None:
    """Return the structured op that gives a tensor, perhaps reshaped, by moving another's elements only."""
    while (operation := defining_op(value)) is not None and operation.name in (COLLAPSE, EXPAND):
        value = operation.operands[0]
    return operation if operation is not None and only_moves(operation) else None


def with_extent(numbers: Sequence[int], at: int, value: int) -> list[int]:
    """Return numbers with another one at a place."""
    return [*numbers[:at], value, *numbers[at + 1 :]]
