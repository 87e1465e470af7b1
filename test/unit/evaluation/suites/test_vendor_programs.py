# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators that others have timed are what they are called: their text, evaluated, against numpy."""

from typing import Any

import numpy as np
import pytest

from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.evaluation.suites.vendor_times.deepbench import column_major_product
from roller_mlir.evaluation.suites.vendor_times.programs import Convolution, product
from roller_mlir.evaluation.suites.vendor_times.row_programs import layer_norm, pointwise, softmax, total
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

Array = np.ndarray[Any, Any]
RANDOM = np.random.default_rng(5)


def evaluated(text: str, *inputs: Array) -> Array:
    with make_context() as context:
        (found,) = evaluate_function(parse_module(text, context), "main", inputs).outputs
    return found


def numbers(*shape: int, dtype: str = "f4") -> Array:
    return RANDOM.integers(-4, 5, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["f32", "f16"])
@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
def test_products(turned: tuple[bool, bool], dtype: str) -> None:
    kind = {"f32": "f4", "f16": "f2"}[dtype]
    a, b = numbers(3, 5, dtype=kind), numbers(5, 4, dtype=kind)
    given = [one.T.copy() if turn else one for one, turn in zip((a, b), turned, strict=True)]
    found = evaluated(product(3, 4, 5, dtype, dtype, turned=turned), *given)
    assert found.dtype == kind and np.array_equal(found, a @ b)
    assert evaluated(product(3, 4, 5, dtype, "f32", turned=turned), *given).dtype == np.float32


def test_products_of_integers() -> None:
    a, b = numbers(3, 5, dtype="i1"), numbers(5, 4, dtype="i1")
    found = evaluated(product(3, 4, 5, "i8", "i32"), a, b)
    assert found.dtype == np.int32 and np.array_equal(found, a.astype("i4") @ b.astype("i4"))


@pytest.mark.parametrize("layout", ["NN", "NT", "TN", "TT"])
def test_column_major_products(layout: str) -> None:
    """What lies in memory is what the library gets: op(A) op(B) = C, each a column after the other."""
    a, b = numbers(3, 5), numbers(5, 4)
    lying = [(one.T if letter == "T" else one).ravel("F") for one, letter in zip((a, b), layout, strict=True)]
    text = column_major_product(3, 4, 5, layout, "f32", "f32")
    rows = {"N": (4, 5), "T": (5, 4)}[layout[1]], {"N": (5, 3), "T": (3, 5)}[layout[0]]
    found = evaluated(text, lying[1].reshape(rows[0]), lying[0].reshape(rows[1]))
    assert np.array_equal(found.ravel(), (a @ b).ravel("F"))


@pytest.mark.parametrize("padding", [(0, 0), (1, 2)])
def test_convolutions(padding: tuple[int, int]) -> None:
    one = Convolution(2, 3, 7, 6, 4, 3, 2, *padding, 2, 1)
    image, filters = numbers(2, 3, 7, 6), numbers(4, 3, 3, 2)
    padded = np.pad(image, [(0, 0), (0, 0), *((side, side) for side in padding)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 2), axis=(2, 3))[:, :, ::2]
    right = np.einsum("nchwrs,fcrs->nfhw", windows, filters)
    assert one.outputs == right.shape[2:]
    assert np.array_equal(evaluated(one.text("f32", "f32"), image, filters), right)


def test_element_wise_operators() -> None:
    x, y = numbers(3, 4), numbers(3, 4)
    assert np.array_equal(evaluated(pointwise("scale", (3, 4), "f32"), x), 3 * x)
    assert np.array_equal(evaluated(pointwise("add", (3, 4), "f32"), x, y), x + y)
    half = x.astype("f2")
    found = evaluated(pointwise("squared relu", (3, 4), "f16"), half)
    assert found.dtype == np.float16 and np.array_equal(found, np.maximum(half, 0) ** 2)
    assert evaluated(total(12, "f32"), x.ravel()) == x.sum()


@pytest.mark.parametrize("dtype", ["f4", "f2"])
def test_operators_on_rows(dtype: str) -> None:
    x, gamma, beta = numbers(3, 8, dtype=dtype), numbers(8), numbers(8)
    wide = x.astype("f8")
    name = {"f4": "f32", "f2": "f16"}[dtype]
    exponential = np.exp(wide - wide.max(1, keepdims=True))
    found = evaluated(softmax(3, 8, name), x)
    assert found.dtype == dtype and np.allclose(found, exponential / exponential.sum(1, keepdims=True), atol=1e-3)
    centred = wide - wide.mean(1, keepdims=True)
    normed = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5)
    assert np.allclose(evaluated(layer_norm(3, 8, name), x, gamma, beta), normed * gamma + beta, atol=1e-2)
