# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stage "compile": an operator through the whole compiler, with what the vendor's tools say of its kernels."""

import time
from dataclasses import replace
from functools import cache
from typing import Any

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.programs.write import function_text
from roller_mlir.evaluation.suites.records import operator_record
from roller_mlir.runtime import Artifact

ARTIFACTS = "artifacts"
"""Where a record has what is to be written and not printed."""

_WARNING = "warning: "


def compile_operator(
    operator: Operator,
    target: str,
    options: CompileOptions | None = None,
    *,
    dtype: str | None = None,
    keep: bool = False,
) -> dict[str, Any]:
    """Compile an operator.

    Args:
        operator: An operator of a suite.
        target: A device's name, or the path of its description.
        options: Those of the compilation; None for the defaults.
        dtype: Element type of the inputs; that of the operator by default.
        keep: Whether to return the artifact, too.

    Returns:
        What `operator_record` says, `dtype`, and what `compile_record` says; with `keep` also `ARTIFACTS`: the artifact
        by what it is named after the operator, which is nothing.

    Raises:
        DiagnosedError: The operator cannot be compiled; places carry the file name "-".
        SuiteError: The operator's own file cannot be used.
    """
    options = replace(options or CompileOptions(), cache=False)  # what is timed here is the compiler
    begun = time.perf_counter()
    artifact = compile_source(Source("-", function_text(operator, dtype)), target, options)
    record = compile_record(artifact, time.perf_counter() - begun)
    record = {**operator_record(operator), "dtype": dtype or operator.dtype, **record}
    return {**record, ARTIFACTS: {"": artifact}} if keep else record


def compile_record(artifact: Artifact, compile_s: float) -> dict[str, Any]:
    """Return what there is to say of a compilation.

    Args:
        artifact: What came out.
        compile_s: Seconds that it took, source to binaries.

    Returns:
        `compile_s`, `kernel_s` (that over the number of kernels), `phases_s`, `predicted_s` (the sum over its kernels),
        `kernels` (`name`, `registers` per thread, `spill_bytes`, `shared_bytes`; None where no tool was there to say
        it), `notes` and `mismatches`: of these, where the machine code is not what the plans expect.
    """
    notes = [*artifact.manifest.notes, *(note for kernel in artifact.kernels for note in kernel.notes)]
    return {
        "compile_s": compile_s,
        "kernel_s": compile_s / max(1, len(artifact.kernels)),
        "phases_s": dict(artifact.manifest.phases_s),
        "predicted_s": predicted_seconds(artifact),
        "kernels": [
            {
                "name": kernel.name,
                "registers": kernel.statistics.registers,
                "spill_bytes": kernel.statistics.spill_bytes,
                "shared_bytes": kernel.statistics.shared_bytes,
            }
            for kernel in artifact.kernels
        ],
        "notes": list(dict.fromkeys(notes)),
        "mismatches": [
            note.removeprefix(_WARNING)
            for kernel in artifact.kernels
            for note in kernel.notes
            if note.startswith(_WARNING)
        ],
    }


def compile_warm(operator: Operator, target: str, **options: Any) -> dict[str, Any]:
    """Compile an operator, as `compile_operator`, in a process that has compiled something before."""
    warm_up(target)
    return compile_operator(operator, target, **options)


@cache
def warm_up(target: str) -> None:
    """Compile something small, so that what follows is timed in a process whose tools and children have started."""
    small = Operator("warm-up", "relu", "f32", {"M": 4096}, shape=(4096,))
    compile_source(Source("-", function_text(small)), target, CompileOptions(cache=False))


def predicted_seconds(artifact: Artifact) -> float | None:
    """Return the sum of the predictions of an artifact's launches, None where a plan has none."""
    planned = {kernel.name: kernel.plan.prediction for kernel in artifact.kernels if kernel.plan is not None}
    predictions = [planned[one.kernel] for one in artifact.manifest.launches if one.kernel in planned]
    times = [one.seconds for one in predictions if one is not None]
    return sum(times) if times and len(times) == len(predictions) else None
