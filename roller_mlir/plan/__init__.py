# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frozen records: what an operator computes, what was decided for it, and what an artifact holds. No MLIR here."""

from roller_mlir.plan.expression import Access, LinearIndex, Loop, RowPass, TensorExpression
from roller_mlir.plan.plan import AxisPlan, OperandPlan, Plan, Prediction, SplitK, SplitKPartial

__all__ = [
    "Access",
    "AxisPlan",
    "LinearIndex",
    "Loop",
    "OperandPlan",
    "Plan",
    "Prediction",
    "RowPass",
    "SplitK",
    "SplitKPartial",
    "TensorExpression",
]
