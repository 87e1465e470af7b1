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
from dataclasses import dataclass
from itertools import count
from typing import Any

from roller_mlir.lowering.linalg.constants import Constants
from roller_mlir.lowering.linalg.generic import empty_like, filled, iterators_of
from roller_mlir.lowering.linalg.group.group import structured_members
from roller_mlir.lowering.linalg.moved_constants import COLLAPSE, EXPAND, keeps_order
from roller_mlir.lowering.linalg.pads import PAD
from roller_mlir.lowering.linalg.reader import is_structured
from roller_mlir.lowering.linalg.rewrite.fusion import Fusion
from roller_mlir.lowering.linalg.rewrite.horizontal.along import Along, KnownBodies, side_by_side
from roller_mlir.lowering.linalg.rewrite.horizontal.concatenation import Time, like, moved_by
from roller_mlir.lowering.linalg.rewrite.horizontal.joints import Joint, Joints, is_element_wise
from roller_mlir.lowering.linalg.rewrite.horizontal.structure import structure_of
from roller_mlir.lowering.linalg.views import SLICE
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
        name: Its name.
        location: Its location; it may be joined with others by now.
        count: How many they were.
        before_s: What they, and the element-wise ops behind them, were predicted to take.
        after_s: What all that is predicted to take now.
    """

    name: str
    location: ir.Location
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


_ANY_TIME: Time = (-1, 0, 0)
"""Of fills."""


class _Block:
    """The ops of a block. What is joined is erased at once: nothing is known by a value longer than that lives."""

    def __init__(self, block: ir.Block, fusion: Callable[[Sequence[ir.Operation]], Fusion]) -> None:
        self._block, self._fusion = block, fusion
        self._bodies = KnownBodies()
        self._joints = Joints(block, self._bodies)
        self._concatenation = self._joints.concatenation
        self._constants = Constants()
        self._times: dict[Any, Time] = {}
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
        self._concatenation.start_over()
        self._times = {result: (place, 1, 0) for place, one in enumerate(operations) for result in one.results}
        found = list[HorizontalFusion]()
        for run in self._runs(operations):
            if (one := self._joined(run)) is not None:
                found.append(one)
            self._joints.clear()  # before others are asked what they are a part of
        return found

    # What may be joined -----------------------------------------------------------------------------------------------

    def _runs(self, operations: Sequence[ir.Operation]) -> Iterator[list[Along]]:
        """Yield reductions that read one tensor beside others that lie side by side, those first that stand first."""
        alike: dict[Hashable, list[tuple[Any, Time, int]]] = {}
        for operation in operations:
            if not is_structured(operation) or len(operation.results) != 1 or len(operation.operands) < 3:
                continue
            for loop, kind in enumerate(kinds := iterators_of(operation, indexing_maps(operation))):
                seen = self._bodies.along(operation, loop) if kind == "parallel" and "reduction" in kinds else None
                if seen is not None and None in seen.axes:
                    result = operation.results[0]
                    alike.setdefault(seen.form, []).append((result, self._times[result], loop))
        sets = sorted((each for each in alike.values() if len(each) > 1), key=lambda each: each[0][1])
        for each in sets:
            if any(self._times.get(value) != time for value, time, _ in each):
                continue  # some were joined otherwise meanwhile; the next round looks at what is left
            seen = [self._bodies.along(value.owner.operation, loop) for value, _, loop in each]
            yield from side_by_side([one for one in seen if one is not None], self._concatenation)

    # Whether it is worth it -------------------------------------------------------------------------------------------

    def _joined(self, run: Sequence[Along]) -> HorizontalFusion | None:
        """Join ops, and what can be joined with them, if that is predicted to take less; return what was done."""
        joints = self._joints.planned(run)
        if not joints:
            return None
        members = [one for joint in joints if joint.along is not None for one in joint.operations]
        behind = self._behind(joints)
        before = sorted([*members, *self._movers(members), *behind], key=self._time)
        number = {one.results[0]: place for place, one in enumerate(before)}
        shape = [
            (joint.axis, joint.starts, tuple([number[one.results[0]] for one in joint.operations]))
            for joint in joints
            if joint.along is not None
        ]
        assert joints[0].along is not None
        free = tuple([place.at is None for place in joints[0].along.places])
        key = structure_of(before, self._bodies, self._constants), tuple(shape), free
        if key in self._weighed and self._weighed[key] is None:
            return None
        before_s = self._fusion(before).seconds() if key not in self._weighed else None
        built, replaced = self._built(joints)
        if key not in self._weighed:
            new = [one for one in structured_members(built) if not keeps_order(one)]
            after = sorted([*new, *behind], key=self._time)
            after_s = self._fusion(after).seconds()
            if before_s is None or after_s is None or after_s >= WORTH * before_s:
                self._weighed[key] = None
            else:
                self._weighed[key] = before_s, after_s
        weighed = self._weighed[key]
        if weighed is None:
            for user, operand, value in replaced:
                user.operands[operand] = value
            self._concatenation.forget(built)
            self._erase(reversed(built))
            return None
        self._erase(one for joint in reversed(joints) for one in joint.operations)
        whole = joints[0].whole.owner.operation
        return HorizontalFusion(whole.name, whole.location, len(joints[0].operations), *weighed)

    def _time(self, operation: ir.Operation) -> Time:
        return self._times[operation.results[0]]

    def _movers(self, members: Sequence[ir.Operation]) -> list[ir.Operation]:
        """Return the ops that only move what these read, and nobody else does."""
        found = dict[Any, ir.Operation]()
        own = {one.results[0] for one in members}
        for operation in members:
            for value in operation.operands:
                mover = moved_by(value)
                if mover is None or keeps_order(mover):
                    continue
                readers = [use.owner.operation for use in mover.results[0].uses]
                if all(len(one.results) == 1 and one.results[0] in own for one in readers):
                    found[mover.results[0]] = mover
        return list(found.values())

    def _behind(self, joints: Sequence[Joint]) -> list[ir.Operation]:
        """Return the element-wise ops that read what is joined, and nothing that is made behind the first of it."""
        first = min(self._time(one) for one in joints[0].operations)
        found = dict[Any, ir.Operation]()
        pending = [one.results[0] for joint in joints for one in joint.operations]
        for value in pending:  # which grows
            for use in value.uses:
                user = use.owner.operation
                if len(user.results) != 1 or user.results[0] in self._joints or user.results[0] in found:
                    continue
                if user.name in (SLICE, COLLAPSE, EXPAND):
                    pending.append(user.results[0])
                elif is_element_wise(user) and len(found) < MOST_BEHIND:
                    makers = [defining_op(source) for source in map(_source, user.operands)]
                    results = [one.results[0] for one in makers if one is not None and is_structured(one)]
                    if all(
                        one in self._joints or one in found or self._times.get(one, _ANY_TIME) < first
                        for one in results
                    ):
                        found[user.results[0]] = user
                        pending.append(user.results[0])
        return list(found.values())

    def _built(self, joints: Sequence[Joint]) -> tuple[list[ir.Operation], list[tuple[ir.Operation, int, Any]]]:
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
                joint.whole = joint.reshaped() if joint.is_done_to_parts else self._op(joint, time)
            new = [*self._concatenation.built, joint.whole.owner.operation]
            with ir.InsertionPoint.after(joint.whole.owner.operation), earliest.location:
                for operation, start in zip(joint.operations, joint.starts, strict=True):
                    value = operation.results[0]
                    users = [(use.owner.operation, use.operand_number) for use in value.uses]
                    others = [each for each in users if self._stays(each[0])]
                    if others:
                        part = joint.part(start, value)
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
        return len(operation.results) != 1 or operation.results[0] not in self._joints

    def _op(self, joint: Joint, time: Time) -> Any:
        assert joint.along is not None
        first, scalar = joint.operations[0], joint.along.scalar
        operands = list(first.operands)
        for number, axis in enumerate(joint.along.axes):
            if axis is not None:
                values = [one.operands[number] for one in joint.operations]
                operands[number] = self._concatenation.of(values, axis, time)
        if len(joint.along.axes) < len(operands):
            kind = joint.kind()
            operands[-1] = empty_like(kind) if scalar is None else filled(kind, scalar)
        return like(first, operands)

    def _erase(self, operations: Iterable[ir.Operation]) -> None:
        for operation in operations:
            self._bodies.forget(list(operation.results))
            for result in operation.results:
                self._times.pop(result, None)
            operation.erase()


def _source(value: Any) -> Any:
    """Return the tensor before reshapes, slices and paddings."""
    while (operation := defining_op(value)) is not None and operation.name in (SLICE, COLLAPSE, EXPAND, PAD):
        value = operation.operands[0]
    return value
