# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pool of threads that share the tasks of a kernel: each takes a range of neighbours.

ROLLER_NUM_THREADS says how many; without it there are as many as the process may run at a time.
"""

import operator
import os
import queue
import threading
from collections.abc import Callable
from itertools import pairwise

from roller_mlir.runtime.errors import BackendError

VARIABLE = "ROLLER_NUM_THREADS"
MOST_THREADS = 1024

Part = Callable[[int, int], None]
"""Runs tasks from the first to before the second."""


def thread_count(asked: int | None = None) -> int:
    """Return how many threads run tasks.

    Args:
        asked: How many are wanted; None leaves it to the environment.

    Raises:
        BackendError: The number is no number, or not from 1 to `MOST_THREADS`.
    """
    said = os.environ.get(VARIABLE, "")
    if asked is None and not said:
        return len(os.sched_getaffinity(0))
    name = "threads" if asked is not None else VARIABLE
    try:
        count = int(said) if asked is None else operator.index(asked)
    except (ValueError, TypeError):
        count = 0
    if isinstance(asked, bool) or not 1 <= count <= MOST_THREADS:
        got = said if asked is None else asked
        raise BackendError(f"{name} must be a number of threads from 1 to {MOST_THREADS}, but is {got!r}")
    return count


def shares(tasks: int, threads: int) -> list[tuple[int, int]]:
    """Return ranges that share out tasks, none of them empty.

    >>> shares(10, 4), shares(2, 4)
    ([(0, 3), (3, 6), (6, 8), (8, 10)], [(0, 1), (1, 2)])
    """
    count = min(tasks, threads)
    each, more = divmod(tasks, max(1, count))
    starts = [number * each + min(number, more) for number in range(count + 1)]
    return list(pairwise(starts))


class Pool:
    """Threads that wait for parts of kernels; the caller's is one of them."""

    def __init__(self, threads: int) -> None:
        """Start all but the caller's.

        Args:
            threads: How many run at a time.
        """
        self.threads = threads
        self._jobs: queue.SimpleQueue[tuple[Part, int, int] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        self._workers = [threading.Thread(target=self._work, daemon=True) for _ in range(threads - 1)]
        for worker in self._workers:
            worker.start()

    def run(self, part: Part, tasks: int) -> None:
        """Run all tasks and wait for them."""
        (first, *others) = shares(tasks, self.threads) or [(0, 0)]
        for low, high in others:
            self._jobs.put((part, low, high))
        problem = _problem_of(part, *first)  # raised when the others have done: they still use the caller's arrays
        for _ in others:
            problem = self._done.get() or problem
        if problem is not None:
            raise problem

    def close(self) -> None:
        """End the threads."""
        for _ in self._workers:
            self._jobs.put(None)
        for worker in self._workers:
            if worker is not threading.current_thread():
                worker.join()
        self._workers.clear()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            problem = _problem_of(*job)
            del job  # a thread that waits keeps nobody's arrays, nor whoever owns the pool
            self._done.put(problem)
            del problem


def _problem_of(part: Part, low: int, high: int) -> BaseException | None:
    """Run tasks, and return what they raise."""
    try:
        part(low, high)
    except BaseException as error:  # noqa: BLE001 - raised by `run`
        return error
    return None
