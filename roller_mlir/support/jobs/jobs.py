# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many jobs behind one interface, whoever does them: this process, processes of this machine, or a Ray cluster.

A job is a value that pickle takes, and so is its answer; what does it is a function that is named as text, so that
another process finds it. A job has an answer in any case: where it ends its worker, or does not end, `lost` makes one.

with open_jobs(2, entry="package.module:function", on_failure=lambda how, message: message) as jobs:
    for key, answer in jobs.run([(0, "a job"), (1, "another")]):
        print(key, answer)
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from roller_mlir.support.jobs.pool import JobPool
from roller_mlir.support.jobs.ray_cluster import JobsError
from roller_mlir.support.jobs.worker import do_job, find_entry

__all__ = ["Jobs", "JobsError", "ThisProcess", "in_order", "open_jobs"]

A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)


class Jobs(Protocol[A_co]):
    """Who does jobs. A context manager: what it has started ends with it."""

    @property
    def workers(self) -> int:
        """How many jobs are done at a time."""
        ...

    def __enter__(self) -> "Jobs[A_co]":
        """Begin."""
        ...

    def __exit__(self, *_: object) -> None:
        """End everything, jobs that are under way too."""
        ...

    def run(self, jobs: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, A_co]]:
        """Yield (key, answer) of every (key, job), in the order in which they end.

        Jobs are taken from the iterable as they can be done, so that it may be long.

        Raises:
            JobsError: Nobody is left who could do them.
        """
        ...


def open_jobs(
    workers: int | None,
    *,
    ray: str | None = None,
    limit_s: float = 3600.0,
    entry: str,
    on_failure: Callable[[str, str], A],
) -> Jobs[A]:
    """Return who does jobs; use it in a with statement.

    Args:
        workers: How many at a time. Without Ray 1 is this process itself, and None too; on a cluster None is as many as
            it has processors.
        ray: None; "auto" for the Ray cluster that runs on this machine, or that RAY_ADDRESS names; "local" for a
            cluster of this machine alone, which ends with the jobs; or the address of one, "HOST:PORT" or "ray://...".
        limit_s: Time for a job. This process itself knows no limit.
        entry: The function that does a job, as "module:name". On a cluster the module must be there on every node.
        on_failure: Makes the answer for a job without one, of what happened and of how it was: its process died
            ("crash") or did not end ("hang"), or the function raised something ("bug").

    Raises:
        JobsError: Ray is not installed, or the cluster is not there; when the with statement begins.
    """
    if ray is not None:
        from roller_mlir.support.jobs.ray_pool import RayPool

        return RayPool(workers, limit_s, entry, on_failure, ray)
    if workers is None or workers == 1:
        return ThisProcess(entry, on_failure)
    return JobPool[Any, A](workers, limit_s, entry, on_failure)


class ThisProcess:
    """This process, one job after the other."""

    def __init__(self, entry: str, on_failure: Callable[[str, str], Any]) -> None:
        """Set how to work; see `open_jobs`."""
        self._entry, self._on_failure = entry, on_failure

    def __enter__(self) -> "ThisProcess":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    @property
    def workers(self) -> int:
        """One."""
        return 1

    def run(self, jobs: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
        """Yield (key, answer) of every (key, job), in order."""
        work = find_entry(self._entry)
        for key, job in jobs:
            answer, bug = do_job(work, job)
            yield key, self._on_failure("bug", bug) if bug else answer


def in_order(found: Iterable[tuple[int, A]]) -> Iterator[A]:
    """Yield the answers to jobs whose keys are 0, 1, 2, ... in the order of their keys, each as soon as it can be.

    >>> list(in_order([(1, "b"), (0, "a"), (2, "c")]))
    ['a', 'b', 'c']
    """
    waiting: dict[int, A] = {}
    following = 0
    for key, answer in found:
        waiting[key] = answer
        while following in waiting:
            yield waiting.pop(following)
            following += 1
