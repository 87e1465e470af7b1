# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs on a Ray cluster, with the same answers as in a pool of processes.

Each actor holds a process of its own, as `pool` does here: a job that crashes, hangs or leaves children behind ends
that process and not the actor, and says the same wherever it runs. What is lost with an actor (its node died, say) is
an answer, too, and another actor takes its place.
"""

import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Generic, TypeVar

from roller_mlir.support.jobs.pool import JobPool
from roller_mlir.support.jobs.process_tree import without_interrupts
from roller_mlir.support.jobs.ray_cluster import JobsError, connected, first_line
from roller_mlir.support.jobs.worker import START_S

A = TypeVar("A")

PACKAGE = "roller-mlir"
# Actors that may die in turn before one of them has begun to work.
_FALSE_STARTS = 3
# Beyond the time of a job and of its process, that of the way there and back.
_TRANSPORT_S = 60.0
_END_S = 5.0


@dataclass(frozen=True)
class _Lost:
    """There is no answer: what happened, and how it was."""

    how: str
    message: str


class Actor:
    """What runs on the cluster: one process at a time, and its jobs."""

    def __init__(self, entry: str, limit_s: float, path: list[str]) -> None:
        """Set how to work; see `JobPool`. `path` is where else to look for modules."""
        sys.path += [one for one in path if one not in sys.path]
        self._pool = JobPool[Any, Any](1, limit_s, entry, _Lost)

    def hello(self) -> str:
        """Return the version of this package that is installed here."""
        return _version()

    def do(self, job: Any) -> Any:
        """Return the answer to a job, or how it was lost."""
        return self._pool.one(job)

    def end(self) -> None:
        """End the process, in the middle of a job too; Ray would leave what it has started and written."""
        self._pool.close()


def _version() -> str:
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return ""


@dataclass(eq=False)
class _Remote:
    """An actor, seen from here: what it has promised, and the job that it is at."""

    handle: Any
    promise: Any
    ready: bool = False
    key: tuple[Any] | None = None
    deadline: float = float("inf")


class RayPool(Generic[A]):
    """Some actors. A context manager: they end with it, and so does the connection."""

    def __init__(
        self, workers: int | None, limit_s: float, entry: str, on_failure: Callable[[str, str], A], address: str
    ) -> None:
        """Set how to work; see `jobs.open_jobs`."""
        self._asked, self._limit_s, self._entry, self._on_failure, self._address = (
            workers,
            limit_s,
            entry,
            on_failure,
            address,
        )
        self._remotes: list[_Remote] = []
        self._open = ExitStack()
        self._ray: Any = None
        self._class: Any = None
        self._count = workers or 1
        self._false_starts = 0

    def __enter__(self) -> "RayPool[A]":
        self._ray = self._open.enter_context(connected(self._address, self._asked))
        self._class = self._ray.remote(Actor)
        if self._asked is None:
            self._count = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        return self

    def __exit__(self, *_: object) -> None:
        with self._open:
            if self._address != "local":  # a cluster of our own ends as a whole
                self._end(self._remotes)
            self._remotes.clear()

    @property
    def workers(self) -> int:
        """Actors at a time, if the cluster has room for them."""
        return self._count

    def run(self, jobs: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, A]]:
        """Yield (key, answer) of every (key, job), in the order in which they end.

        Raises:
            JobsError: Nothing starts on the cluster, or another version of this package, or the connection is lost.
        """
        waiting = iter(jobs)
        taken: deque[tuple[Any, Any]] = deque()
        exhausted = False
        try:
            while True:
                # No more than can be done at once: the rest stays where it comes from.
                while not exhausted and len(taken) + len(self._busy()) < self._count:
                    following = next(waiting, None)
                    if following is None:
                        exhausted = True
                    else:
                        taken.append(following)
                self._distribute(taken)
                if not taken and not self._busy():
                    return
                yield from self._collect()
        finally:
            self._drop(*self._busy())

    def _busy(self) -> list[_Remote]:
        return [remote for remote in self._remotes if remote.key is not None]

    def _distribute(self, taken: deque[tuple[Any, Any]]) -> None:
        """Give jobs to actors that are ready, and start one for each of those that are left."""
        for remote in self._remotes:
            if remote.ready and remote.key is None and taken:
                key, job = taken.popleft()
                remote.key, remote.promise = (key,), remote.handle.do.remote(job)
                remote.deadline = time.monotonic() + self._limit_s + START_S + _TRANSPORT_S
        starting = sum(not remote.ready for remote in self._remotes)
        for _ in range(min(len(taken) - starting, self._count - len(self._remotes))):
            # Jobs are not done again by themselves: one that has ended its actor would end the next.
            # The second method at a time is the one that ends the first.
            how = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0, "max_concurrency": 2}
            handle = self._class.options(**how).remote(self._entry, self._limit_s, list(sys.path))
            self._remotes.append(_Remote(handle, handle.hello.remote(), deadline=time.monotonic() + START_S))

    def _collect(self) -> Iterator[tuple[Any, A]]:
        ray = self._ray
        waited = {remote.promise: remote for remote in self._remotes if remote.promise is not None}
        # Others may have the processors for a while, but where they have all of them there is no end to that.
        first = min([remote.deadline for remote in waited.values()])
        try:
            done, _ = ray.wait(list(waited), num_returns=1, timeout=max(0.0, first - time.monotonic()))
        except (ray.exceptions.RaySystemError, ConnectionError) as error:
            raise JobsError(f"the connection to the Ray cluster was lost: {first_line(error)}") from error
        for promise in done:
            remote = waited[promise]
            if remote.key is None:
                self._greet(remote)
                continue
            (key,) = remote.key
            yield key, self._answer(remote)
        late = [one for promise, one in waited.items() if promise not in done and time.monotonic() > one.deadline]
        for remote in late:
            if remote.key is not None:
                (key,) = remote.key
                self._drop(remote)
                yield key, self._on_failure("hang", f"no end after {self._limit_s:g} s; the process was killed")
            elif not any(one.ready for one in self._remotes):
                text = f"the Ray cluster has had no free processor for {START_S:g} s"
                raise JobsError(f"{text}; wait for its other jobs to end, or add nodes")
            else:  # the others do the jobs; a deadline that has passed would have nobody wait
                remote.deadline = time.monotonic() + START_S

    def _greet(self, remote: _Remote) -> None:
        """Let an actor begin that has started, if it is one of ours."""
        try:
            there, here = self._ray.get(remote.promise), _version()
        except self._ray.exceptions.RayTaskError as error:
            raise JobsError(_cannot_start(error)) from error
        except self._ray.exceptions.RayError as error:
            self._drop(remote)
            self._false_starts += 1
            if self._false_starts >= _FALSE_STARTS:
                raise JobsError(_cannot_start(error)) from error
            return
        if there != here:
            raise JobsError(
                f"a node of the Ray cluster has {PACKAGE} {there or 'of unknown version'}, this is {here}; "
                "install the same on every node"
            )
        self._false_starts = 0
        remote.ready, remote.promise, remote.deadline = True, None, float("inf")

    def _answer(self, remote: _Remote) -> A:
        try:
            answer = self._ray.get(remote.promise)
        except self._ray.exceptions.RayTaskError as error:
            answer = _Lost("bug", _last_line(error))
        except self._ray.exceptions.RayError as error:
            self._drop(remote)
            return self._on_failure("crash", f"the process died: {_reason(error)}")
        remote.key, remote.promise, remote.deadline = None, None, float("inf")
        return self._on_failure(answer.how, answer.message) if isinstance(answer, _Lost) else answer

    def _drop(self, *remotes: _Remote) -> None:
        self._end(remotes)
        self._remotes = [one for one in self._remotes if one not in remotes]

    def _end(self, remotes: Sequence[_Remote]) -> None:
        """End actors: those that answer by themselves."""
        with without_interrupts(), suppress(Exception):  # they have died, or the whole cluster has
            ends = [remote.handle.end.remote() for remote in remotes if remote.ready]
            if ends:
                self._ray.wait(ends, num_returns=len(ends), timeout=_END_S)
        for remote in remotes:
            with suppress(Exception):  # as above
                self._ray.kill(remote.handle)


def _cannot_start(error: Exception) -> str:
    return f"nothing starts on the Ray cluster: {_reason(error)}; is the same {PACKAGE} installed on every node?"


def _reason(error: Exception) -> str:
    """Return the line of one of Ray's long texts that says why."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = next((line for line in lines if "because" in line or "Error" in line), lines[0] if lines else "")
    return (said.split(". ")[0] if said else type(error).__name__).rstrip(".")


def _last_line(error: Exception) -> str:
    return next(iter(reversed(str(error).strip().splitlines())), type(error).__name__)
