# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The proof of a schedule accepts exactly what a walk over every interleaving accepts."""

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from small_graphs import access, conflicts, early_conflicts, is_right, mutations, random_graph

from roller_mlir.rammer import events
from roller_mlir.rammer.chains import waves_of
from roller_mlir.rammer.clocks import clocks_of
from roller_mlir.rammer.events import add_barriers, add_events, reduce_waits
from roller_mlir.rammer.graph import boxes, task_graph
from roller_mlir.rammer.graph.boxes import TaskBoxes
from roller_mlir.rammer.graph.task_graph import ConflictError, TaskAccess, TaskGraph, TaskOperator
from roller_mlir.rammer.policy import POLICIES
from roller_mlir.rammer.proof import find_faults
from roller_mlir.rammer.schedule import Schedule


def accepted(graph: TaskGraph, schedule: Schedule) -> bool:
    """Return whether the proof accepts a schedule of a graph."""
    try:
        return not find_faults(graph, schedule)
    except ConflictError:
        return False


def judged(seed: int) -> Counter[tuple[str, bool]]:
    """Hold the proof to the truth for 125 mutants, and return how many there were of each kind, right and wrong."""
    rng = random.Random(seed)
    tried = Counter[tuple[str, bool]]()
    while tried.total() < 125:
        graph = random_graph(rng)
        conflicting = conflicts(graph)
        if conflicting is None:  # no schedule is right
            with pytest.raises(ConflictError):
                _ = graph.dependences
            continue
        pairs = graph.dependences
        assert set(zip(pairs.producers.tolist(), pairs.consumers.tolist(), strict=True)) <= conflicting
        policy = POLICIES[rng.choice(sorted(POLICIES))]
        schedule = add_events(graph, policy(graph, rng.randint(1, 3), 1e-6))
        reduced = reduce_waits(schedule)
        for right in (schedule, reduced):
            assert is_right(right, conflicting)
            assert accepted(graph, right)
        assert reduced.wait_count <= schedule.wait_count
        for kind, changed, mutant in mutations(graph, rng.choice([schedule, reduced]), rng, 10):
            pairs_of_it = conflicting if changed is graph else conflicts(changed)
            right = is_right(mutant, pairs_of_it, early_conflicts(changed))
            assert accepted(changed, mutant) == right, (kind, changed, mutant)
            tried[kind, right] += 1
    return tried


@pytest.mark.full(every=80)
@pytest.mark.parametrize("seed", range(80))
def test_proof_is_exact(seed: int) -> None:
    """125 mutants a seed: nothing wrong is accepted, nothing right is refused."""
    tried = judged(seed)
    wrong = sum(count for (_, right), count in tried.items() if not right)
    assert 25 < wrong < 110, "mutations that are all right or all wrong prove nothing"
    assert tried["overlap", False] and tried["overlap", True]


def test_early_reads_are_right_and_wrong() -> None:
    tried = judged(0) + judged(1)
    assert tried["early", False] and tried["early", True]


@pytest.mark.full(every=2)
@pytest.mark.parametrize("seed", range(5))
def test_barriers_stand_between_waves(seed: int) -> None:
    """Each task of a wave is before each of the next ones, by one wait of each vEU for each barrier at most."""
    rng = random.Random(seed)
    barriers = 0
    for _ in range(20):
        graph = random_graph(rng)
        try:
            waves = waves_of(graph.operator_producers)
        except ConflictError:
            continue
        units = rng.randint(1, 3)
        schedule = add_barriers(graph, POLICIES[rng.choice(sorted(POLICIES))](graph, units, 1e-6))
        assert schedule.wait_count <= units * (len(waves) - 1)
        barriers += schedule.wait_count
        for one in (schedule, reduce_waits(schedule)):
            assert not find_faults(graph, one)
            unit, position = one.place
            wave = np.array([n for task in graph.operator_of for n, ops in enumerate(waves) if task in ops])
            for task, clock in enumerate(clocks_of(one).before):
                earlier = np.flatnonzero(wave < wave[task])
                assert (clock[unit[earlier]] > position[earlier]).all()
    assert barriers > 20


@pytest.mark.full(every=2)
@pytest.mark.parametrize("seed", range(5))
def test_reduction_leaves_the_least_number_of_waits(seed: int) -> None:
    """No wait of a reduced schedule can be left out: without any of them some pair loses its order."""
    rng = random.Random(seed)
    for _ in range(20):
        graph = random_graph(rng)
        try:
            reduced = reduce_waits(add_events(graph, POLICIES["list"](graph, 3, 1e-6)))
        except ConflictError:
            continue
        for task, waits in enumerate(reduced.waits):
            for event in waits.tolist():
                fewer = list(reduced.waits)
                fewer[task] = waits[waits != event]
                assert find_faults(graph, Schedule(reduced.programs, tuple(fewer), reduced.signals, reduced.counts))


def test_waits_are_the_same_however_many_pairs_are_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    def reduced() -> list[list[int]]:
        found: list[list[int]] = []
        for seed in range(30):
            graph = random_graph(random.Random(seed))
            if conflicts(graph) is not None:
                schedule = reduce_waits(add_events(graph, POLICIES["round-robin"](graph, 3, 1e-6)))
                found += [schedule.signals.tolist(), *(waits.tolist() for waits in schedule.waits)]
        return found

    whole = reduced()
    assert max(map(len, whole)) > 1
    monkeypatch.setattr(events, "PAIRS_TOGETHER", 2)
    assert reduced() == whole


def chain() -> TaskGraph:
    """Return two operators of two tasks, the second of which reads all that the first writes."""
    halves = [[range(4)], [range(4, 8)]]
    whole = [[range(8)], [range(8)]]
    first = TaskOperator("first", 2, 1e-6, (), (access(0, 0, (8,), 4, halves),))
    second = TaskOperator("second", 2, 1e-6, (access(0, 0, (8,), 4, whole),), (access(1, 0, (8,), 4, halves),))
    return TaskGraph((first, second))


def ints(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(values, np.int32)


def test_faults_say_both_tasks() -> None:
    graph = chain()
    none = (ints(),) * 4
    unordered = Schedule((ints(0, 2), ints(1, 3)), none, ints(-1, -1, -1, -1), ints())
    first, second = (fault.text for fault in find_faults(graph, unordered))
    assert first == (
        "task 0 of 'second' (vEU 0, position 1) may start before task 1 of 'first' (vEU 1, position 0) is done, and "
        "both touch the same bytes: it does not wait for it"
    )
    assert second.startswith("task 1 of 'second' (vEU 1, position 1) may start before task 0 of 'first'")


def test_what_is_read_too_early_is_shown() -> None:
    """The waits stand behind the read; where the order of the vEU is enough, they need not stand in front of it."""
    graph = chain()
    first, second = graph.operators
    sunk = TaskGraph((first, replace(second, reads=tuple(replace(one, early=True) for one in second.reads))))
    apart = add_events(graph, (ints(0, 2), ints(1, 3)))
    assert not find_faults(graph, apart)
    assert [fault.text for fault in find_faults(sunk, apart)] == [
        "task 0 of 'second' (vEU 0, position 1) may read before its waits are over, and so before task 1 of 'first' "
        "(vEU 1, position 0) is done, which writes the same bytes: sink its waits less far",
        "task 1 of 'second' (vEU 1, position 1) may read before its waits are over, and so before task 0 of 'first' "
        "(vEU 0, position 0) is done, which writes the same bytes: sink its waits less far",
    ]
    assert not find_faults(sunk, add_events(graph, (ints(0, 1, 2, 3),)))
    behind = Schedule((ints(0), ints(1, 2, 3)), (ints(), ints(), ints(0), ints()), ints(0, -1, -1, -1), ints(1))
    assert [fault.tasks for fault in find_faults(sunk, behind)] == [(0, 2)]


def test_a_cycle_is_shown() -> None:
    graph = chain()
    waits = (ints(1), ints(0), ints(), ints())
    (fault,) = find_faults(graph, Schedule((ints(0, 2), ints(1, 3)), waits, ints(0, 1, -1, -1), ints(1, 1)))
    assert fault.kind == "deadlock"
    assert fault.tasks == (0, 1)
    assert "task 0 of 'first' (vEU 0, position 0), task 1 of 'first' (vEU 1, position 0)" in fault.text


@pytest.mark.parametrize(
    ("programs", "waits", "signals", "counts", "text"),
    [
        ([[0, 1, 2]], [[], [], [], []], [-1] * 4, [], "task 1 of 'second' stands 0 times in programs, not once"),
        ([[0, 1, 2, 3, 3]], [[], [], [], []], [-1] * 4, [], "task 1 of 'second' stands 2 times in programs, not once"),
        ([[0, 1, 2, 3, 4]], [[], [], [], []], [-1] * 4, [], "programs hold tasks that are none of the 4 of the graph"),
        ([[0, 1, 2]], [[], [], []], [-1] * 3, [], "the schedule is of 3 tasks, the graph has 4"),
        (
            [[0, 1, 2, 3]],
            [[], [], [1], []],
            [0, 0, -1, -1],
            [2],
            "task 0 of 'second' waits for an event that is none of 1",
        ),
        (
            [[0, 1, 2, 3]],
            [[], [], [0], []],
            [0, 2, -1, -1],
            [1],
            "task 1 of 'first' signals an event that is none of 1",
        ),
        ([[0, 1, 2, 3]], [[], [], [0], []], [0, 0, -1, -1], [1], "event 0 counts 1 signals, 2 tasks signal it"),
    ],
)
def test_malformed_schedules(
    programs: list[list[int]], waits: list[list[int]], signals: list[int], counts: list[int], text: str
) -> None:
    schedule = Schedule(
        tuple(ints(*one) for one in programs), tuple(ints(*one) for one in waits), ints(*signals), ints(*counts)
    )
    assert [fault.text for fault in find_faults(chain(), schedule)] == [text]


def test_dependences_are_the_same_however_many_boxes_are_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    def pairs() -> list[list[int]]:
        graphs = [random_graph(random.Random(seed)) for seed in range(100)]
        usable = [graph.dependences for graph in graphs if conflicts(graph) is not None]
        return [[*one.producers.tolist(), *one.consumers.tolist()] for one in usable]

    together = pairs()
    monkeypatch.setattr(boxes, "FEW_BOXES", 0)
    assert pairs() == together
    monkeypatch.setattr(boxes, "CELLS_TOGETHER", 1)
    assert pairs() == together
    assert sum(map(len, together)) > 100


def in_rows(one: TaskAccess) -> tuple[TaskAccess, TaskAccess]:
    """Return an access of two rows as two of one row each."""
    its, (_, columns) = one.boxes, one.boxes.shape
    low, high = its.low.copy(), its.high.copy()
    low[:, 0], high[:, 0] = 0, 1
    rows = [TaskBoxes((1, columns), its.element_bytes, low, high, its.steps)] * 2
    offsets = [one.offset_bytes, one.offset_bytes + columns * its.element_bytes]
    first, second = (replace(one, offset_bytes=at, boxes=each) for at, each in zip(offsets, rows, strict=True))
    return first, second


@pytest.mark.parametrize(("few", "known"), [(0, 0), (4, 0), (0, 3), (0, 6)])
def test_of_large_views_the_part_that_was_overwritten_is_enough(
    few: int, known: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs = [random_graph(random.Random(seed)) for seed in range(600)]
    graphs = [graph for graph in graphs if conflicts(graph) is not None]
    apart = [
        TaskGraph(tuple(replace(one, writes=in_rows(one.writes[0])) for one in graph.operators)) for graph in graphs
    ]

    def pairs(of: list[TaskGraph]) -> list[list[int]]:
        fresh = [TaskGraph(graph.operators).dependences for graph in of]
        return [[*one.producers.tolist(), *one.consumers.tolist()] for one in fresh]

    whole = pairs(graphs)
    assert pairs(apart) == whole
    monkeypatch.setattr(boxes, "FEW_BOXES", few)
    monkeypatch.setattr(task_graph, "MOST_KNOWN_CELLS", known)
    assert pairs(graphs) == pairs(apart) == whole


def test_tasks_of_one_operator_may_not_conflict() -> None:
    overlapping = TaskOperator("o", 2, 1e-6, (), (access(0, 0, (8,), 4, [[range(5)], [range(4, 8)]]),))
    with pytest.raises(ConflictError, match="task 1 of 'o' and task 0 of 'o': both write the same bytes of buffer 0"):
        _ = TaskGraph((overlapping,)).dependences
    halves = [[range(4)], [range(4, 8)]]
    in_place = TaskOperator("o", 2, 1e-6, (access(0, 0, (8,), 4, halves),), (access(0, 0, (8,), 4, halves),))
    assert len(TaskGraph((in_place,)).dependences.producers) == 0
    shifted = TaskOperator("o", 2, 1e-6, (access(0, 0, (8,), 4, halves[::-1]),), (access(0, 0, (8,), 4, halves),))
    with pytest.raises(ConflictError, match="the first reads and the second writes the same bytes"):
        _ = TaskGraph((shifted,)).dependences
