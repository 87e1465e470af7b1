# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole functions as one persistent kernel in the simulator: right, clean, and launched again without a reset."""

from pathlib import Path

import numpy as np
import pytest
from graph_models import attention, branches, lstm, residual
from graph_runs import GraphRun

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.codegen.graph.tables import FIRST_WAIT, WAITS
from roller_mlir.runtime.registry import find_backend
from roller_mlir.runtime.sequence import LoadedSequence
from roller_mlir.sim.findings import SanitizerError
from roller_mlir.tools.roller import main

MLP = """
func.func @mlp(%x: tensor<64x96xf32>, %w1: tensor<96x128xf32>, %w2: tensor<128x80xf32>) -> tensor<64x80xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64x128xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<64x96xf32>, tensor<96x128xf32>)
    outs(%f1 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %e2 = tensor.empty() : tensor<64x80xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<64x80xf32>) -> tensor<64x80xf32>
  %y = linalg.matmul ins(%h, %w2 : tensor<64x128xf32>, tensor<128x80xf32>)
    outs(%f2 : tensor<64x80xf32>) -> tensor<64x80xf32>
  return %y : tensor<64x80xf32>
}
"""


@pytest.mark.parametrize("policy", ["list", "wavefront"])
def test_two_layers(policy: str) -> None:
    rng = np.random.default_rng(1)
    x, w1, w2 = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((64, 96), (96, 128), (128, 80)))
    graph = GraphRun(MLP, "h200", policy=policy)
    for launch in range(3):
        (y,) = graph.run([x, w1, w2], seed=launch)
        assert (y == x @ w1 @ w2).all()


# Each with an independent result in numpy.
MODELS = {"branches": branches, "lstm": lstm, "residual": residual, "attention": attention}


@pytest.mark.full(each=["model", "device"])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("device", ["a100", "h200", "mi300x"])
def test_models(model: str, device: str) -> None:
    text, inputs, expected, tolerance = MODELS[model]()
    graph = GraphRun(text, device, **{"block-threads": "128", "instructions": "fma"})
    for launch in range(2):
        for found, wanted in zip(graph.run(inputs, seed=launch, sweep=bool(launch)), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def test_ten_launches_without_a_reset() -> None:
    text, inputs, expected, _ = branches()
    graph = GraphRun(text, "h200", **{"block-threads": "64"})
    for launch in range(10):
        (y,) = graph.run(inputs, seed=launch)
        assert (y == expected[0]).all()
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


@pytest.mark.full(each=["model"])
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("model", MODELS)
def test_each_wait_is_needed(model: str, part: int) -> None:
    """Of waits that are taken away one by one, the sanitizer finds each."""
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
        with pytest.raises(SanitizerError, match="race"):
            graph.run(inputs, seed=int(gone))
        record[WAITS] += 1
        graph.state[:] = 0
    graph.run(inputs)


@pytest.mark.parametrize("order", ["acquire", "release"])
def test_each_fence_is_needed(order: str) -> None:
    text, inputs, _, _ = branches()
    graph = GraphRun(text, "h200", **{"block-threads": "64"})
    graph.change(f'llvm.fence syncscope("device") {order}', "")
    with pytest.raises(SanitizerError, match="race"):
        graph.run(inputs)


@pytest.mark.parametrize("level", ["gpu", "llvm"])
@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_compiled(device: str, level: str) -> None:
    text, inputs, expected, _ = branches()
    artifact = roller_mlir.compile(
        text, target=device, options=CompileOptions(persistent=True, binaries=False, llvm=level == "llvm")
    )
    (launch,) = artifact.manifest.launches
    assert launch.cooperative
    loaded = LoadedSequence(artifact.manifest, artifact.files, find_backend("sim", {"level": level}))
    for _ in range(2):  # the state is kept
        assert (loaded.run(inputs).outputs[0] == expected[0]).all()
    (y,) = artifact.run(*inputs, sanitize=True)
    assert (y == expected[0]).all()


def test_a_device_without_cooperative_launches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mlp.mlir"
    file.write_text(MLP)
    assert main(["compile", str(file), "--target", "k80", "--persistent"]) == 1
    said = capsys.readouterr().err
    assert "persistent: k80 has no cooperative launch, so blocks cannot wait for others" in said


def test_kernels_cannot_become_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mlp.mlir"
    file.write_text(MLP)
    assert main(["compile", str(file), "--target", "h200", "--emit", "gpu"]) == 0
    file.write_text(capsys.readouterr().out)
    assert main(["compile", str(file), "--target", "h200", "--persistent"]) == 1
    assert "persistent: the module has its kernels already" in capsys.readouterr().err
