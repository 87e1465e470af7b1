# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C that is never lost and never a traceback; imported first by both tools, so it imports almost nothing itself.

Callbacks of MLIR may swallow a KeyboardInterrupt, and imports of native modules do not bear one: it is remembered.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType

INTERRUPTED, TERMINATED = 130, 143

_pending = False
_code = INTERRUPTED
_process = 0
_since = 0.0
_TWICE_S = 0.5
_AGAIN_S = 0.02


def interruptible(
    program: str, work: Callable[[], int], *, whole_process: bool, ready: Callable[[], object] = lambda: None
) -> int:
    """Do the work of a tool, imports and all.

    Args:
        program: The name of the tool.
        work: Returns the exit code.
        whole_process: Whether the process ends with the work. What was under way in MLIR when the interrupt came may
            not be fit to be torn down, so that the process then ends at once.
        ready: Called as soon as an interrupt is no traceback.

    Returns:
        The exit code, 130 where the user interrupted and 143 at SIGTERM, which is said on standard error.
    """
    install(terminations=whole_process)
    try:
        try:
            ready()
            code = work()
            check()
        finally:
            if _pending:  # what was to raise again behind an import has nothing to do any more
                signal.setitimer(signal.ITIMER_REAL, 0)
    except BaseException as error:
        if not (_pending or isinstance(error, KeyboardInterrupt)):
            raise
        code = _code
    if code in (INTERRUPTED, TERMINATED):
        said = "interrupted" if code == INTERRUPTED else "terminated"
        print(f"{program}: {said}", file=sys.stderr, flush=True)
        if whole_process:
            if started := sys.modules.get("multiprocessing.util"):
                # What its processes have left in the folder of temporary files.
                started._run_finalizers()  # noqa: SLF001 - `os._exit` runs none
            os._exit(code)
    return code


def install(*, terminations: bool = False) -> None:
    """Remember interrupts from now on, and SIGTERM where it is asked for; they raise KeyboardInterrupt."""
    global _pending, _code, _process
    _pending, _code, _process = False, INTERRUPTED, os.getpid()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _handle)
    if terminations and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _handle)  # so that what is half written is taken away


def check() -> None:
    """Raise KeyboardInterrupt if an interrupt came in and was swallowed; called before anything is written."""
    if _pending:
        raise KeyboardInterrupt


def pending() -> bool:
    """Return whether an interrupt came in."""
    return _pending


def _handle(number: int, frame: FrameType | None) -> None:
    global _pending, _code, _since
    if number == signal.SIGTERM:
        if os.getpid() != _process:  # a child that inherited this: it has nothing to tidy up
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        _code = TERMINATED
    # A signal to a whole group reaches a tool's child from the sender and from its parent: tidying up goes on.
    if _pending and time.monotonic() - _since < _TWICE_S:
        return
    _pending, _since = True, time.monotonic()
    _interrupt(frame)


def _interrupt(frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt unless a frame cannot bear it."""
    # A C++ frame that calls Python may print what is raised there instead of passing it on: wait for `check`.
    while frame is not None:
        if frame.f_code.co_name == "handle" and frame.f_globals.get("__name__") == "roller_mlir.support.diagnostics":
            return
        # A native module that is left half-initialised may end the process later: try again when it is imported.
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            signal.signal(signal.SIGALRM, lambda number, frame: _interrupt(frame))
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)
            return
        frame = frame.f_back
    sys.unraisablehook = _silence
    raise KeyboardInterrupt


def _silence(unraisable: "sys.UnraisableHookArgs") -> None:
    """After an interrupt, what is raised in finalizers is of no interest."""
