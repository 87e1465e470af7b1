# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of a placement's length the number of vEUs alone explains: many tasks between two times, all vEUs for them."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.parts import Ints

Floats = NDArray[np.float64]

THRESHOLDS = 64
"""Heads that sweeps begin at."""


@dataclass(frozen=True, eq=False)
class Edges:
    """Pairs of tasks, the first of which comes before the second; tasks are numbered in an order of them.

    Attributes:
        givers: What comes first, in the order of what comes second.
        first: Where the pairs of each task that comes second begin in that, and behind them their number.
        takers: What comes second, in the order of what comes first.
        taken: Where the pairs of each task that comes first begin in that, and behind them their number.
    """

    givers: Ints
    first: NDArray[np.integer[Any]]
    takers: Ints
    taken: NDArray[np.integer[Any]]

    @classmethod
    def of(cls, graph: TaskGraph) -> "Edges":
        """Return the dependences of a graph that no other implies."""
        set_of, sets = graph.direct_producers
        given = sets.chosen(set_of)
        taken = given.turned(graph.tasks)
        return cls(given.numbers, given.starts, taken.numbers, taken.starts)

    @property
    def reversed(self) -> "Edges":
        """Those of the reversed graph: the last task is its first."""
        last, pairs = len(self.first) - 2, len(self.givers)
        turned = (
            last - self.takers[::-1],
            pairs - self.taken[::-1],
            last - self.givers[::-1],
            pairs - self.first[::-1],
        )
        return Edges(*turned)

    def before(self, task: int) -> Ints:
        """Return what comes before a task."""
        return self.givers[self.first[task] : self.first[task + 1]]

    def behind(self, task: int) -> Ints:
        """Return what comes behind a task."""
        return self.takers[self.taken[task] : self.taken[task + 1]]


def sweep(heads: Floats, seconds: Floats, tails: Floats, units: int) -> float:
    """Return the longest of: a head, what tasks with later heads and longer tails than one take on all vEUs, that tail.

    They take their work, divided; and one vEU has as many as comes to each, of which none is shorter than the shortest.

    >>> sweep(np.zeros(5), np.ones(5), np.full(5, 2.0), 4)
    4.0
    """
    order = np.argsort(-tails, kind="stable")
    heads, seconds, tails = heads[order], seconds[order], tails[order]
    starts, least = np.unique(heads), 0.0
    for start in starts[np.unique(np.linspace(0, len(starts) - 1, THRESHOLDS).astype(int))].tolist():
        later = heads >= start
        spent, left = seconds[later], tails[later]
        rounds = -(-np.arange(1, len(spent) + 1) // units) * np.minimum.accumulate(spent)
        needed = np.maximum(np.cumsum(spent) / units, rounds)
        least = max(least, start + float((needed + left).max()))
    return least


class Gatherings:
    """Operators whose tasks all need all that some others do, and what must be done before any of them starts.

    Of what an operator needs as a whole, each task comes before each of its own; so does what each of these tasks
    needs, where all of that is needed by some.
    """

    def __init__(
        self, edges: Edges, operator_of: Ints, seconds: Floats, delays: tuple[Floats, Floats], units: int
    ) -> None:
        self.units, self.operator_of = units, operator_of
        _, self.begin, self.tasks = np.unique(operator_of, return_index=True, return_counts=True)
        self.seconds = seconds[self.begin]
        self.give, self.take = (each[self.begin] for each in delays)
        self.whole: dict[int, list[int]] = defaultdict(list)
        self.covered: dict[int, list[int]] = defaultdict(list)
        count = len(self.begin)
        pairs, needed = defaultdict[int, int](int), defaultdict[int, int](int)
        for found, first, other, by_giver in (
            (pairs, edges.first, edges.givers, False),
            (needed, edges.taken, edges.takers, True),
        ):
            own, of = np.repeat(operator_of, np.diff(first)).astype(np.int64), operator_of[other]
            keys = of * count + own if by_giver else own * count + of
            task = np.repeat(np.arange(len(first) - 1), np.diff(first))
            # Pairs of a task with tasks of one operator stand in a row: of these each task counts once.
            begins = np.flatnonzero(np.append(True, (np.diff(keys) != 0) | (np.diff(task) != 0))) if len(keys) else keys
            weights = np.ones(len(begins), np.int64) if by_giver else np.diff(begins, append=len(keys))
            distinct, number = np.unique(keys[begins], return_inverse=True)
            found.update(zip(distinct.tolist(), np.bincount(number, weights).astype(int).tolist(), strict=True))
        for key, tasks in needed.items():
            taker, giver = divmod(key, count)
            if tasks == self.tasks[giver]:
                self.covered[taker].append(giver)
                if pairs[key] == tasks * self.tasks[taker]:
                    self.whole[taker].append(giver)

    def start_of(self, task: int, head: Floats) -> float:
        """Return a time before which no task of an operator starts, from the heads of those before.

        Args:
            task: The first one of the operator.
            head: Of all tasks before it.
        """
        operator = int(self.operator_of[task])
        tails = {one: min(0.0, float(self.give[one] + self.take[operator])) for one in self.whole[operator]}
        todo = list(tails)
        for one in todo:  # grows; beyond an operator that needs others as a whole, these have been looked at
            for giver in self.covered[one] if not self.whole[one] else ():
                tail = tails[one] + float(self.seconds[one]) + min(0.0, float(self.give[giver] + self.take[one]))
                if giver not in tails:
                    todo.append(giver)
                tails[giver] = max(tails.get(giver, 0.0), tail)
        if not tails:
            return 0.0
        found = np.array(sorted(tails, key=lambda one: -tails[one]))
        taking = min(float(self.take[operator]), float(self.take[found].min()))
        over = max(0.0, float(self.give[found].min()) + taking)
        heads = np.array([head[self.begin[one] : self.begin[one] + self.tasks[one]].min() for one in found.tolist()])
        left, least = np.array([tails[one] for one in found.tolist()]), 0.0
        for start in np.unique(heads).tolist():
            later = heads >= start
            tasks, spent = np.cumsum(self.tasks[found][later]), self.seconds[found][later]
            work, shortest = np.cumsum(self.tasks[found][later] * spent), np.minimum.accumulate(spent)
            rounds = -(-tasks // self.units)
            own = tasks - (self.units - 1) * (rounds - 1)  # of the task's vEU, where the others have a round less
            divided = np.minimum(work, (work + (self.units - 1) * over) / self.units)
            needed = np.maximum(divided, np.minimum(rounds * shortest + over, own * shortest))
            least = max(least, start + float((needed + left[later]).max()))
        return least
