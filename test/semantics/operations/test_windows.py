# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and poolings, padded inputs included, from linalg to the simulator against numpy, exactly.

The bytes of global memory that the simulator counts are those of the plan: what lies outside of a tensor is not read.
"""

from collections.abc import Sequence

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions

from .windows import WINDOWS, Pads

SIMULATED = CompileOptions(binaries=False)
SAME = ((1, 1), (1, 1))
NONE = ((0, 0), (0, 0))
PLAIN = ((1, 1), (1, 1), NONE)
FORMS: dict[str, tuple[Sequence[int], Sequence[int], Pads]] = {
    "same": ((1, 1), (1, 1), SAME),
    "stride 2, uneven padding": ((2, 2), (1, 1), ((0, 1), (2, 1))),
    "stride 1 and 2, dilation 2 and 1": ((1, 2), (2, 1), NONE),
}


def integers(shape: Sequence[int], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-4, 5, tuple(shape)).astype(np.float32)


def run(name: str, form: str, device: str) -> roller_mlir.Artifact:
    window = WINDOWS[name]
    strides, dilations, pads = FORMS.get(form, PLAIN)
    image, second = integers(window.image, 0), integers(window.window, 1)
    expected = window.reference(image, second, strides, dilations, pads)
    artifact = roller_mlir.compile(
        window.text(strides, dilations, pads, expected.shape), target=device, options=SIMULATED
    )
    report = artifact.run_reported(*([image, second] if window.einsum else [image]), count=True)
    np.testing.assert_array_equal(report.outputs[0], expected)
    for kernel, launch in zip(artifact.kernels, report.launches, strict=True):
        assert kernel.plan is not None and kernel.plan.prediction is not None and launch.counts is not None
        predicted = kernel.plan.prediction
        counted = [sum(c.bytes for c in launch.counts if (c.kind, c.space) == (k, "global")) for k in ("load", "store")]
        assert counted == [predicted.global_load_bytes, predicted.global_store_bytes]
        shared = sum(c.bytes for c in launch.counts if (c.kind, c.space) == ("load", "workgroup"))
        assert shared == predicted.shared_load_bytes
    return artifact


@pytest.mark.full(every=18)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", [name for name in WINDOWS if "whole" not in name])
def test_equal_to_numpy(name: str, form: str) -> None:
    artifact = run(name, form, "h200")
    assert len(artifact.kernels) == 1, "a padding is read through, not made"


@pytest.mark.parametrize("name", ["conv 1x1 nchw", "conv 1x1 nhwc", "pooling of whole images"])
def test_loops_that_fuse(name: str) -> None:
    run(name, "plain", "h200")


@pytest.mark.full(every=3)
@pytest.mark.parametrize("name", ["conv nchw", "conv nhwc", "max pooling nchw"])
def test_wavefronts_of_64(name: str) -> None:
    run(name, "same", "mi300x")
