# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether blocks of a first stage can run the second one: its tasks must be their tiles, and its threads theirs."""

from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.plan import SYNCHRONOUS, WORKGROUP
from roller_mlir.plan.rewrite.split import output_loops


def joined_problem(expression: TensorExpression, plan: Plan) -> str:
    """Return why the parts of a divided reduction cannot be joined in the same kernel, or an empty string.

    Args:
        expression: The whole operator.
        plan: The whole decision, whose `split` is `joined`.
    """
    assert plan.split is not None and plan.split.joined
    join, kept = plan.split.join, output_loops(expression)
    if len(join.axes) != len(kept) + 1:
        return (
            f"has a plan that joins parts in the same kernel by {len(join.axes)} loops; there must be {len(kept) + 1}"
        )
    for number, loop in enumerate(kept):
        block, own = plan.axes[loop].block, join.axes[number].block
        if block != own:
            return f"has a plan that joins parts by tiles of {own} along loop {number}, but makes them by {block}"
    if join.threads != plan.threads:
        return f"has a plan that joins parts by {join.threads} threads, but makes them by {plan.threads}"
    order = tuple(kept.index(loop) for loop in plan.unit_order if loop in kept)
    if join.unit_order != order or join.raster or join.inner_order or plan.inner_order:
        return (
            f"has a plan that joins parts in unit_order {list(join.unit_order)}, but makes them in {list(order)}; both "
            "go without raster and inner_order"
        )
    if any(operand.layer == WORKGROUP for operand in join.operands):
        return "has a plan that joins parts through workgroup memory; a block in which others are made reads directly"
    if join.store != SYNCHRONOUS:
        return (
            f"has a plan that joins parts with store '{join.store}'; a block in which others are made stores directly"
        )
    return ""
