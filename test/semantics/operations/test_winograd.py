# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Winograd transforms: one after the other, with a product between them, they are a convolution."""

from typing import Any

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import DiagnosedError, parse_module

Array = np.ndarray[Any, Any]


def convolution(m: int, r: int, tiles: tuple[int, int], flat: str) -> str:
    """A convolution of 2 images with 3 channels by 4 filters; `flat` names a dimension of extent 1, if any."""
    alpha = m + r - 1
    high, wide = (1 if flat == "h" else tiles[0] * m), (1 if flat == "w" else tiles[1] * m)
    rows, columns = (1 if flat == "h" else high + r - 1), (1 if flat == "w" else wide + r - 1)
    a, b = (1 if flat == "h" else alpha), (1 if flat == "w" else alpha)
    i, j = (1 if flat == "h" else tiles[0]), (1 if flat == "w" else tiles[1])
    kh, kw = (1 if flat == "h" else r), (1 if flat == "w" else r)
    x, w, y = f"tensor<2x{rows}x{columns}x3xf32>", f"tensor<4x{kh}x{kw}x3xf32>", f"tensor<2x{high}x{wide}x4xf32>"
    tx, tw = f"tensor<{a}x{b}x{i}x{j}x2x3xf32>", f"tensor<{a}x{b}x3x4xf32>"
    bx, bw, by = (f"tensor<{a * b}x{n}xf32>" for n in (f"{i * j * 2}x3", "3x4", f"{i * j * 2}x4"))
    ty, fmr = f"tensor<{a}x{b}x{i}x{j}x2x4xf32>", f"fmr(F_{m}_{r})"
    return f"""func.func @f(%x: {x}, %w: {w}, %o: {y}) -> {y} {{
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : {tw}
  %u = linalg.winograd_filter_transform {fmr} ins(%w : {w}) outs(%e0 : {tw}) -> {tw}
  %e1 = tensor.empty() : {tx}
  %v = linalg.winograd_input_transform {fmr} ins(%x : {x}) outs(%e1 : {tx}) -> {tx}
  %cu = tensor.collapse_shape %u [[0, 1], [2], [3]] : {tw} into {bw}
  %cv = tensor.collapse_shape %v [[0, 1], [2, 3, 4], [5]] : {tx} into {bx}
  %e2 = tensor.empty() : {by}
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : {by}) -> {by}
  %p = linalg.batch_matmul ins(%cv, %cu : {bx}, {bw}) outs(%f2 : {by}) -> {by}
  %q = tensor.expand_shape %p [[0, 1], [2, 3, 4], [5]] output_shape [{a}, {b}, {i}, {j}, 2, 4] : {by} into {ty}
  %r = linalg.winograd_output_transform {fmr} ins(%q : {ty}) outs(%o : {y}) -> {y}
  return %r : {y}
}}"""


def convolved(x: Array, w: Array) -> Array:
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[1:3], (1, 2))
    return np.einsum("nyzcij,fijc->nyzf", windows, w)


@pytest.mark.full(every=4)
@pytest.mark.parametrize(
    ("m", "r", "flat", "level"), [(2, 5, "h", "gpu"), (2, 3, "", "llvm"), (4, 3, "", "gpu"), (4, 3, "w", "gpu")]
)
def test_transforms_are_a_convolution(m: int, r: int, flat: str, level: str) -> None:
    text = convolution(m, r, (2, 3), flat)
    artifact = roller_mlir.compile(text, target="h200", options=CompileOptions(binaries=False, llvm=level == "llvm"))
    random = np.random.default_rng(0)
    x, w, o = (
        random.standard_normal(one.static_shape).astype(np.float32)
        for one in map(artifact.manifest.buffer, artifact.manifest.inputs)
    )
    with make_context() as context:
        reference = evaluate_function(parse_module(text, context), "f", [x, w, o]).outputs[0]
    want = o + convolved(x, w)
    np.testing.assert_allclose(reference, want, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(artifact.run(x, w, o, level=level)[0], want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            """func.func @f(%a: tensor<2x3x3x5xi8>, %o: tensor<6x6x5x2xi8>) -> tensor<6x6x5x2xi8> {
  %r = linalg.winograd_filter_transform fmr(F_4_3) ins(%a : tensor<2x3x3x5xi8>) outs(%o : tensor<6x6x5x2xi8>)
    -> tensor<6x6x5x2xi8>
  return %r : tensor<6x6x5x2xi8>
}""",
            "-:2:8: error: 'linalg.winograd_filter_transform' transforms i8, but its matrices hold fractions",
        ),
        (
            """func.func @f(%a: tensor<2x3xi8>, %o: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %r = linalg.softmax dimension(1) ins(%a : tensor<2x3xi8>) outs(%o : tensor<2x3xi8>) -> tensor<2x3xi8>
  return %r : tensor<2x3xi8>
}""",
            "-:2:8: error: 'linalg.softmax' of i8: exponentials are floats",
        ),
    ],
)
def test_fractions_of_integers_are_refused(text: str, message: str) -> None:
    """Upstream's verifier accepts them; its decompositions end the process."""
    with pytest.raises(DiagnosedError, match=message):
        roller_mlir.compile(text, target="h200", options=CompileOptions(binaries=False))
