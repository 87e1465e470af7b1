# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the last part of a divided reduction may be shorter than the others.

The first stage gives every part the same number of points. Points of the last part that lie behind the loop's end must
then contribute nothing, which they do where every input reads as its neutral pad there.
"""

from roller_mlir.plan.expression import Access, TensorExpression


def uneven_problem(expression: TensorExpression, loop: int) -> str:
    """Return why a reduction loop can be divided into equal parts only, or an empty string.

    Args:
        expression: The operator.
        loop: The reduction loop, one of `plan.rewrite.split.divisible_loops`.

    >>> from roller_mlir.plan.expression import LinearIndex, Loop
    >>> k = LinearIndex((0, 1))
    >>> x, s = Access("x", (9,), "f32", (k,)), Access("s", (), "f32", ())
    >>> y = Access("y", (4,), "f32", (LinearIndex((1, 0)),))
    >>> loops = (Loop(4), Loop(9, True))
    >>> uneven_problem(TensorExpression(loops, (x,), y, "arith.addf", 1, (0.0,)), 1)
    ''
    >>> uneven_problem(TensorExpression(loops, (x, s), y, "arith.addf", 2, (0.0, 0.0)), 1)
    "input 's' does not depend on the loop"
    """
    whole = expression.bounds[loop]
    neutral = {
        pad
        for access, pad in zip(expression.inputs, expression.pad_values, strict=True)
        if not reads_outside(expression, access)
    }
    if len(neutral) != 1 or None in neutral or set(expression.pad_values) != neutral:
        return "no value outside of its inputs is known to contribute nothing"
    for access in expression.inputs:
        along = [
            (index.coefficients[loop], index.coefficients[loop] * whole + index.constant, extent)
            for index, extent in zip(access.indices, access.bounds, strict=True)
            if index.coefficients[loop]
        ]
        if not along:
            return f"input '{access.name}' does not depend on the loop"
        if not any(behind >= extent and k > 0 for k, behind, extent in along):
            return f"input '{access.name}' has elements behind the loop's end"
    return ""


def reads_outside(expression: TensorExpression, access: Access) -> bool:
    """Return whether an operator reads an input outside of its shape, as it does through a padding."""
    for index, extent in zip(access.indices, access.bounds, strict=True):
        reach = [k * (expression.bounds[loop] - 1) for loop, k in index.terms().items()]
        first = index.constant + sum(k for k in reach if k < 0)
        last = index.constant + sum(k for k in reach if k > 0)
        if first < 0 or last >= extent:
            return True
    return False
