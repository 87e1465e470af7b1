# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions with constant filters, and plans of tasks that walk them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from roller_mlir.plan import AxisPlan, OperandPlan, Plan

LANES = 16


def convolution(image: tuple[int, int], channels: int, filters: int, window: tuple[int, int]) -> str:
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


def walking(
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
