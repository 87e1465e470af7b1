# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A peer: how somebody else computes an item."""

import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Peer:
    """What is checked and timed beside ours.

    Attributes:
        function: Queues the work on the current stream and returns the output.
        note: What a reader of its time must know ("result in f16").
    """

    function: Callable[[], Any]
    note: str = ""

    def __call__(self) -> Any:
        """Queue the work; returns the output."""
        return self.function()


class PeerError(Exception):
    """A peer cannot compute an item; the message says why in one line.

    Attributes:
        library: Whether it is the same for every item: the library is missing.
    """

    def __init__(self, message: str, *, library: bool = False) -> None:
        """Make an error out of its text."""
        super().__init__(message)
        self.library = library


class _LateError(BaseException):
    """The time is over. No Exception: compilers take those for their own and go on without what failed."""


def one_line(error: BaseException) -> str:
    r"""Return the kind of an error and the first line of what it says, with the next where it ends in a colon.

    >>> one_line(RuntimeError("backend raised:\n  TypeError: no"))
    'RuntimeError: backend raised: TypeError: no'
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = lines[:1] + (lines[1:2] if lines and lines[0].endswith(":") else [])
    return ": ".join([type(error).__name__, *([" ".join(said)] if said else [])])


@contextmanager
def limited(seconds: float, what: str) -> Generator[None]:
    """End what runs inside after so many seconds; only the main thread can be interrupted, others run to their end.

    Raises:
        PeerError: It took longer.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return

    running = [True]

    def late(number: int, frame: Any) -> None:
        if running:
            raise _LateError

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        try:
            yield
        finally:
            running.clear()  # an alarm from here on is nobody's
    except _LateError:
        raise PeerError(f"{what} took more than {seconds:g} s") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
