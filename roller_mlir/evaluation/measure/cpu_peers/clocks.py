# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a call is timed on a host that others use too, and which threads did the work.

With one thread the clock is the processor time of the calling thread: it stands while others have the core. With
several it is the wall. A sample is as many calls in a row as last half a millisecond, or one call with cleared caches.
"""

import os
import time
from collections.abc import Callable
from math import ceil
from pathlib import Path

import numpy as np

SAMPLE_S = 5e-4
LONG_S = 0.05
"""A call of that length warms the caches itself."""
_LEAST_FLUSH_BYTES = 64 << 20
_CACHE = Path("/sys/devices/system/cpu/cpu0/cache")
_BUSY_SHARE, _BUSY_S = 0.02, 1e-4
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def flush_bytes() -> int:
    """Return how much must be written so that nothing else is in the caches: twice all of them, at least 64 MiB."""
    total = 0
    for size in _CACHE.glob("index*/size"):
        text = size.read_text().strip()
        total += int(text[:-1]) * _UNITS[text[-1]] if text[-1] in _UNITS else int(text)
    return max(_LEAST_FLUSH_BYTES, 2 * total)


def available_bytes() -> int:
    """Return how much memory may be taken without others being swapped out (proc(5): MemAvailable)."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return 0


class Clock:
    """Times calls with a number of threads.

    Attributes:
        threads: How many a call uses.
    """

    def __init__(self, threads: int) -> None:
        """Choose the clock."""
        self.threads = threads
        self._now = time.thread_time_ns if threads == 1 else time.perf_counter_ns
        self._flush: np.ndarray | None = None

    @property
    def name(self) -> str:
        """What it shows."""
        return "processor time of the thread" if self.threads == 1 else "wall time"

    def estimate(self, run: Callable[[], object]) -> float:
        """Return about how long a call takes that has run before."""
        first = self._sample(run, 1)
        return first if first > LONG_S else min(self._sample(run, 1) for _ in range(2))

    def samples(self, run: Callable[[], object], count: int, estimate_s: float, *, flush: bool) -> list[float]:
        """Return seconds of a call, from so many samples.

        Args:
            run: The call.
            count: How many samples.
            estimate_s: About how long it takes.
            flush: Whether caches are cleared before each sample, which is then of one call.
        """
        calls = 1 if flush else max(1, ceil(SAMPLE_S / max(estimate_s, 1e-8)))
        taken: list[float] = []
        for number in range(count):
            if flush:
                self._clear()
            elif number == 0 and estimate_s < LONG_S:
                run()  # what another process left in the caches is not this call's
            taken.append(self._sample(run, calls))
        return taken

    def _sample(self, run: Callable[[], object], calls: int) -> float:
        now = self._now
        start = now()
        for _ in range(calls):
            run()
        return (now() - start) * 1e-9 / calls

    def _clear(self) -> None:
        if self._flush is None:
            self._flush = np.zeros(flush_bytes(), np.uint8)
        self._flush += 1


def busy_threads(run: Callable[[], object]) -> int:
    """Return how many threads of this process have worked during a call.

    A thread counts whose processor time grew by more than 0.1 ms and 2 % of all: one that only woke up does not.
    """
    before, begun = _thread_times(), time.process_time_ns()
    run()
    whole = time.process_time_ns() - begun
    spent = [now - before.get(thread, 0) for thread, now in _thread_times().items()]
    spent.append(whole - sum(spent))  # of threads that have ended meanwhile
    least = max(_BUSY_S * 1e9, _BUSY_SHARE * sum(spent))
    return max(1, sum(one > least for one in spent))


def _thread_times() -> dict[int, int]:
    """Return the processor time of each thread in nanoseconds (clock_getcpuclockid(3): a clock is made of an id)."""
    found: dict[int, int] = {}
    for name in os.listdir("/proc/self/task"):
        try:
            found[int(name)] = time.clock_gettime_ns((~int(name) << 3) | 6)
        except OSError:
            continue  # it has ended
    return found
