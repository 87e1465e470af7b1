# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that end with the one that started them, however that comes."""

import ctypes
import signal
from collections.abc import Callable

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux's prctl


def die_with_parent() -> None:
    """Let this process be killed when the thread that started it ends."""
    tie()()


def tie() -> Callable[[], None]:
    """Return `die_with_parent` with all loaded that it needs, for a child between its fork and its program."""
    system = ctypes.CDLL(None)
    return lambda: system.prctl(_DIE_WITH_PARENT, signal.SIGKILL)
