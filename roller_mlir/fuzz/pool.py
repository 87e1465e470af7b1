# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Worker processes that try programs: one that dies or does not end is an outcome like others."""

from collections.abc import Callable

from roller_mlir.fuzz.job import FuzzJob, FuzzOutcome
from roller_mlir.support.jobs.job_pool import JobPool

RUN_JOB = "roller_mlir.fuzz.execute:run_job"


class Pool(JobPool[FuzzJob, FuzzOutcome]):
    """Some workers. A context manager: they end with it."""

    def __init__(
        self,
        workers: int,
        limit_s: float,
        entry: str = RUN_JOB,
        on_failure: Callable[[str, str], FuzzOutcome] = FuzzOutcome,
    ) -> None:
        """Set how to work.

        Args:
            workers: Processes at a time.
            limit_s: Time for a job.
            entry: The function that tries a job, as "module:name".
            on_failure: Makes the outcome of a job whose process died or did not end.
        """
        super().__init__(workers, limit_s, entry, on_failure)
