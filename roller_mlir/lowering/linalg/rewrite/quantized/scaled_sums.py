# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What follows a product of integers in the place of one of (integers - zero point) * scale.

    sum of (a - y) (b - z)  =  (sum of a b) - y (sum of b) - z (sum of a - y points)

A body is put together step by step: first what zero points add is subtracted, then sums become floats and are scaled.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roller_mlir.lowering.linalg.generic import constant_like, empty_like, generic
from roller_mlir.lowering.linalg.moved_constants import MovedConstants
from roller_mlir.lowering.linalg.rewrite.quantized.dequantized import AtRunTime
from roller_mlir.support.bindings import arith, ir

Arguments = Sequence[Any]
"""Elements of the tensors that the op reads beside the sums."""
Number = Callable[[Arguments], Any]
"""Emits a number in the op's body."""


@dataclass(frozen=True)
class Zero:
    """The zero point of integers with signs.

    Attributes:
        number: It, if it is known; if not, what is added to the one at run time.
        at_run_time: Where the one of integers as they were lies, None if it is known.
    """

    number: int
    at_run_time: AtRunTime | None = None


@dataclass(frozen=True)
class AlongResult:
    """A tensor that is read along some dimensions of the result.

    Attributes:
        tensor: It.
        along: The dimension of each of its own.
    """

    tensor: Any
    along: tuple[int, ...]


class ScaledSums:
    """An element-wise op on sums of products.

    Args:
        rank: Of the sums.
        constants: Makes those that it reads.
    """

    def __init__(self, rank: int, constants: MovedConstants) -> None:
        self._rank, self._constants = rank, constants
        self._read: list[AlongResult] = []
        self._steps: list[Callable[[Any, Arguments], Any]] = []

    def constant(self, array: "np.ndarray[Any, Any]", element: ir.Type) -> Number:
        """Read a constant, of the result's rank, with one element along each dimension that it is the same for."""
        if (array == array.flat[0]).all():
            number = array.flat[0].item()
            return lambda _: constant_like(element, number)
        along = tuple(dimension for dimension, extent in enumerate(array.shape) if extent > 1)
        return self.element(AlongResult(self._constants.made(np.squeeze(array), element), along))

    def element(self, one: AlongResult) -> Number:
        """Read a tensor."""
        self._read.append(one)
        at = len(self._read) - 1
        return lambda others: others[at]

    def lessen(self, zero: Zero, sums: Number, other: Zero | None = None, points: int = 0) -> None:
        """Subtract a zero point times the sums of the other factor's integers.

        Args:
            zero: It.
            sums: They.
            other: The other factor's zero point, which is taken from them for each point; None for 0.
            points: How many products a sum has.
        """
        i32 = ir.IntegerType.get_signless(32)
        factor, beside = self._zero(zero), None if other is None else self._zero(other)

        def step(x: Any, others: Arguments) -> Any:
            sum_ = sums(others)
            if beside is not None:
                sum_ = arith.subi(sum_, arith.muli(beside(others), arith.constant(i32, points)))
            return arith.subi(x, arith.muli(factor(others), sum_))

        self._steps.append(step)

    def scale(self, scales: Sequence[Number]) -> None:
        """Turn sums into f32, and multiply them by numbers."""

        def step(x: Any, others: Arguments) -> Any:
            x = arith.sitofp(ir.F32Type.get(), x)
            for scale in scales:
                x = arith.mulf(x, scale(others))
            return x

        self._steps.append(step)

    def widen(self, element: ir.Type) -> None:
        """Turn sums into wider integers."""
        self._steps.append(lambda x, _: arith.extsi(element, x))

    def add(self, start: ir.Value) -> None:
        """Add what the product started from."""
        number = self.element(AlongResult(start, tuple(range(self._rank))))
        floats = isinstance(ir.RankedTensorType(start.type).element_type, ir.FloatType)
        self._steps.append(lambda x, others: (arith.addf if floats else arith.addi)(x, number(others)))

    def built(self, sums: ir.Value, kind: ir.Type) -> ir.Value:
        """Build the op at the insertion point; return its result.

        Args:
            sums: What it reads.
            kind: Type of the result.
        """
        if not self._steps:
            return sums

        def body(x: Any, *others: Any) -> Any:
            for step in self._steps:
                x = step(x, others)
            return x

        inputs = [sums, *(one.tensor for one in self._read)]
        return generic(
            inputs, empty_like(kind), [None, *(one.along for one in self._read), None], body, loops=self._rank
        )

    def _zero(self, zero: Zero) -> Number:
        i32, place = ir.IntegerType.get_signless(32), zero.at_run_time
        if place is None:
            return lambda _: arith.constant(i32, zero.number)
        element, widened = self.element(AlongResult(place.tensor, ())), arith.extui if place.unsigned else arith.extsi
        return lambda others: arith.addi(widened(i32, element(others)), arith.constant(i32, zero.number))
