# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Worker processes that do jobs: one that dies or does not end is an answer, and another takes its place.

They leave nothing behind: no traceback on Ctrl-C, no temporary file, and no process that outlives the one it works for.
`roller_mlir.support.jobs.jobs` opens them behind an interface that other kinds of workers share.

with JobPool(2, 60.0, "package.module:function", lambda how, message: message) as pool:
    for key, answer in pool.run([(0, "a job"), (1, "another")]):
        print(key, answer)
"""

import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import wait
from typing import Any, Generic, TypeVar

from roller_mlir.support.jobs.process_tree import without_interrupts
from roller_mlir.support.jobs.worker import Worker

J = TypeVar("J")
A = TypeVar("A")

# The code that a process has compiled is never unloaded; a fresh process every so often keeps memory small.
JOBS_PER_PROCESS = 300


class JobPool(Generic[J, A]):
    """Some workers. A context manager: they end with it."""

    def __init__(self, workers: int, limit_s: float, entry: str, on_failure: Callable[[str, str], A]) -> None:
        """Set how to work.

        Args:
            workers: Processes at a time.
            limit_s: Time for a job.
            entry: The function that does a job, as "module:name"; jobs and answers go through pickle.
            on_failure: Makes the answer for a job without one, of what happened and of how it was: its process died
                ("crash") or did not end ("hang"), or the function raised something ("bug").
        """
        self._count, self._limit_s, self._entry, self._on_failure = workers, limit_s, entry, on_failure
        self._workers: list[Worker] = []

    def __enter__(self) -> "JobPool[J, A]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers, in the middle of jobs too."""
        with without_interrupts():
            for worker in self._workers:
                worker.end(kill=worker.key is not None or not worker.ready)
            self._workers.clear()

    @property
    def workers(self) -> int:
        """Processes at a time."""
        return self._count

    def run(self, jobs: Iterable[tuple[Any, J]]) -> Iterator[tuple[Any, A]]:
        """Yield (key, answer) of every (key, job), in the order in which they end."""
        waiting = iter(jobs)
        exhausted = False
        try:
            while True:
                while not exhausted and len(self._busy()) < self._count:
                    following = next(waiting, None)
                    if following is None:
                        exhausted = True
                    else:
                        self._idle().begin(*following, self._limit_s)
                if not self._busy():
                    return
                yield from self._collect(self._busy())
        finally:
            # What nobody waits for any more must not be the answer to another run.
            for worker in self._busy():
                self._drop(worker)

    def one(self, job: J) -> A:
        """Return the answer to a single job."""
        ((_, answer),) = self.run([(0, job)])
        return answer

    def _busy(self) -> list[Worker]:
        return [worker for worker in self._workers if worker.key is not None]

    def _idle(self) -> Worker:
        for worker in self._workers:
            if worker.key is None:
                return worker
        self._workers.append(Worker(self._entry))
        return self._workers[-1]

    def _collect(self, busy: list[Worker]) -> Iterator[tuple[Any, A]]:
        ready = wait([worker.connection for worker in busy], max(0.0, min(w.deadline for w in busy) - time.monotonic()))
        for worker in busy:
            assert worker.key is not None
            (key,) = worker.key
            if worker.connection in ready:
                try:
                    said: tuple[A, str] | None = worker.connection.recv()
                except (EOFError, OSError):
                    answer = self._on_failure("crash", f"the process died: {worker.death()}")
                    self._drop(worker)
                else:
                    if said is None:
                        worker.starts()
                        continue
                    answer = self._on_failure("bug", said[1]) if said[1] else said[0]
                    self._finish(worker)
                yield key, answer
            elif time.monotonic() > worker.deadline and not worker.connection.poll():
                # Whoever takes the answers may have let it wait until now, with what it has said unheard.
                self._drop(worker)
                yield key, self._on_failure("hang", f"no end after {worker.limit_s:g} s; the process was killed")

    def _finish(self, worker: Worker) -> None:
        worker.key = None
        if not worker.ready:  # it could not import what does the jobs
            self._drop(worker)
            return
        worker.done += 1
        if worker.done >= JOBS_PER_PROCESS:
            worker.end()
            self._workers.remove(worker)

    def _drop(self, worker: Worker) -> None:
        with without_interrupts():
            worker.end(kill=True)
            self._workers.remove(worker)
