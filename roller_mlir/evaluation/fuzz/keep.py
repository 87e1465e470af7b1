# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a failure: the shrunk program as a .mlir file that begins with what went wrong and how to see it again."""

from pathlib import Path

from roller_mlir.evaluation.fuzz.case import Case, command_of, job_of
from roller_mlir.evaluation.fuzz.jobs.job import FuzzOutcome
from roller_mlir.sim.options import SimulatorOptions


def failure_text(case: Case, outcome: FuzzOutcome, shrunk: Case, after: FuzzOutcome) -> str:
    """Return the file of a failure.

    Args:
        case: As it was drawn.
        outcome: What became of it.
        shrunk: The smallest that still fails.
        after: What became of that.
    """
    job = job_of(shrunk)
    lines = [
        f"{after.status}: {after.message}",
        f"target {job.target}, inputs {job.values} of seed {job.seed}"
        + (", sanitized" if job.sanitize else "")
        + (f", level {job.level}" if job.level != SimulatorOptions.level else ""),
        f"forced: {after.options or 'nothing'}",
        f"the case it was shrunk from ({outcome.status}, {case.program.ops()} ops): {command_of(case)}",
    ]
    header = "\n".join(f"// {line}" for text in lines for line in text.split("\n"))
    return f"{header}\n{job.text}"


def failure_name(case: Case) -> str:
    """Return the name of its file."""
    return f"seed{case.seed}-case{case.number}-{case.oracle or case.target}.mlir"


def write_failure(folder: Path, case: Case, outcome: FuzzOutcome, shrunk: Case, after: FuzzOutcome) -> Path:
    """Write the file of a failure into a folder, which is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / failure_name(case)
    aside = path.with_name(f".{path.name}.partial")
    try:
        aside.write_text(failure_text(case, outcome, shrunk, after), encoding="utf-8")
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
    return path
