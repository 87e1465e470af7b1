# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as PyTorch, ONNX and JAX write them, with their weights, run as they come.

What the importers wrote is kept in data; where an importer is installed it must still write the same. The
kernels must give what the framework itself gives in float64, within the bound of a right f32 program.
"""

import importlib
from pathlib import Path

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.compiler.entry import isolate_entry
from roller_mlir.compiler.source import parse_source, read_source
from roller_mlir.evaluation.reference import compare_all, evaluate_function
from roller_mlir.plan.accuracy.accumulation import accumulation_of
from roller_mlir.support.bindings import make_context

DATA = Path(__file__).parent / "data"
MODELS = sorted(path.stem for path in DATA.glob("*.mlir"))
IMPORTERS_ERROR = {"torch_gpt": 3e-5}  # its tanh-GELU has 0.797724 for the square root of 2 / pi, which is 0.797885
NEEDS = {"torch": ("torch",), "onnx": ("torch", "onnx"), "jax": ("jax",)}


def test_every_door_has_its_models() -> None:
    kinds = {tuple(name.split("_", 1)) for name in MODELS}
    names = ("bert_layer", "gpt", "lstm", "mobilenet_block", "resnet_block")
    assert kinds == {(door, name) for door in NEEDS for name in names}


@pytest.mark.full(every=30)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_kernels_give_what_the_framework_gives(name: str, device: str) -> None:
    path = DATA / f"{name}.mlir"
    arrays = np.load(DATA / f"{name}.npz")
    artifact = roller_mlir.compile(path, target=device, options=CompileOptions(binaries=False))
    outputs = artifact.run(arrays["input"])
    with make_context() as context:
        module = parse_source(read_source(path), context)
        entry = isolate_entry(module, None)
        expected = evaluate_function(module, entry, [arrays["input"]], accumulation_of(artifact.manifest))
    (found,) = compare_all(outputs, expected)
    assert found.matches, found
    # The reference is ours, the framework's result is not; both are of the same weights, in float64.
    bound = np.broadcast_to(expected.bounded[0].errors(), outputs[0].shape)
    largest = float(np.abs(arrays["expected"]).max())
    assert (np.abs(outputs[0] - arrays["expected"]) <= 2 * bound + IMPORTERS_ERROR.get(name, 0.0) * largest).all()
    assert float(bound.max()) < 1e-2 * largest, "the bound says too little"


@pytest.mark.parametrize("name", MODELS)
def test_importers_write_what_is_kept(name: str) -> None:
    door, model = name.split("_", 1)
    for package in NEEDS[door]:
        pytest.importorskip(package)
    importer = importlib.import_module(f".import_{door}", __package__)
    assert importer.text_of(model) == (DATA / f"{name}.mlir").read_text()
