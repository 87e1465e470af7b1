# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From an operator to its tensor expression, by the way that a compilation takes: text, normal form, reading."""

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.programs.write import function_text
from roller_mlir.lowering.linalg.reader import fill_constant, is_structured, read_structured
from roller_mlir.passes.rtile.normalize import RTileNormalize
from roller_mlir.plan import TensorExpression
from roller_mlir.support.bindings import func, ir
from roller_mlir.support.diagnostics import parse_module
from roller_mlir.support.passes.pipeline import RunOptions, run_pipeline


def read_operator(operator: Operator, context: ir.Context, dtype: str | None = None) -> TensorExpression:
    """Return the tensor expression of an operator, with its axes fused.

    Args:
        operator: An operator of a suite.
        context: A context from `make_context`.
        dtype: Element type of the inputs; that of the operator by default.

    Raises:
        SuiteError: The operator's own file cannot be read, or holds not exactly one operator.
        DiagnosedError: The text is refused; places carry the file name "-".
    """
    module = parse_module(function_text(operator, dtype), context)
    with context:
        run_pipeline(module, [RTileNormalize()], RunOptions(verify_each=False))
        roots = [
            inner.operation
            for function in module.body.operations
            if isinstance(function, func.FuncOp) and not function.is_external
            for inner in function.entry_block.operations
            if is_structured(inner.operation) and fill_constant(inner.operation.results[0]) is None
        ]
        if len(roots) != 1:
            file, line = operator.place
            raise SuiteError(
                f"'{operator.id}' is {len(roots)} linalg operators, but a row of a suite is 1", file=file, line=line
            )
        return read_structured(roots[0]).expression
