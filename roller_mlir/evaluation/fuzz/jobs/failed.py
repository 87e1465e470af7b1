# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Worker processes that try programs: what is called in them, and what the end of the other oracle's says."""

from roller_mlir.evaluation.fuzz.jobs.job import FuzzOutcome

RUN_JOB = "roller_mlir.evaluation.fuzz.jobs.execute:run_job"
ORACLE_JOB = "roller_mlir.evaluation.fuzz.oracle.compare:run_oracle_job"


def failed_oracle(status: str, message: str) -> FuzzOutcome:
    """Return the outcome of a job whose process died or did not end: the reference had done its part by then.

    Args:
        status: "crash", "hang", or "bug" where a function of ours raised something.
        message: How it was.
    """
    if status == "bug":
        return FuzzOutcome("internal", message)
    return FuzzOutcome("unanswered", message, "IREE dies" if status == "crash" else "IREE does not end")
