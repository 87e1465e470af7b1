# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What no placement comes below: never above the best of all placements, and at it where hand-overs decide."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from small_graphs import access, graph_of

from roller_mlir.rammer.bounds import bound
from roller_mlir.rammer.bounds.bound import least_makespan_s
from roller_mlir.rammer.bounds.work import Edges, Gatherings
from roller_mlir.rammer.graph.task_graph import TaskGraph, TaskOperator
from roller_mlir.rammer.resident.slots import Slices

HAND_OVER_S = 1.5


def least_makespan(graph: TaskGraph, units: int, delays: Sequence[float] = ()) -> float:
    """Return the shortest time of all placements, by trying each: every task on every vEU, in the order of starts.

    Each task starts so long behind what others hand over to it, or as long as is usual; before its end, where that is
    negative.
    """
    in_order = not delays or min(delays) >= 0  # else a task may start before one that it needs
    producers = [set(found.tolist()) for found in graph.dependences.producers_of(graph.tasks)]
    seconds = graph.seconds.tolist()
    best = float("inf")

    def place(done: dict[int, tuple[float, int]], free: list[float], last: float) -> None:
        nonlocal best
        if len(done) == graph.tasks:
            best = min(best, max(free))
            return
        for task in range(graph.tasks):
            if task in done or not producers[task] <= done.keys():
                continue
            for unit in range(min(units, len(free) + 1)):  # of vEUs without tasks one is as good as another
                at = free[unit] if unit < len(free) else 0.0
                for one in producers[task]:
                    end, on = done[one]
                    at = max(at, end + ((delays[task] if delays else HAND_OVER_S) if on != unit else 0.0))
                end = at + seconds[task]
                if (at >= last or not in_order) and end < best:
                    place({**done, task: (end, unit)}, [*free[:unit], end, *free[unit + 1 :]], at)

    place({}, [], 0.0)
    return best


def random_operators(rng: random.Random) -> list[tuple[int, float, list[int]]]:
    """Return two to five operators, with six tasks at most, mostly one behind the other."""
    found: list[tuple[int, float, list[int]]] = []
    left = 6
    while left and len(found) < 5:
        tasks = min(left, rng.choice((1, 1, 2, 3, 4)))
        needs = [one for one in range(len(found)) if rng.random() < (0.8 if one == len(found) - 1 else 0.2)]
        found.append((tasks, rng.randint(1, 8) / 4, needs))
        left -= tasks
    return found


@pytest.mark.full(every=2)
@pytest.mark.parametrize("units", [1, 2, 3])
def test_no_placement_comes_below_the_bound(units: int) -> None:
    met = 0
    for seed in range(60):
        rng = random.Random(seed)
        graph = graph_of(random_operators(rng), rng if seed % 2 else None)
        least, found = least_makespan(graph, units), least_makespan_s(graph, units, HAND_OVER_S)
        assert found <= least, seed
        met += found >= least * (1 - 1e-9)
    assert met >= 30, met


def test_no_placement_comes_below_it_where_some_wait_longer_than_others() -> None:
    for seed in range(60):
        rng = random.Random(seed)
        graph = graph_of(random_operators(rng), rng if seed % 2 else None)
        of_operator = [rng.choice((0.0, 0.5, 2.0)) for _ in graph.operators]
        delays = [of_operator[number] for number in graph.operator_of]
        found = bound._least_s(Edges.of(graph), graph.seconds, np.array(delays), graph.operator_of, 2)
        assert found <= least_makespan(graph, 2, delays), seed


@pytest.mark.full(every=2)
@pytest.mark.parametrize("units", [1, 2, 3])
def test_no_placement_comes_below_it_where_tasks_begin_early(units: int) -> None:
    met = 0
    for seed in range(40):
        rng = random.Random(seed)
        graph = graph_of(random_operators(rng), rng if seed % 2 else None)
        parts = [rng.choice((0.0, 0.25, 0.5, 1.0)) for _ in graph.operators]
        operators = [
            replace(operator, early_s=operator.seconds * part)
            for operator, part in zip(graph.operators, parts, strict=True)
        ]
        graph = TaskGraph(tuple(operators))
        delays = (HAND_OVER_S - graph.early_seconds).tolist()
        least, found = least_makespan(graph, units, delays), least_makespan_s(graph, units, HAND_OVER_S)
        assert found <= least, seed
        met += found >= least * (1 - 1e-9)
    assert met >= 15, met


def at_home(rng: random.Random, units: int) -> tuple[TaskGraph, NDArray[np.int32]]:
    """Return a graph of which some operators keep slices, some of them the same, and the vEU of each of their tasks."""
    graph = graph_of(random_operators(rng), rng if rng.random() < 0.5 else None)
    operators: list[TaskOperator] = []
    for one in graph.operators:
        if rng.random() < 0.7:
            columns = [[range(task, task + 1)] for task in range(one.tasks)]
            weights = replace(access(1000 + rng.randrange(2), 0, (6,), 4, columns), early=True, slot_bytes=16)
            early_s = one.seconds * rng.choice((0.0, 0.25, 0.5))
            fill_s = rng.choice((0.0, 0.5, 2.0))
            brought = (one.seconds + fill_s, early_s + fill_s)
            one = replace(one, reads=(*one.reads, weights), early_s=early_s, brought=brought)
        operators.append(one)
    graph = TaskGraph(tuple(operators))
    slices = Slices.read(graph)
    home = np.full(graph.tasks, -1, np.int32)
    unit = np.array([rng.randrange(units) for _ in slices.bytes], np.int32)
    home[slices.tasks] = unit[slices.flat]
    return graph, home


def least_at_home(graph: TaskGraph, units: int, home: NDArray[np.int32]) -> float:
    """Return the shortest time of all placements in which tasks with homes are there, by trying each.

    The first task on a vEU that reads a slice brings it, before its waits are over.
    """
    producers = [set(found.tolist()) for found in graph.dependences.producers_of(graph.tasks)]
    slices = Slices.read(graph)
    fill, reads = [0.0] * graph.tasks, [-1] * graph.tasks
    for task, number, spent in zip(slices.tasks, slices.flat, slices.fill_seconds(graph), strict=True):
        fill[task], reads[task] = float(spent), int(number)
    best = float("inf")

    def place(done: dict[int, tuple[float, int]], free: tuple[float, ...], there: frozenset[tuple[int, int]]) -> None:
        nonlocal best
        if len(done) == graph.tasks:
            best = min(best, max(free))
            return
        for task in range(graph.tasks):
            if task in done or not producers[task] <= done.keys():
                continue
            for unit in range(units) if home[task] < 0 else (home[task],):
                brings = (reads[task], unit) not in there and reads[task] >= 0
                at = free[unit] + (fill[task] if brings else 0.0)
                for one in producers[task]:
                    end, on = done[one]
                    at = max(at, end + (HAND_OVER_S - graph.early_seconds[task] if on != unit else 0.0))
                end = float(at + graph.seconds[task])
                if end < best:
                    now = (*free[:unit], end, *free[unit + 1 :])
                    place({**done, task: (end, unit)}, now, there | {(reads[task], unit)})

    place({}, (0.0,) * units, frozenset())
    return best


@pytest.mark.full(every=2)
@pytest.mark.parametrize("units", [2, 3])
def test_no_placement_with_these_homes_comes_below_their_bound(units: int) -> None:
    met = higher = 0
    for seed in range(60):
        graph, home = at_home(random.Random(seed), units)
        least = least_at_home(graph, units, home)
        found, of_all = (least_makespan_s(graph, units, HAND_OVER_S, one) for one in (home, None))
        assert of_all <= found <= least, seed
        met += found >= least * (1 - 1e-9)
        higher += found > of_all
    assert met >= 25 and higher >= 25, (met, higher)


def test_tasks_of_one_home_run_one_after_the_other_and_bring_their_slices() -> None:
    """Six tasks that one vEU keeps slices for, in two operators that need nothing of each other."""
    columns = [[range(task, task + 1)] for task in range(3)]
    weights = replace(access(9, 0, (3,), 4, columns), early=True, slot_bytes=16)
    one = TaskOperator("cell", 3, 1.0, (weights,), (), brought=(1.5, 0.5))
    graph = TaskGraph((one, replace(one, name="next")))
    assert least_makespan_s(graph, 4, HAND_OVER_S) == pytest.approx(2.0)
    assert least_makespan_s(graph, 4, HAND_OVER_S, np.zeros(6, np.int32)) == pytest.approx(6.0 + 3 * 0.5)
    apart = np.array([0, 1, 2, 0, 1, 2], np.int32)
    assert least_makespan_s(graph, 4, HAND_OVER_S, apart) == pytest.approx(2.5)


@pytest.mark.parametrize("step", ["on", "between"])
def test_a_mistake_in_a_step_about_homes_is_found(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if step == "on":
        right = bound._Handed.on
        monkeypatch.setattr(bound._Handed, step, lambda *given: 1.05 * right(*given))
    else:
        between = bound._Brought.between

        def longer(*given: Any) -> Any:
            on, head, spent, tail = between(*given)
            return on, head, 1.05 * spent, tail

        monkeypatch.setattr(bound._Brought, step, longer)
    graphs = [at_home(random.Random(seed), 2) for seed in range(20)]
    assert any(
        least_makespan_s(one, 2, HAND_OVER_S, home) > least_at_home(one, 2, home) * (1 + 1e-9) for one, home in graphs
    )


@pytest.mark.parametrize(
    ("tasks", "seconds", "least"),
    [
        (2, 1.0, 2.0),  # on one vEU
        (4, 1.0, 1.5 + 2.0),  # on two
        (9, 1.0, 3.0 + 1.0),  # each on another than those before and behind
    ],
)
def test_tasks_between_two(tasks: int, seconds: float, least: float) -> None:
    """Of a task, so many that need it, and one that needs these, again and again, no hand-over is left out."""
    cells: list[tuple[int, float, list[int]]] = [(1, 1.0, [])]
    cells += [(count, seconds, [number]) for number, count in enumerate((tasks, 1) * 5)]
    found = least_makespan_s(graph_of(cells), 100, HAND_OVER_S)
    assert found == pytest.approx(1.0 + 5 * (least + seconds))


def test_all_work_lies_between_a_head_and_a_tail() -> None:
    cells: list[tuple[int, float, list[int]]] = [(1, 2.0, []), (40, 1.0, [0]), (1, 3.0, [1])]
    assert least_makespan_s(graph_of(cells), 4, HAND_OVER_S) >= 2 + 40 / 4 + 3


def test_all_tasks_of_an_operator_come_behind_all_of_others() -> None:
    """Ten tasks on four vEUs take three rounds and a hand-over, or one has four of them; three are quicker on one."""
    cells: list[tuple[int, float, list[int]]] = [(10, 1.0, []), (3, 0.5, [0]), (10, 1.0, [1]), (3, 0.5, [2])]
    assert least_makespan_s(graph_of(cells), 4, HAND_OVER_S) == pytest.approx(4 + 3 * 0.5 + 4 + 0.5)


@pytest.mark.parametrize("where", [(bound, "_join"), (bound, "_window"), (bound, "sweep"), (Gatherings, "start_of")])
def test_a_mistake_in_a_step_is_found(where: tuple[Any, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that says a twentieth too much is above the best placement of one of these graphs."""
    right = getattr(*where)
    monkeypatch.setattr(*where, lambda *given: 1.05 * right(*given))
    graphs = [graph_of(random_operators(random.Random(seed))) for seed in range(20)]
    assert any(least_makespan_s(one, 2, HAND_OVER_S) > least_makespan(one, 2) for one in graphs)
