# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs in this process and in others: the same answers, whatever a job does, and nothing that is left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from hanging_jobs import HANG, give_little_time

from roller_mlir.support.jobs.jobs import ThisProcess, in_order, open_jobs
from roller_mlir.support.jobs.pool import JobPool
from roller_mlir.support.jobs.process_tree import descendants, kill_tree

ENTRY = "job_functions:work"


def lost(how: str, message: str) -> tuple[str, str]:
    return how, message


def answers(jobs: list[str], workers: int, **options: Any) -> list[Any]:
    with open_jobs(workers, entry=ENTRY, on_failure=lost, **options) as pool:
        return list(in_order(pool.run(enumerate(jobs))))


@contextmanager
def ready_pool() -> Iterator[JobPool[Any, Any]]:
    """Give a pool whose two processes can begin a job at once."""
    with JobPool[Any, Any](2, 600.0, ENTRY, lost) as pool:
        assert dict(pool.run(enumerate(["a", "b"]))) == {0: "A", 1: "B"}
        yield pool


def wait_for(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 600
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def end_time_of(pool: JobPool[Any, Any], key: int, condition: Callable[[], object]) -> None:
    """End the time of a job as soon as a condition holds."""
    wait_for(condition)
    (worker,) = [one for one in pool._workers if one.key == (key,)]
    assert worker.limit_s == 600.0
    worker.deadline = time.monotonic() - 1.0


def test_one_worker_is_this_process_and_more_are_others() -> None:
    assert answers(["process", "a"], 1) == [os.getpid(), "A"]
    first, second = answers(["process", "process"], 2)
    assert os.getpid() not in (first, second)
    with open_jobs(None, entry=ENTRY, on_failure=lost) as one, open_jobs(3, entry=ENTRY, on_failure=lost) as three:
        assert isinstance(one, ThisProcess) and one.workers == 1
        assert isinstance(three, JobPool) and three.workers == 3


def test_every_job_has_an_answer() -> None:
    jobs = ["a", "exit", "kill", "fault", "raise x", "lambda", "b"]
    found = answers(jobs, 2)
    assert found[0] == "A" and found[6] == "B"
    assert found[1] == ("crash", "the process died: exit code 3")
    assert found[2] == ("crash", "the process died: SIGKILL")
    assert found[3][0] == "crash" and found[3][1].startswith("the process died: SIGSEGV at __init__.py:")
    assert found[4][0] == "bug" and found[4][1].startswith("KeyError: 'x' (job_functions.py:")
    assert found[5][0] == "bug" and found[5][1].startswith("the answer cannot be sent: ")
    assert answers(["raise x", "a"], 1) == [found[4], "A"]


def test_a_folder_for_temporary_files_may_have_a_longer_path_than_sockets(tmp_path: Path) -> None:
    folder = tmp_path / ("a" * 120)
    folder.mkdir()
    (tmp_path / "ask.py").write_text(
        "from test_jobs import answers\nif __name__ == '__main__': print(answers(['a', 'b'], 2))"
    )
    modules = os.pathsep.join(str(Path(__file__).parents[at]) for at in (0, 2))
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONPATH": modules}
    said = subprocess.run([sys.executable, "ask.py"], env=environment, cwd=tmp_path, stdout=subprocess.PIPE, check=True)
    assert said.stdout == b"['A', 'B']\n" and not list(folder.iterdir())


def test_a_job_that_does_not_end_is_ended_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    give_little_time(monkeypatch, lambda job: job == "sleep")
    assert answers(["sleep", "a", "b", "c"], 2, limit_s=600.0) == [("hang", HANG), "A", "B", "C"]


def test_jobs_that_do_not_end_take_their_limit_each() -> None:
    began = time.monotonic()
    assert answers(["sleep"] * 3, 2, limit_s=0.2) == [("hang", "no end after 0.2 s; the process was killed")] * 3
    assert time.monotonic() - began >= 0.4


def test_an_answer_that_nobody_took_in_time_is_none_the_less_an_answer(tmp_path: Path) -> None:
    note = tmp_path / "go on"
    with ready_pool() as pool:
        run = pool.run(enumerate(["a", f"await {note}", "b"]))
        found = [next(run)]  # whoever takes them is busy from here
        note.touch()
        end_time_of(pool, 1, lambda: [one for one in pool._workers if one.key == (1,) and one.connection.poll()])
        assert dict([*found, *run]) == {0: "A", 1: "there", 2: "B"}


def test_what_cannot_be_imported_is_said_for_each_job() -> None:
    with open_jobs(2, entry="no_such_module:work", on_failure=lost) as pool:
        found = list(in_order(pool.run(enumerate(["a", "b", "c"]))))
    text = "no_such_module:work cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"
    assert all(how == "bug" and message.startswith(text) for how, message in found) and len(found) == 3


def test_jobs_and_answers_larger_than_a_pipe() -> None:
    long = "a" * (1 << 20)
    assert answers([long, "bytes 3000000", long], 2) == [long.upper(), bytes(3000000), long.upper()]


def test_no_more_jobs_are_taken_than_can_be_done() -> None:
    taken: list[int] = []

    def jobs() -> Iterator[tuple[int, str]]:
        for number in range(10):
            taken.append(number)
            yield number, "a"

    with open_jobs(2, entry=ENTRY, on_failure=lost) as pool:
        for done, _ in enumerate(pool.run(jobs()), 1):
            assert len(taken) <= done + 2
    assert taken == list(range(10))


def test_no_process_is_started_without_a_job() -> None:
    before = _workers()
    with open_jobs(8, entry=ENTRY, on_failure=lost) as pool:
        assert list(pool.run([])) == []
        assert list(pool.run([(0, "a")])) == [(0, "A")]
        assert len(_workers() - before) == 1


def _workers() -> set[int]:
    """Return the forks of the process that forks for pools."""
    started = psutil.Process().children(recursive=True)
    forking = {one.pid for one in started if "multiprocessing.forkserver" in " ".join(one.cmdline())}
    return {one.pid for one in started if one.ppid() in forking}


def test_a_run_that_is_left_early_says_nothing_in_the_next_one() -> None:
    with open_jobs(2, entry=ENTRY, on_failure=lost) as pool:
        run = pool.run(enumerate(["a", "sleep", "sleep"]))
        assert next(run) == (0, "A")
        run.close()  # type: ignore[attr-defined]
        assert sorted(pool.run([(7, "x"), (8, "y")])) == [(7, "X"), (8, "Y")]


def test_an_error_of_the_one_who_asks_ends_everything() -> None:
    def jobs() -> Iterator[tuple[int, str]]:
        yield 0, "sleep"
        raise LookupError("no more")

    before = _workers()
    with pytest.raises(LookupError, match="no more"), open_jobs(2, entry=ENTRY, on_failure=lost) as pool:
        list(pool.run(jobs()))
    assert _workers() <= before


def test_temporary_files_and_tools_of_a_job_end_with_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: Callable[[Path], list[str]]
) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "notes").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    with ready_pool() as pool:
        run = pool.run(enumerate(["folder", f"busy {tmp_path / 'notes'}"]))
        _, folder = next(run)
        end_time_of(pool, 1, lambda: [one for one in (tmp_path / "notes").iterdir() if one.read_text()])
        ((_, hung),) = run
        assert Path(folder).parent == tmp_path / "tmp" and Path(folder).name.startswith("roller-worker-")
        assert hung[0] == "hang"
        (note,) = (tmp_path / "notes").iterdir()
        for process in (int(note.name), int(note.read_text())):
            assert not psutil.pid_exists(process) or psutil.Process(process).status() == psutil.STATUS_ZOMBIE
    assert gone(tmp_path / "tmp") == []


def test_a_worker_that_is_terminated_leaves_nothing_and_its_job_has_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: Callable[[Path], list[str]]
) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "notes").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))

    def terminate() -> None:
        wait_for(lambda: [one for one in (tmp_path / "notes").iterdir() if one.read_text()])
        (note,) = (tmp_path / "notes").iterdir()
        os.kill(int(note.name), signal.SIGTERM)

    with open_jobs(2, entry=ENTRY, on_failure=lost) as pool:
        threading.Thread(target=terminate).start()
        assert dict(pool.run([(0, f"busy {tmp_path / 'notes'}")])) == {0: ("crash", "the process died: exit code 143")}
    assert gone(tmp_path / "tmp") == []


WAITING = """import time
from roller_mlir.support.jobs.worker import Worker
if __name__ == "__main__":
    one = Worker("math:sqrt")
    one.connection.recv()
    print("ready", flush=True)
    time.sleep(600)
"""


def test_a_process_that_is_killed_leaves_nothing_though_its_worker_had_nothing_to_do(
    tmp_path: Path, gone: Callable[[Path], list[str]]
) -> None:
    """The worker sees its connection end as soon as it sees the process end; four times, since either may be first."""
    for _ in range(4):
        command = [sys.executable, "-c", WAITING]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}
        ) as process:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
            process.kill()
        assert gone(tmp_path) == []


def test_a_tree_of_processes_is_killed_as_a_whole() -> None:
    script = "sleep 600 & setsid sleep 600 & echo ready; wait"
    shell = subprocess.Popen(["bash", "-c", script], stdout=subprocess.PIPE, text=True)
    assert shell.stdout is not None and shell.stdout.readline() == "ready\n"
    tree = descendants(shell.pid)
    while len(tree) < 2:
        tree = descendants(shell.pid)
    kill_tree(shell.pid)
    assert shell.wait(600) == -9
    shell.stdout.close()
    for one in tree:
        with suppress(psutil.NoSuchProcess):
            assert psutil.Process(one).status() == psutil.STATUS_ZOMBIE
