# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What models are written in: a network of operators, which `LinalgGraph` emits as linalg, and `Arrays` computes.

The structure of a model is written once, as a function of a network. What an operator means is written twice, and the
two share nothing. Images are NCHW, matrices have a row for each element of the batch, and everything is f32.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

V = TypeVar("V")
Padding = tuple[tuple[int, int], tuple[int, int]]
"""Rows above and below an image, columns left and right of it."""
VALID: Padding = ((0, 0), (0, 0))


class Network(ABC, Generic[V]):
    """Operators on values of some kind."""

    @abstractmethod
    def shape(self, x: V) -> tuple[int, ...]:
        """Return the extents of a value."""

    @abstractmethod
    def argument(self, name: str, shape: Sequence[int]) -> V:
        """Return an argument of the model."""

    @abstractmethod
    def weight(self, name: str, shape: Sequence[int], spread: float, mean: float = 0) -> V:
        """Return a weight; the same name is the same weight.

        Args:
            name: Its name in the file of weights.
            shape: Its extents.
            spread: Standard deviation of the numbers that stand for trained ones.
            mean: Their mean.
        """

    @abstractmethod
    def windows(self, oh: int, ow: int, counts: Sequence[Sequence[int]]) -> V:
        """Return the reciprocal of how many points of an image each window of a pooling holds, as a constant."""

    @abstractmethod
    def pointwise(self, kind: str, x: V, *others: V | tuple[V, tuple[int, ...]], number: float = 0) -> V:
        """Return an element-wise operator of a value and others.

        Args:
            kind: A key of `graph.BODIES` and of `arrays.FUNCTIONS`.
            x: The first operand, of the result's shape.
            others: The other ones; one with axes of the result is repeated along the others.
            number: A constant of the operator.
        """

    @abstractmethod
    def product(self, x: V, w: V) -> V:
        """Return a matrix product."""

    @abstractmethod
    def rows_times(self, rows: V, matrices: V, *, turned: bool) -> V:
        """Return the product of each row with a matrix of its own, or with its transpose."""

    @abstractmethod
    def convolution(self, x: V, w: V, stride: tuple[int, int]) -> V:
        """Return a convolution of a padded image; weights are FCHW."""

    @abstractmethod
    def depthwise(self, x: V, w: V, stride: int) -> V:
        """Return a convolution of each channel of a padded image with a filter of its own; weights are CHW."""

    @abstractmethod
    def pool(self, kind: str, x: V, window: int, stride: int) -> V:
        """Return the maximum (max) or the sum (sum) of each window of a padded image."""

    @abstractmethod
    def sums(self, x: V, count: int, *, squared: bool = False) -> V:
        """Return sums over so many of the last axes, of the elements or of their squares."""

    @abstractmethod
    def softmax(self, x: V) -> V:
        """Return the softmax of each row of a matrix."""

    @abstractmethod
    def pad(self, x: V, low: Sequence[int], high: Sequence[int], value: float = 0) -> V:
        """Return a value with a border of a constant."""

    @abstractmethod
    def part(self, x: V, offsets: Sequence[int], sizes: Sequence[int], shape: Sequence[int]) -> V:
        """Return a slice, of a shape that may lack axes of extent 1."""

    @abstractmethod
    def inserted(self, x: V, into: V, offsets: Sequence[int], sizes: Sequence[int]) -> V:
        """Return a value with a part replaced."""

    @abstractmethod
    def joined(self, xs: Sequence[V], axis: int) -> V:
        """Return values one behind the other."""

    @abstractmethod
    def reshaped(self, x: V, groups: Sequence[Sequence[int]], shape: Sequence[int]) -> V:
        """Return a value of another shape: groups of the axes of the longer shape are the axes of the shorter one."""

    @abstractmethod
    def turned(self, x: V, permutation: Sequence[int]) -> V:
        """Return a value with its axes in another order."""

    def padded(self, x: V, padding: Padding, value: float = 0) -> V:
        """Return an image with a border."""
        (top, bottom), (left, right) = padding
        return x if padding == VALID else self.pad(x, (0, 0, top, left), (0, 0, bottom, right), value)

    def same(self, x: V, window: int, stride: int) -> Padding:
        """Return the padding that TensorFlow calls SAME."""
        sides = (max(0, (-(-n // stride) - 1) * stride + window - n) for n in self.shape(x)[2:])
        top, left = ((side // 2, side - side // 2) for side in sides)
        return top, left

    def filtered(
        self, x: V, name: str, filters: int, window: int, stride: int = 1, padding: Padding | None = None
    ) -> V:
        """Return a convolution with square filters of this name; by default its padding is SAME."""
        channels = self.shape(x)[1]
        w = self.weight(name, (filters, channels, window, window), 1 / math.sqrt(channels * window * window))
        border = self.same(x, window, stride) if padding is None else padding
        return self.convolution(self.padded(x, border), w, (stride, stride))

    def normalized(self, x: V, name: str, kind: str = "affine") -> V:
        """Return batch normalization as inference has it: a scale and a shift of each channel.

        Args:
            x: An image, or rows.
            name: Of the two weights.
            kind: The element-wise operator that does it; some do more, such as a rectified linear unit.
        """
        channels = self.shape(x)[1]
        scale = self.weight(f"{name}_scale", (channels,), 0.1, 1)
        return self.pointwise(kind, x, (scale, (1,)), (self.weight(f"{name}_shift", (channels,), 0.1), (1,)))

    def dense(self, x: V, name: str, columns: int, kind: str = "bias") -> V:
        """Return a product with weights of this name and a bias."""
        inner = self.shape(x)[1]
        product = self.product(x, self.weight(name, (inner, columns), 1 / math.sqrt(inner)))
        return self.pointwise(kind, product, (self.weight(f"{name}_bias", (columns,), 0.1), (1,)))

    def average(self, x: V, window: int, stride: int) -> V:
        """Return the mean of each window of an image, without what is around the image (SAME)."""
        ends = [range(0, n, stride) for n in self.shape(x)[2:]]
        padding = self.same(x, window, stride)
        counts = [
            [min(at - low + window, n) - max(at - low, 0) for at in starts]
            for starts, (low, _), n in zip(ends, padding, self.shape(x)[2:], strict=True)
        ]
        total = self.pool("sum", self.padded(x, padding), window, stride)
        _, _, height, width = self.shape(total)
        return self.pointwise("mul", total, (self.windows(height, width, counts), (2, 3)))

    def mean(self, x: V) -> V:
        """Return the mean of each channel of an image."""
        _, _, height, width = self.shape(x)
        return self.pointwise("times", self.sums(x, 2), number=1 / (height * width))
