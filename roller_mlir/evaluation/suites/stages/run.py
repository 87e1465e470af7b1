# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stage "run": an operator compiled, executed by the simulator, and compared with numpy.

What was compiled for machines such as this one is executed by it in place of the simulator.

Full-size operators are far beyond a simulator: one with more points than a limit is refused, or shrunk where that is
asked for. The plan that then runs is that of the shrunk operator, constructed anew.
"""

import time
from dataclasses import replace
from typing import Any

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.evaluation.reference import compare_all, evaluate_function
from roller_mlir.evaluation.reference.compare import random_inputs
from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.programs.write import function_text
from roller_mlir.evaluation.suites.records import operator_record
from roller_mlir.evaluation.suites.select import points, shrink
from roller_mlir.hal import find_device
from roller_mlir.plan.accuracy.accumulation import accumulation_of
from roller_mlir.runtime.registry import backend_here
from roller_mlir.support.bindings import make_context

TIMEOUT_S = 60.0


def run_operator(
    operator: Operator,
    target: str,
    options: CompileOptions | None = None,
    *,
    most: int,
    shrink_to: int | None = None,
    dtype: str | None = None,
) -> dict[str, Any]:
    """Run an operator in the simulator, on random integers, and compare the result with numpy.

    Args:
        operator: An operator of a suite.
        target: A device's name, or the path of its description.
        options: Those of the compilation, without binaries; None for the defaults.
        most: Points of the loop nest up to which an operator is run.
        shrink_to: Points to which a larger operator is shrunk; None refuses it.
        dtype: Element type of the inputs; that of the operator by default.

    Returns:
        What `operator_record` says; `sizes` and `points` of what was run, `shrunk` (whether that is not the operator of
        the table), `compile_s` and `run_s` (of the simulator, no speed of the device), and of all results together
        `matches`, `equal`, `max_error` (in units of its bound) and `unsaid` (elements of whom the bound says nothing).

    Raises:
        SuiteError: The operator has too many points, or cannot be shrunk.
        DiagnosedError: It cannot be compiled.
        BackendError: The simulator found a fault.
    """
    file, line = operator.place
    fixed = shrink_to is None or operator.kind in ("file", "generic")
    shrunk = operator if fixed or shrink_to is None else shrink(operator, shrink_to)
    count = points(shrunk)
    if shrink_to is None and count is not None and count > most:
        raise SuiteError(
            f"'{operator.id}' has {count} points, the simulator runs up to {most}; give --shrink", file=file, line=line
        )
    text = function_text(shrunk, dtype)
    begun = time.perf_counter()
    native = backend_here(find_device(target).vendor)
    options = replace(options or CompileOptions(), binaries=bool(native), cache=False)
    artifact = compile_source(Source("-", text), target, options)
    compiled = time.perf_counter()
    manifest = artifact.manifest
    inputs = random_inputs([manifest.buffer(name) for name in manifest.inputs], 0, "integers")
    limits: dict[str, Any] = {} if native else {"timeout_s": TIMEOUT_S}
    result = artifact.run_reported(*inputs, on=native or "sim", **limits)
    done = time.perf_counter()
    with make_context() as context:
        module = parse_source(Source("-", text), context)
        expected = evaluate_function(module, manifest.function, inputs, accumulation_of(manifest))
    found = compare_all(result.outputs, expected)
    return {
        **operator_record(operator),
        "dtype": dtype or operator.dtype,
        "sizes": dict(shrunk.sizes),
        "points": count,
        "shrunk": dict(shrunk.sizes) != dict(operator.sizes),
        "compile_s": compiled - begun,
        "run_s": done - compiled,
        "matches": all(one.matches for one in found),
        "equal": all(one.equal for one in found),
        "max_error": max(one.max_error for one in found),
        "unsaid": sum(one.unsaid for one in found),
    }
