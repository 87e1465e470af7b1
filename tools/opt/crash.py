# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the file with which a crash of ours can be seen again."""

import os
import shlex
import tempfile
import traceback
from collections.abc import Sequence


def write_reproducer(text: str, command: Sequence[str], reason: str, error: BaseException | None = None) -> str:
    """Write an input with the command that replays the crash on it, and returns that command.

    Args:
      text: The MLIR input.
      command: The words of the command, "{}" standing for the file.
      reason: What happened, in one line.
      error: The exception, whose traceback goes into the file as a comment.
    """
    handle, path = tempfile.mkstemp(prefix="roller-reproducer-", suffix=".mlir")
    replay = shlex.join(path if word == "{}" else word for word in command)
    cause = error.__cause__ or error if error is not None else None
    trace = "".join(traceback.format_exception(cause)) if cause is not None else ""
    comments = [f"// {line}".rstrip() for line in [f"Replay: {replay}", reason, *trace.splitlines()]]
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write("\n".join(comments) + "\n" + text)
    return replay
