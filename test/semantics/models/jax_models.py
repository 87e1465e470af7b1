# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of `torch_models` as JAX writes them, weights as arguments of closures; needs jax."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import Array, lax
from jax import numpy as jnp

WIDTH, HEADS, STEPS, BATCH, WORDS = 16, 2, 8, 2, 20
Weights = dict[str, Any]


def _normalise(x: Array, gain: Array, bias: Array) -> Array:
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * gain + bias


def _normalise_by_var(x: Array, gain: Array, bias: Array) -> Array:
    """The same, by jnp.var, which writes it in another form."""
    return (x - jnp.mean(x, -1, keepdims=True)) / jnp.sqrt(jnp.var(x, -1, keepdims=True) + 1e-5) * gain + bias


def _attention(x: Array, w: Weights, *, causal: bool) -> Array:
    batch, steps, width = x.shape
    parts = jnp.split(x @ w["in"], 3, -1)
    q, k, v = (part.reshape(batch, steps, HEADS, width // HEADS).transpose(0, 2, 1, 3) for part in parts)
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(width // HEADS)
    if causal:
        scores = jnp.where(np.tril(np.ones((steps, steps), bool)), scores, -jnp.inf)
    joined = (jax.nn.softmax(scores, -1) @ v).transpose(0, 2, 1, 3).reshape(batch, steps, width)
    return joined @ w["out"]


def mlp(w: Weights, x: Array) -> Array:
    return jax.nn.relu(x @ w["wide"] + w["bias"]) @ w["narrow"]


def bert_layer(w: Weights, x: Array) -> Array:
    x = _normalise(x + _attention(x, w, causal=False), w["gain"], w["bias"])
    return _normalise_by_var(x + jax.nn.gelu(x @ w["wide"], approximate=False) @ w["narrow"], w["gain"], w["bias"])


def gpt(w: Weights, words: Array) -> Array:
    x = jnp.asarray(w["words"])[words] + w["places"]
    x = x + _attention(_normalise(x, w["gain"], w["bias"]), w, causal=True)
    x = x + jax.nn.gelu(_normalise_by_var(x, w["gain"], w["bias"]) @ w["wide"]) @ w["narrow"]
    return _normalise(x, w["gain"], w["bias"]) @ w["words"].T


def _convolution(x: Array, kernel: Array, stride: int = 1, groups: int = 1) -> Array:
    names = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(
        x, kernel, (stride, stride), "SAME", dimension_numbers=names, feature_group_count=groups
    )


def _batch_norm(x: Array, w: Weights, i: int) -> Array:
    return (x - w[f"mean{i}"]) * lax.rsqrt(w[f"variance{i}"] + 1e-5) * w[f"gain{i}"] + w[f"bias{i}"]


def resnet_block(w: Weights, x: Array) -> Array:
    inner = jax.nn.relu(_batch_norm(_convolution(x, w["kernel0"]), w, 0))
    return jax.nn.relu(_batch_norm(_convolution(inner, w["kernel1"]), w, 1) + x)


def mobilenet_block(w: Weights, x: Array) -> Array:
    x = jax.nn.relu6(_batch_norm(_convolution(x, w["kernel0"]), w, 0))
    x = jax.nn.relu6(_batch_norm(_convolution(x, w["kernel1"], 2, x.shape[-1]), w, 1))
    return _batch_norm(_convolution(x, w["kernel2"]), w, 2)


def lstm(w: Weights, x: Array) -> Array:
    """Four steps as lax.scan writes them when it is unrolled."""

    def cell(carry: tuple[Array, Array], x: Array) -> tuple[tuple[Array, Array], Array]:
        h, c = carry
        i, f, g, o = jnp.split(x @ w["input"] + h @ w["hidden"] + w["bias"], 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    start = jnp.zeros((x.shape[0], w["hidden"].shape[0]), x.dtype)
    return lax.scan(cell, (start, start), x.transpose(1, 0, 2), unroll=True)[1].transpose(1, 0, 2)


_BLOCK_WEIGHTS = {
    "in": (WIDTH, 3 * WIDTH), "out": (WIDTH, WIDTH), "wide": (WIDTH, 4 * WIDTH), "narrow": (4 * WIDTH, WIDTH),
    "gain": (WIDTH,), "bias": (WIDTH,),
}  # fmt: skip


def _norms(*widths: int) -> dict[str, tuple[int, ...]]:
    return {f"{part}{i}": (n,) for i, n in enumerate(widths) for part in ("mean", "variance", "gain", "bias")}


_MODELS: dict[str, tuple[Callable[[Weights, Array], Array], dict[str, tuple[int, ...]], tuple[int, ...]]] = {
    "bert_layer": (bert_layer, _BLOCK_WEIGHTS, (BATCH, STEPS, WIDTH)),
    "gpt": (gpt, {**_BLOCK_WEIGHTS, "words": (WORDS, WIDTH), "places": (STEPS, WIDTH)}, (BATCH, STEPS)),
    "resnet_block": (resnet_block, {"kernel0": (3, 3, 8, 8), "kernel1": (3, 3, 8, 8), **_norms(8, 8)}, (2, 7, 7, 8)),
    "mobilenet_block": (
        mobilenet_block,
        {"kernel0": (1, 1, 6, 12), "kernel1": (3, 3, 1, 12), "kernel2": (1, 1, 12, 6), **_norms(12, 12, 6)},
        (2, 8, 8, 6),
    ),
    "mlp": (mlp, {"wide": (24, 32), "bias": (32,), "narrow": (32, 10)}, (8, 24)),
    "lstm": (lstm, {"input": (6, 32), "hidden": (8, 32), "bias": (32,)}, (2, 4, 6)),
}
NAMES = tuple(_MODELS)


def make(name: str) -> tuple[Callable[[Weights, Array], Array], Weights, Any]:
    """Return a model, its weights and an input as numpy arrays; equal each time."""
    function, shapes, given = _MODELS[name]
    generator = np.random.default_rng(7)
    weights = {}
    for key, shape in shapes.items():
        values = generator.standard_normal(shape).astype(np.float32) * np.float32(0.3)
        weights[key] = np.abs(values) + np.float32(0.5) if key.startswith(("variance", "gain")) else values
    if name == "gpt":
        return function, weights, generator.integers(0, WORDS, given).astype(np.int32)
    return function, weights, generator.standard_normal(given).astype(np.float32)


def results(name: str) -> Any:
    """Return what a model gives, computed in float64."""
    function, weights, example = make(name)
    wide = {key: value.astype(np.float64) for key, value in weights.items()}
    given = example.astype(np.float64) if example.dtype == np.float32 else example
    with jax.enable_x64(True):
        return np.asarray(jax.jit(function)(wide, given))
