# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which slices stay in workgroup memory: those that save most time for their bytes, where the schedule gains by it.

Paper: none of RAMMER; see `slots`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from roller_mlir.rammer.chains import tasks_in_waves, urgency_of
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.parts import Ints
from roller_mlir.rammer.policy import Policy
from roller_mlir.rammer.resident.homes import Homes, groups_of, homes_of, unions
from roller_mlir.rammer.resident.slots import SLOT_BYTES, Slices, found_bytes
from roller_mlir.rammer.schedule import Schedule
from roller_mlir.rammer.times.replay import replay

LEAST = 0.01
"""Of what all save that fit: those that save least, and together no more, are not kept, where no path of tasks gets
longer by that; others lie better then."""


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
    size = np.bincount(part, -(-slices.bytes // SLOT_BYTES) * SLOT_BYTES, parts)
    chosen: list[int] = []
    left = units * len(room)
    for one in np.argsort(-saved / np.maximum(1, size), kind="stable").tolist():
        if saved[one] > 0 and size[one] <= left:
            chosen.append(one)
            left -= int(size[one])

    def readers_of(parts: Sequence[int]) -> frozenset[int]:
        asked = set(parts)
        return frozenset(number for number, own in enumerate(slices.of) if own.size and int(part[own[0, 0]]) in asked)

    def longest_path_s(parts: Sequence[int]) -> float:
        keeping = graph.keeping(readers_of(parts))
        return float(urgency_of(keeping, tasks_in_waves(keeping), hand_over_s).max(initial=0.0))

    spare, worth = LEAST * float(saved[chosen].sum()), list(chosen)
    for one in sorted(chosen, key=lambda one: float(saved[one])):
        spare -= float(saved[one])
        if spare >= 0:
            worth.remove(one)
    if len(worth) < len(chosen) and longest_path_s(worth) <= longest_path_s(chosen):
        chosen = worth
    homes: Homes | None = None
    kept = graph
    while chosen and homes is None:
        operators = readers_of(chosen)
        kept = graph.keeping(operators)
        homes = homes_of(kept, Slices.read(kept), units, room, hand_over_s)
        chosen.pop()
    if homes is None:
        return Kept(frozenset())
    plain = graph.without_resident()
    with_slots = homes.scheduled(hand_over(kept, policy(kept, units, hand_over_s, homes)))
    seconds = max(replay(kept, with_slots, hand_over_s).makespan_s, memory_s(found_bytes(kept, with_slots)))
    if seconds >= max(float(plain.seconds.sum()) / units, memory_s(0)):  # no schedule without slots comes below that
        without = hand_over(plain, policy(plain, units, hand_over_s))
        if seconds >= max(replay(plain, without, hand_over_s).makespan_s, memory_s(0)):
            return Kept(frozenset())
    return Kept(operators, len(homes.slices.bytes), int(homes.slices.bytes.sum()))


def _parts(slices: Slices) -> Ints:
    """Return the part of each slice: those that go together because operators read them."""
    group = groups_of(slices)
    tables = {id(each): each for each in slices.of if each.size}.values()
    read = [np.unique(group[own[:, 0]]).tolist() for own in tables]
    return unions(int(group.max(initial=-1)) + 1, read)[group]
