# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The best plan of an operator, constructed once: equal operators, and passes that ask for the same, share it."""

from dataclasses import replace
from functools import lru_cache

from roller_mlir.hal import Device
from roller_mlir.model.cost.performance import predict
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.options import ConstructOptions
from roller_mlir.model.search.construct import construct
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.rewrite.least_starts import with_least_starts


def best_plan(expression: TensorExpression, device: Device, options: ConstructOptions) -> Plan:
    """Return the plan of an operator that `construct` puts first.

    Operators that differ in where their slices begin alone share it (`plan.rewrite.least_starts`); so do, on devices of
    vectors, whose threads join no parts, those that may be joined and those that may not.

    Args:
        expression: The operator.
        device: What it runs on.
        options: What the user asks of the plan; how many are asked for does not matter.

    Raises:
        ConstructionError: No program fits the device, or the user schedule cannot be.
    """
    options = replace(options, top_k=1, join=options.join and device.vector_bytes is None)
    found = _constructed(with_least_starts(expression), device, options)
    if isinstance(found, str):
        raise ConstructionError(found)
    return found


@lru_cache(maxsize=2048)
def plan_on_share(expression: TensorExpression, plan: Plan, device: Device, units: int) -> Plan:
    """Return a plan with the time that is predicted where its tasks share so many units, and their bandwidth.

    Args:
        expression: The operator.
        plan: Its plan, for these units or for more.
        device: What it runs on.
        units: The share.
    """
    split = plan.split and replace(plan.split, join=replace(plan.split.join, max_units=units))
    shared = replace(plan, max_units=units, split=split)
    return replace(shared, prediction=predict(expression, shared, device))


@lru_cache(maxsize=2048)
def _constructed(expression: TensorExpression, device: Device, options: ConstructOptions) -> Plan | str:
    """Return the plan, or why there is none. Plans are frozen, so that one can be handed out many times."""
    try:
        return construct(expression, device, options)[0]
    except ConstructionError as error:
        return str(error)
