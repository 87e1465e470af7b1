# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A stage over the operators of a suite: what one of them is refused for is its record, and the others go on."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from roller_mlir.model import ConstructionError
from roller_mlir.runtime.errors import ArgumentError, BackendError
from roller_mlir.suites.errors import SuiteError
from roller_mlir.suites.operator import Operator
from roller_mlir.suites.records import operator_record
from roller_mlir.support.diagnostics import DiagnosedError

_REFUSALS = (ConstructionError, DiagnosedError, SuiteError, ArgumentError, BackendError)


def each_operator(
    operators: Iterable[Operator],
    work: Callable[[Operator], dict[str, Any]],
    check: Callable[[], None] = lambda: None,
) -> Iterator[dict[str, Any]]:
    """Yield the record of each operator: what `work` returns, or `operator_record` and `error`, the refusal's text.

    Args:
        operators: In the order of the records.
        work: A stage.
        check: Called before each operator; what it raises ends the iteration.
    """
    for operator in operators:
        check()
        try:
            yield work(operator)
        except _REFUSALS as error:
            yield {**operator_record(operator), "error": str(error)}
