# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much a function does, in calls: unlike its time, that is the same on each machine, however busy."""

import sys
from collections.abc import Callable
from typing import Any


def calls(work: Callable[[], object]) -> int:
    """Return how many functions, of Python and of C, are called while `work` runs."""
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count
