# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that do jobs, for the tests of this folder; other processes import this module by its name."""

import ctypes
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any


def work(job: str) -> Any:
    """Do what a job says; each ends otherwise."""
    name, _, argument = job.partition(" ")
    if name == "exit":
        os._exit(3)
    if name == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if name == "fault":
        ctypes.string_at(0)
    if name == "raise":
        raise KeyError(argument)
    if name == "lambda":
        return lambda: 0
    if name == "sleep":
        time.sleep(6000)
    if name == "await":
        while not Path(argument).exists():
            time.sleep(0.01)
        return "there"
    if name == "busy":
        # What a compiler has under way: a file in its temporary folder, and a tool in a session of its own.
        Path(tempfile.mkdtemp(), "input").write_text("text")
        child = subprocess.Popen(["sleep", "6000"], start_new_session=True)
        Path(argument, f"{os.getpid()}").write_text(f"{child.pid}")
        time.sleep(6000)
    if name == "folder":
        return tempfile.gettempdir()
    if name == "bytes":
        return bytes(int(argument))
    if name == "process":
        return os.getpid()
    return job.upper()
