# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole models are timed beside onnxruntime, whose results are those of ours."""

import json
import logging
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import onnx
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.hal import DeviceError, find_device

SCRIPT = Path(__file__).parents[3] / "bench" / "cpu" / "models.py"
MODELS: dict[str, Any] = runpy.run_path(str(SCRIPT))


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the script."""
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with a small encoder."""
    try:
        find_device("host")
    except DeviceError:
        pytest.skip("this machine is no CPU of ours")
    file = tmp_path_factory.mktemp("models") / "small.onnx"
    file.write_bytes(MODELS["encoder"](1, 32, 8, 2))
    return file


def test_a_model_of_ones_own_is_timed(small: Path, tmp_path: Path) -> None:
    done = run(str(small), "--threads", "1,2", "--rounds", "2", "-o", str(tmp_path / "times.json"))
    assert done.returncode == 0, done.stderr
    records = json.loads((tmp_path / "times.json").read_text())
    assert [(one["model"], one["threads"]) for one in records] == [("small", 1), ("small", 2)]
    assert [MODELS["row"](one) for one in records] == done.stdout.splitlines()[2:]
    assert all(one["error"] < MODELS["TOLERANCE"] for one in records)


def test_results_that_differ_are_no_times(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLER_NUM_THREADS", "1")
    with pytest.raises(SystemExit, match="results differ by"):
        MODELS["times_of"](str(small), 1, 1, tolerance=-1.0)


@pytest.mark.parametrize("kind", ["u8", "s8", "dynamic"])
def test_a_quantized_model_is_timed(kind: str, small: Path, tmp_path: Path) -> None:
    file = tmp_path / "quantized.onnx"
    file.write_bytes(MODELS["quantized"](small.read_bytes, kind))
    assert logging.getLogger("roller_mlir").isEnabledFor(logging.WARNING)
    nodes = {node.op_type for node in onnx.load(file).graph.node}
    assert nodes & ({"DynamicQuantizeLinear"} if kind == "dynamic" else {"QuantizeLinear"})
    done = run(str(file), "--quantized", "--rounds", "2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[2].startswith("| quantized | 1 |")


@pytest.mark.parametrize(
    ("times", "networks"),
    [
        ("zen4", MODELS["NETWORKS"]),
        ("zen5", MODELS["NETWORKS"]),
        ("quantized-spr", MODELS["QUANTIZED"]),
        ("of-onnx-zen5", MODELS["networks_of_onnx"]()),
        ("recurrent-zen5", MODELS["RECURRENT"]),
    ],
)
def test_the_networks_are_those_of_the_page(times: str, networks: dict[str, Any]) -> None:
    page = (SCRIPT.parents[2] / "docs" / "cpu.md").read_text(encoding="utf-8")
    stored = json.loads((SCRIPT.parent / "models" / f"{times}.json").read_text(encoding="utf-8"))
    assert {one["model"] for one in stored} == set(networks)
    for one in stored:
        ours, theirs = (1e3 * one[f"{name}_s"]["least"] for name in ("ours", "onnxruntime"))
        assert f"| {ours:.2f} | {theirs:.2f} | {theirs / ours:.2f} |" in page


def test_times_beside_pytorch_are_those_of_the_page() -> None:
    page = (SCRIPT.parents[2] / "docs" / "cpu.md").read_text(encoding="utf-8")
    for one in json.loads((SCRIPT.parent / "models" / "pytorch-zen5.json").read_text(encoding="utf-8")):
        ours, theirs = (1e3 * one[f"{name}_s"]["least"] for name in ("ours", "eager"))
        assert f"| {ours:.2f} | {theirs:.2f} | {theirs / ours:.2f} |" in page


@pytest.mark.full
def test_the_networks_are_models() -> None:
    assert all(len(make()) > 1_000_000 for make in MODELS["NETWORKS"].values())


@pytest.mark.full
def test_networks_of_onnx_are_compiled_as_they_are_and_with_random_weights(tmp_path: Path) -> None:
    """Of format 3 and opset 9: weights are inputs, too, filled by nodes of the graph."""
    path = MODELS["networks_of_onnx"]()["squeezenet"]
    random = tmp_path / "random.onnx"
    random.write_bytes(MODELS["randomized"](path))
    for file in (path, random):
        artifact = roller_mlir.compile(file, "spr", options=CompileOptions(binaries=False))
        assert len(artifact.manifest.inputs) == 1
    weights = onnx.load(random).graph.initializer
    large = [onnx.numpy_helper.to_array(one) for one in weights if len(one.dims) > 1]
    assert large and all(len(set(one.ravel()[:100].tolist())) > 50 for one in large)
