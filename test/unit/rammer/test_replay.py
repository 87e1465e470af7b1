# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A schedule walked in predicted times: equal to the longest path over its orders, and never below the bound."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest
from graph_models import branches
from small_graphs import conflicts, random_graph

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.scheduled_program import scheduled_program
from roller_mlir.compiler.source import Source
from roller_mlir.rammer.events import add_barriers, add_events, reduce_waits
from roller_mlir.rammer.policy import POLICIES
from roller_mlir.rammer.replay import NO_TASK, longest_chain_s, replay
from roller_mlir.rammer.schedule import Schedule
from roller_mlir.rammer.task_graph import TaskGraph

HAND_OVER_S = 0.75


def with_times(graph: TaskGraph, rng: random.Random) -> TaskGraph:
    """Return a graph whose tasks take a quarter of a second to some seconds, so that sums are exact.

    Half of them may do a part of that before their waits are over.
    """
    times = [rng.randint(1, 12) for _ in graph.operators]
    early = [rng.choice([0, rng.randint(0, time)]) for time in times]
    return TaskGraph(
        tuple(
            replace(one, seconds=time / 4, early_s=part / 4)
            for one, time, part in zip(graph.operators, times, early, strict=True)
        )
    )


def longest_paths(graph: TaskGraph, schedule: Schedule) -> list[float]:
    """Return when each task's waits are over at the earliest, by relaxing every order until nothing changes."""
    unit, _ = schedule.place
    early = graph.early_seconds.tolist()
    start = list(early)
    orders = [(a, b, early[b]) for program in schedule.programs for a, b in itertools.pairwise(program)]
    orders += [
        (int(producer), task, HAND_OVER_S if unit[producer] != unit[task] else 0.0)
        for task, waits in enumerate(schedule.waits)
        for event in waits
        for producer in np.flatnonzero(schedule.signals == event)
    ]
    for _ in range(graph.tasks):
        for before, after, delay in orders:
            start[after] = max(start[after], start[before] + float(graph.seconds[before]) - early[before] + delay)
    return start


@pytest.mark.parametrize("seed", range(30))
def test_starts_are_the_longest_paths(seed: int) -> None:
    rng = random.Random(seed)
    graph = with_times(random_graph(rng), rng)
    if conflicts(graph) is None:
        pytest.skip("no schedule is right")
    units = rng.randint(1, 4)
    programs = POLICIES[rng.choice(list(POLICIES))](graph, units, HAND_OVER_S)
    fine = add_events(graph, programs)
    for schedule in (fine, reduce_waits(fine), add_barriers(graph, programs)):
        found = replay(graph, schedule, HAND_OVER_S)
        assert found.start_s.tolist() == longest_paths(graph, schedule)
        assert (found.end_s == found.start_s + graph.seconds - graph.early_seconds).all()
        assert (found.begin_s + graph.early_seconds <= found.start_s).all()
        assert all(found.end_s[a] == found.begin_s[b] for one in schedule.programs for a, b in itertools.pairwise(one))
        pairs = graph.dependences
        assert (found.end_s[pairs.producers] <= found.start_s[pairs.consumers]).all()
        assert found.bound_s <= found.makespan_s
        assert found.bound_s >= graph.seconds.max(initial=0.0)
        assert 0 < found.utilisation <= 1
        path = found.critical_path
        assert found.end_s[path[-1]] == found.makespan_s and found.behind[path[0]] == NO_TASK
        assert found.start_s[path[0]] == graph.early_seconds[path[0]]
        unit, _ = schedule.place
        for before, after in itertools.pairwise(path):
            delay = HAND_OVER_S if unit[before] != unit[after] else graph.early_seconds[after]
            assert found.start_s[after] == found.end_s[before] + delay


def _least_makespan(graph: TaskGraph, units: int) -> float:
    """Return the shortest time of all placements on so many vEUs, by trying each, task by task."""
    producers = [set(found.tolist()) for found in graph.dependences.producers_of(graph.tasks)]
    early = graph.early_seconds.tolist()
    late = (graph.seconds - graph.early_seconds).tolist()

    def least(done: dict[int, tuple[float, int]], free: tuple[float, ...]) -> float:
        if len(done) == graph.tasks:
            return max(free)
        found = float("inf")
        for task in range(graph.tasks):
            if task in done or not producers[task] <= done.keys():
                continue
            for unit in range(units):
                ready = [
                    end + (HAND_OVER_S if on != unit else 0.0) for end, on in (done[one] for one in producers[task])
                ]
                end = max([free[unit] + early[task], *ready]) + late[task]
                found = min(found, least({**done, task: (end, unit)}, (*free[:unit], end, *free[unit + 1 :])))
        return found

    return least({}, (0.0,) * units)


def test_no_placement_comes_below_the_bound() -> None:
    met = handed = 0
    for seed in range(400):
        rng = random.Random(seed)
        graph = with_times(random_graph(rng), rng)
        if graph.tasks > 5 or conflicts(graph) is None:
            continue
        least, bound = _least_makespan(graph, 2), longest_chain_s(graph, HAND_OVER_S)
        assert bound <= least * (1 + 1e-9), seed
        met += bound >= least * (1 - 1e-9)
        handed += bound > longest_chain_s(graph, 0.0)
    assert met > 10 and handed > 3, (met, handed)


def test_what_waits_for_ever_is_no_time() -> None:
    graph = random_graph(random.Random(3))
    programs = (np.arange(graph.tasks, dtype=np.int32),)
    nothing = tuple(np.zeros(0, np.int32) for _ in range(graph.tasks))
    waits = (np.zeros(1, np.int32), *nothing[1:])
    stuck = Schedule(programs, waits, np.full(graph.tasks, -1, np.int32), np.ones(1, np.int32))
    with pytest.raises(ValueError, match=f"{graph.tasks} tasks of the schedule wait for ever"):
        replay(graph, stuck, HAND_OVER_S)


def test_a_wave_is_as_wide_as_all_that_runs_side_by_side() -> None:
    """Four branches have more blocks than the largest product alone has tasks, and less predicted time."""
    text = branches((32,) * 4)[0]
    options = CompileOptions(persistent=True, block_threads=64)
    wide = scheduled_program(Source("branches", text), "h200", options)
    largest = max(one.tasks for one in wide.graph.operators)
    assert largest < len(wide.schedule.programs)
    narrow = scheduled_program(Source("branches", text), "h200", replace(options, blocks=largest))
    times = [replay(one.graph, one.schedule, options.hand_over_s) for one in (wide, narrow)]
    assert times[0].makespan_s < times[1].makespan_s
    assert times[0].work_bound_s < times[1].work_bound_s
