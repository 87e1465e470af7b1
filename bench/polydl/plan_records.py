# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans of vectors as short records of JSON: what the model ranks them by."""

from typing import Any

from roller_mlir.plan import Plan
from roller_mlir.plan.plan import WORKGROUP


def plan_record(plan: Plan) -> dict[str, Any]:
    """Return what of a plan decides its time."""
    return {
        "blocks": [axis.block for axis in plan.axes],
        "chunks": [axis.chunk for axis in plan.axes],
        "lane": plan.lane,
        "order": list(plan.unit_order),
        "inner": list(plan.inner_order),
        "staged": [number for number, one in enumerate(plan.operands) if one.layer == WORKGROUP],
    }
