# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A schedule walked in predicted times: equal to the longest path over its orders, and never below the bound."""

import heapq
import itertools
import random
from dataclasses import replace

import numpy as np
import pytest
from graph_models import branches
from small_graphs import conflicts, graph_of, random_graph

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.scheduled_program import scheduled_program
from roller_mlir.compiler.source import Source
from roller_mlir.rammer.bounds.bound import least_makespan_s
from roller_mlir.rammer.chains import waves_of
from roller_mlir.rammer.events import add_barriers, add_events, reduce_waits
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.policy import NEAR, POLICIES, WORTH, wavefront
from roller_mlir.rammer.schedule import Schedule
from roller_mlir.rammer.times.replay import NO_TASK, path_of_run, replay

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


def test_the_path_of_a_run_is_what_its_last_task_stood_behind() -> None:
    rng, tried = random.Random(5), 0
    while tried < 100:
        graph = random_graph(rng)
        if conflicts(graph) is None:
            continue
        graph = TaskGraph(tuple(replace(one, seconds=rng.randint(1, 12) / 4) for one in graph.operators))
        schedule = add_events(graph, POLICIES["list"](graph, rng.randint(1, 3), 0.0))
        times, tried = replay(graph, schedule, 0.0), tried + 1
        path = path_of_run(schedule, times.end_s.tolist())
        assert times.start_s[path[0]] == 0 and times.end_s[path[-1]] == times.makespan_s
        for before, task in itertools.pairwise(path):
            assert times.end_s[before] == times.start_s[task]


@pytest.mark.full(every=3)
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
        bound = least_makespan_s(graph, units, HAND_OVER_S)
        assert float(graph.seconds.max(initial=0.0)) * (1 - 1e-9) <= bound <= found.makespan_s
        assert 0 < found.utilisation <= 1
        path = found.critical_path
        assert found.end_s[path[-1]] == found.makespan_s and found.behind[path[0]] == NO_TASK
        assert found.start_s[path[0]] == graph.early_seconds[path[0]]
        unit, _ = schedule.place
        for before, after in itertools.pairwise(path):
            delay = HAND_OVER_S if unit[before] != unit[after] else graph.early_seconds[after]
            assert found.start_s[after] == found.end_s[before] + delay


@pytest.mark.full(every=3)
@pytest.mark.parametrize("seed", range(40))
def test_no_wave_ends_sooner_behind_a_barrier(seed: int) -> None:
    """Nothing is lost by one program for all waves, where RAMMER's Algorithm 1 may begin another."""
    rng = random.Random(seed)
    operators = [
        (rng.randint(1, 5), rng.randint(1, 8) / 4, [one for one in range(number) if rng.random() < 0.4])
        for number in range(rng.randint(3, 8))
    ]
    graph, units = graph_of(operators, rng if seed % 2 else None), rng.randint(1, 4)
    apart = -HAND_OVER_S
    for wave in waves_of(graph.operator_producers):
        free = [0.0] * units
        for number in wave:
            for _ in range(operators[number][0]):
                heapq.heapreplace(free, free[0] + operators[number][1])
        apart += HAND_OVER_S + max(free)
    programs = wavefront(graph, units, HAND_OVER_S)
    assert replay(graph, add_events(graph, programs), HAND_OVER_S).makespan_s <= apart


@pytest.mark.full
def test_the_order_of_waves_is_taken_where_it_is_shorter() -> None:
    """Where vEUs idle for a tenth of the time, "list" is "wavefront" if that is shorter by more than 3 %."""
    as_waves = shorter = 0
    for seed in range(150):
        rng = random.Random(seed)
        operators = [
            (rng.randint(1, 6), rng.randint(1, 8) / 4, [one for one in range(number) if rng.random() < 0.3])
            for number in range(rng.randint(4, 10))
        ]
        graph, units = graph_of(operators, rng), rng.randint(2, 4)
        both = [POLICIES[name](graph, units, HAND_OVER_S) for name in ("list", "wavefront")]
        first, waves = (replay(graph, add_events(graph, one), HAND_OVER_S).makespan_s for one in both)
        if waves < WORTH * first:
            assert first <= NEAR * float(graph.seconds.sum()) / units
        same = all(np.array_equal(one, other) for one, other in zip(*both, strict=True))
        as_waves += same and first > NEAR * float(graph.seconds.sum()) / units
        shorter += first < waves
    assert as_waves and shorter


def test_what_waits_for_ever_is_no_time() -> None:
    graph = random_graph(random.Random(3))
    programs = (np.arange(graph.tasks, dtype=np.int32),)
    nothing = tuple(np.zeros(0, np.int32) for _ in range(graph.tasks))
    waits = (np.zeros(1, np.int32), *nothing[1:])
    stuck = Schedule(programs, waits, np.full(graph.tasks, -1, np.int32), np.ones(1, np.int32))
    with pytest.raises(ValueError, match=f"{graph.tasks} tasks of the schedule wait for ever"):
        replay(graph, stuck, HAND_OVER_S)


@pytest.mark.full
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
    assert times[0].work_s < times[1].work_s
