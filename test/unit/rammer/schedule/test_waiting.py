# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tasks wait for, told run by run and wave by wave, is what it is task by task."""

import random
from dataclasses import replace
from math import inf

import numpy as np
import pytest
from small_graphs import conflicts, random_graph

from roller_mlir.rammer.chains import soonest_of, tasks_in_waves, urgency_of
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.policy import _Ends, _Waiting

HAND_OVER_S = 0.25


@pytest.fixture(scope="module")
def graphs() -> list[TaskGraph]:
    rng, found = random.Random(7), list[TaskGraph]()
    while len(found) < 60:
        graph = random_graph(rng)
        if conflicts(graph) is not None:
            times = [(rng.random(), rng.random()) for _ in graph.operators]
            timed = zip(graph.operators, times, strict=True)
            found.append(TaskGraph(tuple(replace(op, seconds=s, early_s=s * part) for op, (s, part) in timed)))
    return found


def test_sets_are_of_runs_of_one_operator(graphs: list[TaskGraph]) -> None:
    shared = apart = 0
    for graph in graphs:
        (_, sets), (runs_of, runs) = graph.producer_sets, graph.producer_runs
        rows = [tuple(run.tolist()) for run in runs]
        assert len({*rows}) == len(rows)
        assert all(len({*graph.operator_of[run].tolist()}) == 1 for run in runs)
        for one, numbers in zip(sets, runs_of, strict=True):
            operators = [int(graph.operator_of[rows[number][0]]) for number in numbers.tolist()]
            assert len({*operators}) == len(operators)
            assert sorted(task for number in numbers.tolist() for task in rows[number]) == one.tolist()
        shared += len(runs_of.numbers) - len(runs)
        apart += sum(row[-1] - row[0] >= len(row) for row in rows)
    assert shared
    assert apart  # runs that their first task and their size do not tell


def test_times_by_waves_are_longest_paths(graphs: list[TaskGraph]) -> None:
    for graph in graphs:
        waves, pairs = tasks_in_waves(graph), graph.dependences
        both = [*zip(pairs.producers.tolist(), pairs.consumers.tolist(), strict=True)]
        soonest, urgency = np.zeros(graph.tasks), graph.seconds.copy()
        for task in range(graph.tasks):
            if ends := [soonest[a] + graph.seconds[a] for a, b in both if b == task]:
                soonest[task] = max(ends) + HAND_OVER_S - graph.early_seconds[task]
        for task in reversed(range(graph.tasks)):
            if behind := [urgency[b] - graph.early_seconds[b] for a, b in both if a == task]:
                urgency[task] += HAND_OVER_S + max(behind)
        np.testing.assert_array_equal(soonest_of(graph, waves, HAND_OVER_S), soonest)
        np.testing.assert_array_equal(urgency_of(graph, waves, HAND_OVER_S), urgency)


def test_tasks_come_when_their_last_producer_is_placed(graphs: list[TaskGraph]) -> None:
    for graph in graphs:
        waiting, pairs = _Waiting(graph), graph.dependences
        missing = np.bincount(pairs.consumers, minlength=graph.tasks)
        assert sorted(waiting.first()) == np.flatnonzero(missing == 0).tolist()
        for task in range(graph.tasks):
            mine = pairs.consumers[pairs.producers == task]
            missing[mine] -= 1
            assert sorted(waiting.place(task)) == mine[missing[mine] == 0].tolist()


def test_the_last_of_groups_of_groups_is_the_last_of_all() -> None:
    rng = random.Random(3)
    for _ in range(300):
        runs = [[(rng.randrange(6) / 8, rng.randrange(3)) for _ in range(rng.randint(1, 3))] for _ in range(3)]
        of_run, of_set = _Ends(len(runs)), _Ends(1)
        for number in rng.sample(range(len(runs)), len(runs)):
            for end, unit in runs[number]:
                of_run.add(number, end, unit, -inf)
            of_set.add(0, *of_run.of(number))
        last, last_on, other = of_set.of(0)
        for here in range(3):
            found = max(last, other + HAND_OVER_S) if here == last_on else last + HAND_OVER_S
            assert found == max(end + HAND_OVER_S * (unit != here) for run in runs for end, unit in run)
