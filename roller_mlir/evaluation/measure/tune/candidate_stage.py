# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suites' stages "compile" and "verify" with several candidates: each of the plans that the model ranks best."""

import time
from dataclasses import replace
from typing import Any

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.tune.candidates import candidates_of, compile_candidate, planned, whole_dispatch
from roller_mlir.evaluation.measure.tune.dispatches import Dispatch, dispatches_of
from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.programs.write import function_text
from roller_mlir.evaluation.suites.records import operator_record, tiles_record
from roller_mlir.evaluation.suites.stages.compile import ARTIFACTS, compile_record, warm_up
from roller_mlir.evaluation.suites.stages.verify import verify_operator
from roller_mlir.plan import Plan
from roller_mlir.runtime.errors import BackendError
from roller_mlir.support.diagnostics import DiagnosedError


def compile_ranked(
    operator: Operator,
    target: str,
    options: CompileOptions | None = None,
    *,
    top_k: int,
    dtype: str | None = None,
    keep: bool = False,
) -> dict[str, Any]:
    """Compile the best plans of an operator, in a process that has compiled something before.

    Args:
        operator: An operator of a suite.
        target: A device's name, or the path of its description.
        options: Those of the compilation; None for the defaults.
        top_k: How many plans at most.
        dtype: Element type of the inputs; that of the operator by default.
        keep: Whether to return the artifacts, too.

    Returns:
        What `operator_record` says, `dtype`, `programs` (how many plans), `construct_s` (seconds to read the operator
        and to rank its plans), `compile_s` (of all candidates), `predicted_s` (of the best), and `candidates`, best
        first: of each `rank` from 0, `tiles`, and what `compile_record` says, or `error`. With `keep` also `ARTIFACTS`:
        artifacts by what they are named after the operator, such as ".0".

    Raises:
        ConstructionError: No program fits the device.
        DiagnosedError: The operator cannot be compiled, whatever the plan.
        SuiteError: The operator's own file cannot be used.
    """
    warm_up(target)
    options = replace(options or CompileOptions(), cache=False)  # what is timed here is the compiler
    begun = time.perf_counter()
    dispatch, ranked = _ranked(operator, target, options, top_k, dtype)
    construct_s = time.perf_counter() - begun
    artifacts: dict[str, Any] = {}
    candidates: list[dict[str, Any]] = []
    for rank, plans in enumerate(ranked):
        record, artifact = _compile(dispatch, target, options, plans)
        candidates.append({"rank": rank, **record})
        if artifact is not None:
            artifacts[f".{rank}"] = artifact
    return {
        **operator_record(operator),
        "dtype": dtype or operator.dtype,
        "programs": len(ranked),
        "construct_s": construct_s,
        "compile_s": sum(one["compile_s"] for one in candidates),
        "predicted_s": candidates[0]["predicted_s"],
        "candidates": candidates,
        **({ARTIFACTS: artifacts} if keep else {}),
    }


def verify_ranked(
    operator: Operator,
    target: str,
    options: CompileOptions | None = None,
    *,
    top_k: int,
    seed: int = 0,
    dtype: str | None = None,
) -> dict[str, Any]:
    """Run the best plans of an operator in the simulator and compare with numpy.

    Args:
        operator: See `verify_operator`.
        target: Likewise.
        options: Likewise.
        top_k: How many plans at most.
        seed: See `verify_operator`.
        dtype: Likewise.

    Returns:
        What `operator_record` says, `target`, `dtype`, `programs` (how many plans), `matches` (whether all do), and
        `candidates`, best first: of each `rank` from 0, and what `verify_operator` says, or `error`.

    Raises:
        ConstructionError: No program fits the device.
        DiagnosedError: The operator cannot be compiled, whatever the plan.
        SuiteError: The operator's own file cannot be used.
    """
    _, ranked = _ranked(operator, target, options, top_k, dtype)
    candidates: list[dict[str, Any]] = []
    for rank, plans in enumerate(ranked):
        try:
            with planned(options, plans) as forced:
                record = verify_operator(operator, target, forced, seed=seed, dtype=dtype)
        except (DiagnosedError, SuiteError, BackendError) as error:
            record = {"error": str(error)}
        candidates.append({"rank": rank, **record})
    return {
        **operator_record(operator),
        "target": target,
        "dtype": dtype or operator.dtype,
        "programs": len(ranked),
        "matches": all(one.get("matches", False) for one in candidates),
        "candidates": candidates,
    }


def _ranked(
    operator: Operator, target: str, options: CompileOptions | None, top_k: int, dtype: str | None
) -> tuple[Dispatch, list[dict[str, Plan]]]:
    """Return an operator as a dispatch, and its best plans."""
    text = function_text(operator, dtype)
    dispatches = dispatches_of(Source("-", text), target, options)
    dispatch = whole_dispatch(dispatches, text)
    if dispatch is None:
        programs, (file, line) = sum(len(one.names) for one in dispatches), operator.place
        raise SuiteError(f"'{operator.id}' is {programs} programs, but candidates are those of 1", file=file, line=line)
    return dispatch, candidates_of(dispatch, target, options, top_k)


def _compile(
    dispatch: Dispatch, target: str, options: CompileOptions, plans: dict[str, Plan]
) -> tuple[dict[str, Any], Any]:
    """Return the record of a candidate, and its artifact; None where the plan is refused."""
    (plan,) = plans.values()
    predicted = None if plan.prediction is None else plan.prediction.seconds
    tiles = tiles_record(dispatch.expression, plan)
    begun = time.perf_counter()
    try:
        artifact = compile_candidate(dispatch, target, options, plans)
    except DiagnosedError as error:
        seconds = time.perf_counter() - begun
        return {"predicted_s": predicted, "tiles": tiles, "compile_s": seconds, "error": str(error)}, None
    record = compile_record(artifact, time.perf_counter() - begun)
    return {"predicted_s": record.pop("predicted_s"), "tiles": tiles, **record}, artifact
