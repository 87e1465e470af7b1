# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times work on a device by its own events: several ways to do it in turn, each with cold caches.

    ours = program.prepare(a, b, outputs=[c])
    samples = time_interleaved(driver, 0, {"ours": ours, "torch": lambda: torch.mm(a, b, out=c)})
    print(samples["ours"].median_s)

Inside of a time: from the moment at which the device has done all that was queued before the call, to the end of all
that the call queued; so the device's own start of each kernel, pauses between several, and the two events themselves.
Outside of it: clearing the caches, and, as long as the queue does not run dry, the host's part. It is kept from running
dry by work in front of each call, as Triton's `do_bench` does; here it is so much that it outlasts the call's own
queueing, which is measured first. Before a call with warm caches (`flush_bytes=0`) this work is the call itself, and
where the device does that sooner than the host queues it, a memory is filled a few times in front of both. Caches that
write back hold what was last cleared until the call needs the room: it pays for that, as in `do_bench`, and so do all
calls alike. A device that had nothing to do has slowed its clock, so it works a moment before the first round.
Events resolve about half a microsecond (CUDA Driver API, cuEventElapsedTime).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from time import perf_counter
from typing import Any

import numpy as np

from roller_mlir.runtime.driver.interface import Driver
from roller_mlir.runtime.errors import BackendError

LEAST_FLUSH_BYTES = 256 << 20
_WARM_UPS = 3
# Of a call that lasts so long, one warm-up is enough.
_LONG_S = 0.1
# How long the device works before the first round, to be at its clock again.
_AWAKE_S, _MOST_TO_WAKE = 0.02, 256
# How much longer than the host's part the work in front of a call lasts, and how often it is repeated at most.
_MARGIN, _MOST_REPEATS = 2.0, 32
# What is filled in front of a short call with warm caches.
_FILLED_BYTES = 32 << 20


@dataclass(frozen=True)
class Samples:
    """What was measured of one call.

    Attributes:
        seconds: All samples, in the order in which they were taken; at least one.
    """

    seconds: tuple[float, ...]

    def __post_init__(self) -> None:
        """Check that there are samples."""
        if not self.seconds:
            raise ValueError("samples must be at least one, but got none")

    def _percentile(self, which: float) -> float:
        return float(np.percentile(self.seconds, which))

    @property
    def median_s(self) -> float:
        """The median.

        >>> Samples((3.0, 1.0, 2.0, 9.0)).median_s
        2.5
        """
        return self._percentile(50)

    @property
    def least_s(self) -> float:
        """The smallest."""
        return min(self.seconds)

    @property
    def p10_s(self) -> float:
        """The tenth percentile, between neighbours linearly."""
        return self._percentile(10)

    @property
    def p90_s(self) -> float:
        """The ninetieth percentile, between neighbours linearly."""
        return self._percentile(90)


def flush_bytes_of(driver: Driver) -> int:
    """Return how much must be written so that nothing else is in the caches: 256 MiB, or twice the L2 if that is more.

    Of a driver that does not say how large its L2 is, 256 MiB are taken to be enough.
    """
    return max(LEAST_FLUSH_BYTES, 2 * (driver.describe().l2_bytes or 0))


def time_interleaved(
    driver: Driver,
    stream: int,
    calls: Mapping[str, Callable[[], object]],
    *,
    samples: int = 25,
    flush_bytes: int | None = None,
    limit_s: float | None = None,
) -> dict[str, Samples]:
    """Time calls in rounds, each once a round, and another one first each time.

    Args:
        driver: The device.
        stream: The stream on which the calls queue their work.
        calls: What to time, by name: each queues its work and returns without waiting. Each runs a few times first.
        samples: Rounds.
        flush_bytes: How much memory is written before each call; None: `flush_bytes_of(driver)`; 0: each call runs
            once more right before it is timed, so that caches are as it leaves them.
        limit_s: So many seconds after the first round's begin, none begins; there is always one. None: no limit.

    Returns:
        The samples by name, equally many of each.

    Raises:
        BackendError: The driver refuses, or a kernel failed.
        ValueError: `samples` or `flush_bytes` is too small.
    """
    if samples < 1:
        raise ValueError(f"samples must be at least 1, but got {samples}")
    if flush_bytes is not None and flush_bytes < 0:
        raise ValueError(f"flush_bytes must be at least 0, but got {flush_bytes}")
    warm = flush_bytes == 0
    size = flush_bytes_of(driver) if flush_bytes is None else flush_bytes or _FILLED_BYTES
    with driver.current():
        address = driver.allocate(size)
        if address is None:
            raise BackendError(
                f"{driver.label}: device {driver.ordinal} has no {size} B left to clear its caches with; free arrays"
            )
        events: dict[str, tuple[Any, Any]] = {}
        try:
            events.update({name: (driver.make_event(), driver.make_event()) for name in calls})
            fronts = _fronts(driver, stream, calls, lambda: driver.fill(address, 0, size, stream), warm=warm)
            _wake(driver, stream, list(fronts.values()))
            taken: dict[str, list[float]] = {name: [] for name in calls}
            began = perf_counter()
            for number in range(samples):
                if number and limit_s is not None and perf_counter() - began > limit_s:
                    break
                _round(driver, stream, calls, rotated(list(calls), number), fronts, events, taken)
        finally:
            for event in (event for pair in events.values() for event in pair):
                driver.free_event(event)
            driver.free(address)
    return {name: Samples(tuple(seconds)) for name, seconds in taken.items()}


def rotated(names: Sequence[str], number: int) -> list[str]:
    """Return names in the order of a round: in each another one is the first.

    >>> rotated(["a", "b", "c"], 4)
    ['b', 'c', 'a']
    """
    first = number % max(len(names), 1)
    return [*names[first:], *names[:first]]


def _fronts(
    driver: Driver, stream: int, calls: Mapping[str, Callable[[], object]], flush: Callable[[], None], *, warm: bool
) -> dict[str, Callable[[], None]]:
    """Run each call a few times, and return what goes in front of it.

    A warm call has itself in front; where the device does that sooner than the host queues what follows, it is kept at
    work before by clearing caches, which the call in front then fills again.
    """
    flush_s = _seconds(driver, stream, flush)
    fronts: dict[str, Callable[[], None]] = {}
    for name, call in calls.items():
        began = perf_counter()
        call()
        driver.synchronize(stream)
        if perf_counter() - began < _LONG_S:
            for _ in range(_WARM_UPS - 1):
                call()
            driver.synchronize(stream)
        began = perf_counter()
        call()
        host_s = _MARGIN * (perf_counter() - began)
        driver.synchronize(stream)
        if not warm:
            fronts[name] = _in_turn(flush, _times(host_s, flush_s))
        elif _seconds(driver, stream, call) > host_s:
            fronts[name] = _in_turn(call, 1)
        else:
            fronts[name] = _in_turn(flush, _times(2 * host_s, flush_s), call)
    return fronts


def _times(lasts_s: float, each_s: float) -> int:
    """Return how often work of `each_s` outlasts `lasts_s`, within bounds."""
    return min(max(ceil(lasts_s / each_s) if each_s > 0 else _MOST_REPEATS, 1), _MOST_REPEATS)


def _in_turn(work: Callable[[], object], times: int, last: Callable[[], object] | None = None) -> Callable[[], None]:
    def front() -> None:
        for _ in range(times):
            work()
        if last is not None:
            last()

    return front


def _wake(driver: Driver, stream: int, works: Sequence[Callable[[], object]]) -> None:
    """Let the device work until it is at its clock."""
    for work in works[:1]:
        lasts_s = _seconds(driver, stream, work)
        for _ in range(min(ceil(_AWAKE_S / lasts_s), _MOST_TO_WAKE) if lasts_s > 0 else 1):
            work()
        driver.synchronize(stream)


def _seconds(driver: Driver, stream: int, work: Callable[[], object]) -> float:
    work()
    return driver.timed_s(stream, work)


def _round(
    driver: Driver,
    stream: int,
    calls: Mapping[str, Callable[[], object]],
    order: Sequence[str],
    fronts: Mapping[str, Callable[[], None]],
    events: Mapping[str, tuple[Any, Any]],
    taken: Mapping[str, list[float]],
) -> None:
    """Queue a whole round, then read its events."""
    for name in order:
        begin, end = events[name]
        fronts[name]()
        driver.record_event(begin, stream)
        calls[name]()
        driver.record_event(end, stream)
    for name in order:
        taken[name].append(driver.elapsed_s(*events[name]))
