# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C that is never lost: callbacks of MLIR may swallow a KeyboardInterrupt, so it is remembered."""

import signal
import sys
from types import FrameType

_pending = False


def install() -> None:
    """Remember interrupts from now on; they raise KeyboardInterrupt as before."""
    global _pending
    _pending = False
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _handle)


def check() -> None:
    """Raise KeyboardInterrupt if an interrupt came in and was swallowed; called before anything is written."""
    if _pending:
        raise KeyboardInterrupt


def pending() -> bool:
    """Return whether an interrupt came in."""
    return _pending


def _handle(number: int, frame: FrameType | None) -> None:
    global _pending
    _pending = True
    # A C++ frame that calls Python may print what is raised there instead of passing it on: wait for `check`.
    while frame is not None:
        if frame.f_code.co_name == "handle" and frame.f_globals.get("__name__") == "roller_mlir.support.diagnostics":
            return
        frame = frame.f_back
    sys.unraisablehook = _silence
    raise KeyboardInterrupt


def _silence(unraisable: "sys.UnraisableHookArgs") -> None:
    """After an interrupt, what is raised in finalizers is of no interest."""
