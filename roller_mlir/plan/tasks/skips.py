# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether points of a reduction that read padding of an input contribute nothing, so that a task may leave them out.

    acc + x * w             0 * w is 0 where w is finite
    acc + (x + 1) * w       1 * w counts
    acc + x * (1 / w)       0 times infinity is no number, though w is finite

The planner asks it of inputs that it may leave out, the verifier of those that a plan leaves out.
"""

from roller_mlir.plan.expression import TensorExpression


def skip_problem(expression: TensorExpression, number: int) -> str:
    """Return why points on padding of an input may contribute something, or an empty string.

    That the other input is a constant of finite numbers is for whoever has the program to see.

    Args:
        expression: The operator.
        number: The input.
    """
    inputs = expression.inputs
    if len(inputs) != 2 or number not in range(2):
        return f"must be one of two factors, but there are {len(inputs)} inputs"
    if not expression.fused_multiply_add or expression.whole:
        return "is for sums of products"
    if not expression.widens_only:
        return "is for products of two inputs as they are or widened; padding from which a factor is computed may count"
    if expression.prologue_flops and expression.prologue_flops[1 - number]:
        return f"is multiplied by what is computed from input {1 - number}, which may be infinite"
    if inputs[number].gathered:
        return "is read at positions that are data"
    if expression.pad_values[number] != 0:
        return f"is an input that reads as {expression.pad_values[number]} outside of its tensor, not as 0"
    return ""
