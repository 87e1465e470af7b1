# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that differ in where their slices begin alone, as one operator.

The cells of an unrolled recurrent network read `x[0]`, `x[1]`, `x[2]`: what planning asks of such a start is where
memory transactions begin, whether vectors are aligned there, and whether anything lies outside of the tensor. Starts
that agree in these have one plan.
"""

from dataclasses import replace
from math import gcd, prod

from roller_mlir.plan.expression import Access, LinearIndex, TensorExpression
from roller_mlir.plan.rewrite.uneven import reads_outside

PERIOD_BYTES = 256
"""Where an access begins counts modulo this: a multiple of every transaction, cache line and vector."""


def with_least_starts(expression: TensorExpression) -> TensorExpression:
    """Return an operator whose inputs begin at the least starts that are planned as its own.

    Starts along rows stay, as vectors divide them, and so do those of an input that is read outside of its tensor. No
    start becomes 0: an input that is read from its beginning may be read as a whole.

    >>> from roller_mlir.plan.expression import Loop
    >>> x = Access("x", (16, 64), "f32", (LinearIndex((0,), 13), LinearIndex((1,))))
    >>> y = Access("y", (64,), "f32", (LinearIndex((1,)),))
    >>> with_least_starts(TensorExpression((Loop(64),), (x,), y, None, 1, (None,))).inputs[0].indices[0]
    LinearIndex(coefficients=(0,), constant=1)
    """

    def moved(access: Access) -> Access:
        if not any(index.constant for index in access.indices[:-1]) or reads_outside(expression, access):
            return access
        return replace(access, indices=tuple(index_of(access, d) for d in range(len(access.indices))))

    def index_of(access: Access, dimension: int) -> LinearIndex:
        index = access.indices[dimension]
        if dimension == len(access.indices) - 1:
            return index
        stride = access.element_bytes * prod(access.bounds[dimension + 1 :])
        step = PERIOD_BYTES // gcd(stride, PERIOD_BYTES)
        back = -sum(k * (expression.bounds[loop] - 1) for loop, k in index.terms().items() if k < 0)
        least = max(1, back)
        over = index.constant - least
        return index if over < step else LinearIndex(index.coefficients, least + over % step)

    return replace(
        expression,
        inputs=tuple(moved(access) for access in expression.inputs),
        epilogue=tuple(moved(access) for access in expression.epilogue),
    )
