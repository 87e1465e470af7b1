# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What repeated cells of a model cost grows as their number, not faster: calls and memory are counted, no seconds."""

import cProfile
import runpy
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.stages import run_stages
from roller_mlir.evaluation.suites.models.models import Model
from roller_mlir.evaluation.suites.models.recurrent import LstmTc
from roller_mlir.rammer.events import add_events, reduce_waits
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.policy import POLICIES
from roller_mlir.rammer.proof import find_faults
from roller_mlir.rammer.reuse import BufferUse, maybe_together
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module

GRAPHS: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[4] / "bench" / "rammer" / "schedule.py"))
SHARE = 1.15
"""By how much twice as many cells may cost more than twice as much: tables and trees have a logarithm."""


def calls_of(work: Callable[[], object]) -> int:
    """Return how many calls there are while something is done."""
    profile = cProfile.Profile()
    profile.enable()
    work()
    profile.disable()
    entries: list[Any] = profile.getstats()
    return sum(entry.callcount for entry in entries)


def memory_of(work: Callable[[], object]) -> int:
    """Return how many bytes are held at a time while something is done, at most."""
    tracemalloc.start()
    work()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def check_linear(found: list[int]) -> None:
    """Check costs of a number of cells, of twice as many, and of four times as many: without what all have."""
    few, more, most = found
    assert more > few
    assert most - more <= 2 * SHARE * (more - few), found


def schedule(steps: int, policy: str) -> None:
    """Schedule an LSTM of so many steps, prove it, and find which of its results may share bytes."""
    graph: TaskGraph = GRAPHS["lstm"](steps, 2)
    placed = add_events(graph, POLICIES[policy](graph, 8, 1e-6))
    pairs = graph.dependences
    readers = np.split(
        pairs.consumers[np.argsort(pairs.producers, kind="stable")],
        np.searchsorted(np.sort(pairs.producers), graph.first[1:-1]),
    )
    uses: list[BufferUse] = []
    for first, behind, one in zip(graph.first, readers, graph.operators, strict=False):
        writers = np.arange(first, first + one.tasks, dtype=np.int32)
        uses.append(BufferUse(64, np.unique(np.concatenate([writers, behind])), writers))
    near = maybe_together(placed, uses)
    assert len(near) == len(graph.operators)
    assert not find_faults(graph, reduce_waits(placed))


@pytest.mark.full(every=2)
@pytest.mark.parametrize(
    ("cost", "policy", "fewest"), [(calls_of, "list", 10), (calls_of, "wavefront", 10), (memory_of, "list", 10)]
)
def test_schedules_grow_as_their_tasks(cost: Callable[[Callable[[], object]], int], policy: str, fewest: int) -> None:
    schedule(4, policy)  # what is made once
    check_linear([cost(lambda n=n: schedule(n * fewest, policy)) for n in (1, 2, 4)])


@pytest.mark.parametrize(
    "costs",
    [
        [
            calls_of(lambda count=count: [abs(one) for one in range(count) for _ in range(count)])
            for count in (9, 18, 36)
        ],
        [memory_of(lambda n=n: np.ones((n, n))) for n in (100, 200, 400)],
    ],
    ids=["calls", "memory"],
)
def test_faster_growth_is_found(costs: list[int]) -> None:
    with pytest.raises(AssertionError):
        check_linear(costs)


@pytest.mark.full
def test_compilations_grow_as_their_cells() -> None:
    def compiled(steps: int) -> int:
        text = Model("lstm", 1, LstmTc(steps, 1, 16)).text("weights.irpa")
        with make_context() as context, ir.Location.unknown():
            module = parse_module(text, context)
            options = CompileOptions(persistent=True, block_threads=64, cache=False)
            return calls_of(lambda: run_stages(module, "h200", options))

    compiled(4)  # plans are constructed once
    check_linear([compiled(steps) for steps in (4, 8, 16)])
