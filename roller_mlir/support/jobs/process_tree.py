# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ending a process with all that it has started, and leaving nobody half ended where Ctrl-C comes in between."""

import os
import signal
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

_PROCESSES = Path("/proc")


def descendants(process: int) -> list[int]:
    """Return the ids of the processes that a process has started, and of those that they have, parents first.

    Those whose parents have ended are nobody's any more and not among them.
    """
    children: dict[int, list[int]] = {}
    for folder in _PROCESSES.iterdir():
        if folder.name.isdigit():
            with suppress(OSError, ValueError, IndexError):  # it has ended in the meantime
                # The name in parentheses may hold anything; behind it stand the state and the parent.
                parent = int((folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(folder.name))
    found, waiting = list[int](), [process]
    while waiting:
        own = children.get(waiting.pop(0), [])
        found += own
        waiting += own
    return found


def kill_tree(process: int) -> None:
    """Kill a process of ours that nobody has waited for yet, and all that it has started, sessions of their own too."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGSTOP)  # so that it starts nothing more
    started = descendants(process)
    for one in (process, *started):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(one, signal.SIGKILL)
    wait_until_gone(started)


def wait_until_gone(processes: Sequence[int], limit_s: float = 5.0) -> list[int]:
    """Wait until processes have ended that are nobody's to wait for; return those that have not in that time."""
    end = time.monotonic() + limit_s
    left = [one for one in processes if _runs(one)]
    while left and time.monotonic() < end:
        time.sleep(0.005)
        left = [one for one in left if _runs(one)]
    return left


def _runs(process: int) -> bool:
    """Return whether a process runs; one that has ended but that nobody has waited for does not."""
    try:
        state = (_PROCESSES / str(process) / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state not in ("Z", "X")


@contextmanager
def without_interrupts() -> Generator[None, None, None]:
    """Put off Ctrl-C until the end of the block. A process that is started in it puts it off as well, for good."""
    seen: list[int] = []
    main = threading.current_thread() is threading.main_thread()
    # Any thread may receive the signal for the main one, so that the mask alone would not do.
    before = signal.signal(signal.SIGINT, lambda number, _: seen.append(number)) if main else None
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if main:
            signal.signal(signal.SIGINT, before if before is not None else signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if seen:
            signal.raise_signal(signal.SIGINT)
