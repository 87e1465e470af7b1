# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs work in a forked child, so that a crash in C++ ends the child and not the tool that has to report it."""

import contextlib
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable

from roller_mlir.support import stage
from roller_mlir.support.tied import die_with_parent

INTERRUPTED = 128 + signal.SIGINT


def run_guarded(work: Callable[[], int], on_crash: Callable[[str], int]) -> int:
    """Run `work` in a child process.

    Args:
      work: Returns the exit code; what it prints appears as usual.
      on_crash: Called in this process with the name of the signal that killed the child; returns the exit code. What
        the child was doing is `stage.last()`.

    Returns:
      The exit code, 130 where the user interrupted.
    """
    stage.share()
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        # Python warns of forking beside threads; those of numerical libraries are idle here and never used after.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _be_child(work)
    try:
        _, status = os.waitpid(child, 0)
    except KeyboardInterrupt:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        return INTERRUPTED
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return INTERRUPTED if number == signal.SIGINT else on_crash(signal.Signals(number).name)
    return os.waitstatus_to_exitcode(status)


def _be_child(work: Callable[[], int]) -> None:
    """Do the work and leave without the parent's clean-up handlers."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # C++ code cannot be interrupted otherwise
    die_with_parent()
    code = 70
    try:
        code = work()
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        code = 128 + signal.SIGPIPE
    except BaseException:  # noqa: BLE001 - nothing may leave a forked child but through its exit code
        traceback.print_exc()
    finally:
        os._exit(code)
