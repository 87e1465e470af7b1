# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of kernels: what shares the hardware that a fault may lie in.

A fault of one kernel (a process that dies, a hang, an illegal access) makes the others of its family suspect, so a
runner leaves them out and does all the rest.
"""

from roller_mlir.plan.expression import TensorExpression
from roller_mlir.plan.plan import SYNCHRONOUS, Plan
from roller_mlir.runtime import Artifact

PERSISTENT = "persistent"
"""The family of kernels whose blocks wait for each other."""


def family_of(artifact: Artifact, expression: TensorExpression | None = None, plan: Plan | None = None) -> str:
    """Return the family of an artifact: that of its most special kernel, in words of the plan.

    "persistent" where blocks wait for each other; "tensor copies in steps" where a tensor map skips elements; else the
    instruction ("plain" for one thread's own multiply-adds), with "tensor store" or "staged store", "turned A" (whose
    rows, not the reduction, run along memory) and "divided" (the parts of a reduction) or "joined" (where blocks join
    them, too).

    Args:
        artifact: What was compiled.
        expression: The operator, where the artifact is of one.
        plan: Its plan, likewise.

    Returns:
        The family; "" where no kernel has a plan.
    """
    if any(launch.cooperative for launch in artifact.manifest.launches):
        return PERSISTENT
    kernels = [kernel for kernel in artifact.kernels if kernel.plan is not None]
    if any(step != 1 for kernel in kernels for one in (*kernel.tensor_maps, *kernel.made_maps) for step in one.steps):
        return "tensor copies in steps"
    plans = [kernel.plan for kernel in kernels if kernel.plan is not None]
    named = {_words(one, expression if plan is not None and len(plans) == 1 else None) for one in plans}
    return min(named, key=_rank, default="")


def _words(plan: Plan, expression: TensorExpression | None) -> str:
    words = ["plain" if plan.atom is None else plan.instruction]
    if plan.store != SYNCHRONOUS:
        words.append(f"{plan.store} store")
    if expression is not None and plan.atom is not None:
        rows = next((one for one in expression.inputs if plan.atom.row in one.loops()), None)
        if rows is not None and rows.indices and rows.indices[-1].coefficients[plan.atom.row]:
            words.append("turned A")
    division = plan.split or plan.part
    if division is not None:
        words.append("joined" if division.joined else "divided")
    return ", ".join(words)


def _rank(family: str) -> tuple[bool, int, str]:
    """Return the key that sorts families from the special to the plain."""
    return family.startswith("plain"), -family.count(","), family
