# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices that stay in workgroup memory: their homes, who brings them, and faults told as byte by byte."""

import random
from dataclasses import replace

import numpy as np
import pytest
from small_graphs import access

from roller_mlir.rammer.events import add_barriers, add_events, reduce_waits
from roller_mlir.rammer.graph.task_graph import TaskAccess, TaskGraph, TaskOperator
from roller_mlir.rammer.policy import POLICIES
from roller_mlir.rammer.proof import find_faults
from roller_mlir.rammer.resident.homes import Homes, homes_of
from roller_mlir.rammer.resident.keeping import choose_kept
from roller_mlir.rammer.resident.slots import SLOT_BYTES, Slices, slot_faults
from roller_mlir.rammer.schedule import Schedule
from roller_mlir.rammer.times.replay import replay

ROOM = range(128, 128 + 40 * SLOT_BYTES)


def _weights(buffer: int, tasks: int, slot_bytes: int, *, columns: int | None = None) -> TaskAccess:
    """Return an access of a column of a matrix a task; tasks beyond the columns begin again."""
    columns = columns or tasks
    boxes = [[range(4), range(task % columns, task % columns + 1)] for task in range(tasks)]
    return replace(access(buffer, 0, (4, columns), 4, boxes), early=True, slot_bytes=slot_bytes)


def cells(layers: int, steps: int, tasks: int, slot_bytes: int = 48, own_s: float = 1e-6) -> TaskGraph:
    """Return cells of several layers, of which each reads the result of that before, and its layer's two weights."""
    operators: list[TaskOperator] = []
    for step in range(steps):
        for layer in range(layers):
            number = step * layers + layer
            whole = [[range(tasks)] for _ in range(tasks)]
            before = [one for one in (number - 1 if layer else -1, number - layers) if one >= 0]
            reads = [access(one, 0, (tasks,), 4, whole) for one in before]
            reads += [_weights(1000 + 2 * layer, tasks, slot_bytes), _weights(1001 + 2 * layer, tasks, slot_bytes // 3)]
            written = access(number, 0, (tasks,), 4, [[range(task, task + 1)] for task in range(tasks)])
            brought = (own_s + 2e-6, 1.5e-6)
            one = TaskOperator(f"{step} {layer}", tasks, own_s, tuple(reads), (written,), None, None, 0.0, brought)
            operators.append(one)
    return TaskGraph(tuple(operators))


def kept(graph: TaskGraph, units: int, policy: str = "list", room: range = ROOM) -> tuple[Homes, Schedule]:
    homes = homes_of(graph, Slices.read(graph), units, room, 1.2e-6)
    assert homes is not None
    return homes, homes.scheduled(add_events(graph, POLICIES[policy](graph, units, 1.2e-6, homes)))


def test_tasks_read_one_slice_where_its_box_and_its_buffer_are_the_same() -> None:
    graph = cells(layers=2, steps=3, tasks=4)
    slices = Slices.read(graph)
    assert slices.bytes.tolist() == [48] * 4 + [16] * 4 + [48] * 4 + [16] * 4
    assert [one.tolist() for one in slices.of[:2]] == [
        [[task, 4 + task] for task in range(4)],
        [[8 + task, 12 + task] for task in range(4)],
    ]
    assert (slices.of[2] == slices.of[0]).all()  # of the next step
    assert slices.flat.tolist() == [*slices.of[0].reshape(-1), *slices.of[1].reshape(-1)] * 3
    assert slices.tasks.tolist() == np.repeat(np.arange(24), 2).tolist()
    assert slices.fill_seconds(graph)[:2].tolist() == pytest.approx([1.5e-6, 0.5e-6])


def test_slices_that_lie_in_other_ways_are_others() -> None:
    """Tiles that leave their tensor have boxes and slots alike, and rows of other lengths there, or other padding."""
    first = replace(_weights(9, 2, 128), slot_form=((2, 5), 0.0))
    for form, slices in ((((2, 5), 0.0), 2), (((2, 6), 0.0), 4), (((2, 5), float("-inf")), 4)):
        reads = (first,), (replace(first, slot_form=form),)
        graph = TaskGraph(tuple(TaskOperator(str(n), 2, 1e-6, one, ()) for n, one in enumerate(reads)))
        assert len(Slices.read(graph).bytes) == slices


def test_a_graph_without_slots_has_no_slices() -> None:
    graph = cells(layers=2, steps=2, tasks=3).without_resident()
    slices = Slices.read(graph)
    assert slices.flat.tolist() == slices.bytes.tolist() == slices.tasks.tolist() == []
    assert graph.seconds.tolist() == pytest.approx([3e-6] * 12)
    assert graph.early_seconds.tolist() == pytest.approx([1.5e-6] * 12)
    homes = homes_of(graph, slices, 3, ROOM, 1.2e-6)
    assert homes is not None and homes.end_bytes == 0 and set(homes.unit_of_task.tolist()) == {-1}


def test_another_view_of_the_same_bytes_is_another_slice() -> None:
    one = _weights(0, 2, 16)
    other = replace(one, boxes=replace(one.boxes, shape=(2, 4)))
    moved = replace(one, offset_bytes=8)
    operators = tuple(TaskOperator("f", 2, 1e-6, (each,), ()) for each in (one, other, moved, one))
    assert [each.reshape(-1).tolist() for each in Slices.read(TaskGraph(operators)).of] == [
        [0, 1],
        [2, 3],
        [4, 5],
        [0, 1],
    ]


@pytest.mark.parametrize("units", [1, 2, 3, 5, 16])
def test_slices_that_a_task_reads_are_at_home_together_and_vEUs_have_as_much_to_do(units: int) -> None:
    graph = cells(layers=2, steps=3, tasks=4, slot_bytes=64)
    homes = homes_of(graph, Slices.read(graph), units, range(1 << 20), 1.2e-6)
    assert homes is not None
    work = np.bincount(homes.unit_of_task, minlength=units)
    assert work.sum() == 24 and work.max() == 3 * -(-8 // units)  # of eight groups, three tasks each
    for own in homes.slices.of:
        assert (homes.unit[own[:, 0]] == homes.unit[own[:, 1]]).all()
    begins, ends = homes.slot * SLOT_BYTES, homes.slot * SLOT_BYTES + homes.slices.bytes
    for a in range(len(begins)):
        for b in range(a):
            apart = homes.unit[a] != homes.unit[b] or ends[a] <= begins[b] or ends[b] <= begins[a]
            assert apart, (a, b)
    assert homes.end_bytes == ends.max()


def test_slices_of_an_operator_lie_side_by_side_and_those_of_others_above_them() -> None:
    graph = cells(layers=4, steps=3, tasks=4)
    homes = homes_of(graph, Slices.read(graph), 9, ROOM, 1.2e-6)
    assert homes is not None
    on = [set(homes.unit[own[:, 0]].tolist()) for own in homes.slices.of[:4]]
    assert on == [{0, 1, 2, 3}, {4, 5, 6, 7}] * 2


def test_each_slice_lies_by_itself_where_a_vEU_would_else_have_much_more_to_do() -> None:
    graph = cells(layers=3, steps=3, tasks=4)
    homes = homes_of(graph, Slices.read(graph), 6, ROOM, 1.2e-6)
    assert homes is not None
    assert np.bincount(homes.unit_of_task).tolist() == [6] * 6
    # Tasks of others fill what that leaves idle: all take as long then.
    others = TaskOperator("others", 60, 2e-6, (), (access(900, 0, (60,), 4, [[range(n, n + 1)] for n in range(60)]),))
    filled = TaskGraph((*graph.operators, others))
    homes = homes_of(filled, Slices.read(filled), 6, ROOM, 1.2e-6)
    assert homes is not None
    assert [set(homes.unit[own[:, 0]].tolist()) for own in homes.slices.of[:3]] == [{0, 1, 2, 3}] * 3


def _row(name: str, weights: int, seconds: float, slot_bytes: int, *before: str) -> TaskOperator:
    """Return an operator of two tasks that keep a slice each, behind others."""
    whole = [[range(2)]] * 2
    results = [access(sum(map(ord, one)), 0, (2,), 4, whole) for one in before]
    written = access(sum(map(ord, name)), 0, (2,), 4, [[range(task, task + 1)] for task in range(2)])
    reads = (*results, _weights(1000 + weights, 2, slot_bytes))
    return TaskOperator(name, 2, seconds, reads, (written,), brought=(seconds, 0.0))


def test_rows_whose_tasks_come_at_the_same_time_lie_apart() -> None:
    """What is above "second" has less to do, and comes later; "third" has as little to do, and comes with it."""
    operators = _row("first", 0, 3e-6, 48), _row("second", 1, 2.8e-6, 48, "first"), _row("third", 2, 2e-6, 48, "first")
    graph = TaskGraph(operators)
    homes, schedule = kept(graph, 4)
    first, second, third = (set(homes.unit[own[:, 0]].tolist()) for own in homes.slices.of)
    assert first == third and not first & second
    assert replay(graph, schedule, 1.2e-6).makespan_s == pytest.approx(3e-6 + 1.2e-6 + 2.8e-6)


def test_rows_that_leave_no_room_for_others_lie_apart() -> None:
    """On each pair of vEUs two large rows and a small one fit, but not two of 33 pieces, which come at other times."""
    large = [_row("a", 0, 4e-6, 33 * SLOT_BYTES), _row("b", 1, 4.2e-6, 32 * SLOT_BYTES, "a")]
    large += [_row("c", 2, 2e-6, 33 * SLOT_BYTES, "a"), _row("d", 3, 1e-6, 32 * SLOT_BYTES)]
    small = [_row(name, 4 + n, 5e-7, 16 * SLOT_BYTES) for n, name in enumerate("ef")]
    graph = TaskGraph((*large, *small))
    homes = homes_of(graph, Slices.read(graph), 4, range((33 + 32 + 16) * SLOT_BYTES), 1.2e-6)
    assert homes is not None
    a, b, c, d, e, f = (tuple(sorted(homes.unit[own[:, 0]].tolist())) for own in homes.slices.of)
    assert a == d != b == c and e != f and {a, b} == {e, f} == {(0, 1), (2, 3)}


def test_no_vEU_has_much_more_to_do_so_that_room_is_left_for_others() -> None:
    """Two large slices and a small one on each of two vEUs would leave room for a large one more, which nobody has."""
    large = [_row(name, n, 8e-7, 28 * SLOT_BYTES) for n, name in enumerate("ab")]
    small = [_row(name, 2 + n, 1e-6, 11 * SLOT_BYTES) for n, name in enumerate("cd")]
    graph = TaskGraph((*large, *small))
    homes = homes_of(graph, Slices.read(graph), 4, range(71 * SLOT_BYTES), 1.2e-6)
    assert homes is not None
    assert np.bincount(homes.unit_of_task).tolist() == [2] * 4


def test_a_row_that_finds_no_room_side_by_side_is_placed_one_by_one() -> None:
    graph = cells(layers=3, steps=2, tasks=4, slot_bytes=48)  # 12 groups of 64 B
    homes = homes_of(graph, Slices.read(graph), 6, range(128, 128 + 2 * 64), 1.2e-6)
    assert homes is not None and homes.end_bytes == 128 + 2 * 64
    assert homes_of(graph, Slices.read(graph), 5, range(128, 128 + 2 * 64), 1.2e-6) is None


def test_a_vEU_waits_for_its_own_where_the_schedule_would_be_longer_else() -> None:
    """Four tasks that any vEU may run would each make a step late on the two that have slices."""
    chain = cells(layers=1, steps=8, tasks=2)
    anywhere = [[range(task, task + 1)] for task in range(4)]
    others = TaskOperator("others", 4, 3e-6, (), (access(500, 0, (4,), 4, anywhere),))
    graph = TaskGraph((*chain.operators, others))
    _, schedule = kept(graph, 3)
    assert schedule.programs[2].tolist() == [16, 17, 18, 19]
    assert replay(graph, schedule, 1.2e-6).makespan_s == pytest.approx(2e-6 + 8e-6 + 7 * 1.2e-6)
    longer = TaskGraph((*chain.operators, replace(others, tasks=60, writes=())))  # work decides
    _, schedule = kept(longer, 3)
    assert replay(longer, schedule, 1.2e-6).utilisation > 0.95


def test_of_tasks_as_urgent_the_first_comes_first() -> None:
    """Though it waited for another one: both may begin when the vEU is free."""
    operators = [
        TaskOperator("long", 1, 5e-6, (_weights(100, 1, 48),), (), brought=(6e-6, 1e-6)),
        TaskOperator("before", 1, 1e-6, (), (access(0, 0, (1,), 4, [[range(1)]]),)),
        TaskOperator("late", 1, 1e-6, (_weights(100, 1, 48), access(0, 0, (1,), 4, [[range(1)]])), ()),
        TaskOperator("soon", 1, 1e-6, (_weights(100, 1, 48),), ()),
    ]
    graph = TaskGraph(tuple(operators))
    homes, schedule = kept(graph, 2)
    assert schedule.programs[homes.unit[0]].tolist() == [0, 2, 3]


def test_behind_which_more_is_left_to_do_comes_first() -> None:
    """From its begin the long one takes longer than the short one with all behind it; from its end nothing is left."""
    operators = _row("both", 0, 1e-6, 48), _row("long", 1, 5e-6, 48, "both"), _row("short", 2, 1e-6, 48, "both")
    rest = [_row("rest", 3, 2e-6, 48, "short")]
    graph = TaskGraph((*operators, *rest))
    homes = homes_of(graph, Slices.read(graph), 2, ROOM, 1.2e-6)
    assert homes is not None
    schedule = add_events(graph, POLICIES["list"](graph, 2, 1.2e-6, homes))
    assert replay(graph, schedule, 1.2e-6).makespan_s == pytest.approx(1e-6 + 1.2e-6 + 1e-6 + 5e-6 + 2e-6)
    for program in schedule.programs:
        assert [graph.operators[one].name for one in graph.operator_of[program]] == ["both", "short", "long", "rest"]


def test_what_any_vEU_may_run_goes_to_one_that_has_nothing_of_its_own() -> None:
    keeps = TaskOperator("keeps", 1, 2e-6, (_weights(100, 1, 48),), ())
    urgent = TaskOperator("urgent", 1, 1e-6, (), (access(0, 0, (1,), 4, [[range(1)]]),))
    behind = TaskOperator("behind", 1, 1e-6, (access(0, 0, (1,), 4, [[range(1)]]),), ())
    graph = TaskGraph((keeps, urgent, behind))
    homes = Homes(Slices.read(graph), np.array([0], np.int32), np.array([8], np.int32))
    programs = POLICIES["list"](graph, 2, 0.0, homes)
    assert [one.tolist() for one in programs] == [[0], [1, 2]]


def test_slices_fit_exactly_or_not_at_all() -> None:
    graph = cells(layers=2, steps=2, tasks=4, slot_bytes=48)  # 8 groups of 64 B
    slices = Slices.read(graph)
    fits = homes_of(graph, slices, 2, range(128, 128 + 4 * 64), 1.2e-6)
    assert fits is not None and fits.end_bytes == 128 + 4 * 64
    assert homes_of(graph, slices, 2, range(128, 128 + 4 * 64 - SLOT_BYTES), 1.2e-6) is None
    assert homes_of(graph, slices, 1, range(128, 128 + 7 * 64), 1.2e-6) is None
    odd = homes_of(graph, slices, 8, range(7, 100), 1.2e-6)  # begins and ends where no slot does
    assert odd is not None and odd.slot.min() * SLOT_BYTES == 16


@pytest.mark.parametrize("policy", list(POLICIES))
@pytest.mark.parametrize("hand_over", [add_events, add_barriers])
def test_tasks_run_where_their_slices_are_and_the_first_one_brings_them(policy: str, hand_over: object) -> None:
    graph = cells(layers=2, steps=3, tasks=4)
    homes = homes_of(graph, Slices.read(graph), 3, ROOM, 1.2e-6)
    assert homes is not None and callable(hand_over)
    schedule = homes.scheduled(hand_over(graph, POLICIES[policy](graph, 3, 1.2e-6, homes)))
    assert (schedule.place[0] == homes.unit_of_task).all()
    assert schedule.fills.sum() == len(homes.slices.bytes)
    assert find_faults(graph, reduce_waits(schedule), ROOM) == []
    assert (reduce_waits(schedule).slots == schedule.slots).all()


def test_a_task_that_brings_slices_takes_longer_before_its_waits() -> None:
    graph = cells(layers=1, steps=3, tasks=1)
    _, schedule = kept(graph, 1)
    times = replay(graph, schedule, 1.2e-6)
    assert times.end_s.tolist() == pytest.approx([3e-6, 4e-6, 5e-6])
    assert times.start_s.tolist() == pytest.approx([2e-6, 3e-6, 4e-6])
    assert times.work_s == pytest.approx(5e-6)
    plain = graph.without_resident()
    assert replay(plain, add_events(plain, POLICIES["list"](plain, 1, 0.0)), 0.0).makespan_s == pytest.approx(9e-6)


@pytest.mark.full
def test_what_saves_most_for_its_bytes_stays_and_nothing_where_nothing_is_gained() -> None:
    graph = cells(layers=3, steps=8, tasks=4, slot_bytes=48)
    whole = choose_kept(graph, 4, ROOM, 1.2e-6, POLICIES["list"], add_events)
    assert len(whole.operators) == 24 and whole.slices == 24 and whole.bytes == 12 * 64
    room = range(128, 128 + 2 * 64)  # two layers of four groups, of 64 B each, on four vEUs
    some = choose_kept(graph, 4, room, 1.2e-6, POLICIES["list"], add_events)
    assert {one % 3 for one in some.operators} == {0, 1} and len(some.operators) == 16
    none = choose_kept(graph, 4, range(128, 128 + 48), 1.2e-6, POLICIES["list"], add_events)
    assert not none.operators and not none.slices
    once = cells(layers=3, steps=1, tasks=4)
    assert not choose_kept(once, 4, ROOM, 1.2e-6, POLICIES["list"], add_events).operators
    # Layers that two operators of 202 read save less than a twentieth: they stay where all takes less by that.
    rare = cells(layers=3, steps=1, tasks=4).operators[2:]
    often = cells(layers=1, steps=200, tasks=4).operators
    both = TaskGraph((*often, *rare, *rare))
    others = 199 * 4 * 2 * 16  # bytes that tasks of the others find
    for more_s, operators in ((0.0, 202), (1.0, 200)):
        found = choose_kept(
            both, 4, ROOM, 1.2e-6, POLICIES["list"], add_events, lambda size, more_s=more_s: more_s * (size > others)
        )
        assert found.operators == frozenset(range(operators))
    # A slice that no vEU has room for does not keep others away, however much it saves.
    wide = cells(layers=1, steps=900, tasks=1, slot_bytes=len(ROOM) + 16).operators
    beside = cells(2, 8, 4).operators[1::2]
    fits = choose_kept(
        TaskGraph((*wide, *beside)), 4, ROOM, 1.2e-6, POLICIES["list"], add_events, lambda size: 1.0 - 1e-9 * size
    )
    assert fits.operators == frozenset(range(900, 908))
    # What does not fit does not make the others little.
    large = cells(layers=1, steps=900, tasks=4, slot_bytes=1 << 16).operators
    fits = choose_kept(
        TaskGraph((*large, *cells(2, 8, 4).operators[1::2])), 4, ROOM, 1.2e-6, POLICIES["list"], add_events
    )
    assert fits.operators == frozenset(range(900, 908))
    slow = TaskGraph(tuple(replace(one, brought=(one.seconds, 0.0)) for one in graph.operators))
    assert not choose_kept(slow, 4, ROOM, 1.2e-6, POLICIES["list"], add_events).operators
    # Where memory takes longest, slices stay if it moves less: not because tasks are shorter.
    for less_s, operators in ((0.0, 0), (1e-9, 24)):
        found = choose_kept(
            graph, 4, ROOM, 1.2e-6, POLICIES["list"], add_events, lambda size, less_s=less_s: 1.0 - less_s * size
        )
        assert len(found.operators) == operators


def test_operators_without_slots_have_each_its_tasks() -> None:
    """Some keep nothing, and are not of one size."""
    operators = (*cells(layers=1, steps=1, tasks=3).without_resident().operators, *cells(1, 1, 5).operators)
    slices = Slices.read(TaskGraph((*operators, replace(operators[0], tasks=4, reads=()))))
    assert [one.shape for one in slices.of] == [(3, 0), (5, 2), (4, 0)]
    assert slices.starts.tolist() == [0, 0, 0, 0, 2, 4, 6, 8, 10, 10, 10, 10, 10]


def test_a_graph_that_keeps_less_has_the_same_order() -> None:
    graph = cells(layers=2, steps=2, tasks=2)
    before = graph.dependences
    less = graph.keeping({0, 2})
    assert less.dependences is before
    assert [len(one.resident) for one in less.operators] == [2, 0, 2, 0]


def _lost(graph: TaskGraph, schedule: Schedule) -> bool:
    """Return whether some task reads a byte from a slot that is not its slice's, by each byte of each vEU."""
    slices = Slices.read(graph)
    for program in schedule.programs:
        memory: dict[int, tuple[int, int]] = {}
        for task in program.tolist():
            own = range(int(slices.starts[task]), int(slices.starts[task + 1]))
            for number in (one for one in own if schedule.fills[one]):
                for byte in range(int(slices.bytes[slices.flat[number]])):
                    memory[int(schedule.slots[number]) * SLOT_BYTES + byte] = int(slices.flat[number]), byte
            for number in own:
                for byte in range(int(slices.bytes[slices.flat[number]])):
                    at = int(schedule.slots[number]) * SLOT_BYTES + byte
                    if memory.get(at) != (int(slices.flat[number]), byte):
                        return True
    return False


def _mutant(rng: random.Random, schedule: Schedule) -> Schedule:
    """Return a schedule some of whose slots are elsewhere, brought again, or not at all; or tasks stand elsewhere."""
    slots, fills = schedule.slots.copy(), schedule.fills.copy()
    programs = [list(one) for one in schedule.programs]
    for _ in range(rng.randint(1, 3)):
        one = rng.randrange(len(slots))
        act = rng.randrange(6)
        if act == 0:
            slots[one] += rng.choice((-1, 1, 4))
        elif act == 1:
            fills[one] ^= 1
        elif act == 2:
            slots[one] = rng.choice(slots.tolist())
        elif act == 3:
            fills[one], slots[one] = 1, rng.choice(slots.tolist())
        elif act == 4:
            full = [each for each in programs if each]
            rng.choice(full).append(rng.choice(full).pop())
        else:
            each = rng.choice([each for each in programs if each])
            each[0], each[-1] = each[-1], each[0]
    tuples = tuple(np.array(each, np.int32) for each in programs)
    return replace(schedule, programs=tuples, slots=slots, fills=fills)


@pytest.mark.full(every=8)
@pytest.mark.parametrize("seed", range(8))
def test_faults_are_found_exactly_where_a_byte_is_lost(seed: int) -> None:
    rng, wrong = random.Random(seed), 0
    for _ in range(150):
        graph = cells(rng.randint(1, 2), rng.randint(1, 3), rng.randint(1, 3), rng.choice((16, 48, 50)))
        _, schedule = kept(graph, rng.randint(1, 3), rng.choice(list(POLICIES)), range(1 << 16))
        assert list(slot_faults(graph, schedule, None)) == []
        mutant = _mutant(rng, schedule)
        lost = _lost(graph, mutant)
        wrong += lost
        assert bool(list(slot_faults(graph, mutant, None))) == lost
    assert 20 < wrong < 140


def _texts(graph: TaskGraph, schedule: Schedule, room: range = ROOM) -> list[str]:
    return [one.text for one in find_faults(graph, schedule, room) if one.kind == "slots"]


def test_faults_name_tasks_and_bytes() -> None:
    graph = cells(layers=1, steps=2, tasks=2)
    _, schedule = kept(graph, 1)
    assert _texts(graph, schedule) == []
    missing = schedule.fills.copy()
    missing[0] = 0
    (text, again) = _texts(graph, replace(schedule, fills=missing))
    assert text == (
        "task 0 of '0 0' (vEU 0, position 0) reads a slice at byte 128 of workgroup memory that no task before it has "
        "brought there"
    )
    assert again.startswith("task 0 of '1 0'")
    swapped = schedule.slots.copy()
    swapped[4] = swapped[6]  # the first of the second step finds what the second one brought
    (text,) = _texts(graph, replace(schedule, slots=swapped))
    assert text == (
        "task 0 of '1 0' (vEU 0, position 2) reads a slice at byte 192 of workgroup memory, where task 1 of '0 0' (vEU "
        "0, position 1) has brought another"
    )
    over = schedule.fills.copy(), schedule.slots.copy()
    over[0][6], over[1][6] = 1, schedule.slots[4] + 1  # the last task brings its own over what another one has read
    text = _texts(graph, replace(schedule, fills=over[0], slots=over[1]))
    assert text == []  # nobody reads that any more
    high = schedule.slots.copy()
    high[-1] = 10_000
    fills = schedule.fills.copy()
    fills[-1] = 1
    (text,) = _texts(graph, replace(schedule, slots=high, fills=fills))
    assert "keeps a slice at bytes 160000 to 160016 of workgroup memory, slots have 128 to 768" in text
    (text,) = _texts(graph, replace(schedule, slots=schedule.slots[:-1], fills=schedule.fills[:-1]))
    assert text == "the schedule has 7 slots, tasks keep 8 slices"


def test_what_a_slice_is_of_is_not_written_while_it_stays() -> None:
    weights = _weights(9, 1, 16)
    reader = TaskOperator("reads", 1, 1e-6, (weights,), (access(1, 0, (1,), 4, [[range(1)]]),))
    again = replace(reader, name="again", writes=(access(2, 0, (1,), 4, [[range(1)]]),))
    writer = TaskOperator("writes", 1, 1e-6, (), (access(9, 0, (4, 1), 4, [[range(1), range(1)]]),))
    both = replace(reader, name="both", writes=writer.writes)
    for order, faulty in (((reader, writer, again), True), ((both, again), True), ((reader, again, writer), False)):
        graph = TaskGraph(order)
        _, schedule = kept(graph, 1)
        found = _texts(graph, schedule)
        assert bool(found) == faulty
    assert found == []
    (text,) = _texts(TaskGraph((reader, writer, again)), kept(TaskGraph((reader, writer, again)), 1)[1])
    assert text == (
        "task 0 of 'writes' (vEU 0, position 1) writes what task 0 of 'again' (vEU 0, position 2) finds in a slot "
        "since before that"
    )
