# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs on a Ray cluster of this machine: the answers of a pool of processes, and nothing that is left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import ray

from roller_mlir.support.jobs.jobs import Jobs, JobsError, in_order, open_jobs
from roller_mlir.support.jobs.ray_cluster import MISSING
from roller_mlir.support.jobs.ray_pool import RayPool, _Remote
from roller_mlir.tools.roller import main

ENTRY = "job_functions:work"
HERE = Path(__file__).parent


def lost(how: str, message: str) -> tuple[str, str]:
    return how, message


@pytest.fixture(scope="module")
def cluster() -> Iterator[Jobs[Any]]:
    """A cluster of two workers for the tests of this module, and jobs on it."""
    environment = dict(os.environ)
    sys.path.insert(0, str(HERE))
    handlers = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    with open_jobs(2, ray="local", limit_s=600.0, entry=ENTRY, on_failure=lost) as jobs:
        assert [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)] == handlers
        yield jobs
    sys.path.remove(str(HERE))
    now = {**os.environ, "PYTEST_CURRENT_TEST": environment["PYTEST_CURRENT_TEST"]}
    assert now == environment
    assert not ray.is_initialized()


@pytest.mark.full
def test_answers_are_those_of_processes(cluster: Jobs[Any]) -> None:
    jobs = ["a", "exit", "kill", "fault", "raise x", "lambda", "bytes 300000", "b"]
    with open_jobs(2, entry=ENTRY, on_failure=lost) as processes:
        expected = list(in_order(processes.run(enumerate(jobs))))
    assert list(in_order(cluster.run(enumerate(jobs)))) == expected
    assert cluster.workers == 2


@pytest.mark.full
@pytest.mark.usefixtures("_free")
def test_jobs_that_do_not_end_are_ended(cluster: Jobs[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_limit_s", 0.2)  # of the actors that are made anew
    hang = ("hang", "no end after 0.2 s; the process was killed")
    assert list(in_order(cluster.run(enumerate(["sleep"] * 4)))) == [hang] * 4  # another process takes each one's place
    cluster._drop(*cluster._remotes)  # type: ignore[attr-defined]


@pytest.mark.full
@pytest.mark.usefixtures("_free")
def test_an_actor_that_dies_is_an_answer_and_another_takes_its_place(cluster: Jobs[Any]) -> None:
    remotes = cluster._remotes  # type: ignore[attr-defined]
    run = cluster.run(enumerate(["sleep", "a", "b"]))
    assert next(run)[1] in ("A", "B")
    (asleep,) = [one for one in remotes if one.key == (0,)]
    ray.kill(asleep.handle)
    answers = dict(run)
    assert answers[0][0] == "crash" and "killed" in answers[0][1] and "\n" not in answers[0][1]
    assert dict(cluster.run(enumerate(["c", "d"]))) == {0: "C", 1: "D"}


@pytest.mark.full
def test_no_more_jobs_are_taken_than_can_be_done(cluster: Jobs[Any]) -> None:
    taken: list[int] = []

    def jobs() -> Iterator[tuple[int, str]]:
        for number in range(6):
            taken.append(number)
            yield number, "a"

    for done, _ in enumerate(cluster.run(jobs()), 1):
        assert len(taken) <= done + 2
    assert taken == list(range(6))


@pytest.fixture
def _free(cluster: Jobs[Any]) -> None:
    """Frees the processors of the cluster for other jobs."""
    cluster._drop(*cluster._remotes)  # type: ignore[attr-defined]


@pytest.mark.full
@pytest.mark.usefixtures("_free")
def test_a_suite_says_the_same_and_prints_nothing_else(tmp_path: Path, capfd: Any) -> None:
    (tmp_path / "operators.csv").write_text("id,class,shape\na,relu,64\nb,no,\n".replace("b,no,", "b,relu,128"))
    arguments = ["suite", str(tmp_path), "--json", "--target", "h200"]
    shown: list[Any] = []
    for more in ([], ["--ray", "local", "--jobs", "2"]):
        assert main([*arguments, *more]) == 0
        out, error = capfd.readouterr()
        assert error == ""
        shown.append([{key: record[key] for key in ("id", "predicted_s", "tiles")} for record in json.loads(out)])
    assert shown[0] == shown[1] and [record["id"] for record in shown[0]] == ["a", "b"]


@pytest.mark.full
def test_a_cluster_without_a_free_processor_is_not_waited_for_forever(
    cluster: Jobs[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(dict(cluster.run(enumerate(["a", "b"])))) == 2  # now both of its processors are taken
    monkeypatch.setattr("roller_mlir.support.jobs.ray_pool.START_S", 0.5)
    with (
        pytest.raises(JobsError, match="the Ray cluster has had no free processor for 0.5 s; wait"),
        open_jobs(1, ray="local", entry=ENTRY, on_failure=lost) as jobs,
    ):
        list(jobs.run([(0, "a")]))


class _Idle:
    """A cluster on which nothing ever happens; it notes how long it is waited for."""

    exceptions = ray.exceptions

    def __init__(self) -> None:
        self.waited: list[float] = []

    def wait(self, promises: list[Any], *, num_returns: int, timeout: float) -> tuple[list[Any], list[Any]]:
        self.waited.append(timeout)
        return [], promises


def test_who_waits_for_a_processor_keeps_nobody_busy() -> None:
    pool = RayPool[Any](2, 60.0, ENTRY, lost, "local")
    pool._ray = idle = _Idle()
    at_work = _Remote(None, "job", ready=True, key=(0,), deadline=time.monotonic() + 500.0)
    pool._remotes = [at_work, _Remote(None, "hello", deadline=time.monotonic() - 1.0)]
    assert [*pool._collect(), *pool._collect()] == []
    assert idle.waited[0] == 0.0 and idle.waited[1] > 400.0


@pytest.mark.full
@pytest.mark.usefixtures("_free")
def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roller_mlir.support.jobs.ray_pool._version", lambda: "0.0.7")
    with (
        pytest.raises(JobsError, match="a node of the Ray cluster has roller-mlir .*, this is 0.0.7; install the same"),
        open_jobs(1, ray="local", entry=ENTRY, on_failure=lost) as jobs,
    ):
        list(jobs.run([(0, "a")]))


JOIN = """
import os, sys
from roller_mlir.support.jobs.jobs import open_jobs
if __name__ == "__main__":
    for address in ("auto", os.environ["RAY_ADDRESS"]):
        with open_jobs(None, ray=address, entry="job_functions:work", on_failure=print) as jobs:
            print(jobs.workers, sorted(jobs.run(enumerate(["a", "b", "c"]))))
"""


@pytest.mark.full
@pytest.mark.usefixtures("_free")
def test_another_process_joins_the_cluster_that_runs(tmp_path: Path) -> None:
    environment = {"RAY_ADDRESS": ray.get_runtime_context().gcs_address, "RAY_AUTH_MODE": "token"}
    done = subprocess.run(
        [sys.executable, "-c", JOIN],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, **environment, "PYTHONPATH": str(HERE), "HOME": str(tmp_path)},
    )
    assert (done.stdout, done.stderr) == ("2 [(0, 'A'), (1, 'B'), (2, 'C')]\n" * 2, "")
    assert ray.is_initialized() and list(tmp_path.iterdir()) == []


# A process with a cluster whose two workers have a tool and a temporary file each; "again" is a second Ctrl-C.
MAIN = """
import signal, sys
from roller_mlir.support.jobs.jobs import open_jobs
from roller_mlir.tools.console.interrupt import interruptible
def work():
    with open_jobs(2, ray="local", limit_s=600.0, entry="job_functions:work", on_failure=print) as jobs:
        list(jobs.run(enumerate([f"busy {sys.argv[1]}"] * 2)))
    return 0
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(interruptible("roller", work, whole_process=True))
"""


@pytest.mark.full
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_of_a_cluster_of_our_own(
    how: signal.Signals, tmp_path: Path, gone: Callable[[Path], list[str]]
) -> None:
    notes, temporary = tmp_path / "notes", tmp_path / "tmp"
    notes.mkdir()
    temporary.mkdir()
    main_process = subprocess.Popen(
        [sys.executable, "-c", MAIN, str(notes)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(HERE), "HOME": str(tmp_path)},
    )
    end = time.monotonic() + 600
    while len(list(notes.iterdir())) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    if how == signal.SIGINT:
        os.killpg(main_process.pid, how)
    else:
        os.kill(main_process.pid, how)
    said, _ = main_process.communicate(timeout=600)
    assert (main_process.returncode, said) == ((130, "roller: interrupted\n") if how == signal.SIGINT else (-9, ""))
    assert gone(temporary) == []
    for process in (int(text) for note in notes.iterdir() for text in (note.name, note.read_text())):
        assert not psutil.pid_exists(process) or psutil.Process(process).status() == psutil.STATUS_ZOMBIE
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes", "tmp"], "nothing in the home folder"


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("here", "a Ray cluster is 'auto', 'local', HOST:PORT or ray://HOST:PORT, but got 'here'"),
        ("host:", "a Ray cluster is 'auto', 'local', HOST:PORT or ray://HOST:PORT, but got 'host:'"),
        ("localhost:1", "no Ray cluster answers at localhost:1 (Connection refused); is 'ray start --head' running"),
        ("ray://[::1]:1", "no Ray cluster answers at ray://[::1]:1 ("),
    ],
)
def test_an_address_where_nobody_is_is_one_line(address: str, message: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "operators.csv").write_text("id,class,shape\na,relu,64\n")
    assert main(["suite", str(tmp_path), "--ray", address]) == 1
    shown = capsys.readouterr()
    assert shown.err.startswith(f"roller: error: {message}") and shown.err.count("\n") == 1 and shown.out == ""


def test_without_a_running_cluster_auto_says_what_helps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Ray:
        """What `ray.init` does where nothing runs; whether something does on this machine is not for this test."""

        @staticmethod
        def is_initialized() -> bool:
            return False

        @staticmethod
        def init(**_: Any) -> None:
            raise ConnectionError("Could not find any running Ray instance. Please specify the one to connect to.")

        @staticmethod
        def shutdown() -> None:
            return None

    monkeypatch.setitem(sys.modules, "ray", Ray)
    with (
        pytest.raises(JobsError) as caught,
        open_jobs(1, ray="auto", entry=ENTRY, on_failure=lost),
    ):
        pass
    assert str(caught.value) == (
        "no Ray cluster runs on this machine, and RAY_ADDRESS names none that answers; "
        "start one with 'ray start --head', or use 'local' for one of our own"
    )


def test_without_ray_it_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    (tmp_path / "operators.csv").write_text("id,class,shape\na,relu,64\n")
    assert main(["suite", str(tmp_path), "--ray", "local"]) == 1
    assert capsys.readouterr().err == f"roller: error: {MISSING}\n"
    assert MISSING.endswith("pip install 'roller-mlir[ray]'")
