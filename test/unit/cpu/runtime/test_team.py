# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that share tasks inside of a compiled library: each task once, all done before a call returns, none lost."""

import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import groupby, pairwise
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cpu_programs import compiled, product, said_by

from roller_mlir.plan.team import BODY, RUN, SERVE
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.cpu import threads as module
from roller_mlir.runtime.cpu.backend import CpuBackend
from roller_mlir.runtime.cpu.threads import Job, Team
from roller_mlir.runtime.errors import BackendError

RANGE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
NONE = (ctypes.c_void_p * 64)()


def run(team: Team, body: Any, tasks: int, arguments: Any = NONE, scratches: Any = NONE) -> None:
    """Let a team do one job."""
    team.run((Job * 1)(team.job(body, arguments, tasks)), scratches, shared=tasks > 1)


@pytest.fixture(scope="module")
def artifact() -> Artifact:
    return compiled(product(64, 64, 16))


@pytest.fixture
def opened(artifact: Artifact) -> Iterator[Callable[[int], Team]]:
    """A team of so many threads, in the library of a product."""
    backends = list[CpuBackend]()

    def team(threads: int) -> Team:
        backend = CpuBackend(threads=threads)
        backends.append(backend)
        backend.open(artifact.manifest, artifact.files)
        assert backend._team is not None
        return backend._team

    yield team
    for backend in backends:
        backend._unload()


@pytest.mark.parametrize("looks", [0, 100])
@pytest.mark.parametrize("threads", [2, 3, 8])
def test_every_task_runs_once_and_before_the_call_returns(
    opened: Callable[[int], Team], monkeypatch: pytest.MonkeyPatch, threads: int, looks: int
) -> None:
    """Parts of all lengths, of threads that sleep at once and of threads that look a while before."""
    monkeypatch.setattr(module, "LOOKS", looks)
    monkeypatch.setattr(module, "cores", lambda: threads)
    team, seen, lengths = opened(threads), np.zeros(100, np.int64), dict[int, int]()

    def part(arguments: int, scratch: int, first: int, end: int) -> None:
        if first:
            time.sleep(1e-4)  # so that a call that did not wait would return before
        seen[first:end] += 1
        lengths[first] = end - first

    body = RANGE(part)
    for turn in range(300):
        tasks = 1 + turn % 100
        seen[:] = 0
        lengths.clear()
        run(team, body, tasks)
        assert seen.tolist() == [1] * tasks + [0] * (100 - tasks)
        found = [lengths[first] for first in sorted(lengths)]
        assert len(found) == min(tasks, threads)
        assert found == sorted(found, reverse=True) and found[0] - found[-1] <= 1


@pytest.mark.parametrize("threads", [1, 3])
def test_jobs_are_done_one_after_the_other(opened: Callable[[int], Team], threads: int) -> None:
    """Those of one task, which no others share, too; each has arguments of its own."""
    team, seen = opened(threads), list[tuple[int, int, int]]()

    def part(arguments: int, scratch: int, first: int, end: int) -> None:
        if first == 0:
            time.sleep(1e-3)  # so that others would be in front, were they not waited for
        seen.append((arguments, first, end))

    body, given = RANGE(part), [(ctypes.c_void_p * 1)() for _ in range(5)]
    sizes = [1, 7, 1, 3, 30]
    jobs = [team.job(body, each, size) for each, size in zip(given, sizes, strict=True)]
    team.run((Job * 5)(*jobs), NONE, shared=threads > 1)
    order = [arguments for arguments, _, _ in seen]
    assert [one for one, _ in groupby(order)] == [ctypes.addressof(one) for one in given]
    for one, size in zip(given, sizes, strict=True):
        ranges = sorted((first, end) for arguments, first, end in seen if arguments == ctypes.addressof(one))
        assert len(ranges) == min(size, threads) and ranges[0][0] == 0 and ranges[-1][1] == size
        assert all(end == first for (_, end), (first, _) in pairwise(ranges))


def test_each_thread_has_its_own_scratch_and_all_have_the_arguments(opened: Callable[[int], Team]) -> None:
    team, found = opened(4), set[tuple[int, int, int]]()
    arguments, scratches = (ctypes.c_void_p * 1)(7), (ctypes.c_void_p * 4)(10, 11, 12, 13)

    def part(arguments: int, scratch: int, first: int, end: int) -> None:
        found.add((arguments, scratch, first))

    run(team, RANGE(part), 4, arguments, scratches)
    assert found == {(ctypes.addressof(arguments), 10 + rank, rank) for rank in range(4)}


def test_only_threads_with_a_part_are_told(opened: Callable[[int], Team]) -> None:
    """Those without one stay where they are, and do the next job that has one for them."""
    team, ran = opened(3), list[str]()

    def part(arguments: int, scratch: int, first: int, end: int) -> None:
        ran.append(threading.current_thread().name)

    body = RANGE(part)
    for tasks, others in ((2, 1), (3, 2), (1, 0), (2, 1), (3, 2)):
        ran.clear()
        run(team, body, tasks)
        assert len(set(ran)) == len(ran) == others + 1


def test_threads_start_with_the_first_kernel_that_they_share() -> None:
    artifact = compiled(product(1, 16, 4))
    assert prod(artifact.manifest.launches[0].static_grid) == 1
    backend = CpuBackend(threads=3)
    (found,) = backend.load(artifact.manifest, artifact.files)(np.ones((1, 4), "f4"), np.ones((4, 16), "f4"))
    assert (found == 4).all() and backend._team is not None and not backend._team._workers


def test_results_are_the_same_call_after_call(artifact: Artifact) -> None:
    numbers = np.random.default_rng(0)
    a, b = (numbers.integers(-4, 5, shape).astype(np.float32) for shape in ((64, 16), (16, 64)))
    c, expected = np.empty((64, 64), np.float32), a @ b
    again = artifact.open("cpu", threads=8).prepare(a, b, outputs=[c])
    for _ in range(500):
        c[...] = np.nan
        again()
        assert np.array_equal(c, expected)


def test_a_copy_of_the_process_starts_threads_of_its_own(artifact: Artifact, tmp_path: Path) -> None:
    """Threads do not come with a fork; a call that waited for them would never end."""
    artifact.save(tmp_path / "product.roller")
    script = (
        "import os\n"
        "import numpy as np\n"
        "from roller_mlir.runtime import Artifact\n"
        "program = Artifact.load('product.roller').open('cpu', threads=3)\n"
        "ones = np.ones((64, 16), 'f4'), np.ones((16, 64), 'f4')\n"
        "assert (program(*ones)[0] == 16).all()\n"
        "child = os.fork()\n"
        "right = bool((program(*ones)[0] == 16).all())\n"
        "if child == 0: os._exit(3 if right else 4)\n"
        "print(right, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    assert said_by(script, tmp_path) == (0, "True 3\n", "")


def test_threads_that_cannot_be_started_are_told(
    opened: Callable[[int], Team], monkeypatch: pytest.MonkeyPatch
) -> None:
    team, start, started = opened(4), threading.Thread.start, list[threading.Thread]()

    def few(self: threading.Thread) -> None:
        if len(started) == 2:
            raise RuntimeError("can't start new thread")
        start(self)
        started.append(self)

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", few)
        with pytest.raises(BackendError, match="only 3 of 4 threads could be started: can't start new thread"):
            run(team, RANGE(lambda *_: None), 4)
    assert len(started) == 2 and not any(worker.is_alive() for worker in started)
    ran = list[int]()
    run(team, RANGE(lambda arguments, scratch, first, end: ran.append(first)), 4)
    assert sorted(ran) == [0, 1, 2, 3]


@pytest.mark.parametrize("late", [False, True])
def test_an_interrupt_while_threads_start_leaves_none_that_a_call_waits_for(
    opened: Callable[[int], Team], monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    """Ctrl-C comes when the second of three has been started, or is about to be."""
    team, start, begun = opened(4), threading.Thread.start, list[threading.Thread]()

    def interrupted(self: threading.Thread) -> None:
        begun.append(self)
        if len(begun) != 2 or late:
            start(self)
        if len(begun) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(team, RANGE(lambda *_: None), 4)
    assert len(begun) == 2 and not any(worker.is_alive() for worker in begun)
    assert team.close() is late  # of a thread that did not begin nobody knows whether it will: its library stays
    ran = list[int]()
    run(team, RANGE(lambda arguments, scratch, first, end: ran.append(first)), 4)
    assert sorted(ran) == [0, 1, 2, 3]


def test_what_threads_read_stays_where_they_may_go_on(
    opened: Callable[[int], Team], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the end of the interpreter nobody can wait for them: neither their memory nor the library is given back."""
    team = opened(2)
    run(team, RANGE(lambda *_: None), 2)
    memory, (worker,) = team._memory, team._workers
    references = sys.getrefcount(memory)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "is_finalizing", lambda: True)
        assert not team.close()
    assert worker.is_alive() and sys.getrefcount(memory) == references + 1
    team._end(memory, [worker])
    assert not worker.is_alive() and not team.close()  # nobody knows that it has ended


@pytest.mark.parametrize("gone", [SERVE, RUN, BODY])
def test_a_library_of_an_earlier_version_is_refused(artifact: Artifact, gone: str) -> None:
    library = artifact.manifest.file("library")
    assert library is not None
    content = artifact.files[library.name].replace(gone.encode() + b"\0", b"no" + gone[2:].encode() + b"\0")
    with pytest.raises(BackendError, match=rf"the shared library has no function '\w*{gone}'; compile it again"):
        Artifact(artifact.manifest, {**artifact.files, library.name: content}).open("cpu")


@pytest.mark.parametrize("name", ["share", "serve", "__roller_share"])
def test_functions_may_be_called_as_those_of_a_team(name: str) -> None:
    artifact = compiled(product(8, 32, 4).replace("@product", f"@{name}"))
    (found,) = artifact.run(np.ones((8, 4), np.float32), np.ones((4, 32), np.float32), on="cpu", threads=2)
    assert (found == 4).all()
