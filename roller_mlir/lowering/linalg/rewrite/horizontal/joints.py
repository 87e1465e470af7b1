# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What becomes one together: ops, what is done to their results, and the ops behind them that are alike."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from typing import Any

from roller_mlir.lowering.linalg.body import gathered_arguments
from roller_mlir.lowering.linalg.generic import iterators_of
from roller_mlir.lowering.linalg.moved_constants import COLLAPSE, EXPAND
from roller_mlir.lowering.linalg.pads import PAD, pad_tensor, read_pad
from roller_mlir.lowering.linalg.reader import is_structured
from roller_mlir.lowering.linalg.rewrite.horizontal.along import Along, KnownBodies, side_by_side
from roller_mlir.lowering.linalg.rewrite.horizontal.concatenation import (
    Concatenation,
    PlacedPart,
    reassociation,
    tensor_collapse,
    tensor_expand,
    with_extent,
)
from roller_mlir.lowering.linalg.views import SLICE, Slice, extract_slice
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import indexing_maps


@dataclass
class Joint:
    """Ops that are to be one, or reshapes or paddings of parts that are to be one of the whole.

    Attributes:
        operations: They, in the order in which their results lie.
        roots: The results of the ops that are joined first, behind which they stand.
        owners: The results of the ops that make what they are done to, or of themselves.
        axis: The dimension along which these lie.
        starts: Where each begins.
        extent: Elements of all of them along it.
        along: The first op, where they are no reshapes nor paddings.
        of: What reshapes and paddings are done to.
        whole: The one, when it is built.
    """

    operations: tuple[ir.Operation, ...]
    roots: tuple[Any, ...]
    owners: tuple[Any, ...]
    axis: int
    starts: tuple[int, ...]
    extent: int
    along: Along | None = None
    of: "Joint | None" = None
    whole: Any = None

    @property
    def is_done_to_parts(self) -> bool:
        """Whether it is a reshape or a padding."""
        return self.along is None

    def part(self, start: int, value: Any) -> Any:
        """Build at the insertion point what stands for a result that begins at `start`."""
        shape = list(ir.RankedTensorType(value.type).shape)
        offsets = with_extent([0] * len(shape), self.axis, start)
        return extract_slice(self.whole, Slice(tuple(offsets), tuple(shape), (1,) * len(shape)))

    def kind(self) -> ir.RankedTensorType:
        """Return the type of the one."""
        kind = ir.RankedTensorType(self.operations[0].results[0].type)
        return ir.RankedTensorType.get(with_extent(kind.shape, self.axis, self.extent), kind.element_type)

    def reshaped(self) -> Any:
        """Build at the insertion point a reshape or a padding of the whole that it is done to."""
        assert self.of is not None
        first = self.operations[0]
        if first.name == PAD:
            padding = read_pad(first)
            return pad_tensor(self.of.whole, padding.low, padding.high, padding.scalar)
        build = tensor_expand if first.name == EXPAND else tensor_collapse
        return build(self.kind(), self.of.whole, reassociation(first))


class Joints:
    """What is to become one at a time.

    Args:
        block: Of a function.
        bodies: The bodies of its ops.
    """

    def __init__(self, block: ir.Block, bodies: KnownBodies) -> None:
        self._parts: dict[Any, tuple[Joint, int]] = {}  # by the results of its ops
        self._bodies = bodies
        self.concatenation = Concatenation(block, self._part_of, self._whole_of)

    def __contains__(self, result: Any) -> bool:
        return result in self._parts

    def clear(self) -> None:
        """Plan nothing."""
        self._parts.clear()

    def planned(self, run: Sequence[Along]) -> list[Joint]:
        """Return what is joined with ops, in an order in which it can be; none where fewer than two can be.

        Where somebody needs a copy of a part of what an op behind them makes, the op is left out in front of which that
        one stands; if fewer than two are left so, that one alone.
        """
        return self._planned(run, whole=True) or self._planned(run, whole=False)

    def _planned(self, run: Sequence[Along], *, whole: bool) -> list[Joint]:
        apart = set[Any]()
        while len(run) > 1:
            self._parts.clear()
            joints, copied = [self._joint(run, [one.operation.results[0] for one in run])], set[Any]()
            for joint in joints:  # which grows
                joints += self._behind_joint(joint, apart, copied, whole=whole)
            if not copied:
                return joints
            apart |= copied
            left = [one for one in run if one.operation.results[0] not in apart]
            run = (
                run if len(left) == len(run) else next((found for found in side_by_side(left, self.concatenation)), [])
            )
        return []

    def _behind_joint(self, joint: Joint, apart: set[Any], copied: set[Any], *, whole: bool) -> list[Joint]:
        """Return what is joined of the ops that read what is.

        Args:
            joint: What is.
            apart: Results of ops that are not joined.
            copied: Takes results of ops of which somebody needs a copy.
            whole: Whether it takes those of the ops in front of these that are joined first.
        """
        owners = joint.roots if whole else joint.owners
        reshaped: dict[Hashable, list[tuple[int, ir.Operation]]] = {}
        behind: dict[Any, tuple[Along, Any]] = {}
        for number, operation in enumerate(joint.operations):
            for use in operation.results[0].uses:
                user = use.owner.operation
                if user.name in (COLLAPSE, EXPAND, PAD):
                    reshaped.setdefault(_shape_key(user, joint.axis), []).append((number, user))
                elif user.name != SLICE and not _is_read(user, use.operand_number):
                    copied.add(owners[number])
                elif user.name != SLICE:
                    loop = _loop(user, use.operand_number, joint.axis)
                    seen = None if loop is None else self._bodies.along(user, loop)
                    if seen is not None and user.results[0] not in self._parts and user.results[0] not in apart:
                        behind[user.results[0]] = seen, joint.roots[number]
        found = list[Joint]()
        for users in reshaped.values():
            lifted = self._lifted(joint, users)
            if lifted is None:
                copied.update(owners[number] for number, _ in users)
            else:
                found.append(lifted)
        for run in list(side_by_side([seen for seen, _ in behind.values()], self.concatenation)):
            found.append(self._joint(run, [behind[one.operation.results[0]][1] for one in run]))
        return found

    def _joint(self, run: Sequence[Along], roots: Sequence[Any]) -> Joint:
        operations, axis = tuple([one.operation for one in run]), run[0].axis
        extents = [ir.RankedTensorType(one.results[0].type).shape[axis] for one in operations]
        starts = tuple(accumulate(extents[:-1], initial=0))
        results = tuple([one.results[0] for one in operations])
        return self._known(Joint(operations, tuple(roots), results, axis, starts, sum(extents), run[0]))

    def _lifted(self, joint: Joint, users: Sequence[tuple[int, ir.Operation]]) -> Joint | None:
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
        roots, owners = (tuple([each[number] for number, _ in users]) for each in (joint.roots, joint.owners))
        return self._known(Joint(operations, roots, owners, axis, places, joint.extent * more // less, of=joint))

    def _known(self, joint: Joint) -> Joint:
        self._parts.update({one.results[0]: (joint, number) for number, one in enumerate(joint.operations)})
        return joint

    def _part_of(self, value: Any, axis: int) -> PlacedPart | None:
        joint, number = self._parts.get(value, (None, 0))
        if joint is None or joint.axis != axis:
            return None
        return PlacedPart(id(joint), joint.starts[number], ir.RankedTensorType(value.type).shape[axis])

    def _whole_of(self, value: Any) -> Any:
        return self._parts[value][0].whole


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


def is_element_wise(operation: ir.Operation) -> bool:
    """Return whether an op has no reductions."""
    return is_structured(operation) and set(iterators_of(operation, indexing_maps(operation))) == {"parallel"}


def _loop(user: ir.Operation, operand: int, axis: int) -> int | None:
    """Return the loop of an element-wise op that indexes a dimension of an operand."""
    if not is_element_wise(user) or len(user.results) != 1:
        return None
    index = indexing_maps(user)[operand].results[axis]
    return ir.AffineDimExpr(index).position if isinstance(index, ir.AffineDimExpr) else None
