# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stage "compile": an operator through the whole compiler, with what the vendor's tools say of its kernels."""

import time
from dataclasses import replace
from typing import Any

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.source import Source
from roller_mlir.runtime import Artifact
from roller_mlir.suites.operator import Operator
from roller_mlir.suites.records import operator_record
from roller_mlir.suites.write import function_text

_WARNING = "warning: "


def compile_operator(
    operator: Operator, target: str, options: CompileOptions | None = None, *, dtype: str | None = None
) -> dict[str, Any]:
    """Compile an operator.

    Args:
        operator: An operator of a suite.
        target: A device's name, or the path of its description.
        options: Those of the compilation; None for the defaults.
        dtype: Element type of the inputs; that of the operator by default.

    Returns:
        What `operator_record` says, `compile_s` (source to binaries), `kernel_s` (that over the number of kernels),
        `phases_s`, `predicted_s` (the sum over its kernels), `kernels`
        (`name`, `registers` per thread, `spill_bytes`, `shared_bytes`; None where no tool was there to say it), `notes`
        and `mismatches`: of these, what the machine code does not keep of the plans' promises.

    Raises:
        DiagnosedError: The operator cannot be compiled; places carry the file name "-".
        SuiteError: The operator's own file cannot be used.
    """
    options = replace(options or CompileOptions(), cache=False)  # what is timed here is the compiler
    begun = time.perf_counter()
    artifact = compile_source(Source("-", function_text(operator, dtype)), target, options)
    compile_s = time.perf_counter() - begun
    notes = [*artifact.manifest.notes, *(note for kernel in artifact.kernels for note in kernel.notes)]
    return {
        **operator_record(operator),
        "dtype": dtype or operator.dtype,
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


def warm_up(target: str) -> None:
    """Compile something small, so that what follows is timed in a process whose tools and children have started."""
    small = Operator("warm-up", "relu", "f32", {"M": 4096}, shape=(4096,))
    compile_source(Source("-", function_text(small)), target, CompileOptions(cache=False))


def predicted_seconds(artifact: Artifact) -> float | None:
    """Return the sum of the predictions of an artifact's plans, None where one has none."""
    predictions = [kernel.plan.prediction for kernel in artifact.kernels if kernel.plan is not None]
    times = [one.seconds for one in predictions if one is not None]
    return sum(times) if times and len(times) == len(predictions) else None
