# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small random graphs of tasks, mutations of their schedules, and an oracle that walks every interleaving."""

import random
from collections.abc import Iterator
from itertools import combinations, product

import numpy as np

from roller_mlir.rammer.schedule import NO_EVENT, Schedule
from roller_mlir.rammer.task_graph import TaskAccess, TaskBoxes, TaskGraph, TaskOperator


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


def conflicts(graph: TaskGraph) -> set[tuple[int, int]]:
    """Return every pair of tasks of different operators that touches common bytes, one writing, by brute force."""
    touched = list[tuple[int, set[tuple[int, int]], set[tuple[int, int]]]]()
    for number, operator in enumerate(graph.operators):
        for task in range(operator.tasks):
            reads = set[tuple[int, int]]().union(*(bytes_of(one, task) for one in operator.reads))
            writes = set[tuple[int, int]]().union(*(bytes_of(one, task) for one in operator.writes))
            touched.append((number, reads, writes))
    return {
        (a, b)
        for (a, (op_a, reads_a, writes_a)), (b, (op_b, reads_b, writes_b)) in combinations(enumerate(touched), 2)
        if op_a != op_b and (writes_a & (reads_b | writes_b) or reads_a & writes_b)
    }


def random_graph(rng: random.Random) -> TaskGraph:
    """Return two to four operators of one to three tasks, which write pieces of two buffers and read boxes."""
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
        size = rng.randint(1, 8)
        boxes = list[list[range]]()
        step = rng.randint(1, 2)
        for _ in range(tasks):
            start = rng.randrange(size)
            boxes.append([range(start, rng.randint(start, size), step)])
        reads = access(1 - out, 2 * rng.randrange(4), (size,), 2, boxes)
        operators.append(TaskOperator(f"op{number}", tasks, rng.choice([1e-6, 3e-6]), (reads,), (writes,)))
    return TaskGraph(tuple(operators))


def is_right(graph: TaskGraph, schedule: Schedule, pairs: set[tuple[int, int]]) -> bool:
    """Walk every interleaving: no state is stuck, and no task starts before those that it conflicts with are done."""
    before: dict[int, list[int]] = {}
    for first, second in pairs:
        before.setdefault(second, []).append(first)
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


def mutations(schedule: Schedule, rng: random.Random, count: int) -> Iterator[tuple[str, Schedule]]:
    """Yield schedules with one mistake each: a wait less, elsewhere or for something else; tasks in another order."""
    tasks = len(schedule.signals)
    events = len(schedule.counts)
    for _ in range(count):
        waits = [list(one.tolist()) for one in schedule.waits]
        programs = [list(one.tolist()) for one in schedule.programs]
        signals = schedule.signals.copy()
        waiting = [task for task in range(tasks) if waits[task]]
        kind = rng.choice(["remove", "move", "retarget", "swap waits", "reorder", "other vEU", "signals"])
        if kind in ("remove", "move", "retarget", "swap waits") and not waiting:
            kind = "reorder"
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
        else:
            a, b = rng.randrange(tasks), rng.randrange(tasks)
            signals[a], signals[b] = signals[b], signals[a]
        yield (
            kind,
            Schedule(
                tuple(np.array(one, np.int32) for one in programs),
                tuple(np.array(one, np.int32) for one in waits),
                signals,
                schedule.counts,
            ),
        )
