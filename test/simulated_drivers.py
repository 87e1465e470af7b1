# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulator's driver libraries, which a C compiler builds once for all tests of a process, as there is no cache."""

import atexit
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import preloaded
import pytest

from roller_mlir.sim.driver import session


@cache
def libraries() -> Path:
    """Return where they are built, or will be."""
    folder = tempfile.mkdtemp(prefix="roller-drivers-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@contextmanager
def forked_servers() -> Iterator[None]:
    """Let servers of simulated devices be forks, which end as processes of their own would: what few tests are of."""

    def popen(command: Sequence[str], **options: Any) -> "subprocess.Popen[str]":
        assert command[1:] == ["-P", "-m", "roller_mlir.sim.driver.server"]
        return subprocess.Popen(preloaded.python(*command[2:]), **options)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(session, "subprocess", SimpleNamespace(Popen=popen, PIPE=subprocess.PIPE))
        yield
