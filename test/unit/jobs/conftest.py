# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of jobs share: the module of jobs on the search path of every process, and a look at what is left."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parent)


@pytest.fixture
def gone() -> Callable[[Path], list[str]]:
    """Gives a function that waits until nothing is left of a TMPDIR, no process and no file, and says what is."""

    def left(folder: Path, limit_s: float = 600.0) -> list[str]:
        end = time.monotonic() + limit_s
        while (found := [*_processes(folder), *map(str, folder.rglob("*"))]) and time.monotonic() < end:
            time.sleep(0.05)
        return found

    return left


def _processes(folder: Path) -> Iterator[str]:
    for one in psutil.process_iter(["environ", "cmdline", "status"]):
        known = (one.info["environ"] or {}).get("TMPDIR", "")
        if known.startswith(str(folder)) and one.info["status"] != psutil.STATUS_ZOMBIE:
            yield f"{one.pid} {one.info['cmdline']}"
