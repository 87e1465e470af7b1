# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stage "verify": the plan of the full-size operator, executed by the simulator and compared with numpy.

An operator that the simulator can run is compiled and run as it is. A larger one is planned at full size; each of its
programs then keeps its plan at small extents (`extents`), is compiled from there and run on its own. Threads run in a
shuffled order on poisoned memory, on integers, whose sums are exact, and on normally distributed numbers, each time as
our kernels and as the LLVM IR that goes to the vendor's back end. What the simulator counts of memory transactions is
compared with what the plan predicts for the same extents.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import compile_source, lower_until
from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.evaluation.reference import Comparison, compare_all, evaluate_function
from roller_mlir.evaluation.reference.compare import random_inputs
from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.programs.shrink import ShrunkProgram, shrink_program
from roller_mlir.evaluation.suites.programs.write import function_text
from roller_mlir.evaluation.suites.records import operator_record
from roller_mlir.evaluation.suites.stages.counted import Counted, counted, worst_ratios
from roller_mlir.hal import find_device
from roller_mlir.lowering.linalg.reader import fill_constant, is_structured, read_structured
from roller_mlir.lowering.loops.program import programs_of
from roller_mlir.lowering.targets.stage import NORMALISED, PLANNED
from roller_mlir.plan import Plan
from roller_mlir.plan.accuracy.accumulation import accumulation_of
from roller_mlir.plan.records.codec import to_json
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.artifact import RunResult
from roller_mlir.sim.options import LEVELS
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

WHOLE_POINTS = 1 << 23
"""Points of the loop nests up to which an operator is run as it is."""
MOST_POINTS = 1 << 26
"""Points of a loop nest beyond which small extents are made smaller still, see `shrunk_extents`."""
TIMEOUT_S = 300.0
_KINDS = ("integers", "normal")


def verify_operator(
    operator: Operator, target: str, options: CompileOptions | None = None, *, seed: int = 0, dtype: str | None = None
) -> dict[str, Any]:
    """Verify an operator's best plan.

    Args:
        operator: An operator of a suite.
        target: A device's name, or the path of its description.
        options: Those of the compilation, without binaries; None for the defaults.
        seed: Of the inputs, and of the order of blocks and threads.
        dtype: Element type of the inputs; that of the operator by default.

    Returns:
        What `operator_record` says, `target`, `dtype`, `shrunk` (whether extents are smaller than the operator's),
        `programs` (of each `name`, `plan`: a hash of the plan at full size without what it says of extents, which the
        kernel that ran has too; `whole` and `extents`: points per loop; `reduced`: loops that could not keep two
        tiles), `points`; of the results `matches`, `equal` (on integers), on normally distributed numbers `max_error`
        (in units of the bound) and `unsaid` (elements of which the bound says nothing); `instructions`, the families of
        those of its kernels; `counted`, per quantity what the simulator counted and what the plan says; `bytes_exact`,
        `sectors_ratio`, `phases_ratio` (the worst of counted to planned); `plan_s`, `compile_s`, `run_s` (of the
        simulator, no speed of the device) and `reference_s`.

    Raises:
        SuiteError: A program cannot be shrunk, or a kernel's plan is not that of the full size.
        DiagnosedError: It cannot be compiled.
        BackendError: The simulator found a fault.
    """
    options = replace(options or CompileOptions(), binaries=False, llvm=True, cache=False)
    text = function_text(operator, dtype)
    begun = time.perf_counter()
    record: dict[str, Any] = {**operator_record(operator), "target": target, "dtype": dtype or operator.dtype}
    points = _points(text, target, options)
    if points <= WHOLE_POINTS:
        record |= {"shrunk": False, "programs": [], "points": points, "plan_s": time.perf_counter() - begun}
        return {**record, **_total([_check(text, text, target, options, seed)[1]])}
    device = find_device(target)
    planned, _ = lower_until(Source("-", text), target, options, PLANNED)
    with make_context() as context:
        module = parse_module(planned, context)
        shrunk = [shrink_program(program, device, MOST_POINTS) for program in programs_of(module)]
    record |= {"shrunk": True, "programs": [_program_record(one) for one in shrunk]}
    record |= {"points": sum(one.extents.points for one in shrunk), "plan_s": time.perf_counter() - begun}
    found: list[dict[str, Any]] = []
    for one in shrunk:
        own = CompileOptions(binaries=False, llvm=True, cache=False)
        artifact, result = _check(one.planned, one.linalg, target, own, seed)
        _check_plan(one, artifact)
        found.append(result)
    return {**record, **_total(found)}


def plan_hash(plan: Plan) -> str:
    """Return a hash of a plan without what depends on extents: prediction, points of a part, boxes of the raster."""
    data: Any = to_json(replace(plan, prediction=None, part=None, raster=()))
    if plan.part is not None:
        data["part"] = plan.part.loop
    return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def _points(text: str, target: str, options: CompileOptions) -> int:
    """Return the points of all loop nests of a text together."""
    normalised, _ = lower_until(Source("-", text), target, options, NORMALISED)
    with make_context() as context:
        module = parse_module(normalised, context)
        roots = [
            inner.operation
            for function in module.body.operations
            for region in function.operation.regions
            for block in region.blocks
            for inner in block.operations
            if is_structured(inner.operation) and fill_constant(inner.operation.results[0]) is None
        ]
        return sum(read_structured(root).expression.points for root in roots)


def _program_record(one: ShrunkProgram) -> dict[str, Any]:
    return {
        "name": one.name,
        "plan": plan_hash(one.whole_plan),
        "whole": list(one.extents.whole),
        "extents": list(one.extents.sizes),
        "reduced": list(one.extents.reduced),
    }


def _check_plan(one: ShrunkProgram, artifact: Artifact) -> None:
    """Check that the kernel that ran has the plan of the full size."""
    for kernel in artifact.kernels:
        ran = plan_hash(kernel.plan) if kernel.plan is not None else "no plan"
        if ran != plan_hash(one.whole_plan):
            raise SuiteError(f"'{one.name}' ran with plan {ran}, at full size it has {plan_hash(one.whole_plan)}")


def _check(
    text: str, reference: str, target: str, options: CompileOptions, seed: int
) -> tuple[Artifact, dict[str, Any]]:
    """Compile a text, run it on both kinds of inputs and compare with the reference."""
    begun = time.perf_counter()
    artifact = compile_source(Source("-", text), target, options)
    compiled = time.perf_counter()
    manifest = artifact.manifest
    run_s = reference_s = 0.0
    comparisons: dict[str, list[Comparison]] = {}
    counts: Sequence[Counted] = ()
    for kind in _KINDS:
        inputs = random_inputs([manifest.buffer(name) for name in manifest.inputs], seed, kind)
        started = time.perf_counter()
        results: list[RunResult] = []
        for number, level in enumerate(LEVELS):
            how: dict[str, Any] = {"level": level, "count": level == "gpu", "seed": seed + number}
            results.append(artifact.run_reported(*inputs, on="sim", timeout_s=TIMEOUT_S, **how))
        ran = time.perf_counter()
        with make_context() as context:
            module = parse_source(Source("-", reference), context)
            expected = evaluate_function(module, manifest.function, inputs, accumulation_of(manifest))
        run_s, reference_s = run_s + ran - started, reference_s + time.perf_counter() - ran
        counts = counted(artifact, results[0].launches)
        comparisons[kind] = [one for result in results for one in compare_all(result.outputs, expected)]
    return artifact, {
        "matches": all(one.matches for each in comparisons.values() for one in each),
        "equal": all(one.equal for one in comparisons["integers"]),
        "max_error": max(one.max_error for one in comparisons["normal"]),
        "unsaid": sum(one.unsaid for one in comparisons["normal"]),
        "instructions": sorted({one.plan.instruction for one in artifact.kernels if one.plan is not None}),
        "counted": counts,
        "compile_s": compiled - begun,
        "run_s": run_s,
        "reference_s": reference_s,
    }


def _total(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return what the checks of all programs of an operator say together."""
    counts = [row for one in found for row in one["counted"]]
    return {
        "matches": all(one["matches"] for one in found),
        "equal": all(one["equal"] for one in found),
        "max_error": max(one["max_error"] for one in found),
        "unsaid": sum(one["unsaid"] for one in found),
        "instructions": sorted({family for one in found for family in one["instructions"]}),
        **worst_ratios(counts),
        "counted": [row._asdict() for row in counts],
        **{key: sum(one[key] for one in found) for key in ("compile_s", "run_s", "reference_s")},
    }
