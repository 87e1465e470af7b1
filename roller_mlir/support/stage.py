# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a process is at work, kept where the process that waits for it can read it after a crash.

share()                        # before a fork; without it, what follows costs next to nothing
with during("MLIR's parser"):      # in the child
    ...
last(), kept_input()           # in the parent, once a signal has ended the child
"""

import os
from collections.abc import Generator
from contextlib import contextmanager

MOST_INPUT_BYTES = 64 << 20
"""Longest program that is kept; a longer one is still in the user's file."""
_STAGE_BYTES = 512

_shared = -1
_now = ""


def share() -> None:
    """Keep what is noted from now on in memory that this process has in common with the children that it forks."""
    global _shared
    if _shared < 0:
        _shared = os.memfd_create("roller-stage")
    os.ftruncate(_shared, 0)
    note("")


def note(stage: str) -> None:
    """Say what is done now: a noun phrase, such as "pass 'rtile-expand'"."""
    global _now
    _now = stage
    if _shared >= 0:
        os.pwrite(_shared, stage.encode()[:_STAGE_BYTES].ljust(_STAGE_BYTES, b"\0"), 0)


@contextmanager
def during(stage: str) -> Generator[None]:
    """Say what is done inside; where exceptions pass, too, the stage around it holds again."""
    before = _now
    note(stage)
    try:
        yield
    finally:
        note(before)


def keep_input(text: str) -> None:
    """Keep the program that is worked on, for a reproducer."""
    if _shared >= 0 and len(text) <= MOST_INPUT_BYTES:
        os.ftruncate(_shared, _STAGE_BYTES)
        content, start = text.encode(), 0
        while start < len(content):
            start += os.pwrite(_shared, content[start:], _STAGE_BYTES + start)


def last() -> str:
    """Return the stage that was noted last; "" where none was."""
    if _shared < 0:
        return _now
    return os.pread(_shared, _STAGE_BYTES, 0).rstrip(b"\0").decode(errors="replace")


def kept_input() -> str:
    """Return the program that was kept; "" where none was."""
    if _shared < 0:
        return ""
    with open(os.dup(_shared), "rb") as stream:
        stream.seek(_STAGE_BYTES)
        return stream.read().decode(errors="replace")
