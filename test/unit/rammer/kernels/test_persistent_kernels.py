# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole functions as one persistent kernel in the simulator: right, clean, and launched again without a reset."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from graph_models import MODELS, branches, mlp
from graph_runs import GraphRun
from role_models import layers

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.lowering.codegen.graph.tables import SIGNAL, Tables
from roller_mlir.passes.rammer import outline_kernel
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.schedule import Schedule
from roller_mlir.runtime.dependences import launch_dependences
from roller_mlir.runtime.errors import BackendError
from roller_mlir.runtime.registry import find_backend
from roller_mlir.runtime.sequence import LoadedSequence
from roller_mlir.sim.diagnosis.findings import SanitizerError


@pytest.mark.full
@pytest.mark.parametrize("policy", ["list", "wavefront"])
def test_two_layers(policy: str) -> None:
    text, inputs, expected, _ = mlp()
    graph = GraphRun(text, "h200", policy=policy, **{"block-threads": "64"})
    for launch in range(3):
        (y,) = graph.run(inputs, seed=launch)
        assert (y == expected[0]).all()


@pytest.mark.full(every=15)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("device", ["a100", "h200", "mi300x"])
def test_models(model: str, device: str) -> None:
    """Ten launches in a row without a reset, threads and blocks in another order each time."""
    text, inputs, expected, tolerance = MODELS[model]()
    graph = GraphRun(text, device, **{"block-threads": "128", "instructions": "fma"})
    for launch in range(10):
        for found, wanted in zip(graph.run(inputs, seed=launch, sweep=launch == 1), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)
    assert (graph.state[len(graph.state) - graph.blocks :] == 10).all()


@pytest.mark.full
def test_counters_may_wrap_around() -> None:
    text, inputs, expected, _ = branches()
    graph = GraphRun(text, "h200", **{"block-threads": "64"})
    graph.run(inputs)
    events = len(graph.state) - graph.blocks
    # As after 2^31 - 1 launches: the next ones count beyond the largest number.
    graph.state[:events] = (graph.state[:events].astype(np.int64) * (2**31 - 1)).astype(np.int32)
    graph.state[events:] = 2**31 - 1
    for launch in range(2):
        (y,) = graph.run(inputs, seed=launch)
        assert (y == expected[0]).all()


def _races(graph: GraphRun, inputs: list[Any], seed: int) -> bool:
    """Run from a state of zeros, leave one, and return whether the sanitizer has found a race."""
    try:
        graph.run(inputs, seed=seed)
    except SanitizerError as error:
        assert "race" in str(error)
        return True
    finally:
        graph.state[:] = 0
    return False


@pytest.mark.full
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("model", MODELS)
def test_each_wait_is_needed(model: str, part: int) -> None:
    """Of waits that are taken away one by one, the sanitizer finds each in one of a few orders of the blocks.

    It keeps two reads of a byte: a third one that comes too early is lost where the other two come in time.
    """
    text, inputs, _, _ = MODELS[model]()
    graph = GraphRun(text, "h200", **{"block-threads": "128", "instructions": "fma"})
    graph.run(inputs)
    waits = graph.table(2).reshape(-1, 2)
    first_waits = graph.table(1).reshape(-1, 2)[:, 1]
    (needed,) = np.nonzero(waits[:, 1])
    for gone in np.random.default_rng(part).permutation(needed)[:13]:
        # It reads how often its own block was launched instead, which orders nothing.
        own = len(graph.state) - graph.blocks + np.searchsorted(first_waits, gone, "right") - 1
        before, waits[gone] = waits[gone].copy(), (own, 0)
        assert any(_races(graph, inputs, seed) for seed in range(gone, gone + 4)), gone
        waits[gone] = before
        graph.state[:] = 0
    graph.run(inputs)


@pytest.mark.full
def test_more_waits_than_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread polls for its own wait first, and then for those beyond the last thread."""
    made = outline_kernel.tables_of

    def with_more(graph: TaskGraph, schedule: Schedule, *more: Any) -> Tables:
        waits = [np.concatenate([np.repeat(one[:1], 64), one[1:]]) for one in schedule.waits]
        return made(graph, replace(schedule, waits=tuple(waits)), *more)

    monkeypatch.setattr(outline_kernel, "tables_of", with_more)
    text, inputs, expected, _ = branches()
    graph = GraphRun(text, "h200", **{"block-threads": "64"})
    for launch in range(2):
        (y,) = graph.run(inputs, seed=launch)
        assert (y == expected[0]).all()


def test_a_result_that_is_read_in_another_shape() -> None:
    """What is returned is written without its shape, and read as an image."""
    text = """
func.func @f(%x: tensor<64x16xf32>, %w: tensor<3x3x16xf32>) -> (tensor<64x16xf32>, tensor<1x6x6x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x16xf32>
  %y = linalg.add ins(%x, %x : tensor<64x16xf32>, tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
  %image = tensor.expand_shape %y [[0, 1, 2], [3]] output_shape [1, 8, 8, 16]
    : tensor<64x16xf32> into tensor<1x8x8x16xf32>
  %o = tensor.empty() : tensor<1x6x6x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32>
  %z = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%image, %w : tensor<1x8x8x16xf32>, tensor<3x3x16xf32>) outs(%f : tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32>
  return %y, %z : tensor<64x16xf32>, tensor<1x6x6x16xf32>
}
"""
    rng = np.random.default_rng(5)
    x, w = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((64, 16), (3, 3, 16)))
    y, z = GraphRun(text, "h200", **{"block-threads": "64"}).run([x, w])
    assert (y == 2 * x).all()
    image = 2 * x.reshape(8, 8, 16)
    assert (z[0] == sum(image[i : i + 6, j : j + 6] * w[i, j] for i in range(3) for j in range(3))).all()


def test_a_missing_signal_names_the_wait() -> None:
    text, inputs, _, _ = branches((16, 48))
    graph = GraphRun(text, "h200", **{"block-threads": "64"})
    tasks = int(graph.table(1)[0::2].max())
    records = graph.table(0).reshape(graph.blocks * tasks + 1, -1)
    first = int(np.argmax(records[:, SIGNAL] >= 0))
    missing = int(records[first, SIGNAL])
    records[first, SIGNAL] = -1
    wanted = f"it has 15 and wants at least 16 \\(event {missing}, body \\d+, task \\d+\\)"
    with pytest.raises(SanitizerError, match=wanted):
        graph.run(inputs)


@pytest.mark.full
@pytest.mark.parametrize(("level", "roles"), [("gpu", False), ("llvm", False), ("gpu", True)])
def test_a_missing_signal_ends_in_a_report(level: str, roles: bool) -> None:
    text, inputs, (expected,), _ = branches((16, 48))
    options = CompileOptions(persistent=True, binaries=False, llvm=level == "llvm", wait_limit=200)
    if roles:
        text, inputs, expected = layers(128, (128, 192, 64))
        options = replace(options, task_threads=128, instructions=("wgmma",), fusion=False)
    else:
        options = replace(options, block_threads=64)
    artifact = roller_mlir.compile(text, target="h200", options=options)
    assert ("wgmma.mma_async" in artifact.text("kernels")) == roles
    (y,) = artifact.run(*inputs, sanitize=True)
    assert (y == expected).all()
    (launch,) = artifact.manifest.launches
    assert launch.report_bytes is not None
    records, spans = (artifact.manifest.buffer(view.buffer) for view in launch.arguments[-4:-2])
    data = bytearray(artifact.files["constants.bin"])
    tables = [np.frombuffer(data, np.int32, one.size_bytes // 4, one.offset_bytes) for one in (records, spans)]
    rows = tables[0].reshape(len(tables[1]) // 2 * int(tables[1][0::2].max()) + 1, -1)
    rows[int(np.argmax(rows[:, SIGNAL] >= 0)), SIGNAL] = -1
    files = {**artifact.files, "constants.bin": bytes(data)}
    loaded = LoadedSequence(artifact.manifest, files, find_backend("sim", {"level": level}))
    for _ in range(2):  # counters begin again from zero
        with pytest.raises(BackendError, match="kernel 'f' gave up a wait, and its results are not valid") as caught:
            loaded.run(inputs)
        found = re.search(r"waits for event \d+, which has (\d+) signals and wants (\d+)$", str(caught.value))
        assert found is not None
        assert int(found[1]) < int(found[2])


@pytest.mark.full(every=12)
@pytest.mark.parametrize("level", ["gpu", "llvm"])
@pytest.mark.parametrize("device", ["a100", "h200", "mi300x"])
@pytest.mark.parametrize("model", ["mlp", "branches"])
def test_compiled(model: str, device: str, level: str) -> None:
    """The artifact's kernel, as `gpu` operations and as LLVM IR of its vendor, without a reset of its state."""
    text, inputs, expected, _ = MODELS[model]()
    artifact = roller_mlir.compile(
        text, target=device, options=CompileOptions(persistent=True, binaries=False, llvm=level == "llvm")
    )
    (launch,) = artifact.manifest.launches
    assert launch.cooperative
    backend = find_backend("sim", {"level": level, "seed": 1, "sanitize": level == "gpu"})
    loaded = LoadedSequence(artifact.manifest, artifact.files, backend)
    for _ in range(2):
        assert (loaded.run(inputs).outputs[0] == expected[0]).all()


@pytest.mark.full
def test_a_barrier_between_waves() -> None:
    text, inputs, expected, _ = branches()
    options = CompileOptions(persistent=True, hand_over="barrier", policy="wavefront", blocks=4, binaries=False)
    artifact = roller_mlir.compile(text, target="h200", options=options)
    (y,) = artifact.run(*inputs, sanitize=True)
    assert (y == expected[0]).all()
    said = "\n".join(artifact.manifest.notes)
    assert re.search(r"'f': \d+ tasks on 4 vEUs: 8 waits of 8", said)
    assert re.search(
        r"'f': \d+ operators by \d+ bodies, blocks of \d+ threads; \d+ B of workspace, \d+ B of state", said
    )


@pytest.mark.full
def test_launches_of_branches_depend_on_nothing_of_others() -> None:
    """Four branches of two products each, parts and sums of them, and one join."""
    text, inputs, expected, _ = MODELS["branches"]()
    artifact = roller_mlir.compile(text, target="h200", options=CompileOptions(binaries=False, reuse=False))
    found = launch_dependences(artifact.manifest)
    assert [len(one) for one in found[:-1]].count(0) == 4 and max(len(one) for one in found[:-1]) == 1
    assert len(found[-1]) == 4
    assert (artifact.run(*inputs)[0] == expected[0]).all()


@pytest.mark.full(every=2)
@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_what_bodies_have_in_common_may_be_merged(device: str) -> None:
    """LLVM joins the ends of bodies that are alike: their multiply-adds need not be there once for each."""
    options = CompileOptions(persistent=True, block_threads=128, cache=False)
    (kernel,) = roller_mlir.compile(MODELS["attention"]()[0], target=device, options=options).kernels
    assert {"cubin", "hsaco"} & kernel.files.keys()
