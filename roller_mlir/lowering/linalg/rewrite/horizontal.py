# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Horizontal fusion: products of one tensor with several others are one product.

    %q = linalg.matmul ins(%x, %wq) -> tensor<128x64xf32>       %k = linalg.matmul ins(%x, %wk) -> tensor<128x64xf32>
    %r = linalg.generic ins(%q, %bq) { addf }                   %s = linalg.generic ins(%k, %bk) { addf }
    // become
    %p = linalg.matmul ins(%x, %w) -> tensor<128x128xf32>       %t = linalg.generic ins(%p, %b) { addf }
    %r = tensor.extract_slice %t[0, 0] [128, 64] [1, 1]         %s = tensor.extract_slice %t[0, 64] [128, 64] [1, 1]

So do the queries, keys and values of an attention, the gates of a recurrent cell, the steps of a sequence in front of
its cells, the branches of a block. The ops are equal but for one operand, and what that is in each lies side by side:
constants, which are put together here, or neighbouring slices of one tensor (`concatenation`). Ops behind them that are
equal likewise are joined with them; reshapes and paddings behind them are done before a part is taken. Each sum adds
what it did, in the same order.

Only where that is predicted to take less time, with all element-wise ops behind them that may be one program with them,
fused either way as `fusion` does it.

Paper: none for one program; RAMMER section 3.3 lets such operators share a device, each a part of it.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, count, pairwise
from math import prod
from typing import Any

from roller_mlir.lowering.linalg.affine import loops_in
from roller_mlir.lowering.linalg.body import INDEX, UnknownValueError, gathered_arguments, read_body
from roller_mlir.lowering.linalg.generic import empty_like, filled, iterators_of
from roller_mlir.lowering.linalg.group.group import structured_members
from roller_mlir.lowering.linalg.moved_constants import COLLAPSE, EXPAND
from roller_mlir.lowering.linalg.pads import PAD, pad_tensor, read_pad
from roller_mlir.lowering.linalg.reader import fill_constant, is_structured
from roller_mlir.lowering.linalg.rewrite.concatenation import (
    Concatenation,
    Place,
    Time,
    in_order,
    like,
    moved_by,
    reassociation,
    tensor_collapse,
    tensor_expand,
    with_extent,
)
from roller_mlir.lowering.linalg.rewrite.fusion import Fusion
from roller_mlir.lowering.linalg.views import SLICE, Slice, extract_slice
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import defining_op, indexing_maps

WORTH = 0.98
"""Of the time of ops as they are: joining that saves less is not done."""

MOST_BEHIND = 48
"""Element-wise ops that are weighed with those that may be joined."""


@dataclass(frozen=True)
class HorizontalFusion:
    """Ops that became one.

    Attributes:
        operation: It.
        count: How many they were.
        before_s: What they, and the element-wise ops behind them, were predicted to take.
        after_s: What all that is predicted to take now.
    """

    operation: ir.Operation
    count: int
    before_s: float
    after_s: float


def fuse_horizontally(block: ir.Block, fusion: Callable[[Sequence[ir.Operation]], Fusion]) -> list[HorizontalFusion]:
    """Join ops of a block that read one tensor where that saves time; return what was joined.

    Args:
        block: Of a function; ops on static tensors.
        fusion: The search for programs of some of its ops.
    """
    return _Block(block, fusion).rewritten()


@dataclass(frozen=True)
class _Along:
    """An op, seen along one of its loops.

    Attributes:
        operation: The op.
        axis: The dimension of its result that the loop indexes.
        axes: Of each input the dimension that the loop indexes; None where the loop does not move it.
        form: What ops that may be joined have alike.
        start: What its result starts from, where it is read.
        places: Where inputs that the loop moves lie.
    """

    operation: ir.Operation
    axis: int
    axes: tuple[int | None, ...]
    form: Hashable
    start: Any
    places: tuple[Place, ...] = ()


@dataclass
class _Joint:
    """Ops that are to be one, or reshapes or paddings of parts that are to be one of the whole.

    Attributes:
        operations: They, in the order in which their results lie.
        axis: The dimension along which these lie.
        starts: Where each begins.
        extent: Elements of all of them along it.
        along: The first op, where they are no reshapes nor paddings.
        of: What reshapes and paddings are done to.
        whole: The one, when it is built.
    """

    operations: tuple[ir.Operation, ...]
    axis: int
    starts: tuple[int, ...]
    extent: int
    along: _Along | None = None
    of: "_Joint | None" = None
    whole: Any = None


_ANY_TIME: Time = (-1, 0, 0)
"""Of fills."""


class _Block:
    """The ops of a block. What is joined is erased at once: nothing is known by a value longer than that lives."""

    def __init__(self, block: ir.Block, fusion: Callable[[Sequence[ir.Operation]], Fusion]) -> None:
        self._block, self._fusion = block, fusion
        self._parts: dict[Any, tuple[_Joint, int]] = {}  # what is planned, by the results of its ops
        self._concatenation = Concatenation(block, self._part_of, self._whole_of)
        self._times: dict[Any, Time] = {}
        self._bodies: dict[Any, Any] = {}
        self._number = count()
        self._weighed: dict[Hashable, tuple[float, float] | None] = {}

    def rewritten(self) -> list[HorizontalFusion]:
        """Join what can be joined, as often as that gives ops that can be."""
        done = list[HorizontalFusion]()
        while found := self._round():
            done += found
        return done

    def _round(self) -> list[HorizontalFusion]:
        operations = [op.operation for op in self._block.operations]
        self._times = {result: (place, 1, 0) for place, one in enumerate(operations) for result in one.results}
        self._bodies.clear()
        return [one for run in self._runs(operations) if (one := self._joined(run)) is not None]

    # What may be joined -----------------------------------------------------------------------------------------------

    def _runs(self, operations: Sequence[ir.Operation]) -> Iterator[list[_Along]]:
        """Yield reductions that read one tensor beside others that lie side by side, those first that stand first."""
        alike: dict[Hashable, list[tuple[Any, Time, int]]] = {}
        for operation in operations:
            if not is_structured(operation) or len(operation.results) != 1 or len(operation.operands) < 3:
                continue
            for loop, kind in enumerate(kinds := iterators_of(operation, indexing_maps(operation))):
                seen = self._along(operation, loop) if kind == "parallel" and "reduction" in kinds else None
                if seen is not None and None in seen.axes:
                    result = operation.results[0]
                    alike.setdefault(seen.form, []).append((result, self._times[result], loop))
        sets = sorted((each for each in alike.values() if len(each) > 1), key=lambda each: each[0][1])
        for each in sets:
            if any(self._times.get(value) != time for value, time, _ in each):
                continue  # some were joined otherwise meanwhile; the next round looks at what is left
            seen = [self._along(value.owner.operation, loop) for value, _, loop in each]
            yield from self._side_by_side([one for one in seen if one is not None])

    def _along(self, operation: ir.Operation, loop: int) -> _Along | None:
        """Return an op along a loop; None where it cannot be joined with others along it."""
        *maps, written = indexing_maps(operation)
        axis, axes = _dimension(written, loop), [_dimension(each, loop) for each in maps]
        *inputs, start = operation.operands
        body = self._body(operation)
        if axis is None or axis < 0 or body is None or all(one is None for one in axes):
            return None
        said, indexed, goes_on = body
        scalar = fill_constant(start) if goes_on else None
        if any(one is not None and one < 0 for one in axes) or loop in indexed or (goes_on and scalar is None):
            return None
        kinds = [(_without(one.type, at), one if at is None else None) for one, at in zip(inputs, axes, strict=True)]
        same = iterators_of(operation, [*maps, written]), said, scalar, _without(start.type, axis), *kinds
        return _Along(operation, axis, tuple(axes), (operation.name, loop, *maps, written, *same), scalar)

    def _body(self, operation: ir.Operation) -> Any:
        """Return what a body says, the loops whose position it reads, and whether it reads what its result starts from.

        None: It reads whole tensors at computed positions.
        """
        result = operation.results[0]
        if result not in self._bodies:
            self._bodies[result] = _read(operation)
        return self._bodies[result]

    def _side_by_side(self, seen: Sequence[_Along]) -> Iterator[list[_Along]]:
        """Yield ops that are alike, and what they read lies side by side, in the order in which it does."""
        alike: dict[Hashable, list[_Along]] = {}
        for one in seen:
            inputs = zip(list(one.operation.operands)[:-1], one.axes, strict=True)
            places = [self._concatenation.place(value, axis) for value, axis in inputs if axis is not None]
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

    # What is joined with it -------------------------------------------------------------------------------------------

    def _planned(self, run: Sequence[_Along]) -> list[_Joint] | None:
        """Return what is joined with ops, in an order in which it can be; None where a part would have to be copied."""
        self._parts.clear()
        joints = [self._joint(run)]
        for joint in joints:  # which grows
            reshaped: dict[Hashable, list[tuple[int, ir.Operation]]] = {}
            behind: dict[Any, _Along] = {}
            for number, operation in enumerate(joint.operations):
                for use in operation.results[0].uses:
                    user = use.owner.operation
                    if user.name in (COLLAPSE, EXPAND, PAD):
                        reshaped.setdefault(_shape_key(user, joint.axis), []).append((number, user))
                    elif user.name != SLICE:
                        if not _is_read(user, use.operand_number):
                            return None
                        loop = _loop(user, use.operand_number, joint.axis)
                        seen = None if loop is None else self._along(user, loop)
                        if seen is not None and user.results[0] not in self._parts:
                            behind[user.results[0]] = seen
            for users in reshaped.values():
                lifted = self._lifted(joint, users)
                if lifted is None:
                    return None
                joints.append(lifted)
            joints += [self._joint(found) for found in list(self._side_by_side(list(behind.values())))]
        return joints

    def _joint(self, run: Sequence[_Along]) -> _Joint:
        operations, axis = tuple([one.operation for one in run]), run[0].axis
        extents = [ir.RankedTensorType(one.results[0].type).shape[axis] for one in operations]
        return self._known(_Joint(operations, axis, tuple(accumulate(extents[:-1], initial=0)), sum(extents), run[0]))

    def _lifted(self, joint: _Joint, users: Sequence[tuple[int, ir.Operation]]) -> _Joint | None:
        """Return reshapes or paddings of parts as one of the whole; None where these are no parts of that."""
        operations = tuple([user for _, user in users])
        first, starts = operations[0], [joint.starts[number] for number, _ in users]
        read, made = (ir.RankedTensorType(one.type).shape for one in (first.operands[0], first.results[0]))
        axis, more, less = joint.axis, 1, 1
        if first.name == PAD:
            padding = read_pad(first)
            if padding.low[axis] or padding.high[axis]:
                return None
        elif first.name == EXPAND:
            group = reassociation(first)[axis]
            axis = next((d for d in group if made[d] != 1), group[0])
            less = prod(made[d] for d in group if d > axis)
        else:
            (axis,) = [number for number, group in enumerate(reassociation(first)) if joint.axis in group]
            group = reassociation(first)[axis]
            more = prod(read[d] for d in group if d > joint.axis)
            if any(read[d] != 1 for d in group if d < joint.axis):
                return None
        if any(at % less for at in (*starts, joint.extent)):
            return None
        places = tuple([at * more // less for at in starts])
        return self._known(_Joint(operations, axis, places, joint.extent * more // less, of=joint))

    def _known(self, joint: _Joint) -> _Joint:
        self._parts.update({one.results[0]: (joint, number) for number, one in enumerate(joint.operations)})
        return joint

    def _part_of(self, value: Any, axis: int) -> Place | None:
        joint, number = self._parts.get(value, (None, 0))
        if joint is None or joint.axis != axis:
            return None
        return Place(id(joint), joint.starts[number], ir.RankedTensorType(value.type).shape[axis])

    def _whole_of(self, value: Any) -> Any:
        return self._parts[value][0].whole

    # Whether it is worth it -------------------------------------------------------------------------------------------

    def _joined(self, run: Sequence[_Along]) -> HorizontalFusion | None:
        """Join ops, and what can be joined with them, if that is predicted to take less; return what was done."""
        joints = self._planned(run)
        if joints is None:
            return None
        members = [one for joint in joints if joint.along is not None for one in joint.operations]
        behind = self._behind(joints)
        before = sorted([*members, *self._movers(members), *behind], key=self._time)
        search, number = self._fusion(before), {one.results[0]: place for place, one in enumerate(before)}
        shape = [
            (joint.axis, joint.starts, tuple([number[one.results[0]] for one in joint.operations]))
            for joint in joints
            if joint.along is not None
        ]
        key = search.key, tuple(shape), tuple([place.at is None for place in run[0].places])
        if key in self._weighed and self._weighed[key] is None:
            return None
        built, replaced = self._built(joints)
        if key not in self._weighed:
            after = sorted([*structured_members(built), *behind], key=self._time)
            seconds = search.seconds(), self._fusion(after).seconds()
            pays = None not in seconds and seconds[1] < WORTH * seconds[0]
            self._weighed[key] = seconds if pays else None
        weighed = self._weighed[key]
        if weighed is None:
            for user, operand, value in replaced:
                user.operands[operand] = value
            self._concatenation.forget(built)
            self._erase(reversed(built))
            return None
        self._erase(one for joint in reversed(joints) for one in joint.operations)
        return HorizontalFusion(joints[0].whole.owner.operation, len(run), *weighed)

    def _time(self, operation: ir.Operation) -> Time:
        return self._times[operation.results[0]]

    def _movers(self, members: Sequence[ir.Operation]) -> list[ir.Operation]:
        """Return the ops that only move what these read, and nobody else does."""
        found = dict[Any, ir.Operation]()
        own = {one.results[0] for one in members}
        for operation in members:
            for value in list(operation.operands)[:-1]:
                mover = moved_by(value)
                if mover is None:
                    continue
                readers = [use.owner.operation for use in mover.results[0].uses]
                if all(len(one.results) == 1 and one.results[0] in own for one in readers):
                    found[mover.results[0]] = mover
        return list(found.values())

    def _behind(self, joints: Sequence[_Joint]) -> list[ir.Operation]:
        """Return the element-wise ops that read what is joined, and nothing that is made behind the first of it."""
        first = min(self._time(one) for one in joints[0].operations)
        found = dict[Any, ir.Operation]()
        pending = [one.results[0] for joint in joints for one in joint.operations]
        for value in pending:  # which grows
            for use in value.uses:
                user = use.owner.operation
                if len(user.results) != 1 or user.results[0] in self._parts or user.results[0] in found:
                    continue
                if user.name in (SLICE, COLLAPSE, EXPAND):
                    pending.append(user.results[0])
                elif _is_element_wise(user) and len(found) < MOST_BEHIND:
                    makers = [defining_op(source) for source in map(_source, user.operands)]
                    results = [one.results[0] for one in makers if one is not None and is_structured(one)]
                    if all(
                        one in self._parts or one in found or self._times.get(one, _ANY_TIME) < first for one in results
                    ):
                        found[user.results[0]] = user
                        pending.append(user.results[0])
        return list(found.values())

    def _built(self, joints: Sequence[_Joint]) -> tuple[list[ir.Operation], list[tuple[ir.Operation, int, Any]]]:
        """Build what is joined, for all that read it but what is joined itself.

        Returns:
            The new ops, those before others that these use; and operands that were replaced, with what they were.
        """
        built, replaced = list[ir.Operation](), list[tuple[ir.Operation, int, Any]]()
        for joint in joints:
            earliest = min(joint.operations, key=self._time)
            time = self._time(earliest)[0], 0, next(self._number)
            self._concatenation.built.clear()
            with ir.InsertionPoint(earliest), earliest.location:
                joint.whole = self._op(joint, time) if joint.along is not None else _reshaped(joint)
            new = [*self._concatenation.built, joint.whole.owner.operation]
            with ir.InsertionPoint.after(joint.whole.owner.operation), earliest.location:
                for operation, start in zip(joint.operations, joint.starts, strict=True):
                    value = operation.results[0]
                    users = [(use.owner.operation, use.operand_number) for use in value.uses]
                    others = [
                        each for each in users if len(each[0].results) != 1 or each[0].results[0] not in self._parts
                    ]
                    if others:
                        part = _part(joint, start, value)
                        new.append(part.owner.operation)
                        for user, operand in others:
                            user.operands[operand] = part
                            replaced.append((user, operand, value))
            for one in new:
                self._times[one.results[0]] = time[0], 0, next(self._number)
            built += new
        return built, replaced

    def _stays(self, operation: ir.Operation) -> bool:
        """Return whether an op is none of those that are joined."""
        return len(operation.results) != 1 or operation.results[0] not in self._parts

    def _op(self, joint: _Joint, time: Time) -> Any:
        assert joint.along is not None
        first = joint.operations[0]
        inputs = list(first.operands)[:-1]
        for number, axis in enumerate(joint.along.axes):
            if axis is not None:
                inputs[number] = self._concatenation.of([one.operands[number] for one in joint.operations], axis, time)
        kind = ir.RankedTensorType(first.results[0].type)
        kind = ir.RankedTensorType.get(with_extent(kind.shape, joint.axis, joint.extent), kind.element_type)
        scalar = joint.along.start
        return like(first, inputs, empty_like(kind) if scalar is None else filled(kind, scalar))

    def _erase(self, operations: Iterable[ir.Operation]) -> None:
        for operation in operations:
            for result in operation.results:
                self._times.pop(result, None)
                self._bodies.pop(result, None)
            operation.erase()


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


def _shape_key(operation: ir.Operation, axis: int) -> Hashable:
    """Return what reshapes or paddings of parts along a dimension have alike that may be one."""
    if operation.name == PAD:
        padding = read_pad(operation)
        return PAD, padding.low, padding.high, padding.scalar
    groups, made = reassociation(operation), ir.RankedTensorType(operation.results[0].type).shape
    if operation.name == EXPAND:
        at = next((d for d in groups[axis] if made[d] != 1), groups[axis][0])
    else:
        (at,) = [number for number, group in enumerate(groups) if axis in group]
    return operation.name, str(groups), at, tuple(with_extent(made, at, 1))


def _is_read(user: ir.Operation, operand: int) -> bool:
    """Return whether an op reads an operand through a slice of it."""
    inputs = len(user.operands) - len(user.results)
    return is_structured(user) and operand < inputs and operand not in gathered_arguments(user)


def _is_element_wise(operation: ir.Operation) -> bool:
    return is_structured(operation) and set(iterators_of(operation, indexing_maps(operation))) == {"parallel"}


def _loop(user: ir.Operation, operand: int, axis: int) -> int | None:
    """Return the loop of an element-wise op that indexes a dimension of an operand."""
    if not _is_element_wise(user) or len(user.results) != 1:
        return None
    index = indexing_maps(user)[operand].results[axis]
    return ir.AffineDimExpr(index).position if isinstance(index, ir.AffineDimExpr) else None


def _source(value: Any) -> Any:
    """Return the tensor before reshapes, slices and paddings."""
    while (operation := defining_op(value)) is not None and operation.name in (SLICE, COLLAPSE, EXPAND, PAD):
        value = operation.operands[0]
    return value


def _part(joint: _Joint, start: int, value: Any) -> Any:
    """Build at the insertion point what stands for a result of an op that was joined."""
    shape = list(ir.RankedTensorType(value.type).shape)
    offsets = with_extent([0] * len(shape), joint.axis, start)
    return extract_slice(joint.whole, Slice(tuple(offsets), tuple(shape), (1,) * len(shape)))


def _reshaped(joint: _Joint) -> Any:
    """Build at the insertion point a reshape or a padding of the whole."""
    assert joint.of is not None
    first = joint.operations[0]
    kind = ir.RankedTensorType(first.results[0].type)
    kind = ir.RankedTensorType.get(with_extent(kind.shape, joint.axis, joint.extent), kind.element_type)
    if first.name == PAD:
        padding = read_pad(first)
        return pad_tensor(joint.of.whole, padding.low, padding.high, padding.scalar)
    build = tensor_expand if first.name == EXPAND else tensor_collapse
    return build(kind, joint.of.whole, reassociation(first))
