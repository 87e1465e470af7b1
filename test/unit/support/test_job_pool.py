# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Worker processes: a job that ends its process has an answer, and no process outlives the one it works for."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from roller_mlir.support.jobs.pool import JobPool

MODULE = """
import os, time
def work(job):
    if job == "die":
        os._exit(3)
    if job == "sleep":
        open(str(os.getpid()), "w").close()
        time.sleep(600)
    return job.upper()
"""
# A process with a pool whose two workers are busy; each has made a file that is named by its number.
MAIN = """
import signal
from roller_mlir.support.jobs.pool import JobPool
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which shells let background jobs ignore
    with JobPool(2, 600.0, "pool_jobs:work", lambda how, message: how) as pool:
        list(pool.run(enumerate(["sleep", "sleep"])))
"""


def test_answers_come_with_their_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pool_jobs.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    with JobPool[str, str](2, 600.0, "pool_jobs:work", lambda how, message: f"{how}: {message}") as pool:
        found = dict(pool.run(enumerate(["a", "die", "b"])))
    assert found == {0: "A", 1: "crash: the process died: exit code 3", 2: "B"}


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_one_it_works_for(how: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C reaches all processes of a terminal; the other signals only the first one."""
    (tmp_path / "pool_jobs.py").write_text(MODULE)
    (tmp_path / "main.py").write_text(MAIN)
    main = subprocess.Popen(
        [sys.executable, "main.py"], cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        workers = _until(lambda: [int(path.name) for path in tmp_path.glob("[0-9]*")], 2)
        if how == signal.SIGINT:
            os.killpg(main.pid, how)
        else:
            os.kill(main.pid, how)
        _, said = main.communicate(timeout=600)
        assert said.count("Traceback") == (how == signal.SIGINT), "of the first process only, which has no handler here"
        _until(lambda: [one for one in workers if not _alive(one)], 2)
    finally:
        for number in (main.pid, *(int(path.name) for path in tmp_path.glob("[0-9]*"))):
            if _alive(number):
                os.kill(number, signal.SIGKILL)


def _until(found: Callable[[], list[int]], count: int) -> list[int]:
    end = time.monotonic() + 600
    while len(now := found()) < count:
        assert time.monotonic() < end
        time.sleep(0.02)
    return now


def _alive(process: int) -> bool:
    """Return whether a process runs; one that has ended but that nobody has waited for does not."""
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"
