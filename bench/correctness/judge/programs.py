# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of several operators, as kernels compute them in f32: right ones in every order, and mutants of them."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from kernels import Order

EXAMPLES = Path(__file__).parents[3] / "examples"
_ERF = np.frompyfunc(__import__("math").erf, 1, 1)

Mutation = str
"""What is wrong; "" for nothing."""


def _f32(values: Any) -> Any:
    return np.asarray(values, np.float64).astype(np.float32).astype(np.float64)


def _sum(order: Order, rows: Any, mutation: Mutation) -> Any:
    """Sum rows, in f32; "dropped" leaves one term out, "doubled" adds it twice."""
    terms = rows.T
    if mutation == "dropped":
        terms = terms[1:]
    if mutation == "doubled":
        terms = np.concatenate([terms, terms[:1]])
    return order(terms, _f32)[:, None]


def softmax(order: Order, inputs: Any, mutation: Mutation) -> Any:
    """Return exp(x - max) / sum; "shifted" subtracts 1 % more in a fragment of the rows, after the sum."""
    (x,) = inputs
    powers = _f32(np.exp(_f32(x - x.max(1, keepdims=True))))
    total = _sum(order, powers, mutation)
    if mutation == "shifted":
        powers[:8] = _f32(powers[:8] * 0.99)
    return _f32(powers / total)


def layer_norm(order: Order, inputs: Any, mutation: Mutation) -> Any:
    """Return (x - mean) / sqrt(variance + 1e-5) * gamma + beta; "shifted" forgets beta in a fragment."""
    x, gamma, beta = inputs
    extent = x.shape[1]
    centred = _f32(x - _f32(_sum(order, x, mutation) / extent))
    variance = _f32(_sum(order, _f32(centred * centred), "") / extent)
    scale = _f32(1 / np.sqrt(_f32(variance + 1e-5)))
    product = _f32(_f32(centred * scale) * gamma)
    added = np.broadcast_to(beta, product.shape).copy()
    if mutation == "shifted":
        added[:8, :8] = 0.0
    return _f32(product + added)


def matmul_bias_gelu(order: Order, inputs: Any, mutation: Mutation) -> Any:
    """Return gelu(a b + bias); "shifted" subtracts the bias in a fragment."""
    a, b, bias = inputs
    terms = a.T[:, :, None] * b[:, None, :]
    if mutation == "dropped":
        terms = terms[1:]
    if mutation == "doubled":
        terms = np.concatenate([terms, terms[:1]])
    added = np.broadcast_to(bias, terms.shape[1:]).copy()
    if mutation == "shifted":
        added[:8, :8] *= -1
    x = _f32(order(np.concatenate([np.zeros((1, *terms.shape[1:])), terms]), _f32) + added)
    inside = _f32(np.asarray(_ERF(_f32(x * float(np.float32(0.70710678)))), np.float64))
    return _f32(_f32(0.5 * x) * _f32(1 + inside))


PROGRAMS: dict[str, tuple[Callable[[Order, Any, Mutation], Any], dict[str, str]]] = {
    "softmax": (softmax, {"64x512": "16x512", "<64x": "<16x"}),
    "layer_norm": (layer_norm, {"64x768": "16x768", "<64x": "<16x"}),
    "matmul_bias_gelu": (matmul_bias_gelu, {"128x": "16x", "x512x": "x24x", "<512x": "<24x"}),
}
"""Per example its emulation, and which extents are made smaller."""
MUTATIONS = ("dropped", "doubled", "shifted")


def text_of(name: str) -> str:
    """Return an example with smaller extents."""
    text = (EXAMPLES / f"{name}.mlir").read_text()
    for old, new in PROGRAMS[name][1].items():
        text = text.replace(old, new)
    return re.sub(r"^//.*$", "", text, flags=re.M)
