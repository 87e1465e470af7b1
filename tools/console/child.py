# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command in a process that may die: MLIR and LLVM may crash on programs, kernels of strangers may do anything.

What is known to end a process is refused before. Should a signal end it all the same, the parent says so: with a
reproducer and exit code 70 where a program was compiled, in one line and with exit code 1 where there was none, as
artifacts are of strangers.
"""

import os
import resource
import signal
import sys
from collections.abc import Callable

from roller_mlir.support import stage

DIED = 1
_LINKER_GAVE_UP = 127  # the dynamic linker's exit code where it cannot map a library or resolve a symbol; never ours
_BY_KERNEL = 0x80  # SI_KERNEL: a terminal's interrupt, which reaches the child by itself
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_CRASHES = tuple(getattr(signal, f"SIG{name}") for name in ("SEGV", "ABRT", "BUS", "ILL", "FPE", "TRAP", "SYS"))


def in_child(program: str, work: Callable[[Callable[[], object]], int]) -> int:
    """Do work in a child, and return its exit code; where a signal ended it, print an error and end this process.

    Args:
        program: The name of the tool.
        work: Returns the exit code. It calls its argument when it can bear a signal: until then those to end wait.
    """
    stage.share()
    watched = {*_PASSED_ON, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    child = os.fork()
    if child == 0:
        from roller_mlir.support.tied import die_with_parent  # here: the parent waits for nothing that it needs not

        die_with_parent()
        if _address_space_limit():  # threads of numpy's library get no memory, which it says by an interrupt
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        return work(lambda: signal.pthread_sigmask(signal.SIG_SETMASK, before))
    try:
        status = _wait(child, watched)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if not os.WIFSIGNALED(status):
        code = os.WEXITSTATUS(status)
        if code == _LINKER_GAVE_UP and (limit := _address_space_limit()):
            code = _end(program, "the dynamic linker", limit)
        os._exit(code)
    number = os.WTERMSIG(status)
    if number in _PASSED_ON:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    code = _report(program, signal.Signals(number))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _report(program: str, number: signal.Signals) -> int:
    """Say that a signal ended the child, and return the exit code."""
    where, text = stage.last(), stage.kept_input()
    by = f"{number.name}{f' in {where}' if where else ''}"
    if number in _CRASHES and (limit := _address_space_limit()):
        return _end(program, by, limit)
    if text and number in _CRASHES:
        from roller_mlir.tools.console.errors import report_death

        return report_death(number.name, where, text)
    more = ": what it was given cannot be read or simulated safely" if number in _CRASHES else ""
    return _end(program, by, more)


def _end(program: str, by: str, more: str) -> int:
    print(f"{program}: error: the process was ended by {by}{more}", file=sys.stderr)
    return DIED


def _address_space_limit() -> str:
    """Return what to say of a limit of the address space, "" without one.

    The interpreter, the dynamic linker and C++ libraries end a process that gets no memory, each in its own way, so
    that a limit is the first thing to look at.
    """
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY:
        return ""
    return f"; its address space is limited to {most >> 20} MiB (ulimit -v), which may be too little"


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
