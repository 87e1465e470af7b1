# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that share the tasks of a kernel: each takes a range of neighbours.

ROLLER_NUM_THREADS says how many; without it there are as many as the process may run at a time.
"""

import ctypes
import operator
import os
import sys
import threading
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from roller_mlir.plan.team import LINE_BYTES, RUN, SERVE, SHARE, team_bytes
from roller_mlir.runtime.errors import BackendError

VARIABLE = "ROLLER_NUM_THREADS"
MOST_THREADS = 1024
Pointers: TypeAlias = "ctypes.Array[ctypes.c_void_p]"
"""Addresses."""
LOOKS = 20_000
"""How often a thread looks whether there is more to do, or whether all is done, before it sleeps."""


def cores() -> int:
    """Return how many threads of this process may run at a time."""
    return len(os.sched_getaffinity(0))


def thread_count(asked: int | None = None) -> int:
    """Return how many threads run tasks.

    Args:
        asked: How many are wanted; None leaves it to the environment.

    Raises:
        BackendError: The number is no number, or not from 1 to `MOST_THREADS`.
    """
    said = os.environ.get(VARIABLE, "")
    if asked is None and not said:
        return cores()
    name = "threads" if asked is not None else VARIABLE
    try:
        count = int(said) if asked is None else operator.index(asked)
    except (ValueError, TypeError):
        count = 0
    if isinstance(asked, bool) or not 1 <= count <= MOST_THREADS:
        got = said if asked is None else asked
        raise BackendError(f"{name} must be a number of threads from 1 to {MOST_THREADS}, but is {got!r}")
    return count


class Job(ctypes.Structure):
    """All tasks of a kernel, as `__roller_run` takes them.

    Attributes:
        body: The kernel's function of a range of tasks.
        arguments: The addresses of its arrays.
        tasks: How many.
        ranks: How many threads share them.
    """

    _fields_ = (
        ("body", ctypes.c_void_p),
        ("arguments", ctypes.c_void_p),
        ("tasks", ctypes.c_int64),
        ("ranks", ctypes.c_int64),
    )


class Team:
    """Threads that share the tasks of a library's kernels; the caller's is one of them.

    The others start with the first job, and wait in the library itself (see `roller_mlir.plan.team`): a job costs no
    turn of Python's interpreter but the caller's. One call at a time: who has several callers lets them take turns.
    """

    def __init__(self, threads: int, library: ctypes.CDLL) -> None:
        """Find the library's functions.

        Args:
            threads: How many run at a time.
            library: A compiled function's.

        Raises:
            BackendError: It has none, as libraries of earlier versions.
        """
        self.threads = threads
        self._serve = function_of(library, SERVE)
        self._serve.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64]
        self._share = function_of(library, SHARE)
        self._share.argtypes = [*[ctypes.c_void_p] * 4, *[ctypes.c_int64] * 3]
        self._run = function_of(library, RUN)
        self._run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64]
        self._looks = LOOKS if threads <= cores() else 0
        self._process = self._address = 0
        self._lost = False
        self._memory = np.empty(0, np.uint8)
        self._workers: list[threading.Thread] = []

    def job(self, body: Any, arguments: Pointers, tasks: int) -> Job:
        """Return all tasks of a kernel as a job.

        Args:
            body: Its function of a range of tasks, of a library.
            arguments: Its arrays, which the caller keeps.
            tasks: How many, at least one.
        """
        address = ctypes.cast(body, ctypes.c_void_p).value
        return Job(address, ctypes.addressof(arguments), tasks, min(tasks, self.threads))

    def run(self, jobs: "ctypes.Array[Job]", scratches: Pointers, *, shared: bool) -> None:
        """Do jobs one after the other, and wait for the last.

        Args:
            jobs: The jobs.
            scratches: A scratch for each thread.
            shared: Whether threads share one of them.

        Raises:
            BackendError: The system starts no such number of threads.
        """
        if shared and self._process != os.getpid():  # also where the process is a copy of one that had threads
            self._start()
        self._run(self._address, jobs, len(jobs), scratches, self._looks)

    def close(self) -> bool:
        """End the threads; return whether none can be in the library any more."""
        process, workers = self._process, self._workers
        self._process, self._workers = 0, []
        if process == os.getpid():
            self._end(self._memory, workers)
        return not self._lost

    def _start(self) -> None:
        """Start all threads but the caller's."""
        memory, workers = _zeros(team_bytes(self.threads)), list[threading.Thread]()
        address = int(memory.ctypes.data)
        try:
            for rank in range(1, self.threads):
                worker = threading.Thread(target=self._serve, args=(address, rank, self._looks), daemon=True)
                workers.append(worker)  # before it starts: an interrupt may come when it has
                worker.start()
            self._memory, self._address, self._workers = memory, address, workers
            self._process = os.getpid()
        except RuntimeError as error:
            self._end(memory, workers[:-1])
            text = f"only {len(workers)} of {self.threads} threads could be started: {error}"
            raise BackendError(text) from error
        except BaseException:
            self._process = 0
            self._end(memory, workers)
            raise

    def _end(self, memory: np.ndarray[Any, Any], workers: Sequence[threading.Thread]) -> None:
        """End threads and wait for them; where one may go on, what it reads stays for good."""
        ended = False
        try:
            if not sys.is_finalizing():
                self._share(memory.ctypes.data, None, None, None, 0, len(workers) + 1, 0)
                for worker in workers:
                    worker.join()
                ended = True
        except RuntimeError:  # of one whose start was interrupted
            pass
        finally:
            if not ended:
                self._lost = True
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(memory))


def _zeros(size_bytes: int) -> np.ndarray[Any, Any]:
    """Return zeros that begin with a line."""
    whole = np.zeros(size_bytes + LINE_BYTES, np.uint8)
    start = -int(whole.ctypes.data) % LINE_BYTES
    return whole[start : start + size_bytes]


def function_of(library: ctypes.CDLL, name: str) -> Any:
    """Return a function of a library, which returns nothing.

    Raises:
        BackendError: It has none of the name.
    """
    try:
        function = getattr(library, name)
    except AttributeError as error:
        raise BackendError(f"the shared library has no function {name!r}; compile it again: {error}") from error
    function.restype = None
    return function
