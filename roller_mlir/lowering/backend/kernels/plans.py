# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plans that kernels carry: what each was planned as, what for, and whether that was measured.

    gpu.func @mlp_matmul_0(...) kernel attributes {rtile.plan = #rtile.plan<{...}>, rtile.expression = {...}, ...}

Code is made of the kernel alone. Who edits a kernel so that its plan is no longer true takes the attributes away.
"""

from dataclasses import dataclass, replace
from typing import Any

from roller_mlir.dialects.rtile.attributes import PlanAttr
from roller_mlir.dialects.rtile.checks import InvalidOpError, optional_attribute, require
from roller_mlir.dialects.rtile.fields import read_record
from roller_mlir.hal import Device
from roller_mlir.lowering.backend.kernels.module import kernel_functions, symbol_name
from roller_mlir.lowering.loops.attributes import EXPRESSION, JOIN_PLAN, PLAN, PROGRAM, TUNED
from roller_mlir.mapping.checks.expected_code import ExpectedCode, expected_code_of
from roller_mlir.mapping.checks.expression import expression_problem
from roller_mlir.mapping.checks.plan import plan_problem
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


@dataclass(frozen=True, kw_only=True)
class KernelPlan:
    """What a kernel was planned as.

    Attributes:
        plan: The plan.
        program: The program that it was made of; "" where the kernel does not say it.
        expression: What the plan is for; None where the kernel does not say it.
        tuned: Where a measured plan is from, and its times; "" where it was not measured.
        join: The plan of the second stage of a divided reduction, where its blocks run that, too.
    """

    plan: Plan
    program: str = ""
    expression: TensorExpression | None = None
    tuned: str = ""
    join: Plan | None = None

    def expected_code(self, device: Device) -> ExpectedCode | None:
        """Return what the plan expects of the kernel's machine code; None where it is not known what it is for."""
        if self.expression is None or device.vector_bytes is not None:
            return None
        expected = expected_code_of(self.expression, self.plan, device)
        # Behind the parts it adds them, from tensors beside its inputs, maybe through workgroup memory.
        return expected if self.join is None else replace(expected, only_fmas=False, reads_more=True, joins=True)


def kernel_plans(module: ir.Module, device: Device) -> dict[str, KernelPlan]:
    """Return what kernels carry that have a plan, by the kernel's name, in the order of the module.

    Args:
        module: With gpu.module ops whose kernels are not lowered yet.
        device: What it is compiled for.

    Raises:
        DiagnosedError: What a kernel carries is no plan, or a plan for another expression or device.
    """
    found: dict[str, KernelPlan] = {}
    for kernel in kernel_functions(module):
        try:
            plan = _read(kernel)
        except InvalidOpError as error:
            fail(kernel, f"{PLAN} of kernel '{symbol_name(kernel)}': {error}; mend it, or take it away")
        if plan is not None and plan.plan.device != device.name:
            planned = f"kernel '{symbol_name(kernel)}' is planned for {plan.plan.device}"
            fail(kernel, f"{planned}, but the target is {device.name}; take its {PLAN} away to compile it nevertheless")
        if plan is not None:
            found[symbol_name(kernel)] = plan
    return found


def _read(kernel: Any) -> KernelPlan | None:
    carried = optional_attribute(kernel, PLAN, PlanAttr, "#rtile.plan<{...}>")
    if carried is None:
        return None
    carried.check()
    plan = carried.read()
    join = optional_attribute(kernel, JOIN_PLAN, PlanAttr, "#rtile.plan<{...}>")
    if join is not None:
        join.check()
    program, tuned = (optional_attribute(kernel, name, ir.StringAttr, "a string") for name in (PROGRAM, TUNED))
    expression = None
    if EXPRESSION in kernel.attributes:
        expression = read_record(TensorExpression, kernel.attributes[EXPRESSION], EXPRESSION)
        problem = expression_problem(expression)
        require(not problem, f"{EXPRESSION} contradicts itself: {problem}")
        problem = plan_problem(expression, plan)
        require(not problem, f"the kernel {problem}")
    return KernelPlan(
        plan=plan,
        program="" if program is None else program.value,
        expression=expression,
        tuned="" if tuned is None else tuned.value,
        join=None if join is None else join.read(),
    )
