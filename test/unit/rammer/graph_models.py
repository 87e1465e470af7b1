# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models as linalg, with inputs and what numpy gives for them."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import linalg_models
import numpy as np
from linalg_models import ZERO, matmul

Array: TypeAlias = "np.ndarray[Any, Any]"
Model: TypeAlias = tuple[str, list[Array], list[Array], float]
"""Text, inputs, results, and how far f32 may be off; 0 where all numbers are small integers."""


def mlp() -> Model:
    """Return two layers, one product each."""
    sizes = ((64, 96), (96, 128), (128, 80))
    arguments = ", ".join(f"%{name}: tensor<{m}x{n}xf32>" for name, (m, n) in zip("xwv", sizes, strict=True))
    body = ZERO + matmul("h", "x", "w", 64, 96, 128) + matmul("y", "h", "v", 64, 128, 80)
    text = f"func.func @mlp({arguments}) -> tensor<64x80xf32> {{\n{body}\n  return %y : tensor<64x80xf32>\n}}"
    rng = np.random.default_rng(1)
    x, w, v = inputs = [rng.integers(-4, 5, shape).astype(np.float32) for shape in sizes]
    return text, inputs, [x @ w @ v], 0.0


def equal_layers(layers: int = 3, side: int = 48) -> Model:
    """Return layers of one product each, all of one size, with weights of their own."""
    kind = f"tensor<{side}x{side}xf32>"
    values = ["x", *(f"h{i}" for i in range(layers))]
    body = ZERO + "".join(matmul(values[i + 1], values[i], f"w{i}", side, side, side) for i in range(layers))
    arguments = ", ".join(f"%{name}: {kind}" for name in ("x", *(f"w{i}" for i in range(layers))))
    text = f"func.func @f({arguments}) -> {kind} {{\n{body}\n  return %{values[-1]} : {kind}\n}}"
    rng = np.random.default_rng(6)
    x, *weights = inputs = [rng.integers(-2, 3, (side, side)).astype(np.float32) for _ in range(layers + 1)]
    for weight in weights:
        x = x @ weight
    return text, inputs, [x], 0.0


def branches(widths: Sequence[int] = (16, 32, 48, 80)) -> Model:
    """Return branches of two products each, of such widths, and their sum."""
    text = linalg_models.branches(32, 48, widths, 40)
    rng = np.random.default_rng(2)
    x = rng.integers(-2, 3, (32, 48)).astype(np.float32)
    weights = [rng.integers(-2, 3, shape).astype(np.float32) for k in widths for shape in ((48, k), (k, 40))]
    return (
        text,
        [x, *weights],
        [sum(x @ one @ other for one, other in zip(weights[::2], weights[1::2], strict=True))],
        0.0,
    )


def lstm(steps: int = 4, layers: int = 3, hidden: int = 32) -> Model:
    """Return an LSTM of so many cells, whose layers share their weights over the steps."""
    rng = np.random.default_rng(3)
    batch, gates = 2, 4 * hidden
    inputs = [(rng.standard_normal((steps, batch, hidden)) * 0.5).astype(np.float32)]
    for _ in range(layers):
        inputs += [(rng.standard_normal((hidden, gates)) * 0.2).astype(np.float32) for _ in range(2)]
        inputs += [(rng.standard_normal((batch, hidden)) * 0.2).astype(np.float32) for _ in range(2)]
    text = linalg_models.lstm(steps, layers, batch, hidden)
    x, *rest = (one.astype(np.float64) for one in inputs)
    w, u, hs, cs = rest[0::4], rest[1::4], rest[2::4], rest[3::4]
    for step in range(steps):
        low = x[step]
        for layer in range(layers):
            i, f, g, o = np.split(low @ w[layer] + hs[layer] @ u[layer], 4, axis=1)
            cs[layer] = cs[layer] / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
            hs[layer] = low = np.tanh(cs[layer]) / (1 + np.exp(-o))
    return text, inputs, [hs[-1], cs[-1]], 1e-4


def residual() -> Model:
    """Return two convolutions with a rectified linear unit between them, added to the input."""
    image, weights, padded = "tensor<1x8x8x16xf32>", "tensor<3x3x16x16xf32>", "tensor<1x10x10x16xf32>"
    layout = "{strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}"
    identity = "affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>"
    body = ZERO
    source = "x"
    for n in range(2):
        body += f"""
  %q{n} = tensor.pad %{source} low[0, 1, 1, 0] high[0, 1, 1, 0] {{
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  }} : {image} to {padded}
  %e{n} = tensor.empty() : {image}
  %f{n} = linalg.fill ins(%zero : f32) outs(%e{n} : {image}) -> {image}
  %c{n} = linalg.conv_2d_nhwc_hwcf {layout} ins(%q{n}, %w{n} : {padded}, {weights}) outs(%f{n} : {image}) -> {image}
  %o{n} = tensor.empty() : {image}"""
        if n == 0:
            body += f"""
  %r = linalg.generic {{indexing_maps = [{identity}, {identity}], iterator_types = ["parallel", "parallel",
    "parallel", "parallel"]}} ins(%c0 : {image}) outs(%o0 : {image}) {{
  ^bb0(%a: f32, %o: f32):
    %y = arith.maximumf %a, %zero : f32
    linalg.yield %y : f32
  }} -> {image}"""
            source = "r"
    body += f"\n  %y = linalg.add ins(%c1, %x : {image}, {image}) outs(%o1 : {image}) -> {image}"
    text = f"func.func @f(%x: {image}, %w0: {weights}, %w1: {weights}) -> {image} {{\n{body}\n  return %y : {image}\n}}"
    rng = np.random.default_rng(4)
    x = rng.integers(-2, 3, (1, 8, 8, 16)).astype(np.float32)
    filters = [rng.integers(-1, 2, (3, 3, 16, 16)).astype(np.float32) for _ in range(2)]

    def convolved(value: Array, weight: Array) -> Array:
        wide = np.pad(value, ((0, 0), (1, 1), (1, 1), (0, 0)))
        return sum(wide[:, i : i + 8, j : j + 8] @ weight[i, j] for i in range(3) for j in range(3))

    expected = convolved(np.maximum(convolved(x, filters[0]), 0), filters[1]) + x
    return text, [x, *filters], [expected], 0.0


def attention() -> Model:
    """Return one head of attention: three products of the input, a softmax of their scores, and the output product."""
    n, width = 24, 32
    text = linalg_models.attention(n, width)
    rng = np.random.default_rng(5)
    x = rng.standard_normal((n, width)).astype(np.float32)
    weights = [(rng.standard_normal((width, width)) / 6).astype(np.float32) for _ in range(4)]
    q, k, v = (x.astype(np.float64) @ weight for weight in weights[:3])
    scored = q @ k.T
    exponents = np.exp(scored - scored.max(axis=1, keepdims=True))
    expected = (exponents / exponents.sum(axis=1, keepdims=True)) @ v @ weights[3]
    return text, [x, *weights], [expected], 1e-4


MODELS = {"mlp": mlp, "branches": branches, "lstm": lstm, "residual": residual, "attention": attention}
"""Each with an independent result in numpy."""
