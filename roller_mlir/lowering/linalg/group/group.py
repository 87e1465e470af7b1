# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Groups: linalg ops that become one program, read as one tensor expression.

What one op makes and another reads stays in the registers of the thread that made it. So all ops of a group walk common
loops: where a tensor is made at (i, j) and read at (p, q), i is p and j is q; where two ops read one tensor, likewise.
One op may reduce over loops of its own, step by step, with tiles in workgroup memory: the reduction root, whose results
the others take (index-set splitting puts them behind the last step; PolyDL section 5). A loop that one op reduces and
another walks again, as a softmax does its row, lies in one task as a whole.

Paper: ROLLER section 3.1 takes such a group as one tensor expression; PolyDL section 5.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from roller_mlir.dialects.rtile.slots import SLOTS
from roller_mlir.lowering.linalg.group.common_loops import CommonLoops, GroupError, loops_of
from roller_mlir.lowering.linalg.group.expression import Member, group_expression
from roller_mlir.lowering.linalg.group.producers import Producers, absorb_producers, reuses
from roller_mlir.lowering.linalg.group.tail import tail_of
from roller_mlir.lowering.linalg.reader import StructuredOp, fill_constant, is_structured, read_structured
from roller_mlir.plan import TensorExpression
from roller_mlir.plan.extent import Extent
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import indexing_maps

__all__ = [
    "MOST_TENSORS",
    "Group",
    "GroupError",
    "Member",
    "common_loops",
    "group_of_roots",
    "members_of",
    "read_group",
    "starts_others_only",
]

MOST_TENSORS = SLOTS // 2
"""Tensors that joined ops may read and write together; an op of a program has loop variables as operands too."""


@dataclass(frozen=True)
class Group:
    """Linalg ops that become one program.

    Attributes:
        members: The ops in order.
        reduction_root: Number of the member that reduces over loops of its own, None where there is none.
        expression: The group as one expression: loops of the group, inputs from memory, tensors that leave it.
        inputs: For each input of the expression, the members that read it with the number of their input.
        results: The tensors that leave the group.
        beside: By a member's number and that of its input, or of its output behind its inputs: which of the tensors of
            `TensorExpression.beside` is read there.
        producers: Element-wise ops that are no members: the loads of the reduction root compute them.
        tail: Numbers of the members behind the reductions, see `tail_of`.
    """

    members: tuple[Member, ...]
    reduction_root: int | None
    expression: TensorExpression
    inputs: tuple[tuple[tuple[int, int], ...], ...]
    results: tuple[ir.Value, ...]
    beside: Mapping[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    producers: Producers = field(default_factory=dict[tuple[ir.Operation, int], StructuredOp])
    tail: frozenset[int] = frozenset()

    @property
    def divisible(self) -> bool:
        """Whether its reduction may be divided over tasks: a second stage joins the parts, and goes on as the ops do.

        Both stages walk the loops of the group then: its first op is the reduction, and what leaves the group lies as
        its result does.
        """
        first, *others = self.members
        if not others:
            return True
        made, given = first.root.expression.output, self.expression.output
        return (
            self.reduction_root == 0
            and first.loops == tuple(range(len(self.expression.loops)))
            and (made.shape, made.indices) == (given.shape, given.indices)
            and all(set(one.loops) <= made.loops() for one in others)
            and self.expression.has_tail
        )


def read_group(operations: Sequence[ir.Operation], results: Sequence[ir.Value]) -> Group:
    """Read linalg ops as a group.

    Args:
        operations: Structured ops in order; fills that only start a reduction are not among them.
        results: Which of their results leave the group, at least one.

    Raises:
        GroupError: They cannot be one program.
        DiagnosedError: One of them cannot be read at all.
    """
    return group_of_roots([read_structured(operation) for operation in operations], results)


def group_of_roots(given: Sequence[StructuredOp], results: Sequence[ir.Value]) -> Group:
    """Return ops that have been read as a group; see `read_group`."""
    roots, producers = absorb_producers(given, results)
    if len(roots) == 1:
        return _alone(roots[0], results, producers)
    _check_tensors(roots, results)
    made = {value: number for number, root in enumerate(roots) for value in root.operation.results}
    loops = CommonLoops(roots, made)
    members = tuple(Member(root, loops.of(number)) for number, root in enumerate(roots))
    reduction_root, untiled = _kinds(members, loops.count)
    for root in (root for root in roots if untiled and root.expression.ordered):
        raise GroupError(f"'{root.operation.name}' walks its points in order, which the threads of a row cannot")
    _check_reduction_root(members, reduction_root, untiled, made)
    _check_tasks(members, reduction_root, untiled, loops.extents(), made, results)
    expression, inputs, beside = group_expression(members, reduction_root, untiled, loops, made, results)
    tail = tail_of(members, loops.count, made)
    read = tuple(number for number, uses in enumerate(inputs) if all(member in tail for member, _ in uses))
    expression = replace(expression, tail_apart=bool(tail), tail_inputs=read)
    return Group(members, reduction_root, expression, inputs, tuple(results), beside, producers, tail)


def common_loops(operations: Sequence[ir.Operation]) -> list[tuple[int, ...]]:
    """Return, for each op of a group, which of the group's loops each of its loops is.

    Raises:
        GroupError: They have no common loops.
    """
    if len(operations) == 1:
        return [tuple(range(indexing_maps(operations[0])[0].n_dims))]
    roots = [read_structured(operation) for operation in operations]
    made = {value: number for number, root in enumerate(roots) for value in root.operation.results}
    loops = CommonLoops(roots, made)
    return [loops.of(number) for number in range(len(roots))]


def members_of(block: ir.Block) -> list[ir.Operation]:
    """Return the structured ops of a program's region that compute, in order: all but fills that start reductions."""
    return structured_members([op.operation for op in block.operations])


def structured_members(operations: Sequence[ir.Operation]) -> list[ir.Operation]:
    """Return those of ops that compute, see `members_of`."""
    return [op for op in operations if is_structured(op) and not starts_others_only(op)]


def starts_others_only(operation: ir.Operation) -> bool:
    """Return whether an op is a fill that only starts the output of other ops, which take it along."""
    if len(operation.results) != 1 or fill_constant(operation.results[0]) is None:
        return False
    uses = list(operation.results[0].uses)
    if not uses:
        return False
    for use in uses:
        user = use.owner.operation
        if not is_structured(user) or use.operand_number < len(user.operands) - len(user.results):
            return False
    return True


def _check_tensors(roots: Sequence[StructuredOp], results: Sequence[ir.Value]) -> None:
    made = {value for root in roots for value in root.operation.results}
    read = {value for root in roots for value in (*root.sources, *(start for _, start, _ in root.starts))} - made
    if len(read) + len(results) > MOST_TENSORS:
        raise GroupError(
            f"one program would read {len(read)} tensors and write {len(results)}, of at most {MOST_TENSORS} together"
        )


def _alone(root: StructuredOp, results: Sequence[ir.Value], producers: Producers) -> Group:
    member = Member(root, tuple(range(len(root.expression.loops))))
    inputs = tuple(((0, number),) for number in range(len(root.inputs)))
    beside = {(0, len(root.sources) + number): number for number in range(len(root.expression.outputs))}
    return Group((member,), 0, root.expression, inputs, tuple(results), beside, producers)


def _kinds(members: Sequence[Member], count: int) -> tuple[int | None, tuple[int, ...]]:
    """Return the reduction root, and the loops that lie in one task as a whole."""
    reduced: dict[int, list[int]] = {loop: [] for loop in range(count)}
    walked: set[int] = set()
    for number, member in enumerate(members):
        for loop, kind in zip(member.loops, loops_of(member.root), strict=True):
            if kind.reduction:
                reduced[loop].append(number)
            else:
                walked.add(loop)
    own = {loop: by[0] for loop, by in reduced.items() if len(by) == 1 and loop not in walked}
    reduction_root = sorted(set(own.values()))
    if len(reduction_root) == 1 and all(by == reduction_root for loop, by in reduced.items() if by and loop in own):
        number = reduction_root[0]
        return number, tuple(loop for loop, by in reduced.items() if by and own.get(loop) != number)
    return None, tuple(loop for loop, by in reduced.items() if by)


def _check_reduction_root(
    members: Sequence[Member], reduction_root: int | None, untiled: tuple[int, ...], made: dict[ir.Value, int]
) -> None:
    """Refuse products beside the reduction root, and what it would read or leave otherwise than by tiles and steps."""
    for number, member in enumerate(members):
        if number != reduction_root and reuses(member.root.expression):
            name = member.root.operation.name
            raise GroupError(f"'{name}' uses its inputs several times, which needs steps through memory of its own")
    if reduction_root is None:
        return
    root = members[reduction_root].root
    for source in root.sources:
        if source in made:
            maker = members[made[source]].root.operation
            raise GroupError(
                f"'{root.operation.name}' reads what '{maker.name}' makes in steps; it is read from memory"
            )
    if untiled and reuses(root.expression):
        raise GroupError(f"rows of what '{root.operation.name}' makes are cut into tiles, and reduced as a whole")


def _check_tasks(
    members: Sequence[Member],
    reduction_root: int | None,
    untiled: tuple[int, ...],
    extents: Sequence[Extent],
    made: dict[ir.Value, int],
    results: Sequence[ir.Value],
) -> None:
    """Refuse what several tasks would compute alike, unless it is element-wise and nobody else reads it."""
    own = set(members[reduction_root].loops) if reduction_root is not None else set[int]()
    reduced = {
        loop
        for loop in own
        if reduction_root is not None
        and loops_of(members[reduction_root].root)[members[reduction_root].loops.index(loop)].reduction
    }
    apart = {loop for loop, extent in enumerate(extents) if extent != 1 and loop not in untiled and loop not in reduced}
    for number, member in enumerate(members):
        missing = apart - set(member.loops)
        leaves = any(made[value] == number for value in results)
        if missing and (leaves or member.root.expression.reductions()):
            name = member.root.operation.name
            raise GroupError(f"'{name}' would be computed by several tasks alike")
