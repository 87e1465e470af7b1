# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Worker processes that do jobs: one that dies or does not end is an answer, and another takes its place.

They leave nothing behind: no traceback on Ctrl-C, and no process that outlives the one it works for.

with JobPool(2, 60.0, "package.module:function", lambda how, message: message) as pool:
    for key, answer in pool.run([(0, "a job"), (1, "another")]):
        print(key, answer)
"""

import faulthandler
import multiprocessing
import os
import re
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Generic, TypeVar

J = TypeVar("J")
A = TypeVar("A")

# The code that a process has compiled is never unloaded; a fresh process every so often keeps memory small.
JOBS_PER_PROCESS = 300
# Time that a process has to import the compiler.
START_S = 60.0
_FRAME = re.compile(r'File "([^"]+)", line (\d+) in (\S+)')


def serve(connection: Connection, entry: str, last_words: str) -> None:
    """Do the jobs that come over a connection, until None comes.

    Args:
        connection: Jobs in; out come one None, when the compiler is imported, and an answer in a tuple for each job.
        entry: The function that does one, as "module:name".
        last_words: File for the Python stack where a signal ends the process.
    """
    _follow_parent()
    faulthandler.enable(open(last_words, "w"), all_threads=False)  # noqa: SIM115 - open until the process ends
    module, name = entry.split(":")
    work: Callable[[Any], Any] = getattr(import_module(module), name)
    connection.send(None)
    while True:
        job = connection.recv()
        if job is None:
            return
        connection.send((work(job),))


def _follow_parent() -> None:
    """End as soon as the process that started this one has, however it did. Ctrl-C, which reaches both, is its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def follow() -> None:
        parent.join()
        os._exit(0)

    threading.Thread(target=follow, daemon=True).start()


class _Worker:
    """One process."""

    def __init__(self, entry: str) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._last_words = tempfile.NamedTemporaryFile("r", prefix="roller-worker-")  # noqa: SIM115 - closed in end
        arguments = (theirs, entry, self._last_words.name)
        self.process: BaseProcess = context.Process(target=serve, args=arguments, daemon=True)
        self.process.start()
        theirs.close()
        self.ready, self.done = False, 0
        self.key: Any = None
        self._limit_s = 0.0
        self.deadline = 0.0

    def begin(self, key: Any, job: Any, limit_s: float) -> None:
        self.key, self._limit_s = key, limit_s
        self.deadline = time.monotonic() + (limit_s if self.ready else START_S)
        with suppress(OSError):  # a process that has died already is found when its answer is read
            self.connection.send(job)

    def starts(self) -> None:
        """The compiler is imported; the time of the first job begins."""
        self.ready, self.deadline = True, time.monotonic() + self._limit_s

    def end(self, *, kill: bool = False) -> None:
        if kill:
            self.process.kill()
        else:
            with suppress(OSError):
                self.connection.send(None)
        self.process.join(5)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.connection.close()
        self._last_words.close()

    def death(self) -> str:
        """Return how the process ended, and where it stood, once it has."""
        self.process.join(5)
        code = self.process.exitcode
        if code is None or code >= 0:
            return f"exit code {code}"
        names = {one.value: one.name for one in signal.Signals}
        frame = _FRAME.search(self._last_words.read())
        where = f" at {Path(frame[1]).name}:{frame[2]} in {frame[3]}" if frame else ""
        return f"{names.get(-code, f'signal {-code}')}{where}"


class JobPool(Generic[J, A]):
    """Some workers. A context manager: they end with it."""

    def __init__(self, workers: int, limit_s: float, entry: str, lost: Callable[[str, str], A]) -> None:
        """Set how to work.

        Args:
            workers: Processes at a time.
            limit_s: Time for a job.
            entry: The function that does a job, as "module:name"; jobs and answers go through pickle.
            lost: Makes the answer for a job whose process died ("crash") or did not end ("hang"), and of how it was.
        """
        self._count, self._limit_s, self._entry, self._lost = workers, limit_s, entry, lost
        self._workers: list[_Worker] = []

    def __enter__(self) -> "JobPool[J, A]":
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.end(kill=worker.key is not None)
        self._workers.clear()

    def run(self, jobs: Iterable[tuple[Any, J]]) -> Iterator[tuple[Any, A]]:
        """Yield (key, answer) of every (key, job), in the order in which they end."""
        waiting = iter(jobs)
        exhausted = False
        while True:
            while not exhausted:
                worker = self._idle()
                if worker is None:
                    break
                following = next(waiting, None)
                if following is None:
                    exhausted = True
                    break
                key, job = following
                worker.begin((key,), job, self._limit_s)
            busy = [worker for worker in self._workers if worker.key is not None]
            if not busy:
                return
            yield from self._collect(busy)

    def one(self, job: J) -> A:
        """Return the answer to a single job."""
        ((_, answer),) = self.run([(0, job)])
        return answer

    def _idle(self) -> _Worker | None:
        for worker in self._workers:
            if worker.key is None:
                return worker
        if len(self._workers) < self._count:
            self._workers.append(_Worker(self._entry))
            return self._workers[-1]
        return None

    def _collect(self, busy: list[_Worker]) -> Iterator[tuple[Any, A]]:
        ready = wait([worker.connection for worker in busy], max(0.0, min(w.deadline for w in busy) - time.monotonic()))
        for worker in busy:
            (key,) = worker.key
            if worker.connection in ready:
                try:
                    answer: tuple[A] | None = worker.connection.recv()
                except (EOFError, OSError):
                    answer = (self._lost("crash", f"the process died: {worker.death()}"),)
                    self._drop(worker)
                else:
                    if answer is None:
                        worker.starts()
                        continue
                    worker.key = None
                    worker.done += 1
                    if worker.done >= JOBS_PER_PROCESS:
                        worker.end()
                        self._workers.remove(worker)
                yield key, answer[0]
            elif time.monotonic() > worker.deadline:
                self._drop(worker)
                yield key, self._lost("hang", f"no end after {self._limit_s:g} s; the process was killed")

    def _drop(self, worker: _Worker) -> None:
        worker.key = None
        worker.end(kill=True)
        self._workers.remove(worker)
