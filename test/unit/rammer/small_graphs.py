# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small random graphs of tasks, mutations of them and their schedules, and an oracle that walks every interleaving."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product

import numpy as np

from roller_mlir.rammer.graph.boxes import TaskBoxes
from roller_mlir.rammer.graph.task_graph import TaskAccess, TaskGraph, TaskOperator
from roller_mlir.rammer.schedule import NO_EVENT, Schedule


def access(
    buffer: int, offset: int, shape: tuple[int, ...], element_bytes: int, boxes: list[list[range]]
) -> TaskAccess:
    """Return an access of one box of ranges a task."""
    low = np.array([[one.start for one in box] for box in boxes], np.int32)
    high = np.array([[one.stop for one in box] for box in boxes], np.int32)
    steps = tuple(one.step for one in boxes[0])
    return TaskAccess(buffer, offset, TaskBoxes(shape, element_bytes, low, high, steps))


def bytes_of(one: TaskAccess, task: int) -> set[tuple[int, int]]:
    """Return the bytes that a task touches, one by one."""
    found = set[tuple[int, int]]()
    boxes = one.boxes
    ranges = [range(a, b, s) for a, b, s in zip(boxes.low[task], boxes.high[task], boxes.steps, strict=True)]
    for index in product(*ranges):
        at = one.offset_bytes + int(np.ravel_multi_index(index, boxes.shape)) * boxes.element_bytes
        found |= {(one.buffer, at + byte) for byte in range(boxes.element_bytes)}
    return found


def conflicts(graph: TaskGraph) -> set[tuple[int, int]] | None:
    """Return every pair of tasks that touches common bytes, one writing, by brute force, in the order of the operators.

    None where both are tasks of one operator: no schedule is right then, for nothing says which of them is first.
    """
    touched = list[tuple[int, set[tuple[int, int]], set[tuple[int, int]]]]()
    for number, operator in enumerate(graph.operators):
        for task in range(operator.tasks):
            reads = set[tuple[int, int]]().union(*(bytes_of(one, task) for one in operator.reads))
            writes = set[tuple[int, int]]().union(*(bytes_of(one, task) for one in operator.writes))
            touched.append((number, reads, writes))
    found = set[tuple[int, int]]()
    for (a, (op_a, reads_a, writes_a)), (b, (op_b, reads_b, writes_b)) in combinations(enumerate(touched), 2):
        if writes_a & (reads_b | writes_b) or reads_a & writes_b:
            if op_a == op_b:
                return None
            found.add((a, b))
    return found


def early_conflicts(graph: TaskGraph) -> set[tuple[int, int]]:
    """Return every pair of tasks of which the second may read early what the first one writes, by brute force."""
    found = set[tuple[int, int]]()
    written: list[tuple[int, set[tuple[int, int]]]] = []
    for first, operator in zip(graph.first, graph.operators, strict=False):
        for task in range(operator.tasks):
            early = [bytes_of(one, task) for one in operator.reads if one.early]
            reads = set[tuple[int, int]]().union(*early)
            found |= {(other, first + task) for other, writes in written if writes & reads}
        for task in range(operator.tasks):
            written.append((first + task, set().union(*(bytes_of(one, task) for one in operator.writes))))
    return found


def random_graph(rng: random.Random) -> TaskGraph:
    """Return two to four operators of one to three tasks, which write pieces of two buffers and read boxes.

    Of some of them two tasks write the same bytes.
    """
    operators = list[TaskOperator]()
    for number in range(rng.randint(2, 4)):
        tasks = rng.randint(1, 3)
        element = rng.choice([2, 4])
        columns = tasks * rng.randint(1, 2)
        out = rng.randrange(2)
        writes = access(
            out,
            element * rng.randrange(4),
            (2, columns),
            element,
            [[range(2), range(t, columns, tasks)] for t in range(tasks)]
            if rng.random() < 0.3
            else [[range(2), range(t * columns // tasks, (t + 1) * columns // tasks)] for t in range(tasks)],
        )
        if rng.random() < 0.02:
            writes = replace(writes, boxes=replace(writes.boxes, low=np.zeros_like(writes.boxes.low)))
        size = rng.randint(1, 8)
        boxes = list[list[range]]()
        step = rng.randint(1, 2)
        for _ in range(tasks):
            start = rng.randrange(size)
            boxes.append([range(start, rng.randint(start, size), step)])
        reads = access(1 - out, 2 * rng.randrange(4), (size,), 2, boxes)
        operators.append(TaskOperator(f"op{number}", tasks, rng.choice([1e-6, 3e-6]), (reads,), (writes,)))
    return TaskGraph(tuple(operators))


def graph_of(operators: Sequence[tuple[int, float, Sequence[int]]], rng: random.Random | None = None) -> TaskGraph:
    """Return a graph of operators, each of so many tasks of so many seconds that need tasks of some operators.

    They need all of these, or by a generator so many in a row.
    """
    found: list[TaskOperator] = []
    for number, (tasks, seconds, needs) in enumerate(operators):
        reads = tuple(
            access(one, 0, (operators[one][0],), 4, [[_some(operators[one][0], rng)] for _ in range(tasks)])
            for one in needs
        )
        written = access(number, 0, (tasks,), 4, [[range(task, task + 1)] for task in range(tasks)])
        found.append(TaskOperator(f"op{number}", tasks, seconds, reads, (written,)))
    return TaskGraph(tuple(found))


def _some(tasks: int, rng: random.Random | None) -> range:
    first, last = sorted((rng.randrange(tasks), rng.randrange(tasks))) if rng else (0, tasks - 1)
    return range(first, last + 1)


def is_right(schedule: Schedule, pairs: set[tuple[int, int]] | None, early: Iterable[tuple[int, int]] = ()) -> bool:
    """Walk every interleaving: no state is stuck, and no task starts before those that it conflicts with are done.

    Of early pairs the first is done before the second one's turn comes, whatever it waits for.
    """
    if pairs is None:
        return False
    before: dict[int, list[int]] = {}
    before_turn: dict[int, list[int]] = {}
    for first, second in pairs:
        before.setdefault(second, []).append(first)
    for first, second in early:
        before_turn.setdefault(second, []).append(first)
    programs = [program.tolist() for program in schedule.programs]
    start = (0,) * len(programs)
    seen, todo = {start}, [start]
    while todo:
        state = todo.pop()  # twice the tasks that each vEU has done, one more while it runs the next
        done = {task for program, at in zip(programs, state, strict=True) for task in program[: at // 2]}
        signals = [0] * len(schedule.counts)
        for task in done:
            if schedule.signals[task] != NO_EVENT:
                signals[schedule.signals[task]] += 1
        moved = False
        for unit, at in enumerate(state):
            if at == 2 * len(programs[unit]):
                continue
            if at % 2 == 0:
                task = programs[unit][at // 2]
                if any(first not in done for first in before_turn.get(task, ())):
                    return False
                if any(signals[event] < schedule.counts[event] for event in schedule.waits[task].tolist()):
                    continue
                if any(first not in done for first in before.get(task, ())):
                    return False
            moved = True
            after = (*state[:unit], at + 1, *state[unit + 1 :])
            if after not in seen:
                seen.add(after)
                todo.append(after)
        if not moved and any(at < 2 * len(program) for program, at in zip(programs, state, strict=True)):
            return False
    return True


def mutations(
    graph: TaskGraph, schedule: Schedule, rng: random.Random, count: int
) -> Iterator[tuple[str, TaskGraph, Schedule]]:
    """Yield a graph and its schedule with one mistake each.

    A wait less, elsewhere, for something else or more; tasks in another order; an operand on the bytes of another.
    """
    tasks = len(schedule.signals)
    events = len(schedule.counts)
    for _ in range(count):
        waits = [list(one.tolist()) for one in schedule.waits]
        programs = [list(one.tolist()) for one in schedule.programs]
        signals, counts = schedule.signals.copy(), schedule.counts
        waiting = [task for task in range(tasks) if waits[task]]
        silent = np.flatnonzero(signals == NO_EVENT).tolist()
        kind = rng.choice(
            [
                *("remove", "move", "retarget", "swap waits", "reorder", "other vEU", "signals", "overlap", "event"),
                *("early", "early"),
            ]
        )
        if (kind in ("remove", "move", "retarget", "swap waits") and not waiting) or (kind == "event" and not silent):
            kind = "reorder"
        if kind == "overlap":
            yield kind, overlapped(graph, rng), schedule
            continue
        if kind == "early":
            yield kind, reading_early(graph), schedule
            continue
        if kind == "remove":
            one = waits[rng.choice(waiting)]
            one.pop(rng.randrange(len(one)))
        elif kind == "move":
            one = waits[rng.choice(waiting)]
            waits[rng.randrange(tasks)].append(one.pop(rng.randrange(len(one))))
        elif kind == "retarget":
            one = waits[rng.choice(waiting)]
            one[rng.randrange(len(one))] = rng.randrange(events)
        elif kind == "swap waits":
            a, b = rng.choice(waiting), rng.randrange(tasks)
            waits[a], waits[b] = waits[b], waits[a]
        elif kind == "reorder":
            program = rng.choice([one for one in programs if one])
            a, b = rng.randrange(len(program)), rng.randrange(len(program))
            program[a], program[b] = program[b], program[a]
        elif kind == "other vEU":
            program = rng.choice([one for one in programs if one])
            task = program.pop(rng.randrange(len(program)))
            other = rng.choice(programs)
            other.insert(rng.randint(0, len(other)), task)
        elif kind == "event":
            signals[rng.choice(silent)] = events
            waits[rng.randrange(tasks)].append(events)
            counts = np.append(counts, np.int32(1))
        else:
            a, b = rng.randrange(tasks), rng.randrange(tasks)
            signals[a], signals[b] = signals[b], signals[a]
        yield (
            kind,
            graph,
            Schedule(
                tuple(np.array(one, np.int32) for one in programs),
                tuple(np.array(one, np.int32) for one in waits),
                signals,
                counts,
            ),
        )


def reading_early(graph: TaskGraph) -> TaskGraph:
    """Return a graph whose tasks read before their waits are over."""
    return TaskGraph(
        tuple(replace(one, reads=tuple(replace(read, early=True) for read in one.reads)) for one in graph.operators)
    )


def overlapped(graph: TaskGraph, rng: random.Random) -> TaskGraph:
    """Return a graph one operand of which lies at or near where another one does."""
    operators = list(graph.operators)
    number = rng.randrange(len(operators))
    moved = operators[number]
    target = rng.choice([one for operator in operators for one in (*operator.reads, *operator.writes)])
    field = rng.choice(["reads", "writes"])
    accesses = list(moved.reads if field == "reads" else moved.writes)
    which = rng.randrange(len(accesses))
    offset = max(0, target.offset_bytes + 2 * rng.randint(-2, 2))
    accesses[which] = replace(accesses[which], buffer=target.buffer, offset_bytes=offset)
    operators[number] = replace(moved, **{field: tuple(accesses)})
    return TaskGraph(tuple(operators))


def reads_from(graph: TaskGraph) -> set[tuple[int, int, int, int]]:
    """Return task, read, byte of it and the task that wrote it last, of all reads in the order of the operators."""
    found = set[tuple[int, int, int, int]]()
    last: dict[tuple[int, int], int] = {}
    for first, operator in zip(graph.first, graph.operators, strict=False):
        for task in range(operator.tasks):
            for number, one in enumerate(operator.reads):
                for buffer, byte in bytes_of(one, task):
                    found.add((first + task, number, byte - one.offset_bytes, last.get((buffer, byte), -1)))
        for task in range(operator.tasks):
            last |= {byte: first + task for one in operator.writes for byte in bytes_of(one, task)}
    return found
