# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times how a graph of many tasks is scheduled, its waits are reduced, and the schedule is proven.

    python bench/rammer/schedule.py [--steps 100] [--layers 10]

The graph has the shape of RAMMER's LSTM-TC (Table 1: 100 steps, 10 layers of 256): for each cell 32 tasks of
matrix-vector products, each of which reads the states of this layer before and of the layer below, and 2 tasks that
make the new states.
Prints a table in Markdown: processor seconds of this machine, medians of so many runs.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from roller_mlir.rammer.events import add_events, reduce_waits
from roller_mlir.rammer.graph.boxes import TaskBoxes
from roller_mlir.rammer.graph.task_graph import TaskAccess, TaskGraph, TaskOperator
from roller_mlir.rammer.policy import critical_path, wavefront
from roller_mlir.rammer.proof import find_faults

HIDDEN, PRODUCTS, CELLS = 256, 32, 2
HAND_OVER_S = 1.2e-6
ELEMENT_BYTES = 4


@cache
def boxes(shape: tuple[int, ...], parts: int, whole: bool) -> TaskBoxes:
    """Return the boxes of tasks that share the last dimension of a view evenly, or read all of it each."""
    high = np.tile(np.array(shape, np.int32), (parts, 1))
    low = np.zeros_like(high)
    if not whole:
        edges = np.arange(parts + 1, dtype=np.int32) * shape[-1] // parts
        low[:, -1], high[:, -1] = edges[:-1], edges[1:]
    return TaskBoxes(shape, ELEMENT_BYTES, low, high, (1,) * len(shape))


def lstm(steps: int, layers: int) -> TaskGraph:
    """Return the task graph of an LSTM, diagonal by diagonal."""
    states, products, memory = range(3)
    operators: list[TaskOperator] = []

    def state(step: int, layer: int) -> int:
        return ((step + 1) * layers + layer) * HIDDEN * ELEMENT_BYTES

    for diagonal in range(steps + layers - 1):
        for layer in range(max(0, diagonal - steps + 1), min(layers, diagonal + 1)):
            step = diagonal - layer
            gates = (step * layers + layer) * 4 * HIDDEN * ELEMENT_BYTES
            before, here = state(step - 1, layer), state(step, layer)
            reads = [TaskAccess(states, before, boxes((HIDDEN,), PRODUCTS, True))]
            if layer:
                reads.append(TaskAccess(states, state(step, layer - 1), boxes((HIDDEN,), PRODUCTS, True)))
            written = TaskAccess(products, gates, boxes((4 * HIDDEN,), PRODUCTS, False))
            operators.append(TaskOperator(f"products {step} {layer}", PRODUCTS, 1.4e-6, tuple(reads), (written,)))
            own = boxes((HIDDEN,), CELLS, False)
            given = (TaskAccess(products, gates, boxes((4, HIDDEN), CELLS, False)), TaskAccess(memory, before, own))
            made = (TaskAccess(states, here, own), TaskAccess(memory, here, own))
            operators.append(TaskOperator(f"cell {step} {layer}", CELLS, 0.6e-6, given, made))
    return TaskGraph(tuple(operators))


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a function gives, and the processor seconds that it took."""
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def main() -> None:
    """Time each policy and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=100, help="steps of the LSTM (default 100)")
    parser.add_argument("--layers", type=int, default=10, help="layers of the LSTM (default 10)")
    parser.add_argument("--blocks", type=int, default=132, help="vEUs (default 132)")
    parser.add_argument("--runs", type=int, default=5, help="runs, of which the medians are shown (default 5)")
    asked = parser.parse_args()
    print(
        "| policy | tasks | dependences | waits | after reduction | a task | read | placed | reduced | proven | all |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name, policy in {"wavefront": wavefront, "list": critical_path}.items():
        found: list[tuple[float, ...]] = []
        text = ""
        for _ in range(asked.runs):
            graph = lstm(asked.steps, asked.layers)
            pairs, read = timed(lambda graph=graph: graph.dependences)
            schedule, placed = timed(
                lambda graph=graph, policy=policy: add_events(graph, policy(graph, asked.blocks, HAND_OVER_S))
            )
            reduced, less = timed(lambda schedule=schedule: reduce_waits(schedule))
            faults, proven = timed(lambda graph=graph, reduced=reduced: find_faults(graph, reduced))
            if faults:
                raise SystemExit(f"the schedule of {name} is wrong: {faults[0].text}")
            found.append((read, placed, less, proven, read + placed + less + proven))
            waits = f"{schedule.wait_count:,} | {reduced.wait_count:,} | {reduced.wait_count / graph.tasks:.2f}"
            text = f"| {name} | {graph.tasks:,} | {len(pairs.producers):,} | {waits} |"
        times = (statistics.median(times) for times in zip(*found, strict=True))
        print(text, " | ".join(f"{one:.2f} s" for one in times), "|")


if __name__ == "__main__":
    main()
