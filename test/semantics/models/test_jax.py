# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `jax.export` writes gives in the simulator what JAX gives; needs jax."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions

jax = pytest.importorskip("jax")
from jax import export  # noqa: E402

from . import jax_models  # noqa: E402 - it imports jax

OPTIONS = CompileOptions(binaries=False)
X = np.random.default_rng(0).uniform(-0.9, 0.9, (4, 8)).astype(np.float32)


@pytest.mark.parametrize("name", ["mlp", "bert_layer", "gpt"])
def test_models_give_what_jax_gives(name: str, tmp_path: Path) -> None:
    function, weights, example = jax_models.make(name)
    wanted = jax.jit(function)(weights, example)
    program = export.export(jax.jit(partial(function, weights)))(example)
    (tmp_path / "weights_inside.jax").write_bytes(program.serialize())
    program = export.export(jax.jit(function))(weights, example)
    (tmp_path / "arguments.mlirbc").write_bytes(program.mlir_module_serialized)
    for file, arguments, device in (
        ("weights_inside.jax", [example], "h200"),
        ("arguments.mlirbc", [*jax.tree_util.tree_leaves(weights), example], "mi300x"),
    ):
        (found,) = roller_mlir.compile(tmp_path / file, target=device, options=OPTIONS).run(*arguments)
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["erf", "sinh", "asin", "atanh", "tan", "lgamma", "erf_inv"])
def test_functions_of_chlo(name: str) -> None:
    function: Callable[[Any], Any] = getattr(jax.lax, name)
    (found,) = roller_mlir.compile(export.export(jax.jit(function))(X).mlir_module(), options=OPTIONS).run(X)
    np.testing.assert_allclose(found, function(X), rtol=1e-5, atol=1e-6)
