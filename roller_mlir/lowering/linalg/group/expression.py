# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tensor expression of a group: what planning needs to know of ops that become one program."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from roller_mlir.lowering.linalg.group.common_loops import CommonLoops, GroupError, loops_of, output_of
from roller_mlir.lowering.linalg.group.epilogue import epilogue_operations
from roller_mlir.lowering.linalg.group.row_passes import MemberPass, member_passes
from roller_mlir.lowering.linalg.reader import StructuredOp
from roller_mlir.plan import Access, LinearIndex, Loop, RowPass, TensorExpression
from roller_mlir.plan.expression import ELEMENT_BYTES
from roller_mlir.plan.rewrite.uneven import reads_outside
from roller_mlir.support.bindings import ir


@dataclass(frozen=True)
class Member:
    """One op of a group.

    Attributes:
        root: The op, read.
        loops: The group's loop that each of its loops is.
    """

    root: StructuredOp
    loops: tuple[int, ...]


def group_expression(
    members: Sequence[Member],
    reduction_root: int | None,
    untiled: tuple[int, ...],
    loops: CommonLoops,
    made: dict[ir.Value, int],
    results: Sequence[ir.Value],
) -> tuple[TensorExpression, tuple[tuple[tuple[int, int], ...], ...], dict[tuple[int, int], int]]:
    """Return the expression, for each of its inputs the members that read it with the number of their input, and more.

    The last is `Group.beside`.
    """
    count = loops.count
    outputs = [_moved(output_of(members[made[value]].root, value), members[made[value]], count) for value in results]
    left = {loop for access in outputs for loop in access.loops()}
    # A loop of one point that no op reduces may be missing from the results, too: they are read at 0 along it.
    reduced = {
        group for one in members for group, own in zip(one.loops, loops_of(one.root), strict=True) if own.reduction
    }
    kinds = tuple(
        Loop(extent, loop not in left and (extent != 1 or loop in reduced))
        for loop, extent in enumerate(loops.extents())
    )
    first, *more = outputs
    if any(access.loops() != first.loops() for access in more) and reduction_root is not None:
        raise GroupError("the tensors that leave the group have different loops")
    if reduction_root is not None:
        return _with_tail(members, reduction_root, untiled, kinds, made, first, tuple(more))
    found: dict[tuple[ir.Value, tuple[LinearIndex, ...], float | None, int], list[tuple[int, int]]] = {}
    accesses: list[Access] = []
    pads: list[float | None] = []
    for number, member in enumerate(members):
        root = member.root
        for position, (source, access) in enumerate(zip(root.sources, root.expression.inputs, strict=True)):
            if source in made:
                continue
            moved = _moved(access, member, count)
            pad = root.expression.pad_values[position]
            key = (source, moved.indices, pad if reads_outside(root.expression, access) else None, access.gathered)
            if key not in found:
                accesses.append(replace(moved, name=f"arg{len(accesses)}"))
                pads.append(pad)
                found[key] = []
            found[key].append((number, position))
    starts = _starts(members, range(len(members)), made, count)
    reductions = any(kind.reduction for kind in kinds)
    passes = passes_of(members, untiled, made, results)
    behind = [number for number, member in enumerate(members) if _is_behind(member, kinds)]
    end = epilogue_operations([member.root for member in members], behind, made)
    exchanges = _exchanges(members, made)
    expression = TensorExpression(
        loops=kinds,
        inputs=tuple(accesses),
        output=first,
        combiner="arith.addf" if reductions else None,
        flops_per_point=sum(member.root.expression.flops_per_point for member in members if _walks(member, kinds)),
        point_cycles=sum(member.root.expression.point_cycles for member in members if _walks(member, kinds)),
        pad_values=tuple(pads),
        more_outputs=tuple(more),
        accumulator_type=_widest(members, untiled, first),
        whole=untiled,
        live_words=_live_words(members, results, count),
        epilogue_flops=end.flops,
        epilogue_cycles=end.cycles,
        epilogue_chain=end.chain,
        joined_results=max(exchanges) if max(exchanges, default=0) > 1 else 0,
        tail_exchanges=exchanges if behind else (),
        row_passes=tuple(_row_pass(one, members, kinds, list(found.values())) for one in passes if one.members),
        starts=tuple(starts.values()),
    )
    return expression, tuple(tuple(uses) for uses in found.values()), {key: place for place, key in enumerate(starts)}


def passes_of(
    members: Sequence[Member], untiled: tuple[int, ...], made: dict[ir.Value, int], results: Sequence[ir.Value]
) -> tuple[MemberPass, ...]:
    """Return the passes in which a task can walk the rows of a group, see `member_passes`."""
    return member_passes([one.root for one in members], [one.loops for one in members], untiled, made, results)


def _row_pass(
    one: MemberPass, members: Sequence[Member], kinds: tuple[Loop, ...], inputs: Sequence[Sequence[tuple[int, int]]]
) -> RowPass:
    """Return what planning needs to know of a pass."""
    read = [number for number, uses in enumerate(inputs) if any(member in one.members for member, _ in uses)]
    walking = [members[number].root.expression for number in one.members if _walks(members[number], kinds)]
    flops = sum(expression.flops_per_point for expression in walking)
    return RowPass(tuple(read), flops, sum(expression.point_cycles for expression in walking))


def _widest(members: Sequence[Member], untiled: tuple[int, ...], output: Access) -> str:
    """Return the widest type that a row is reduced in, empty for the output's."""
    kinds = {
        access.element_type
        for member in members
        if any(
            loop in untiled and kind.reduction for loop, kind in zip(member.loops, loops_of(member.root), strict=True)
        )
        for access in member.root.expression.outputs
    }
    widest = max(kinds, key=lambda kind: ELEMENT_BYTES[kind], default="")
    return "" if widest == output.element_type else widest


def _exchanges(members: Sequence[Member], made: dict[ir.Value, int]) -> tuple[int, ...]:
    """Return how many results of reductions are joined at a time: those over the same loops that wait for a reader."""
    found: list[int] = []
    keys: dict[ir.Value, tuple[tuple[int, ...], ir.Type]] = {}
    waiting = Counter[tuple[tuple[int, ...], ir.Type]]()
    read = {source for member in members for source in member.root.sources if source in made}
    for member in members:
        for key in {keys[source] for source in member.root.sources if source in keys}:
            found += [waiting.pop(key)] if key in waiting else []
        own = zip(member.loops, loops_of(member.root), strict=True)
        reduced = tuple(sorted(loop for loop, kind in own if kind.reduction))
        for result in member.root.operation.results:
            if reduced and result in read:
                key = keys[result] = reduced, ir.RankedTensorType(result.type).element_type
                waiting[key] += 1
    return tuple(found)


def _live_words(members: Sequence[Member], results: Sequence[ir.Value], count: int) -> int:
    """Return the most 32-bit words that a point's values take: made and still to be read, or read by several members.

    Tensors that lack one of the group's loops, such as a row's sum, are not counted.
    """
    last: dict[ir.Value, int] = dict.fromkeys(results, len(members))
    first: dict[ir.Value, int] = {}
    words: dict[ir.Value, int] = {}
    for number, member in enumerate(members):
        read = list(zip(member.root.sources, member.root.expression.inputs, strict=True))
        for value, access in [*read, *zip(member.root.operation.results, member.root.expression.outputs, strict=True)]:
            loops = {member.loops[loop] for loop in access.loops()}
            words[value] = max(1, access.element_bytes // 4) if len(loops) == count else 0
            first.setdefault(value, number)
            last[value] = max(last.get(value, 0), number)
    return max(
        sum(size for value, size in words.items() if first[value] <= number <= last[value])
        for number in range(len(members))
    )


def _walks(member: Member, kinds: tuple[Loop, ...]) -> bool:
    """Return whether a member walks all of the group's loops, so that each point costs its operations."""
    own = set(member.loops)
    return not any(kind.extent != 1 and loop not in own for loop, kind in enumerate(kinds))


def _is_behind(member: Member, kinds: tuple[Loop, ...]) -> bool:
    """Return whether a member computes each point of the output, and no points of the reductions."""
    walked = [loop for loop, kind in enumerate(kinds) if kind.extent != 1]
    reduced = {loop for loop in walked if kinds[loop].reduction}
    return bool(reduced) and reduced == {loop for loop in walked if loop not in member.loops}


def _with_tail(
    members: Sequence[Member],
    reduction_root: int,
    untiled: tuple[int, ...],
    kinds: tuple[Loop, ...],
    made: dict[ir.Value, int],
    output: Access,
    more: tuple[Access, ...],
) -> tuple[TensorExpression, tuple[tuple[tuple[int, int], ...], ...], dict[tuple[int, int], int]]:
    """Return the reduction root's expression with what the others read and compute as its epilogue."""
    root, count = members[reduction_root].root, len(kinds)
    own = root.expression
    epilogue = _starts(members, [reduction_root], made, count)
    for number, member in enumerate(members):
        if number == reduction_root:
            continue
        for position, source in enumerate(member.root.sources):
            if source not in made:
                epilogue[number, position] = _moved(member.root.expression.inputs[position], member, count)
    others = [number for number in range(len(members)) if number != reduction_root]
    starts = _starts(members, others, made, count)
    end = epilogue_operations([member.root for member in members], others, made)
    expression = replace(
        own,
        loops=kinds,
        inputs=tuple(_moved(access, members[reduction_root], count) for access in own.inputs),
        output=output,
        epilogue=tuple(epilogue.values()),
        epilogue_flops=end.flops,
        epilogue_cycles=end.cycles,
        epilogue_chain=end.chain,
        accumulates=False,
        accumulator_type="" if own.output.element_type == output.element_type else own.output.element_type,
        more_outputs=more,
        whole=untiled,
        starts=tuple(starts.values()),
    )
    uses = tuple(((reduction_root, number),) for number in range(len(own.inputs)))
    return expression, uses, {key: number for number, key in enumerate([*epilogue, *starts])}


def _starts(
    members: Sequence[Member], numbers: Sequence[int], made: Mapping[ir.Value, int], count: int
) -> dict[tuple[int, int], Access]:
    """Return how the group walks tensors that results of some members start from, by member and operand."""
    return {
        (number, len(members[number].root.sources) + output): _moved(access, members[number], count)
        for number in numbers
        for output, start, access in members[number].root.starts
        if start not in made
    }


def _moved(access: Access, member: Member, count: int) -> Access:
    """Return an access over the group's loops."""

    def moved(index: LinearIndex) -> LinearIndex:
        coefficients = [0] * count
        for loop, k in index.terms().items():
            coefficients[member.loops[loop]] += k
        return LinearIndex(tuple(coefficients), index.constant)

    return replace(access, indices=tuple(map(moved, access.indices)))
