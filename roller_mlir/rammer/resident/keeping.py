# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which slices stay in workgroup memory: those that save most time for their bytes, where the schedule gains by it.

Paper: none of RAMMER; see `slots`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heapreplace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.parts import Ints, Parts
from roller_mlir.rammer.policy import Policy
from roller_mlir.rammer.resident.homes import Homes, groups_of, homes_of, unions
from roller_mlir.rammer.resident.slots import SLOT_BYTES, Slices, found_bytes
from roller_mlir.rammer.schedule import Schedule
from roller_mlir.rammer.times.replay import replay

LEFT_OUT = (0.05, 0.01, 0.0)
"""Of what all save that fit: those that save least, and together no more, are not kept, where the schedule is as short
without, or shorter: others lie better then."""


@dataclass(frozen=True, eq=False)
class Kept:
    """What stays in workgroup memory.

    Attributes:
        operators: The numbers of the operators whose tasks keep slices.
        slices: How many different ones.
        bytes: Their bytes.
    """

    operators: frozenset[int]
    slices: int = 0
    bytes: int = 0


def choose_kept(
    graph: TaskGraph,
    units: int,
    room: range,
    hand_over_s: float,
    policy: Policy,
    hand_over: Callable[[TaskGraph, Sequence[Ints]], Schedule],
    memory_s: Callable[[int], float] = lambda _: 0.0,
) -> Kept:
    """Choose among operators whose tasks can keep slices those that do.

    Operators that read common slices keep them together, or not at all.

    Args:
        graph: The tasks; those of operators with resident reads can keep these.
        units: How many vEUs there are.
        room: The bytes of a vEU's workgroup memory that slots may take.
        hand_over_s: As of a policy.
        policy: Who places tasks.
        hand_over: What makes their waits.
        memory_s: What no schedule comes below whose tasks find so many bytes.
    """
    slices = Slices.read(graph)
    part = _parts(slices)
    parts = int(part.max(initial=-1)) + 1
    spent = slices.fill_seconds(graph)
    once = np.zeros(len(slices.bytes))
    np.maximum.at(once, slices.flat, spent)
    saved = np.bincount(part[slices.flat], spent, parts) - np.bincount(part, once, parts)
    chosen = _fitting(slices, part, saved, units, room)
    rising = sorted(chosen, key=lambda one: float(saved[one]))
    behind = np.cumsum(saved[rising])
    fewer = [set(rising[: int(np.searchsorted(behind, share * behind[-1:].sum(), "right"))]) for share in LEFT_OUT]
    looked_at = dict.fromkeys(tuple(one for one in chosen if one not in each) for each in fewer)

    def found_room(parts: tuple[int, ...]) -> tuple[TaskGraph, Homes] | None:
        """Return the graph that keeps some parts, and their homes; of fewer where homes are not found for all."""
        while parts:
            asked = set(parts)
            kept = graph.keeping(
                frozenset(n for n, own in enumerate(slices.of) if own.size and int(part[own[0, 0]]) in asked)
            )
            if (homes := homes_of(kept, Slices.read(kept), units, room, hand_over_s)) is not None:
                return kept, homes
            parts = parts[:-1]
        return None

    best: tuple[float, Kept] | None = None
    for each in looked_at:
        if (found := found_room(each)) is None:
            continue
        kept, homes = found
        schedule = homes.scheduled(hand_over(kept, policy(kept, units, hand_over_s, homes)))
        seconds = max(replay(kept, schedule, hand_over_s).makespan_s, memory_s(found_bytes(kept, schedule)))
        if best is None or seconds < best[0]:
            operators = frozenset(number for number, one in enumerate(kept.operators) if one.resident)
            best = seconds, Kept(operators, len(homes.slices.bytes), int(homes.slices.bytes.sum()))
    if best is None:
        return Kept(frozenset())
    plain = graph.without_resident()
    if best[0] >= max(float(plain.seconds.sum()) / units, memory_s(0)):  # no schedule without slots comes below that
        without = hand_over(plain, policy(plain, units, hand_over_s))
        if best[0] >= max(replay(plain, without, hand_over_s).makespan_s, memory_s(0)):
            return Kept(frozenset())
    return best[1]


def _fitting(slices: Slices, part: Ints, saved: NDArray[np.number[Any]], units: int, room: range) -> list[int]:
    """Return the parts that save most for their bytes, as many as there is room for, the best one first.

    Args:
        slices: The slices.
        part: The part of each.
        saved: What all tasks save if a part stays, in seconds.
        units: How many vEUs there are.
        room: As of `choose_kept`.
    """
    pieces, group = -(-slices.bytes // SLOT_BYTES), groups_of(slices)
    size = np.bincount(part, pieces, len(saved))
    together = np.bincount(group, pieces).astype(np.int64)  # of each group; all of it is of one part
    groups_in = Parts.by_number(part[np.unique(group, return_index=True)[1]], len(saved))
    free = [-(room.stop // SLOT_BYTES - -(-room.start // SLOT_BYTES))] * units  # a heap, the emptiest one first
    chosen: list[int] = []
    for one in np.argsort(-saved / np.maximum(1, size), kind="stable").tolist():
        if saved[one] > 0 and (left := _without(free, together[groups_in[one]].tolist())) is not None:
            chosen.append(one)
            free = left
    return chosen


def _without(free: Sequence[int], sizes: Sequence[int]) -> list[int] | None:
    """Return what is left of the room of vEUs behind some groups of slices; None where one finds no room.

    The largest one goes first, each to the vEU with most room.

    Args:
        free: The pieces of each vEU that are free, negative: a heap.
        sizes: Those that each group takes.
    """
    left = list(free)
    for size in sorted(sizes, reverse=True):
        if size > -left[0]:
            return None
        heapreplace(left, left[0] + size)
    return left


def _parts(slices: Slices) -> Ints:
    """Return the part of each slice: those that go together because operators read them."""
    group = groups_of(slices)
    tables = {id(each): each for each in slices.of if each.size}.values()
    read = [np.unique(group[own[:, 0]]).tolist() for own in tables]
    return unions(int(group.max(initial=-1)) + 1, read)[group]
