# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nothing is left of a simulated device: not when its program, its server or who started them is killed in a kernel."""

import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from simulated_programs import program, run_cases, save_artifact

from roller_mlir.sim.driver import server, simulated_device
from roller_mlir.support.jobs.process_tree import descendants, wait_until_gone
from roller_mlir.tools.roller import main

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler, which makes the driver library")
LIMIT_S = 300.0


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_artifact(tmp_path_factory.mktemp("ends"), "cuda")


def cached(artifact: Path) -> dict[str, str]:
    """Return an environment with a cache, whose folder the tests share."""
    return {**os.environ, "ROLLER_CACHE": "1", "ROLLER_CACHE_DIR": str(artifact.parent)}


@contextmanager
def in_a_kernel(artifact: Path, environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """Starts a program, and waits until its kernel is about to run."""
    command = program(artifact, "cuda", {"kernel": "endless"})
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}) as process:
        assert process.stdout is not None and process.stdout.readline() == "launching\n"
        try:
            yield process
        finally:
            process.kill()


def wait_for(process: int, count: int) -> list[int]:
    """Waits until a process has so many descendants, and returns them."""
    end = time.monotonic() + LIMIT_S
    while len(found := descendants(process)) != count and time.monotonic() < end:
        time.sleep(0.01)
    assert len(found) == count
    return found


def servers() -> set[int]:
    """Return the processes below this one that serve a device: earlier tests may have left some, which may end."""
    found = set[int]()
    for process in descendants(os.getpid()):
        with suppress(OSError):
            if b"sim.driver.server" in Path(f"/proc/{process}/cmdline").read_bytes():
                found.add(process)
    return found


@pytest.mark.full
def test_a_killed_program_takes_its_device_along(artifact: Path) -> None:
    others = servers()
    with simulated_device([artifact], libraries=artifact.parent / "drivers", timeout_s=LIMIT_S) as environment:
        (serving,) = servers() - others
        with in_a_kernel(artifact, environment) as killed:
            devices = wait_for(serving, 1)
            killed.kill()
        assert not wait_until_gone(devices, LIMIT_S)
        assert run_cases(artifact, "cuda", {**os.environ, **environment}, {})[0]["status"] == 0
    assert not wait_until_gone([serving], LIMIT_S)


def test_a_killed_server_is_an_error_of_the_launch(artifact: Path) -> None:
    others = servers()
    with simulated_device([artifact], libraries=artifact.parent / "drivers", timeout_s=LIMIT_S) as environment:
        (serving,) = servers() - others
        with in_a_kernel(artifact, environment) as process:
            devices = wait_for(serving, 1)
            os.kill(serving, signal.SIGKILL)
            assert process.stdout is not None
            assert '"status": 719, "text": "the process of the simulated device has ended"' in process.stdout.read()
            assert process.wait(LIMIT_S) == 0
        assert not wait_until_gone(devices, LIMIT_S)


def test_a_message_that_its_program_does_not_end_is_none() -> None:
    device, (ours, theirs) = MagicMock(), socket.socketpair()
    with ours:
        with theirs:
            theirs.sendall(struct.pack("<II", server._LAUNCH, 100) + bytes(60))
        server._serve(ours, device)
    device.launch.assert_not_called()


@pytest.mark.full(every=3)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_a_signal_ends_the_command_and_all_that_it_started(
    artifact: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    roller = [
        sys.executable,
        "-m",
        "roller_mlir.tools.roller",
        "simulate",
        "--artifact",
        str(artifact),
        "--timeout-s",
        "300",
    ]
    command = [*roller, "--", *program(artifact, "cuda", {"kernel": "endless"})]
    environment = {**cached(artifact), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "launching\n"
        started = wait_for(process.pid, 3)  # the server, the device, the program
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does it
        else:
            process.send_signal(number)
        _, said = process.communicate(timeout=LIMIT_S)
    assert process.returncode == code, said
    assert "Traceback" not in said
    assert not wait_until_gone(started, LIMIT_S)
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("forked_servers_of_a_test")
def test_the_exit_code_is_that_of_the_program(
    artifact: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, value in cached(artifact).items():
        monkeypatch.setenv(name, value)
    command = ["simulate", "--artifact", str(artifact)]
    assert main([*command, "--", "sh", "-c", "exit 7"]) == 7
    assert main([*command, "--", "sh", "-c", "kill -SEGV $$"]) == 128 + signal.SIGSEGV
    assert main([*command, "--", "/nonexistent/program"]) == 1
    assert "cannot start '/nonexistent/program': no such file or directory" in capfd.readouterr().err
    for wrong, text in (
        ("--memory=1", "--memory must be a size"),
        ("--timeout-s=0", "--timeout-s: must be at least 0.001"),
    ):
        assert main([*command, wrong, "--", "true"]) == 2
        assert text in capfd.readouterr().err


@pytest.mark.full
def test_without_a_cache_the_libraries_go_with_the_server(artifact: Path, tmp_path: Path) -> None:
    roller = [sys.executable, "-m", "roller_mlir.tools.roller", "simulate", "--artifact", str(artifact)]
    environment = {**os.environ, "ROLLER_CACHE": "0", "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [*roller, "--", "sh", "-c", "echo up; exec sleep 300"], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "up\n"
        assert len(list(tmp_path.iterdir())) == 1
        started = descendants(process.pid)
        process.kill()
    assert not wait_until_gone(started, LIMIT_S)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("time_s", "rule"), [("0", "at least 0.001, but got 0"), ("nan", "a float, but got 'nan'"), ("inf", "a float, but")]
)
def test_a_time_that_is_none_is_wrong_usage(time_s: str, rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--target", "h200", "--timeout-s", time_s, "--", "true"]) == 2
    assert f"--timeout-s: must be {rule}" in capsys.readouterr().err
