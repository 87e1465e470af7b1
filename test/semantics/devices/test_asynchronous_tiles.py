# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles of threads that compute alone come by asynchronous copies where the device has them: exactly what numpy gives.

What such copies cannot do stays with copies through registers: other values than 0 beside a tensor, single f16.
"""

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

import roller_mlir
from roller_mlir import Artifact, CompileOptions
from roller_mlir.runtime import SanitizedRunError

from ..operations.windows import Pads, Window, convolution, pooling
from .test_sanitized import edited

NONE, SAME = ((0, 0), (0, 0)), ((1, 1), (1, 1))
SUM = pooling("nchw", "sum", (3, 13, 21, 19), (3, 3))
MAX = pooling("nchw", "max", (3, 13, 21, 19), (3, 3))
DEPTHWISE = convolution("depthwise_conv_2d_nchw_chw", (5, 6, 23, 17), (6, 5, 5), "nchwuv,cuv->nchw")
PLAIN = convolution("conv_2d_nchw_fchw", (2, 3, 15, 20), (5, 3, 3, 3), "nchwuv,fcuv->nfhw")
POOL_TILE, LOOP_TILE, DEPTHWISE_TILE = (16, 7, 8, 3, 3), (64, 7, 8, 3, 3), (2, 8, 8, 2, 5, 5)
FORMS: dict[str, tuple[Window, Sequence[int], Sequence[int], Pads, tuple[int, ...]]] = {
    "pooling": (SUM, (1, 1), (1, 1), NONE, POOL_TILE),
    "padded pooling": (SUM, (1, 1), (1, 1), SAME, POOL_TILE),
    "pooling with stride 2, uneven padding": (SUM, (2, 2), (1, 1), ((0, 1), (2, 1)), POOL_TILE),
    "dilated pooling": (SUM, (1, 2), (2, 1), SAME, POOL_TILE),
    "copies in a loop": (SUM, (1, 1), (1, 1), SAME, LOOP_TILE),
    "depthwise": (DEPTHWISE, (1, 1), (1, 1), ((2, 2), (2, 2)), DEPTHWISE_TILE),
    "depthwise with stride 2": (DEPTHWISE, (2, 2), (1, 1), ((2, 1), (1, 2)), DEPTHWISE_TILE),
    "a convolution of one step": (PLAIN, (1, 1), (1, 1), SAME, (1, 5, 4, 16, 3, 3, 3)),
}


ALIKE = ("pooling", "depthwise")
"""Forms whose code others have, too."""


def integers(shape: Sequence[int], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-4, 5, tuple(shape)).astype(np.float32)


@cache
def built(
    form: str, device: str, *, half: bool = False, width: int = 0
) -> tuple[Artifact, list[np.ndarray], np.ndarray]:
    """Return a kernel with forced tiles, inputs, and what numpy makes of them."""
    window, strides, dilations, pads, tile = FORMS[form]
    if width:
        window = pooling("nchw", "sum", (*window.image[:3], width), window.window)
    inputs = [integers(window.image, 0), *([integers(window.window, 1)] if window.einsum else [])]
    expected = window.reference(inputs[0], integers(window.window, 1), strides, dilations, pads)
    text = window.text(strides, dilations, pads, expected.shape)
    if half:
        text, inputs, expected = text.replace("f32", "f16"), [x.astype(np.float16) for x in inputs], expected
    lone = (1, *tile[1:]) if tile is LOOP_TILE else ()
    options = CompileOptions(binaries=False, tile_sizes=tile, thread_tile=lone)
    return roller_mlir.compile(text, target=device, options=options), inputs, expected


def copies(artifact: Artifact) -> tuple[str, ...]:
    (kernel,) = artifact.kernels
    assert kernel.plan is not None and kernel.plan.atom is None
    assert len(kernel.plan.copies) > 0, "its tiles are staged"
    return kernel.plan.copies


@pytest.mark.parametrize("form", [pytest.param(one, marks=[pytest.mark.full] * (one in ALIKE)) for one in FORMS])
def test_tiles_that_come_alone_give_what_numpy_gives(form: str) -> None:
    artifact, inputs, expected = built(form, "h100")
    assert set(copies(artifact)) == {"asynchronous"}
    (kernel,) = artifact.kernels
    assert kernel.plan is not None and kernel.plan.pipeline == "deep-asynchronous"
    for options in ({}, {"sanitize": True}):
        (found,) = artifact.run(*inputs, seed=1, **options)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.full(each=["device"])
@pytest.mark.parametrize("device", ["v100", "mi300x"])
@pytest.mark.parametrize("form", ["padded pooling", "copies in a loop", "depthwise with stride 2"])
def test_devices_without_such_copies_give_the_same(form: str, device: str) -> None:
    artifact, inputs, expected = built(form, device)
    assert set(copies(artifact)) == {"synchronous"}
    (found,) = artifact.run(*inputs, seed=1, sanitize=True)
    np.testing.assert_array_equal(found, expected)


def test_other_values_beside_the_tensor_pass_registers() -> None:
    window, tile = MAX, POOL_TILE
    image = integers(window.image, 0)
    expected = window.reference(image, image, (1, 1), (1, 1), SAME)
    text = window.text((1, 1), (1, 1), SAME, expected.shape)
    artifact = roller_mlir.compile(text, target="h100", options=CompileOptions(binaries=False, tile_sizes=tile))
    assert set(copies(artifact)) == {"synchronous"}
    (found,) = artifact.run(image, sanitize=True)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("width", "kind"), [(19, "synchronous"), (24, "asynchronous")])
def test_half_floats_need_pairs(width: int, kind: str) -> None:
    """Rows of 19 f16 are copied one by one, of 2 bytes; rows of 24 in vectors of at least 4 bytes."""
    artifact, inputs, expected = built("pooling", "h100", half=True, width=width)
    assert set(copies(artifact)) == {kind}
    (found,) = artifact.run(*inputs, sanitize=True)
    np.testing.assert_array_equal(found.astype(np.float32), expected)


@pytest.mark.parametrize("form", ["padded pooling", "copies in a loop", "depthwise"])
def test_the_sanitizer_names_a_wait_that_is_missing(form: str) -> None:
    artifact, inputs, _ = built(form, "h100")
    (wait,) = set(re.findall(r"nvvm\.cp\.async\.wait\.group \d+\n", artifact.text("kernels")))
    with pytest.raises(SanitizedRunError) as caught:
        edited(artifact, wait, "\n").run(*inputs, sanitize=True)
    assert "unfinished-copy" in {one.kind for one in caught.value.findings}
