# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One foreign function in a process of its own: compiled, run in the simulator, compared with the reference."""

import re
import traceback
from dataclasses import dataclass
from math import prod
from pathlib import Path

from roller_mlir.compiler.driver import compile_source, lower_until
from roller_mlir.compiler.entry import isolate_entry
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.evaluation.reference import compare_all, evaluate_function
from roller_mlir.evaluation.reference.draws import defined_inputs
from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.programs.shrink import shrink_program
from roller_mlir.evaluation.suites.stages.verify import MOST_POINTS
from roller_mlir.hal import find_device
from roller_mlir.lowering.loops.program import programs_of
from roller_mlir.lowering.targets.stage import PLANNED
from roller_mlir.plan.accuracy.accumulation import accumulation_of
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.errors import BackendError
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import DiagnosedError

ENTRY = "job:run"
_OPTIONS = CompileOptions(binaries=False, cache=False)
_TIMEOUT_S = 120.0
_MOST_ELEMENTS, _MOST_OPERATIONS = 1 << 26, 1 << 32
"""Of all buffers and of all kernels of a program that is run; plans of larger ones run at small extents."""


@dataclass(frozen=True)
class Job:
    """What to run.

    Attributes:
        text: A module of one function, with what it names.
        target: The device.
        seed: Of the inputs.
    """

    text: str
    target: str
    seed: int = 0


@dataclass(frozen=True)
class Outcome:
    """What became of it.

    Attributes:
        status: "matches", "shrunk" (too large to run: each of its plans matches at small extents), "compiles" (nor can
            that be done), "refused", "wrong", "fault" (the simulator's),
            "internal" (an exception of ours), "crash", "hang".
        message: Why, where it does not match.
    """

    status: str
    message: str = ""

    @property
    def signature(self) -> str:
        """The message without names, places and numbers, so that like ones count together."""
        text = re.sub(r"^\S*?:\d+:\d+: |'%?\w*\d\w*'|tensor<[^>]*>", "", self.message.split("\n")[0])
        return re.sub(r"-?\d+(\.\d+)?", "N", text)[:160]


def run(job: Job) -> Outcome:
    """Try a function; whatever goes wrong is an outcome."""
    try:
        return _run(job)
    except DiagnosedError as error:
        first = next((one for one in error.diagnostics if one.severity == "error"), error.diagnostics[0])
        return Outcome("refused", first.message)
    except BackendError as error:
        return Outcome("fault", str(error))
    except Exception as error:  # noqa: BLE001 - these are what is looked for
        last = traceback.extract_tb(error.__traceback__)[-1]
        return Outcome("internal", f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}: {error}"[:500])


def _run(job: Job) -> Outcome:
    artifact = compile_source(Source("-", job.text), job.target, _OPTIONS)
    manifest = artifact.manifest
    elements = sum(prod(one.static_shape) for one in manifest.buffers)
    plans = [kernel.plan for kernel in artifact.kernels]
    operations = sum(plan.prediction.flops for plan in plans if plan is not None and plan.prediction is not None)
    if elements > _MOST_ELEMENTS or operations > _MOST_OPERATIONS:
        size = f"its tensors of {elements} elements" if elements > _MOST_ELEMENTS else f"its {operations} operations"
        try:
            return _run_shrunk(job)
        except SuiteError as error:
            return Outcome("compiles", f"{size} were not run, nor its plans at small extents: {error}")
    return _judged(artifact, job.text, job.seed)


def _run_shrunk(job: Job) -> Outcome:
    """Run the programs of a function one by one, each with its plan of full size at small extents."""
    planned, _ = lower_until(Source("-", job.text), job.target, _OPTIONS, PLANNED)
    with make_context() as context:
        module = parse_source(Source("-", planned), context)
        device = find_device(job.target)
        shrunk = [shrink_program(program, device, MOST_POINTS) for program in programs_of(module)]
    for one in shrunk:
        found = _judged(compile_source(Source("-", one.planned), job.target, _OPTIONS), one.linalg, job.seed)
        if found.status != "matches":
            return found
    return Outcome("shrunk")


def _judged(artifact: Artifact, reference: str, seed: int) -> Outcome:
    manifest = artifact.manifest
    with make_context() as context:
        module = parse_source(Source("-", reference), context)
        name = isolate_entry(module, manifest.function)
        drawn = defined_inputs(module, name, [manifest.buffer(one) for one in manifest.inputs], seed, "integers")
        outputs = artifact.run(*[array.copy() for array in drawn.inputs], on="sim", timeout_s=_TIMEOUT_S)
        expected = evaluate_function(module, name, drawn.inputs, accumulation_of(manifest))
    for found in compare_all(outputs, expected):
        if not found.matches:
            return Outcome("wrong", str(found))
    return Outcome("matches")
