# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of PyTorch and JAX in modules of IREE give what eager mode and JAX give; needs torch, or jax."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from iree_modules import NEEDS_IREE, compile_module, run_module

MODELS = ["mlp", "resnet_block", "mobilenet_block", "bert_layer", "gpt", "lstm"]
pytestmark = [*NEEDS_IREE, pytest.mark.full, pytest.mark.filterwarnings("ignore")]  # torch warns of its own modules


@pytest.fixture(params=MODELS)
def name(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=["h200", "mi300x"])
def target(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=["graph", "dispatch"])
def mode(request: pytest.FixtureRequest) -> Any:
    return request.param


def agree(folder: Path, file: Path, target: str, mode: str, example: Any, wanted: Any) -> None:
    report = compile_module(folder, file, target, "--mode", mode)
    found = run_module(folder, "main", target, [np.asarray(example)])
    np.testing.assert_allclose(found, np.asarray(wanted), rtol=1e-5, atol=1e-5)
    assert all(line["by"] == "roller" or line["reason"] for line in report["lines"])
    assert report["share"] == 1


def test_models_of_pytorch(name: str, target: str, mode: str, tmp_path: Path) -> None:
    torch: Any = pytest.importorskip("torch")
    from . import torch_models

    model, example = torch_models.make(name)
    file = tmp_path / f"{name}.pt2"
    torch.export.save(torch.export.export(model, (example,)), file)
    with torch.no_grad():
        agree(tmp_path, file, target, mode, example.numpy(), model(example).numpy())


def test_models_of_jax(name: str, target: str, mode: str, tmp_path: Path) -> None:
    jax: Any = pytest.importorskip("jax")
    from jax import export

    from . import jax_models

    function, weights, example = jax_models.make(name)
    file = tmp_path / f"{name}.jax"
    file.write_bytes(export.export(jax.jit(partial(function, weights)))(example).serialize())
    agree(tmp_path, file, target, mode, example, jax.jit(function)(weights, example))
