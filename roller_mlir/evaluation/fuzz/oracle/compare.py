# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A second oracle: what the numpy reference says of a program is compared with what IREE's llvm-cpu makes of it.

A mistake of the reference that kernels share would never show: both were written from one reading of what operations
mean. IREE was not. What it refuses or dies of is counted and says nothing of the reference.
"""

import time
from typing import Any, cast

from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.evaluation.fuzz.jobs.execute import classify
from roller_mlir.evaluation.fuzz.jobs.job import FuzzJob, FuzzOutcome
from roller_mlir.evaluation.fuzz.oracle.differences import known_difference
from roller_mlir.evaluation.fuzz.program.scalar_arguments import with_tensors
from roller_mlir.evaluation.reference import Evaluation, evaluate_function
from roller_mlir.evaluation.reference.bounds.body import looser_rounding
from roller_mlir.evaluation.reference.draws import defined_inputs
from roller_mlir.evaluation.reference.undefined import looking_for_undefined
from roller_mlir.evaluation.reference.values import Array
from roller_mlir.plan.extent import as_extents
from roller_mlir.plan.manifest import Buffer, ElementType
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import DiagnosedError

_FUNCTION = "fuzz"


def run_oracle_job(job: FuzzJob) -> FuzzOutcome:
    """Compare the reference with IREE's CPU on a job's program and inputs; its target and what it forces are unused."""
    try:
        inputs, types, expected, clamped = _reference(job)
    except DiagnosedError as error:
        return FuzzOutcome("internal", f"numpy reference: {error.message}")
    if expected is None:
        return FuzzOutcome("unanswered", "", "the program has undefined behaviour")
    if clamped:
        return FuzzOutcome("unanswered", "", "positions outside of a tensor are clamped, which IREE does not")
    # In this process only: worker processes of other kinds load one LLVM less.
    from roller_mlir.evaluation.fuzz.oracle.iree_cpu import FunctionCall, RefusedError, compile_program, run_program

    started = time.perf_counter()
    try:
        program = compile_program(with_tensors(job.text))
    except RefusedError as error:
        return FuzzOutcome("unanswered", str(error)[:500], "IREE refuses it")
    compiled = time.perf_counter()
    (outputs,) = run_program(program, [FunctionCall(_FUNCTION, tuple(inputs), tuple(types))])
    done = time.perf_counter()
    status, message = classify(job, outputs, expected)
    known = known_difference(job.text, outputs, expected) if status == "wrong" else None
    if status == "wrong" and known is None:
        with looser_rounding():
            if classify(job, outputs, _reference(job)[2] or expected)[0] != "wrong":
                known = (
                    "IREE rounds chains of bf16 operations once, and its functions have fewer digits than those of GPUs"
                )
    if known is not None:
        return FuzzOutcome("unanswered", message, f"known difference: {known}")
    return FuzzOutcome(status, message, "", compiled - started, done - compiled)


def _reference(job: FuzzJob) -> tuple[list[Array], list[str], Evaluation | None, bool]:
    """Return the inputs of a job, their types, what the reference gives, None where that is undefined.

    The last one says whether it clamps positions that lie outside of their tensor.
    """
    with make_context() as context:
        module = parse_source(Source("-", job.text), context)
        buffers = _buffers(module)
        drawn = defined_inputs(module, _FUNCTION, buffers, job.seed, job.values)
        types: list[str] = [buffer.element_type for buffer in buffers]
        if drawn.undefined:
            return drawn.inputs, types, None, False
        with looking_for_undefined() as log:
            expected = evaluate_function(module, _FUNCTION, drawn.inputs)
        return drawn.inputs, types, expected, log.clamped


def _buffers(module: ir.Module) -> list[Buffer]:
    function: Any = module.body.operations[0]
    buffers: list[Buffer] = []
    for number, kind in enumerate(function.type.inputs):
        shaped = isinstance(kind, ir.RankedTensorType)
        spelled = str(ir.RankedTensorType(kind).element_type) if shaped else str(kind)
        element = cast(ElementType, "i64" if spelled == "index" else spelled)
        shape = as_extents(ir.RankedTensorType(kind).shape) if shaped else ()
        buffers.append(Buffer(name=f"a{number}", role="input", element_type=element, shape=shape))
    return buffers
