# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command in a process that may die: kernels are compiled and run in it, and those of strangers may be anything.

The simulator refuses what it knows to end a process. Should LLVM or a kernel end it all the same, the parent says so in
one line, with exit code 1.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Callable

DIED = 1
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_BY_KERNEL = 0x80  # SI_KERNEL: a terminal's interrupt, which reaches the child by itself
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def in_child(program: str, work: Callable[[], int]) -> int:
    """Do work in a child, and return its exit code; `DIED`, with an error on standard error, where a signal ended it.

    Args:
        program: The name of the tool.
        work: Returns the exit code.
    """
    watched = {*_PASSED_ON, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        return work()
    try:
        status = _wait(child, watched)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if not os.WIFSIGNALED(status):
        os._exit(os.WEXITSTATUS(status))
    number = os.WTERMSIG(status)
    if number in _PASSED_ON:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    what = "the process that ran the kernels was ended by" if number != signal.SIGKILL else "the process was killed by"
    print(f"{program}: error: {what} {signal.Signals(number).name}: they cannot be simulated safely", file=sys.stderr)
    sys.stderr.flush()
    os._exit(DIED)


def _wait(child: int, watched: set[signal.Signals]) -> int:
    """Pass signals on until the child has ended; return its status."""
    while True:
        came = signal.sigwaitinfo(watched)
        if came.si_signo == signal.SIGCHLD:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return status
        elif came.si_code != _BY_KERNEL:
            os.kill(child, came.si_signo)
