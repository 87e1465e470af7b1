# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Buffers share bytes where no order of blocks brings them together."""

import random
from dataclasses import replace
from typing import Any

import numpy as np
from small_graphs import access, conflicts, is_right, reads_from

from roller_mlir.lowering.codegen.buffers.workspace_offsets import place
from roller_mlir.rammer.events import add_events, reduce_waits
from roller_mlir.rammer.graph.task_graph import TaskGraph, TaskOperator
from roller_mlir.rammer.policy import POLICIES
from roller_mlir.rammer.proof import find_faults
from roller_mlir.rammer.reuse import BufferUse, maybe_together

SIZE, BYTES = 6, 4


def chain(rng: random.Random) -> TaskGraph:
    """Return operators that each write a buffer of their own in one workspace, and read one or two of those before."""
    operators: list[TaskOperator] = []
    for number in range(rng.randint(3, 6)):
        tasks = rng.randint(1, 2)
        parts = [[range(t * SIZE // tasks, (t + 1) * SIZE // tasks)] for t in range(tasks)]
        whole = [[range(SIZE)]] * tasks
        read = rng.sample(range(number), min(number, rng.randint(1, 2)))
        reads = tuple(access(0, one * 256, (SIZE,), BYTES, rng.choice([parts, whole])) for one in read)
        writes = (access(0, number * 256, (SIZE,), BYTES, parts),)
        operators.append(TaskOperator(f"op{number}", tasks, rng.choice([1e-6, 3e-6]), reads, writes))
    return TaskGraph(tuple(operators))


def test_shared_bytes_need_no_wait_more() -> None:
    saved = 0
    for seed in range(60):
        rng = random.Random(seed)
        graph = chain(rng)
        policy = POLICIES[rng.choice(sorted(POLICIES))]
        schedule = reduce_waits(add_events(graph, policy(graph, rng.randint(1, 3), 1e-6)))
        count = len(graph.operators)
        touched: list[list[int]] = [[] for _ in range(count)]
        written: list[list[int]] = [[] for _ in range(count)]
        for first, operator in zip(graph.first, graph.operators, strict=False):
            tasks = range(first, first + operator.tasks)
            for one in (*operator.reads, *operator.writes):
                touched[one.offset_bytes // 256] += tasks
            written[operator.writes[0].offset_bytes // 256] += tasks
        uses = [
            BufferUse(SIZE * BYTES, np.array(all_, np.int32), np.array(writers, np.int32))
            for all_, writers in zip(touched, written, strict=True)
        ]
        near = maybe_together(schedule, uses)
        placed: list[int] = []

        def beside(one: int, placed: list[int] = placed, near: list[Any] = near) -> list[int]:
            found = [other for other in near[one].tolist() if other in placed]
            placed.append(one)
            return found

        offsets, whole = place([SIZE * BYTES] * count, beside)
        saved += whole < count * 256

        def moved(by: list[int], graph: TaskGraph = graph) -> TaskGraph:
            operators = (
                replace(
                    one,
                    reads=tuple(replace(read, offset_bytes=by[read.offset_bytes // 256]) for read in one.reads),
                    writes=tuple(replace(write, offset_bytes=by[write.offset_bytes // 256]) for write in one.writes),
                )
                for one in graph.operators
            )
            return TaskGraph(tuple(operators))

        shared = moved(offsets)
        assert not find_faults(shared, schedule)
        assert is_right(schedule, conflicts(shared))
        assert reads_from(shared) == reads_from(graph)
    assert saved > 10
