# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the stages say of an operator, as JSON-ready data: one object per operator."""

from collections.abc import Sequence
from typing import Any

from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.plan import Plan, TensorExpression


def operator_record(operator: Operator) -> dict[str, Any]:
    """Return what identifies an operator: `id`, `class`, `duplicate_of`."""
    return {"id": operator.id, "class": operator.kind, "duplicate_of": operator.duplicate_of}


def published_record(operator: Operator, device: str) -> dict[str, float]:
    """Return the published times on a device in seconds, by system: `{"library": 0.000308, ...}`."""
    start = f"{device}_"
    return {name.removeprefix(start): time for name, time in operator.times.items() if name.startswith(start)}


def construct_record(expression: TensorExpression, plans: Sequence[Plan], construct_s: float) -> dict[str, Any]:
    """Return what a construction gave.

    Args:
        expression: The operator.
        plans: Distinct plans with predictions, best first, at least one.
        construct_s: Seconds that the construction alone took.

    Returns:
        `programs` (how many plans), `construct_s`, `predicted_s`, `saturated` and `tiles` of the best, `loops` (extents
        of parallel and reduction loops after axis fusion), `flops`, and `candidates`: `predicted_s`, `saturated` and
        `tiles` of each plan.
    """
    candidates = [_candidate(expression, plan) for plan in plans]
    best = candidates[0]
    extents = expression.bounds
    return {
        "programs": len(plans),
        "construct_s": construct_s,
        **best,
        "loops": {
            "parallel": [extents[i] for i in expression.parallel()],
            "reduction": [extents[i] for i in expression.reductions()],
        },
        "flops": expression.flops,
        "candidates": candidates,
    }


def _candidate(expression: TensorExpression, plan: Plan) -> dict[str, Any]:
    prediction = plan.prediction
    assert prediction is not None, "construction predicts"
    return {
        "predicted_s": prediction.seconds,
        "saturated": prediction.saturated,
        "tiles": tiles_record(expression, plan),
    }


def tiles_record(expression: TensorExpression, plan: Plan) -> dict[str, Any]:
    """Return the tiles of a plan.

    Returns:
        `block` (points of each parallel loop in a task), `step` (points of each reduction loop in a step), `thread`
        (points of each parallel loop in a thread), `thread_step` (points of each reduction loop in a thread),
        `threads`, `stages`, `instruction`, `staged` (whether each input goes through workgroup memory), and `split`:
        None, or the `loop` that is divided (its number among the reduction loops) into `parts` of
        `extent` points, `joined` in the same kernel or by a second one.
    """
    parallel, reductions = expression.parallel(), expression.reductions()
    split = plan.split
    return {
        "block": [plan.axes[i].block for i in parallel],
        "step": [plan.axes[i].block for i in reductions],
        "thread": [plan.axes[i].registers for i in parallel],
        "thread_step": [plan.axes[i].registers for i in reductions],
        "threads": plan.threads,
        "stages": plan.stages,
        "instruction": plan.instruction,
        "staged": [operand.layer == "workgroup" for operand in plan.operands],
        "split": split
        and {
            "loop": reductions.index(split.loop),
            "parts": split.parts.bound,
            "extent": split.extent.bound,
            "joined": split.joined,
        },
    }
