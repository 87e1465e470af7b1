# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as one persistent kernel has them, each launched by itself: the same plans, right results."""

import numpy as np
import pytest
from graph_models import MODELS

from roller_mlir.compiler.driver import compile_source, lower_until
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.lowering.targets.stage import PLANNED
from roller_mlir.support.diagnostics import DiagnosedError


@pytest.mark.parametrize(
    ("model", "device"),
    [
        ("mlp", "h200"),
        pytest.param("branches", "h200", marks=pytest.mark.full),
        *(pytest.param(name, "a100", marks=pytest.mark.full) for name in MODELS),
    ],
)
def test_plans_are_those_of_the_persistent_kernel(model: str, device: str) -> None:
    text, inputs, expected, _ = MODELS[model]()
    source = Source("-", text)
    _, one = lower_until(source, device, CompileOptions(persistent=True), PLANNED)
    options = CompileOptions(bounded=True, binaries=False, dependent_launch=device == "h200")
    _, each = lower_until(source, device, options, PLANNED)
    assert one and one == each
    artifact = compile_source(source, device, options)
    assert len(artifact.manifest.launches) >= len(one)
    for found, right in zip(artifact.run(*inputs, on="sim", sanitize=True), expected, strict=True):
        assert np.allclose(found, right, atol=1e-4)


def test_what_goes_not_with_it() -> None:
    with pytest.raises(ValueError, match="bounded: a persistent kernel is one launch, but persistent is True"):
        CompileOptions(bounded=True, persistent=True)
    text, *_ = MODELS["mlp"]()
    with pytest.raises(DiagnosedError, match="bounded: k80 has no cooperative launch"):
        compile_source(Source("-", text), "k80", CompileOptions(bounded=True))
