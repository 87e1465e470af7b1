# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a worker process talks: a JSON object a line on channels that no library shares, tied to who started it."""

import ctypes
import json
import os
import signal
import sys
from typing import IO, Any

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)


def take_channels() -> tuple[IO[str], IO[str]]:
    """Return the standard input and output, which no process started here has.

    From now on what others read is empty, and what they print goes to the standard error.
    """
    asked = os.fdopen(os.dup(0), "r", encoding="utf-8")
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return asked, channel


def tie_to(parent: int) -> None:
    """Die when the parent does, however it dies; Ctrl-C is the parent's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)


def say(channel: IO[str], **record: Any) -> None:
    """Write a record, at once."""
    channel.write(json.dumps(record) + "\n")
    channel.flush()
