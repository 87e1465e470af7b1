# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One job in this process: compile through the public driver, run, compare with numpy.

What runs is the simulator, or this machine where the target's binaries are for it.
"""

import random
import tempfile
import time
import traceback
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.evaluation.fuzz.forced import Forced
from roller_mlir.evaluation.fuzz.jobs.job import FuzzJob, FuzzOutcome
from roller_mlir.evaluation.fuzz.plans.matrix import matrix_plans_text
from roller_mlir.evaluation.fuzz.plans.ranked import UnknownPlansError, plan_file_text, random_tile, walked_plans_text
from roller_mlir.evaluation.fuzz.refusals import reason_of
from roller_mlir.evaluation.reference import Evaluation, compare_all, evaluate_function, random_inputs
from roller_mlir.evaluation.reference.values import Array
from roller_mlir.hal import find_device
from roller_mlir.model.options import PipelineOptions
from roller_mlir.plan.accuracy.accumulation import accumulation_of
from roller_mlir.runtime.errors import BackendError
from roller_mlir.runtime.findings import SanitizedRunError
from roller_mlir.runtime.registry import backend_here
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import DiagnosedError

SIMULATOR_TIMEOUT_S = 20.0


def run_job(job: FuzzJob) -> FuzzOutcome:
    """Try a job; whatever goes wrong is an outcome."""
    source = Source("-", job.text)
    with tempfile.TemporaryDirectory(prefix="roller-fuzz-") as folder:
        try:
            options = _options(job, source, Path(folder))
        except Exception as error:  # noqa: BLE001 - the fuzzer exists to find these
            return _internal(error)
        return replace(_try(job, source, options), options=_spell(options, job.forced))


def _try(job: FuzzJob, source: Source, options: CompileOptions) -> FuzzOutcome:
    started = time.perf_counter()
    try:
        return _run(job, source, options)
    except DiagnosedError as error:
        return replace(_refusal(error, job.forced != Forced()), compile_s=time.perf_counter() - started)
    except SanitizedRunError as error:
        return FuzzOutcome("fault", f"{error.findings[0].kind}: {error}")
    except BackendError as error:
        return FuzzOutcome("fault", str(error))
    except Exception as error:  # noqa: BLE001 - the fuzzer exists to find these
        return _internal(error)


def _internal(error: Exception) -> FuzzOutcome:
    last = traceback.extract_tb(error.__traceback__)[-1]
    text = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}: {error}"
    return FuzzOutcome("internal", text[:2000])


def _refusal(error: DiagnosedError, forced: bool) -> FuzzOutcome:
    first = next((one for one in error.diagnostics if one.severity == "error"), error.diagnostics[0])
    reason = reason_of(first.message, forced)
    if first.place is None or first.place.line < 1:
        return FuzzOutcome("unlocated", first.message, reason or "")
    where = f"{first.place.file}:{first.place.line}:{first.place.column}"
    if reason is None:
        return FuzzOutcome("unknown refusal", f"{where}: {first.message}")
    return FuzzOutcome("refused", f"{where}: {first.message}", reason)


def _run(job: FuzzJob, source: Source, options: CompileOptions) -> FuzzOutcome:
    started = time.perf_counter()
    artifact = compile_source(source, job.target, options)
    compiled = time.perf_counter()
    manifest = artifact.manifest
    inputs = random_inputs([manifest.buffer(name) for name in manifest.inputs], job.seed, job.values)
    before = [array.copy() for array in inputs]
    native = backend_here(find_device(job.target).vendor)
    asked: dict[str, Any] = {
        "seed": job.seed,
        "timeout_s": SIMULATOR_TIMEOUT_S,
        "sanitize": job.sanitize,
        "level": job.level,
    }
    outputs = artifact.run(*inputs, on=native or "sim", **({} if native else asked))
    done = time.perf_counter()
    if any(not np.array_equal(a, b, equal_nan=True) for a, b in zip(before, inputs, strict=True)):
        return FuzzOutcome("wrong", "an input was changed")
    with make_context() as context:
        module = parse_source(source, context)
        expected = evaluate_function(module, manifest.function, inputs, accumulation_of(manifest))
        status, message = classify(job, outputs, expected)
    families = tuple(sorted({one.plan.instruction for one in artifact.kernels if one.plan is not None}))
    kernels = len(artifact.kernels)
    return FuzzOutcome(status, message, "", compiled - started, done - compiled, kernels, families=families)


def classify(job: FuzzJob, outputs: Sequence[Array], expected: Evaluation) -> tuple[str, str]:
    """Return "equal" or "close", or "wrong" and where.

    Args:
        job: What was run; which results are exact.
        outputs: The kernels' results.
        expected: The reference's.
    """
    found = compare_all(outputs, expected)
    for number, (one, exact) in enumerate(zip(found, job.exact, strict=True)):
        if not one.matches or (exact and not one.equal):
            return "wrong", f"result {number}{' (exact)' if exact else ''}: {one}"
    unsaid = "; ".join(f"result {number}: {one}" for number, one in enumerate(found) if one.unsaid)
    return "equal" if all(one.equal for one in found) else "close", unsaid


def _options(job: FuzzJob, source: Source, folder: Path) -> CompileOptions:
    forced = job.forced
    asked = PipelineOptions.values_of(forced)
    native = bool(backend_here(find_device(job.target).vendor))
    options = CompileOptions(**asked, binaries=native, llvm=job.level == "llvm", cache=False)
    try:
        if forced.families:
            path = folder / "plans.json"
            path.write_text(matrix_plans_text(source, job.target, forced))
            return replace(options, plan_file=path, stages=0, allow_tf32=False)
        if forced.walks:
            path = folder / "plans.json"
            path.write_text(walked_plans_text(source, job.target, forced))
            return replace(options, plan_file=path)
        if forced.rank:
            path = folder / "plans.json"
            path.write_text(plan_file_text(source, job.target, forced.rank))
            return replace(options, plan_file=path)
        if forced.tile_seed is not None:
            sizes, own = random_tile(source, job.target, random.Random(forced.tile_seed))
            return replace(options, tile_sizes=sizes, thread_tile=own)
    except UnknownPlansError:
        pass
    return options


def _spell(options: CompileOptions, forced: Forced) -> str:
    """Return options as `roller run` takes them; a plan file is named by the rank of its plans."""
    given = PipelineOptions.given_in(replace(options, plan_file=None))
    parts = [part for one, value in given for part in one.flags(value)]
    parts += [f"--plan-file (plans of rank {forced.rank})"] if options.plan_file is not None else []
    return " ".join(parts)
