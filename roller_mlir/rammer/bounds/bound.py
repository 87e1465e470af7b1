# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What no placement of tasks on vEUs comes below, and a proof of it: each step says what all placements have in common.

A task's head is a time before which it starts in no placement, its tail one that passes in any between its end and the
end of all; tails are heads of the reversed graph. What is not done on the vEU of a task is handed over to it.

- A join: what a task needs runs on its own vEU, one after the other, or ends a hand-over before it starts.
- A window: of the tasks between one and another, those that run on neither's vEU are handed over twice; the others
  share these two, or one.
- A sweep (`work`): tasks between a head and a tail have all vEUs for what lies between.
- A gathering (`work`): so have those that all tasks of an operator need, and all but one vEU hand over to each.

Where tasks have homes, for their slices lie there (`slots`), all placements with these homes have more in common:

- A home: what a task needs of another vEU is handed over to it, what it needs of its own runs there in a row.
- A sweep of each vEU: tasks at home there between a head and a tail, and bringing each slice once, have it alone.

Paper: none of RAMMER. The join is the bound of Papadimitriou and Yannakakis (Towards an Architecture-Independent
Analysis of Parallel Algorithms, 1990), which lets tasks run twice; a window holds because each runs once.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from roller_mlir.rammer.bounds.work import Edges, Floats, Gatherings, sweep
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.parts import Ints
from roller_mlir.rammer.resident.slots import Slices

ROUNDING = 1e-12
"""Of a sum of seconds: a bound lies so much below it."""


def least_makespan_s(graph: TaskGraph, units: int, hand_over_s: float, home: Ints | None = None) -> float:
    """Return what no placement of the tasks of a graph comes below, in seconds.

    Args:
        graph: The tasks, with their predicted times.
        units: How many vEUs there are.
        hand_over_s: How long it takes from a task's end until the waits are over of one on another vEU that needs it,
            which has then done what it may do early.
        home: The vEU of each task that has one, -1 of others: no placement with these homes comes below it. None: none
            does with whatever homes.
    """
    if not graph.tasks:
        return 0.0
    delays = hand_over_s - graph.early_seconds
    edges, of = Edges.of(graph), graph.operator_of
    if home is None or (home < 0).all():
        return _least_s(edges, graph.seconds, delays, of, units)
    return _least_s(edges, graph.seconds, delays, of, units, home, _Brought.of(graph))


def _least_s(
    edges: Edges,
    seconds: Floats,
    delays: Floats,
    operator_of: Ints,
    units: int,
    home: Ints | None = None,
    brought: "_Brought | None" = None,
) -> float:
    """Return `least_makespan_s` of tasks that start some time behind, or before, the end of what others hand over."""
    none = np.zeros_like(delays)
    turned = None if home is None else home[::-1]
    heads = _heads(edges, seconds, (none, delays), operator_of, units, home)
    tails = _heads(edges.reversed, seconds[::-1], (delays[::-1], none), operator_of[::-1], units, turned)[::-1]
    least = max(float((heads + seconds + tails).max()), sweep(heads, seconds, tails, units))
    if home is not None:
        kept = np.flatnonzero(home >= 0)
        rows = [home[kept], heads[kept], seconds[kept], tails[kept]]
        if brought is not None:
            rows = [np.append(*both) for both in zip(rows, brought.between(home, heads, seconds + tails), strict=True)]
        on, *others = rows
        for unit in np.unique(on).tolist():
            head, spent, tail = (each[on == unit] for each in others)
            least = max(least, sweep(head, spent, tail, 1))
    return least * (1 - ROUNDING)


@dataclass(frozen=True, eq=False)
class _Brought:
    """What tasks bring to their homes: slices, by task, and how long each takes."""

    slices: Ints
    tasks: Ints
    seconds: Floats

    @classmethod
    def of(cls, graph: TaskGraph) -> "_Brought":
        slices = Slices.read(graph)
        return cls(slices.flat, slices.tasks, slices.fill_seconds(graph))

    def between(self, home: Ints, heads: Floats, behind: Floats) -> tuple[Ints, Floats, Floats, Floats]:
        """Return of each slice its vEU, before when none brings it, how long that takes, and what passes behind it.

        Who brings it is not known. It does so just before its own start, in front of or behind what else it brings.
        """
        of_task = np.bincount(self.tasks, self.seconds, len(heads))
        there, units = home[self.tasks] >= 0, int(home.max()) + 1
        tasks = self.tasks[there]
        key = self.slices[there].astype(np.int64) * units + home[tasks]
        distinct, number = np.unique(key, return_inverse=True)
        head, spent, tail = (np.full(len(distinct), np.inf) for _ in range(3))
        np.minimum.at(head, number, np.maximum(0.0, heads[tasks] - of_task[tasks]))
        np.minimum.at(spent, number, self.seconds[there])
        np.minimum.at(tail, number, behind[tasks])
        return (distinct % units).astype(np.int32), head, spent, tail


def _heads(
    edges: Edges,
    seconds: Floats,
    delays: tuple[Floats, Floats],
    operator_of: Ints,
    units: int,
    home: Ints | None = None,
) -> Floats:
    """Return a time of each task before which it starts in no placement.

    Args:
        edges: What comes before what.
        seconds: How long each task takes.
        delays: How long each task takes to hand over, and to be handed over to.
        operator_of: Tasks of one operator are alike.
        units: How many vEUs there are.
        home: The vEU of each task, -1 where it may run on any; None where all may.
    """
    give, take = delays
    head, end = np.zeros(len(seconds)), seconds.copy()
    gatherings = Gatherings(edges, operator_of, seconds, delays, units)
    begins = np.flatnonzero(np.diff(operator_of, prepend=-1)).tolist()
    for begin, stop in pairwise((*begins, len(seconds))):
        known: dict[bytes, float] = {}  # tasks of one operator need the same
        handed: dict[bytes, _Handed] = {}
        least = gatherings.start_of(begin, head)
        for task in range(begin, stop):
            before = edges.before(task)
            if len(before) and (key := before.tobytes()) not in known:
                known[key] = max(_join(head[before], seconds[before], give[before] + take[task], units), least)
                last = int(before[end[before].argmax()])
                if len(above := edges.before(last)):
                    # From the last to end of those that this one needs, through all that need it.
                    first = int(above[end[above].argmax()])
                    between, at = np.intersect1d(edges.behind(first), before, assume_unique=True), float(end[first])
                    over = give[first] + take[between], give[between] + take[task]
                    known[key] = max(known[key], at + _window(head[between] - at, seconds[between], *over))
                if home is not None:
                    over = give[before] + take[task]
                    handed[key] = _Handed(home[before], head[before], seconds[before], over)
            if len(before):
                head[task] = max(0.0, known[key])
                if home is not None and home[task] >= 0:
                    head[task] = max(head[task], handed[key].on(int(home[task])))
                end[task] += head[task]
    return head


class _Handed:
    """When all is there that a task needs, by the vEU on which it runs.

    Attributes:
        last: When the last of it is, on a vEU where none of it ran.
        last_on: The vEU of that.
        other: When the last is of what ran elsewhere than there.
        own: By vEU, when it has done what runs there.
    """

    def __init__(self, home: Ints, head: Floats, seconds: Floats, over: Floats) -> None:
        end = head + seconds
        there = end + np.where(home >= 0, over, np.minimum(0.0, over))
        last = int(there.argmax())
        self.last, self.last_on = float(there[last]), int(home[last])
        self.other = float(there[home != self.last_on].max(initial=0.0))
        self.own: dict[int, float] = dict(zip(home.tolist(), end.tolist(), strict=True))
        if len(self.own) < len(home):
            for unit in self.own:
                self.own[unit] = _in_a_row(head[home == unit], seconds[home == unit])

    def on(self, unit: int) -> float:
        """Return a time before which a task cannot start on a vEU."""
        return max(self.other if unit == self.last_on else self.last, self.own.get(unit, 0.0))


def _join(head: Floats, seconds: Floats, over: Floats, units: int) -> float:
    """Return a time before which a task cannot start, from heads, seconds and hand-overs of all that it needs.

    At a time T what ends less than its hand-over before runs on the task's own vEU: `own` is the least T for so many of
    these. And its vEU has from the first head to T for all of them, the others have a hand-over less.

    >>> one = np.ones(8)
    >>> _join(0 * one, one, 1.5 * one, 100), _join(0 * one[:2], one[:2], 1.5 * one[:2], 100)
    (2.5, 2.0)
    >>> _join(0 * one, one, 1.5 * one, 2)
    4.75
    """
    handed = head + seconds + over
    order = np.argsort(-handed, kind="stable")
    handed, sorted_head, sorted_seconds = handed[order], head[order], seconds[order]
    least = float(handed[0])
    for number in np.flatnonzero(np.append(handed[1:] < handed[:-1], True)).tolist():
        own = _in_a_row(sorted_head[: number + 1], sorted_seconds[: number + 1])
        least = min(least, max(own, float(handed[number + 1]) if number + 1 < len(handed) else own))
        if own >= least:
            break
    work, soonest = float(seconds.sum()), float(over.min())
    shared = min(work, (work + (units - 1) * soonest) / units) if soonest >= 0 else work / units + soonest
    return max(least, float(head.min()) + shared)


def _in_a_row(head: Floats, seconds: Floats) -> float:
    """Return when one vEU has done tasks at the earliest."""
    order = np.argsort(-head, kind="stable")
    return float((head[order] + np.cumsum(seconds[order])).max())


def _window(head: Floats, seconds: Floats, into: Floats, out: Floats) -> float:
    """Return the least time from the end of a task to the start of one, with tasks between that need the first.

    Those of them that run elsewhere are handed over twice. At a time T those for which this takes longer run on the two
    tasks' vEUs: one after the other if that is one vEU; else each of the two has a hand-over less than T for them.

    >>> one = np.ones(16)
    >>> _window(0 * one, one, 1.5 * one, 1.5 * one)
    4.0
    >>> _window(0 * one[:3], one[:3], 1.5 * one[:3], 1.5 * one[:3])
    3.0
    """
    elsewhere = np.maximum(head, into) + seconds + out
    order = np.argsort(elsewhere, kind="stable")
    elsewhere, seconds, into, out = elsewhere[order], seconds[order], into[order], out[order]
    least = float(elsewhere[-1])
    for number in [0, *(1 + np.flatnonzero(elsewhere[1:] > elsewhere[:-1])).tolist()]:
        here, first, last = seconds[number:], float(into[number:].min()), float(out[number:].min())
        work, most = float(here.sum()), max(float(here.max()), (len(here) + 1) // 2 * float(here.min()))
        both = min(work + min(0.0, first, last), max((work + first + last) / 2, most + min(first, last)))
        least = min(least, max(both, float(elsewhere[number - 1]) if number else both))
        if number and elsewhere[number - 1] >= least:
            break
    return least
