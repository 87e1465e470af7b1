# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The passes of a task over rows that it does not hold: what each pass computes, and in front of it.

A row that fits no registers is walked in steps, several times: what one op reduces over it is known behind a pass, and
what needs that is computed by the next one. What is made at each point is not kept from pass to pass but made again of
what the pass reads. A softmax has three passes (the greatest, the sum, the quotients), a layer norm of mean and mean of
squares two.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roller_mlir.lowering.linalg.group.common_loops import loops_of
from roller_mlir.lowering.linalg.reader import StructuredOp
from roller_mlir.support.bindings import ir


@dataclass(frozen=True)
class MemberPass:
    """One pass over the rows of a task.

    Attributes:
        before: Members that walk no row, computed in front of the pass, in order.
        members: Members that the pass computes step by step, in order.
        reducing: Those of them whose results are known behind the pass.
        results: Tensors that leave the group and are stored step by step.
    """

    before: tuple[int, ...]
    members: tuple[int, ...]
    reducing: tuple[int, ...]
    results: tuple[ir.Value, ...]


def member_passes(
    roots: Sequence[StructuredOp],
    loops: Sequence[Sequence[int]],
    whole: Sequence[int],
    made: Mapping[ir.Value, int],
    results: Sequence[ir.Value],
) -> tuple[MemberPass, ...]:
    """Return the passes in which a task can walk the rows of a group, none where it has to hold them.

    Args:
        roots: The members, in order.
        loops: The group's loop that each loop of a member is.
        whole: The group's loops that a row has.
        made: Which member makes a tensor.
        results: The tensors that leave the group.

    Returns:
        Nothing where a member reduces over a part of a row's loops, or leaves a result at each point of some of them.
    """
    rows = set(whole)
    walking = [bool(rows & set(own)) for own in loops]
    reducing = [
        {own for own, kind in zip(loops[n], loops_of(root), strict=True) if kind.reduction}
        for n, root in enumerate(roots)
    ]
    if not rows or any(reduced and reduced != rows for reduced in reducing):
        return ()
    level: list[int] = []
    for root in roots:
        needs = [made[value] for value in _read(root) if value in made]
        level.append(max([level[one] + bool(reducing[one]) for one in needs], default=0))
    stored = [value for value in results if walking[made[value]] and not reducing[made[value]]]
    passes: list[MemberPass] = []
    for number in range(max(level) + 1):
        own = [n for n in range(len(roots)) if level[n] == number and reducing[n]]
        leave = [value for value in stored if level[made[value]] == number]
        needed = _closure([*own, *(made[value] for value in leave)], roots, walking, reducing, made)
        before = [n for n in range(len(roots)) if level[n] == number and not walking[n]]
        passes.append(MemberPass(tuple(before), tuple(needed), tuple(own), tuple(leave)))
    return tuple(passes)


def _read(root: StructuredOp) -> list[ir.Value]:
    return [*root.sources, *(start for _, start, _ in root.starts)]


def _closure(
    wanted: Sequence[int],
    roots: Sequence[StructuredOp],
    walking: Sequence[bool],
    reducing: Sequence[set[int]],
    made: Mapping[ir.Value, int],
) -> list[int]:
    """Return members with those that make what they read at each point, in order."""
    found, waiting = set(wanted), list(wanted)
    while waiting:
        for value in _read(roots[waiting.pop()]):
            maker = made.get(value)
            if maker is not None and maker not in found and walking[maker] and not reducing[maker]:
                found.add(maker)
                waiting.append(maker)
    return sorted(found)
