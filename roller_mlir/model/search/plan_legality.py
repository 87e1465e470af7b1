# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a construction under given options could have chosen a plan, as far as its results and its place go.

`validate_plan` says whether a plan fits an operator and a device. A plan from a data base must also keep what was asked
of the construction: it must not round to tf32, divide a reduction, or spread over more units where that was not wanted.
"""

from roller_mlir.hal import Device
from roller_mlir.model.block_limits import block_problem
from roller_mlir.model.instructions.choice import atoms
from roller_mlir.model.options import ConstructOptions
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.plan import STAGED


def choice_problem(expression: TensorExpression, plan: Plan, device: Device, options: ConstructOptions) -> str:
    """Return what a plan does that these options rule out, or an empty string.

    Args:
        expression: The whole operator.
        plan: Its plan.
        device: The device that it is for.
        options: Families of instructions, tf32, division of reductions and units are looked at.
    """
    usable = atoms(expression, device, options.instructions, allow_tf32=options.allow_tf32)
    known = {(one.instruction.family, one.instruction.shape[::2]) for one in usable}
    if (plan.instruction, () if plan.atom is None else plan.atom.shape[::2]) not in known:
        shape = "" if plan.atom is None else f" of shape {list(plan.atom.shape)}"
        return f"has a plan with instruction '{plan.instruction}'{shape}, which is not among those that may be used"
    if plan.split is not None and not options.split:
        return "has a plan that divides its reduction over tasks, which must not be done here"
    if plan.split is not None and plan.split.joined and not options.join:
        return "has a plan that joins the parts of its reduction in the same kernel, which must not be done here"
    if STAGED in (plan.store, plan.split and plan.split.join.store) and not options.staged_stores:
        return "has a plan that stores its results through workgroup memory, which must not be done here"
    if plan.max_units != options.max_units:
        wanted, given = (f"{units} units" if units else "all units" for units in (options.max_units, plan.max_units))
        return f"has a plan for {given}, but {wanted} were asked for"
    return block_problem(plan, options)
