# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants that were packed when the program was compiled, under tasks that walk: steps, images, odd sizes."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cpu_programs import compiled, differences

from roller_mlir.plan import AxisPlan, OperandPlan, Plan
from roller_mlir.plan.records.codec import to_json
from roller_mlir.runtime import Artifact
from roller_mlir.support.diagnostics import DiagnosedError

LANES = 16


def _convolution(image: tuple[int, int], channels: int, filters: int, window: tuple[int, int]) -> str:
    """Return a convolution of two images that are padded to keep their size, with a constant filter."""
    (h, w), (r, q) = image, window
    weights = np.random.default_rng(0).integers(-3, 4, (r, q, channels, filters)).astype(float).tolist()
    x, f = f"tensor<2x{h}x{w}x{channels}xf32>", f"tensor<{r}x{q}x{channels}x{filters}xf32>"
    p, y = f"tensor<2x{h + r - 1}x{w + q - 1}x{channels}xf32>", f"tensor<2x{h}x{w}x{filters}xf32>"
    return f"""func.func @convolution(%x: {x}) -> {y} {{
      %zero = arith.constant 0.0 : f32
      %w = arith.constant dense<{weights}> : {f}
      %p = tensor.pad %x low[0, {r // 2}, {q // 2}, 0] high[0, {r - 1 - r // 2}, {q - 1 - q // 2}, 0] {{
      ^bb0(%i: index, %j: index, %k: index, %l: index):
        tensor.yield %zero : f32
      }} : {x} to {p}
      %e = tensor.empty() : {y}
      %i = linalg.fill ins(%zero : f32) outs(%e : {y}) -> {y}
      %r = linalg.conv_2d_nhwc_hwcf ins(%p, %w : {p}, {f}) outs(%i : {y}) -> {y}
      return %r : {y}
    }}"""


def _walking(
    plan: Plan, blocks: Sequence[int], order: tuple[int, ...], inner: tuple[int, ...], walked: dict[int, int]
) -> Plan:
    """Return a plan with a packed image and a constant filter, whose lanes lie along the filters."""
    axes = [
        AxisPlan(block=block, chunk=LANES if loop == 3 else 1, walked=walked.get(loop, 0))
        for loop, block in enumerate(blocks)
    ]
    image, filters = (
        OperandPlan(layer=layer, order=one.order, vector=wide, store_vector=wide, fragment_vector=wide, pad_value=0.0)
        for layer, one, wide in zip(("workgroup", "constant"), plan.operands, (1, LANES), strict=True)
    )
    made = replace(plan, axes=tuple(axes), lane=3, operands=(image, filters), unit_order=order, inner_order=inner)
    return replace(made, unroll=1, pipeline="", prediction=None)


def _adopted(text: str, plan: Plan, folder: Path) -> Artifact:
    file = folder / "plan.json"
    file.write_text(json.dumps({compiled(text).kernels[0].program: to_json(plan)}))
    return compiled(text, plan_file=file)


def _plan(text: str) -> Plan:
    (kernel,) = compiled(text).kernels
    assert kernel.plan is not None
    return kernel.plan


CASES: tuple[tuple[Any, ...], ...] = (
    # steps of the channels; filters that end inside of a tile
    ((7, 7), 6, 40, (3, 3), (1, 1, 7, 32, 3, 3, 2), (0, 3, 1), (3, 1), {}),
    # tiles of two rows, of which the last has one; columns that end inside of a tile
    ((5, 9), 4, 48, (3, 3), (1, 2, 4, 48, 3, 3, 4), (0, 1, 2), (1, 2), {}),
    # a task walks two of four tiles of filters
    ((6, 5), 6, 64, (5, 2), (1, 1, 5, 16, 5, 2, 3), (0, 3, 1), (3, 1), {3: 2}),
    # steps of the window, too
    ((4, 5), 4, 17, (2, 3), (1, 1, 5, 32, 1, 1, 2), (0, 1), (1,), {}),
)


@pytest.mark.full(every=4)
@pytest.mark.parametrize(("image", "channels", "filters", "window", "blocks", "order", "inner", "walked"), CASES)
def test_tasks_that_walk_tiles_of_a_constant_equal_numpy(
    image: tuple[int, int],
    channels: int,
    filters: int,
    window: tuple[int, int],
    blocks: tuple[int, ...],
    order: tuple[int, ...],
    inner: tuple[int, ...],
    walked: dict[int, int],
    tmp_path: Path,
) -> None:
    text = _convolution(image, channels, filters, window)
    artifact = _adopted(text, _walking(_plan(text), blocks, order, inner, walked), tmp_path)
    (kernel,) = artifact.kernels
    assert kernel.plan is not None and [one.layer for one in kernel.plan.operands] == ["workgroup", "constant"]
    for threads in (1, 2):
        assert differences(text, artifact, threads=threads) == []
        assert differences(text, artifact, values="normal", threads=threads) == []


@pytest.mark.parametrize(
    ("blocks", "inner", "walked", "message"),
    [
        ((1, 1, 7, 16, 3, 3, 6), (3, 1), {3: 2}, "of 3 tiles along loop 3, of which a task walks 2: no whole number"),
        ((1, 1, 7, 48, 3, 3, 4), (1,), {}, "steps of 4 do not divide the 6 of loop 6"),
    ],
)
def test_a_walk_that_no_packed_tiles_fit_is_refused(
    blocks: tuple[int, ...], inner: tuple[int, ...], walked: dict[int, int], message: str, tmp_path: Path
) -> None:
    text = _convolution((7, 7), 6, 48, (3, 3))
    plan = _walking(_plan(text), blocks, (0, 3, 1) if 3 in inner else (0, 1), inner, walked)
    with pytest.raises(DiagnosedError, match=message):
        _adopted(text, plan, tmp_path)
