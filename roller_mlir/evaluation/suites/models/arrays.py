# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ruff: noqa: D102 - `Network` says what its methods do
"""A network computed with numpy, in f64: what a model gives, without this project's own reference or compiler."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from roller_mlir.evaluation.suites.models.network import Network

Array: TypeAlias = np.ndarray[Any, Any]


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _lstm_memory(*given: Array) -> Array:
    i, j, f = (sum(given[3 * n : 3 * n + 3]) for n in range(3))
    return _sigmoid(np.asarray(i)) * np.tanh(j) + given[9] * _sigmoid(np.asarray(f + 1))


FUNCTIONS: dict[str, Callable[..., Array]] = {
    "relu": lambda x: np.maximum(x, 0),
    "add": lambda x, y: x + y,
    "mul": lambda x, y: x * y,
    "times": lambda x, number: x * number,
    "add_relu": lambda x, y: np.maximum(x + y, 0),
    "bias": lambda x, b: x + b,
    "bias_relu": lambda x, b: np.maximum(x + b, 0),
    "affine": lambda x, scale, shift: x * scale + shift,
    "affine_relu": lambda x, scale, shift: np.maximum(x * scale + shift, 0),
    "relu6_affine": lambda x, scale, shift: np.clip(x, 0, 6) * scale + shift,
    "lstm_memory": _lstm_memory,
    "lstm_output": lambda p, q, b, c: np.tanh(c) * _sigmoid(p + q + b),
    "root_mean_square": lambda x, squares, gain, number: x / np.sqrt(squares * number + 1e-5) * gain,
    "gated": lambda x, y: x * _sigmoid(x) * y,
}
"""What element-wise operators do with arrays."""

_WITH_NUMBER = ("times", "root_mean_square")


class Arrays(Network[Array]):
    """Operators that compute.

    Args:
        weights: Of the model, by name.
        inputs: One array per argument, in order.
    """

    def __init__(self, weights: Mapping[str, Array], inputs: Sequence[Array]) -> None:
        self._weights = weights
        self._inputs = iter(inputs)

    def shape(self, x: Array) -> tuple[int, ...]:
        return x.shape

    def argument(self, name: str, shape: Sequence[int]) -> Array:
        given = next(self._inputs)
        if given.shape != tuple(shape):
            raise ValueError(f"the argument '{name}' has the shape {tuple(shape)}, but got {given.shape}")
        return given.astype(np.float64)

    def weight(self, name: str, shape: Sequence[int], spread: float, mean: float = 0) -> Array:
        return self._weights[name].astype(np.float64)

    def windows(self, oh: int, ow: int, counts: Sequence[Sequence[int]]) -> Array:
        return 1 / np.outer(counts[0], counts[1])

    def pointwise(
        self, kind: str, x: Array, *others: Array | tuple[Array, tuple[int, ...]], number: float = 0
    ) -> Array:
        spread: list[Any] = [x]
        for one in others:
            value, axes = one if isinstance(one, tuple) else (one, tuple(range(x.ndim)))
            spread.append(np.expand_dims(value, tuple(axis for axis in range(x.ndim) if axis not in axes)))
        return FUNCTIONS[kind](*spread, *([number] if kind in _WITH_NUMBER else []))

    def product(self, x: Array, w: Array) -> Array:
        return x @ w

    def rows_times(self, rows: Array, matrices: Array, *, turned: bool) -> Array:
        return np.einsum("bl,bkl->bk" if turned else "bk,bkl->bl", rows, matrices)

    def convolution(self, x: Array, w: Array, stride: tuple[int, int]) -> Array:
        return np.moveaxis(np.tensordot(_windows(x, w.shape[2:], stride), w, ((1, 4, 5), (1, 2, 3))), 3, 1)

    def depthwise(self, x: Array, w: Array, stride: int) -> Array:
        return np.einsum("nchwij,cij->nchw", _windows(x, w.shape[1:], (stride, stride)), w)

    def pool(self, kind: str, x: Array, window: int, stride: int) -> Array:
        found = _windows(x, (window, window), (stride, stride))
        return found.max(axis=(4, 5)) if kind == "max" else found.sum(axis=(4, 5))

    def sums(self, x: Array, count: int, *, squared: bool = False) -> Array:
        return (x * x if squared else x).sum(axis=tuple(range(x.ndim - count, x.ndim)))

    def softmax(self, x: Array) -> Array:
        exponents = np.exp(x - x.max(axis=-1, keepdims=True))
        return exponents / exponents.sum(axis=-1, keepdims=True)

    def pad(self, x: Array, low: Sequence[int], high: Sequence[int], value: float = 0) -> Array:
        return np.pad(x, tuple(zip(low, high, strict=True)), constant_values=value)

    def part(self, x: Array, offsets: Sequence[int], sizes: Sequence[int], shape: Sequence[int]) -> Array:
        return x[_place(offsets, sizes)].reshape(shape)

    def inserted(self, x: Array, into: Array, offsets: Sequence[int], sizes: Sequence[int]) -> Array:
        made = into.copy()
        made[_place(offsets, sizes)] = x.reshape(sizes)
        return made

    def joined(self, xs: Sequence[Array], axis: int) -> Array:
        return np.concatenate(xs, axis)

    def reshaped(self, x: Array, groups: Sequence[Sequence[int]], shape: Sequence[int]) -> Array:
        return x.reshape(shape)

    def turned(self, x: Array, permutation: Sequence[int]) -> Array:
        return x.transpose(permutation)


def _windows(x: Array, window: tuple[int, ...], stride: tuple[int, int]) -> Array:
    """Return the windows of an image as its last two axes."""
    every = np.lib.stride_tricks.sliding_window_view(x, window, (2, 3))
    return every[:, :, :: stride[0], :: stride[1]]


def _place(offsets: Sequence[int], sizes: Sequence[int]) -> tuple[slice, ...]:
    return tuple(slice(at, at + size) for at, size in zip(offsets, sizes, strict=True))
