# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tasks that walk several tiles: how many along a loop, and in front of which loop an operand is packed."""

from collections.abc import Collection, Sequence

from roller_mlir.plan.expression import TensorExpression
from roller_mlir.plan.plan import Plan


def walked_blocks(plan: Plan, loop: int, blocks: int) -> int:
    """Return how many of a loop's blocks one task walks.

    Args:
        plan: The plan.
        loop: A parallel loop.
        blocks: All of the loop's blocks.
    """
    if loop not in plan.inner_order:
        return 1
    return min(plan.axes[loop].walked or blocks, blocks)


def tasks_along(plan: Plan, loop: int, blocks: int) -> int:
    """Return how many tasks share a loop's blocks; arguments as of `walked_blocks`."""
    return -(-blocks // walked_blocks(plan, loop, blocks))


def staged_depth(inner: Sequence[int], moving: Collection[int]) -> int:
    """Return in front of which walked loop an operand is packed: the first that does not move it, or all of them.

    >>> staged_depth((0, 1), {0, 2}), staged_depth((0, 1), {1, 2}), staged_depth((0,), {0})
    (1, 0, 0)
    """
    return next((depth for depth, loop in enumerate(inner) if loop not in moving), 0)


def resumable(expression: TensorExpression) -> bool:
    """Return whether the sums of a part of a reduction can lie in the result until the next part goes on with them.

    They can where nothing is made of them before they are stored, and lanes hold whole sums.
    """
    return not (
        expression.epilogue
        or expression.epilogue_flops
        or expression.whole
        or expression.live_words
        or (expression.accumulator_type and expression.accumulator_type != expression.output.element_type)
    )
