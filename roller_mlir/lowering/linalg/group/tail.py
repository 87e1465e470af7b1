# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tail of a group: ops behind its reductions that compute point by point, each point by whichever thread."""

from collections.abc import Mapping, Sequence

from roller_mlir.lowering.linalg.group.common_loops import loops_of
from roller_mlir.lowering.linalg.group.expression import Member
from roller_mlir.support.bindings import ir


def tail_of(members: Sequence[Member], count: int, made: Mapping[ir.Value, int]) -> frozenset[int]:
    """Return the members that read results of reductions, and what is made of these.

    Empty where threads cannot have other points of them than of the reductions: where one of them reduces or walks a
    loop that is reduced, lacks another, or takes what a member before them takes or makes, but for the reductions'
    results.

    Args:
        members: The ops in order.
        count: Loops of the group.
        made: Which member makes a tensor.
    """
    reduced = [
        frozenset(group for group, own in zip(one.loops, loops_of(one.root), strict=True) if own.reduction)
        for one in members
    ]
    kinds = set(filter(None, reduced))
    if len(kinds) != 1:
        return frozenset()
    (loops,) = kinds
    tail: set[int] = set()
    for number, member in enumerate(members):
        if any(made.get(source) in tail or _is_reduced(made.get(source), reduced) for source in member.root.sources):
            tail.add(number)
    before = [member for number, member in enumerate(members) if number not in tail]
    taken = {value for member in before for value in (*member.root.sources, *_starts(member))}
    for number in tail:
        member = members[number]
        if set(member.loops) != set(range(count)) - loops or any(one.gathered for one in member.root.expression.inputs):
            return frozenset()
        for source in (*member.root.sources, *_starts(member)):
            maker = made.get(source)
            apart = source not in taken if maker is None else maker in tail or _is_reduced(maker, reduced)
            if not apart:
                return frozenset()
    started = {value for number, one in enumerate(members) if reduced[number] for value in _starts(one)}
    return frozenset() if started & set(made) else frozenset(tail)


def _is_reduced(maker: int | None, reduced: Sequence[frozenset[int]]) -> bool:
    """Return whether a member, by number, reduces."""
    return maker is not None and bool(reduced[maker])


def _starts(member: Member) -> list[ir.Value]:
    """Return the tensors that a member's results start from, where it reads them."""
    return [start for _, start, _ in member.root.starts]
