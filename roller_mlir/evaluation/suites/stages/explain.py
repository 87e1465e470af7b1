# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stage "explain": how an operator is planned for a device, and why."""

from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.programs.expression import read_operator
from roller_mlir.hal import Device
from roller_mlir.hal.atoms import FAMILIES
from roller_mlir.model import ConstructOptions
from roller_mlir.model.explain.decision import explain
from roller_mlir.model.explain.explanation import Explanation
from roller_mlir.support.bindings import ir


def explain_operator(
    operator: Operator,
    device: Device,
    context: ir.Context,
    options: ConstructOptions | None = None,
    *,
    dtype: str | None = None,
) -> Explanation:
    """Explain the construction of an operator.

    Args:
        operator: An operator of a suite.
        device: What it runs on.
        context: A context from `make_context`.
        options: Those of the construction; None for the defaults.
        dtype: Element type of the inputs; that of the operator by default.

    Raises:
        ConstructionError: No program fits the device.
        DiagnosedError: The operator cannot be read.
        SuiteError: The operator's own file cannot be used.
    """
    expression = read_operator(operator, context, dtype)
    return explain(expression, device, options, name=operator.id, families=FAMILIES)
