# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of finished plans where a residual counts: by predicted time times what was learned from measurements.

The predicted times stay the model's: a residual knows what sets candidates of a problem apart, not how long they take.
"""

from collections.abc import Sequence

from roller_mlir.hal import Device
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.options import ResidualOptions
from roller_mlir.model.residual.file import ResidualError, find_residual
from roller_mlir.model.residual.residual import Residual
from roller_mlir.model.residual.terms import plan_kind, plan_terms
from roller_mlir.plan import Plan


def residual_of(plan: Plan, device: Device, options: ResidualOptions) -> Residual | None:
    """Return the residual that is known of a plan's class, whether it counts or not; None where there is none.

    Raises:
        ConstructionError: A file of residuals cannot be read.
    """
    try:
        return find_residual(plan_kind(plan), device.architecture, options.residual_file)
    except ResidualError as error:
        raise ConstructionError(f"has no residual: {error}") from None


def is_corrected(plan: Plan, device: Device, options: ResidualOptions) -> bool:
    """Return whether a residual orders plans like this one. Raises ConstructionError as `residual_of`."""
    found = residual_of(plan, device, options) if options.residual else None
    return found is not None and found.counts


def corrected_order(plans: Sequence[Plan], device: Device, options: ResidualOptions) -> list[int]:
    """Return places of plans of one operator in the order in which they are expected to be fast.

    Args:
        plans: With their predictions; of several classes they cannot be compared by what was learned of one.
        device: What they are for.
        options: Whether a residual may be used, and which.

    Raises:
        ConstructionError: A file of residuals cannot be read.
    """
    seconds = [plan.prediction.seconds for plan in plans if plan.prediction is not None]
    assert len(seconds) == len(plans), "construction predicts"
    same = len({plan_kind(plan) for plan in plans}) == 1
    found = residual_of(plans[0], device, options) if same and options.residual else None
    if found is not None and found.counts:
        factors = found.factors([plan_terms(plan) for plan in plans])
        seconds = [one * factor for one, factor in zip(seconds, factors, strict=True)]
    return sorted(range(len(plans)), key=lambda place: seconds[place])


def residual_note(plans: Sequence[Plan], device: Device, options: ResidualOptions) -> str:
    """Return what a residual had to do with the order of plans, for people; "" where none is known of their class."""
    known = residual_of(plans[0], device, options)
    if known is None:
        return ""
    if not options.residual:
        return f"A residual of '{known.kind}' on {known.family} is known, and left out as asked."
    if known.counts and len({plan_kind(plan) for plan in plans}) > 1:
        return f"The residual of '{known.kind}' on {known.family} is not used: the programs are of several classes."
    text = str(known)
    return f"{text[0].upper()}{text[1:]}."
