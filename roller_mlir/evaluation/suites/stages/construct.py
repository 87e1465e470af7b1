# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stage "construct": ranked plans of an operator for a device, timed."""

import time
from typing import Any

from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.programs.expression import read_operator
from roller_mlir.evaluation.suites.records import construct_record, operator_record, published_record
from roller_mlir.hal import Device, find_device
from roller_mlir.model import ConstructOptions, construct
from roller_mlir.support.bindings import ir, make_context


def construct_for(
    operator: Operator, target: str, options: ConstructOptions | None = None, *, dtype: str | None = None
) -> dict[str, Any]:
    """Construct the plans of an operator for a device that is named, as `construct_operator` in a context of its own.

    Args:
        operator: An operator of a suite.
        target: A device's name, or the path of its description.
        options: Those of the construction; None for the defaults.
        dtype: Element type of the inputs; that of the operator by default.
    """
    with make_context() as context:
        return construct_operator(operator, find_device(target), context, options, dtype=dtype)


def construct_operator(
    operator: Operator,
    device: Device,
    context: ir.Context,
    options: ConstructOptions | None = None,
    *,
    dtype: str | None = None,
) -> dict[str, Any]:
    """Construct the plans of an operator.

    Args:
        operator: An operator of a suite.
        device: What it runs on.
        context: A context from `make_context`.
        options: Those of the construction; None for the defaults.
        dtype: Element type of the inputs; that of the operator by default.

    Returns:
        What `operator_record` and `construct_record` say, `read_s` (seconds to write, parse and normalise the text),
        and `published_s` (published times on this device, by system).

    Raises:
        ConstructionError: No program fits the device.
        DiagnosedError: The operator cannot be read.
        SuiteError: The operator's own file cannot be used.
    """
    begun = time.perf_counter()
    expression = read_operator(operator, context, dtype)
    read = time.perf_counter()
    plans = construct(expression, device, options)
    done = time.perf_counter()
    return {
        **operator_record(operator),
        "dtype": dtype or operator.dtype,
        **construct_record(expression, plans, done - read),
        "read_s": read - begun,
        "published_s": published_record(operator, device.name),
    }
