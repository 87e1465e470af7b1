# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of PyTorch, exported and imported, give in the simulator what PyTorch's eager mode gives; needs torch."""

import re
from pathlib import Path

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.importers.torch import import_model
from roller_mlir.tools.roller import main

torch = pytest.importorskip("torch")
from . import torch_models  # noqa: E402 - it imports torch

pytestmark = pytest.mark.filterwarnings("ignore")  # torch warns of its own modules
OPTIONS = CompileOptions(binaries=False)


@pytest.mark.parametrize("name", [*torch_models.ALL[:-1], pytest.param("resnet18", marks=pytest.mark.full)])
def test_imported_models_give_what_eager_gives(name: str, tmp_path: Path) -> None:
    model, example = torch_models.make(name)
    torch.export.save(torch.export.export(model, (example,)), tmp_path / "model.pt2")
    written = tmp_path / "model.mlir"
    assert main(["import", str(tmp_path / "model.pt2"), "-o", str(written), "--weights", str(tmp_path / "w.irpa")]) == 0
    with torch.no_grad():
        wanted = model(example).numpy()
    for device in ("h200", "mi300x"):
        artifact = roller_mlir.compile(written, target=device, options=OPTIONS)
        np.testing.assert_allclose(artifact.run(example.numpy())[0], wanted, rtol=1e-5, atol=1e-5)


def test_weights_share_the_memory_of_the_tensors() -> None:
    model, example = torch_models.make("mlp")
    imported = import_model(torch.export.export(model, (example,)))
    assert list(imported.weights) == ["weight0_0.weight", "weight1_2.weight"]
    for name, array in zip(("0.weight", "2.weight"), imported.weights.values(), strict=True):
        assert np.shares_memory(array, model.state_dict()[name].numpy())
    assert '"0x' not in imported.text and len(imported.text) < 6000


def test_a_layer_norm_needs_no_f64() -> None:
    imported = import_model(torch.export.export(torch.nn.LayerNorm(16).eval(), (torch.randn(4, 16),)))
    values = re.findall(r"tensor<[0-9x]*x?(\w+)>", imported.text)
    assert set(values) == {"f32"}


def test_a_tied_weight_is_one() -> None:
    class Tied(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = torch.nn.Linear(16, 16, bias=False), torch.nn.Linear(16, 16, bias=False)
            self.second.weight = self.first.weight

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.second(torch.relu(self.first(x)))

    model, example = Tied().eval(), torch.randn(4, 16)
    imported = import_model(torch.export.export(model, (example,)))
    assert len(imported.weights) == 1
    (found,) = roller_mlir.compile(imported, options=OPTIONS).run(example.numpy())
    np.testing.assert_allclose(found, model(example).detach().numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.int64, torch.bool])
@pytest.mark.parametrize("size", [3, 1024])
def test_weights_of_other_types(kind: torch.dtype, size: int) -> None:
    class Sum(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("weight", (torch.arange(size) % 7).to(kind))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + self.weight

    example = torch.arange(size, dtype=torch.float32)
    imported = import_model(torch.export.export(Sum(), (example,)))
    assert len(imported.weights) == (size > 3)
    wanted = Sum()(example)
    (found,) = roller_mlir.compile(imported, options=OPTIONS).run(example.numpy())
    np.testing.assert_array_equal(found, wanted.numpy())
