# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs that hang beside others: they have a short time, and the others as long as a busy machine may need."""

from collections.abc import Callable
from typing import Any

import pytest

from roller_mlir.support.jobs.worker import Worker

LIMIT_S = 0.2
HANG = "no end after 0.2 s; the process was killed"


def give_little_time(monkeypatch: pytest.MonkeyPatch, hangs: Callable[[Any], bool]) -> None:
    """Give the jobs of pools that hang little time, from when their process is there."""
    begin = Worker.begin
    monkeypatch.setattr(
        Worker,
        "begin",
        lambda self, key, job, limit_s: begin(self, key, job, LIMIT_S if hangs(job) else limit_s),
    )
