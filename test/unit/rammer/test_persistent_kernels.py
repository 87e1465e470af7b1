# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole functions as one persistent kernel in the simulator: right, clean, and launched again without a reset."""

import re
from typing import Any

import numpy as np
import pytest
from graph_models import MODELS, branches, mlp
from graph_runs import GraphRun

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.codegen.graph.tables import FIRST_WAIT, WAITS
from roller_mlir.runtime.dependences import launch_dependences
from roller_mlir.runtime.registry import find_backend
from roller_mlir.runtime.sequence import LoadedSequence
from roller_mlir.sim.findings import SanitizerError


@pytest.mark.parametrize("policy", ["list", "wavefront"])
def test_two_layers(policy: str) -> None:
    text, inputs, expected, _ = mlp()
    graph = GraphRun(text, "h200", policy=policy)
    for launch in range(3):
        (y,) = graph.run(inputs, seed=launch)
        assert (y == expected[0]).all()


@pytest.mark.full(each=["model", "device"])
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


@pytest.mark.full(each=["model"])
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("model", MODELS)
def test_each_wait_is_needed(model: str, part: int) -> None:
    """Of waits that are taken away one by one, the sanitizer finds each in one of a few orders of the blocks.

    It keeps two reads of a byte: a third one that comes too early is lost where the other two come in time.
    """
    text, inputs, _, _ = MODELS[model]()
    graph = GraphRun(text, "h200", **{"block-threads": "128", "instructions": "fma"})
    graph.run(inputs)
    records = graph.table(0).reshape(graph.blocks, -1)
    fields = records.shape[1] // int(graph.table(1).max())
    records = records.reshape(graph.blocks, -1, fields)
    waits = graph.table(2).reshape(-1, 2)
    rng = np.random.default_rng(part)
    waiting = np.argwhere(records[:, :, WAITS] > 0)
    for unit, position in rng.permutation(waiting)[:13]:
        record = records[unit, position]
        first, last = record[FIRST_WAIT], record[FIRST_WAIT] + record[WAITS] - 1
        gone = first + rng.integers(record[WAITS])
        waits[[gone, last]] = waits[[last, gone]]
        record[WAITS] -= 1
        assert any(_races(graph, inputs, seed) for seed in range(gone, gone + 4)), (unit, position)
        record[WAITS] += 1
    graph.run(inputs)


@pytest.mark.full(each=["model", "device", "level"])
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


def test_a_barrier_between_waves() -> None:
    text, inputs, expected, _ = branches()
    options = CompileOptions(persistent=True, hand_over="barrier", policy="wavefront", blocks=4, binaries=False)
    artifact = roller_mlir.compile(text, target="h200", options=options)
    (y,) = artifact.run(*inputs, sanitize=True)
    assert (y == expected[0]).all()
    said = "\n".join(artifact.manifest.notes)
    assert "'f': 416 tasks on 4 vEUs: 8 waits of 8" in said
    assert re.search(
        r"'f': \d+ operators by \d+ bodies, blocks of \d+ threads; \d+ B of workspace, \d+ B of state", said
    )


def test_launches_of_branches_depend_on_nothing_of_others() -> None:
    """Four branches of two products each, parts and sums of them, and one join."""
    text, inputs, expected, _ = MODELS["branches"]()
    artifact = roller_mlir.compile(text, target="h200", options=CompileOptions(binaries=False, reuse=False))
    found = launch_dependences(artifact.manifest)
    assert [len(one) for one in found[:-1]].count(0) == 4 and max(len(one) for one in found[:-1]) == 1
    assert len(found[-1]) == 4
    assert (artifact.run(*inputs)[0] == expected[0]).all()


@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_what_bodies_have_in_common_may_be_merged(device: str) -> None:
    """LLVM joins the ends of bodies that are alike: their multiply-adds need not be there once for each."""
    options = CompileOptions(persistent=True, block_threads=128, cache=False)
    (kernel,) = roller_mlir.compile(MODELS["attention"]()[0], target=device, options=options).kernels
    assert {"cubin", "hsaco"} & kernel.files.keys()
