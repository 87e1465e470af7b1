# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies of wgmma in persistent kernels: right, clean, and with no wait, fence or hand-over that could be left out."""

import random
import re

import numpy as np
import pytest
from graph_runs import GraphRun
from role_models import joined, layers, squared

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.lowering.backend import find_toolchain
from roller_mlir.lowering.codegen.graph import roles
from roller_mlir.lowering.codegen.graph.bodies import bodies_of
from roller_mlir.lowering.codegen.graph.roles import role_layout, roles_of
from roller_mlir.lowering.codegen.graph.schedules import graphs_of
from roller_mlir.lowering.codegen.graph.tables import AWAITS, BODY, TELLS, WAITS, hand_overs
from roller_mlir.lowering.targets.family import passes_to
from roller_mlir.lowering.targets.stage import BUFFERS
from roller_mlir.passes.rammer.form_graph import RammerFormGraph
from roller_mlir.passes.rammer.schedule import RammerSchedule
from roller_mlir.rammer.events import add_events
from roller_mlir.rammer.graph.boxes import TaskBoxes
from roller_mlir.rammer.graph.task_graph import TaskAccess, TaskGraph, TaskOperator
from roller_mlir.sim.diagnosis.findings import SanitizerError
from roller_mlir.support.bindings import func, make_context
from roller_mlir.support.diagnostics import DiagnosedError, parse_module
from roller_mlir.support.passes.pipeline import run_pipeline

TASKS = {"task-threads": "128", "fusion": "false"}
MIXED = {**TASKS, "instructions": "wgmma,fma"}
FENCE = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}"
WARP = "nvvm.bar.warp.sync"
COMPLETE = "nvvm.cp.async.bulk.wait_group 0\n"


def without(graph: GraphRun, what: str, number: int = 0) -> None:
    """Take something away from a kernel where it stands for the first time, or a later one."""
    at = [found.start() for found in re.finditer(re.escape(what), graph.text)][number]
    graph.change(graph.text[:at] + graph.text[at + len(what) :])


@pytest.mark.full
@pytest.mark.parametrize(("blocks", "launches"), [(1, 2), (3, 10), (None, 2)])
def test_two_products(blocks: int | None, launches: int) -> None:
    text, inputs, expected = layers(128, (128, 192, 64))
    graph = GraphRun(text, "h200", blocks=blocks, instructions="wgmma", **TASKS)
    assert graph.threads == 256
    assert "wgmma.mma_async" in graph.text
    for launch in range(launches):  # without a reset
        (y,) = graph.run(inputs, seed=launch, sweep=launch == 1)
        assert (y == expected).all()


@pytest.mark.full(every=2)
@pytest.mark.parametrize("policy", ["list", "wavefront"])
def test_bodies_with_and_without_wgmma(policy: str) -> None:
    text, inputs, expected = layers(256, (128, 256, 128), lowered=(1,))
    graph = GraphRun(text, "h200", policy=policy, blocks=5, **MIXED)
    assert graph.threads == 256
    assert "wgmma.mma_async" in graph.text
    for launch in range(2):
        (y,) = graph.run(inputs, seed=launch)
        assert (y == expected).all()


@pytest.mark.full
@pytest.mark.parametrize("seed", range(25))
def test_random_layers(seed: int) -> None:
    rng = random.Random(seed)
    widths = [rng.choice((64, 72, 128, 136, 200, 256)) for _ in range(rng.randint(3, 6))]
    lowered = [layer for layer in range(len(widths) - 1) if rng.random() < 0.3]
    text, inputs, expected = layers(rng.choice((64, 100, 200, 256)), widths, lowered=lowered)
    asked = {"task-threads": rng.choice(("128", "256")), "fusion": rng.choice(("true", "false"))}
    families = rng.choice(("wgmma,fma", "wgmma,mma,fma")) if lowered else "wgmma"
    graph = GraphRun(text, "h200", blocks=rng.choice((1, 2, 3, 7, None)), instructions=families, **asked)
    for launch in range(2):
        (y,) = graph.run(inputs, seed=launch)
        # What is not computed by wgmma rounds its sums to f16 on the way.
        np.testing.assert_allclose(y, expected, rtol=0.02, atol=0.01 * float(abs(expected).max()))


def test_equal_operators_share_a_body() -> None:
    """The producer takes the tensor map of an argument, or of where an operand starts in the workspace."""
    text, inputs, expected = layers(128, (128,) * 5, shared=True)
    graph = GraphRun(text, "h200", blocks=2, instructions="wgmma", **TASKS)
    assert {record[BODY] for record in graph.records().tolist()} == {0}
    for launch in range(3):
        (y,) = graph.run(inputs, seed=launch)
        assert (y == expected).all()


def test_what_a_block_wrote_itself_is_handed_over() -> None:
    """Of several blocks, which wait for an event that each of them signals, none would need it here."""
    text, inputs, _ = layers(256, (128, 256, 128), lowered=(1,))
    graph = GraphRun(text, "h200", blocks=1, **MIXED)
    graph.run(inputs)
    graph.records()[:, -1] = 0
    graph.state[:] = 0
    with pytest.raises(SanitizerError, match="read after write"):
        graph.run(inputs)


@pytest.mark.full
def test_each_proxy_fence_is_needed() -> None:
    text, inputs, _ = layers(256, (128, 256, 128), lowered=(1,))
    graph = GraphRun(text, "h200", blocks=4, **MIXED)
    fences = graph.text.count(FENCE)
    assert fences == 3  # of the producer in each body of wgmma, and of the consumers
    needed = 0
    for number in range(fences):
        without(graph, FENCE, number)
        graph.state[:] = 0
        try:
            graph.run(inputs)
        except SanitizerError as error:
            assert "without 'fence.proxy.async' behind it in both blocks" in str(error)
            needed += 1
    assert needed == 2  # the first body copies inputs alone


@pytest.mark.full
def test_each_barrier_of_the_warp_that_copies_is_needed() -> None:
    """Its threads fetch words of a record, and poll for two events, before one of them copies."""
    text, inputs, expected = squared(192)
    graph = GraphRun(text, "h200", instructions="wgmma", **TASKS)
    (y,) = graph.run(inputs)
    assert (y == expected).all()
    assert 2 in graph.records()[:, WAITS]
    barriers = re.findall(rf"{WARP} .*", graph.text)
    assert len(barriers) == 3
    for number, barrier in enumerate(barriers):
        without(graph, barrier, number)
        with pytest.raises(SanitizerError):
            graph.run(inputs)


@pytest.mark.parametrize(
    ("count", "shape", "device", "asked"),
    [
        (28, (128, 256), "h200", MIXED),
        pytest.param(
            62,
            (16, 64),
            "a100",
            {"block-threads": "64", "fusion": "false", "instructions": "fma"},
            marks=pytest.mark.full,
        ),
    ],
)
def test_records_of_more_words_than_threads(
    count: int, shape: tuple[int, int], device: str, asked: dict[str, str]
) -> None:
    roles = device == "h200"
    text, inputs, expected = joined(count, shape, product=roles)
    graph = GraphRun(text, device, blocks=2, **asked)
    assert graph.threads == (256 if roles else 64)
    assert graph.records().shape[1] > (32 if roles else 64)
    (y,) = graph.run(inputs)
    assert (y == expected).all()


def test_stores_by_copies_are_complete_before_others_are_told() -> None:
    text, inputs, _ = layers(128, (128, 128, 64))
    graph = GraphRun(text, "h200", instructions="wgmma", **TASKS)
    assert graph.text.count(COMPLETE) == 1
    without(graph, COMPLETE)
    with pytest.raises(SanitizerError):
        graph.run(inputs)


@pytest.mark.parametrize("seed", range(20))
def test_hand_overs(seed: int) -> None:
    """Whoever copies hears of each result that it copies, and is told no second time before it has listened."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 12))

    def cell(number: int) -> TaskAccess:
        low = np.array([[number]], np.int32)
        return TaskAccess(0, 0, TaskBoxes((count,), 4, low, low + 1, (1,)))

    read = [rng.permutation(n)[: rng.integers(0, 3)].tolist() for n in range(count)]
    graph = TaskGraph(
        tuple(TaskOperator(f"{n}", 1, 1.0, tuple(cell(m) for m in read[n]), (cell(n),)) for n in range(count))
    )
    units = rng.integers(0, 2, count)
    schedule = add_events(graph, [np.flatnonzero(units == unit).astype(np.int32) for unit in range(2)])
    copied = rng.integers(0, 2, count).astype(bool)
    flags = hand_overs(graph, schedule, copied.tolist())
    for program in schedule.programs:
        tells = np.flatnonzero(flags[program] & TELLS)
        told = listened = 0
        for task in program.tolist():
            if flags[task] & AWAITS:
                listened += 1
            heard = program[: tells[listened - 1] + 1].tolist() if listened else []
            assert not copied[task] or all(one in heard or units[one] != units[task] for one in read[task])
            told += bool(flags[task] & TELLS)
            assert 0 <= told - listened <= 1
        assert told == listened


def roles_asked(text: str, most_bytes: int, registers: int = 65536) -> None:
    with make_context() as context:
        module = parse_module(text, context)
        asked = {"device": "h200", "instructions": "wgmma", **TASKS}
        run_pipeline(module, [*passes_to(BUFFERS, asked), RammerFormGraph()])
        (graph,) = graphs_of(module)
        layout = role_layout(graph, 128, 32, most_bytes)
        assert layout is not None
        run_pipeline(module, [RammerSchedule(device="h200")])
        (function,) = [op for op in module.body.operations if isinstance(op, func.FuncOp)]
        roles_of(graph, bodies_of(function, graph), layout, 128, registers)


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    text, _, _ = layers(128, (128, 128, 64))
    roles_asked(text, 200000)
    with pytest.raises(DiagnosedError, match="B of workgroup memory for 2 pages of .* a block has 20000 B; lower the"):
        roles_asked(text, 20000)
    with pytest.raises(DiagnosedError, match="starts with 32 registers a thread, wgmma of .*; lower per_unit or the"):
        roles_asked(text, 200000, registers=8192)
    monkeypatch.setattr(roles, "MOST_MAPS", 4)
    with pytest.raises(DiagnosedError, match="needs 5 tensor maps of 128 B, a kernel takes 4 at most; leave out wgmma"):
        GraphRun(text, "h200", instructions="wgmma", **TASKS)
    monkeypatch.undo()
    options = CompileOptions(persistent=True, instructions=("wgmma",), tensor_maps="device", binaries=False)
    with pytest.raises(DiagnosedError, match="the tensor maps of a persistent kernel are made by its launcher, not by"):
        roller_mlir.compile(text, "h200", options)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("level", ["llvm", "gpu"])
def test_compiled(level: str) -> None:
    text, inputs, expected = layers(128, (128, 128, 64))
    options = CompileOptions(
        persistent=True, instructions=("wgmma",), binaries=False, llvm=level == "llvm", cache=False
    )
    artifact = roller_mlir.compile(text, target="h200", options=options)
    (kernel,) = artifact.kernels
    assert len(kernel.tensor_maps) == 5
    (y,) = artifact.run(*inputs, sanitize=True)
    assert (y == expected).all()


@pytest.mark.skipif(not find_toolchain().ptxas, reason="needs ptxas")
@pytest.mark.parametrize("large", [False, pytest.param(True, marks=pytest.mark.full)])
def test_registers(large: bool) -> None:
    text, _, _ = layers(64, (64, 64, 64, 32)) if large else layers(256, (128, 256, 128), lowered=(1,))
    if large:  # products of 4096 x 4096 x 4096, the last one half as wide
        text = text.replace("64", "4096").replace("x32x", "x2048x")
    options = CompileOptions(persistent=True, fusion=False, instructions=("wgmma", "fma"), task_threads=256)
    artifact = roller_mlir.compile(text, target="h200", options=options)
    (kernel,) = artifact.kernels
    assert kernel.statistics.registers is not None and kernel.statistics.registers <= 168
    assert kernel.statistics.spill_bytes == 0
    assert not kernel.notes
    assert artifact.text("ptx").count("setmaxnreg") == 2
