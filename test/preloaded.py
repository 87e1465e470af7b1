# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One process that has imported the tools, and runs them in forks: their imports take longer than most tests do."""

import atexit
import contextlib
import functools
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

_MOST_BYTES = 1 << 20  # of one request
_MODULES = (
    "filecheck.main",
    "roller_mlir.passes",
    "roller_mlir.tools.opt.driver",
    "roller_mlir.compiler.driver",
    "roller_mlir.sim.launcher",
    "roller_mlir.sim.driver.kernels",
    "roller_mlir.sim.driver.foreign",
    "roller_mlir.evaluation.suites.stages.verify",
    "roller_mlir.tools.commands.run.command",
)


@functools.cache
def start() -> str:
    """Starts the process, which ends with the caller; returns the name by which `ask_preloaded.py` asks it."""
    name = f"roller-mlir-preloaded-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:  # here: who asks early waits for imports
        listening.bind(f"\0{name}")
        listening.listen(64)
        command = [sys.executable, __file__, str(listening.fileno())]
        # Its end of the pipe tells the process that the caller has ended.
        serving = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=(listening.fileno(),))
    atexit.register(serving.communicate)
    return name


def python(*arguments: str) -> list[str]:
    """Return the command that does what Python does with `-m MODULE`, `-c CODE` or `FILE`, and their arguments.

    It is for programs that end by themselves: limits and signals reach the process that asks, not the fork.
    """
    return [sys.executable, "-I", "-S", str(Path(__file__).with_name("ask_preloaded.py")), start(), *arguments]


def stand_in(module: ModuleType) -> SimpleNamespace:
    """Return what stands in for `subprocess` in a module that starts itself as a process: its processes are forks."""

    def run(command: Sequence[str], **options: Any) -> "subprocess.CompletedProcess[Any]":
        assert list(command[1:4]) == ["-P", "-m", module.__name__]
        return subprocess.run(python(*command[2:]), **options)

    return SimpleNamespace(run=run, TimeoutExpired=subprocess.TimeoutExpired)


def _serve(number: int) -> None:
    """Answers each request at a listening socket with a fork, until standard input ends."""
    for module in _MODULES:
        importlib.import_module(module)
    importlib.import_module("roller_mlir.support.bindings").make_context()  # defines our dialects
    sys.path.remove(str(Path(__file__).parent))  # programs have their own folders there
    listening = socket.socket(fileno=number)
    signal.signal(signal.SIGCHLD, _wait_for_ended)
    while select.select([listening, 0], [], [])[0] == [listening]:
        connection, _ = listening.accept()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            listening.close()
            _answer(connection)
        connection.close()


def _wait_for_ended(*_: object) -> None:
    """Waits for forks that have ended, as processor time of what nobody waits for is not counted."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _answer(connection: socket.socket) -> None:
    request, streams, _, _ = socket.recv_fds(connection, _MOST_BYTES, 3)
    child = os.fork()
    if child == 0:
        connection.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        _run(*json.loads(request))
    for stream in streams:
        os.close(stream)
    ended = os.pidfd_open(child)
    if ended not in select.select([connection, ended], [], [])[0]:  # lit ended who asked, at its time limit
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    with contextlib.suppress(BrokenPipeError):
        connection.send(str(status).encode())
    os._exit(0)


def _run(arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    """Runs a module, a text or a file as Python does, and ends this process."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    # What Python made of the old streams (whether they can be sought, their encoding) does not hold for the new ones.
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    code = 0
    try:
        kind, *sys.argv = arguments if arguments[0] in ("-m", "-c") else ("", *arguments)
        if kind == "-m":
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        elif kind == "-c":
            text, sys.argv[0], sys.modules["__main__"] = sys.argv[0], kind, ModuleType("__main__")
            exec(compile(text, "<string>", "exec"), vars(sys.modules["__main__"]))
        else:
            sys.path.insert(0, str(Path(sys.argv[0]).absolute().parent))
            runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as exit_request:
        code = exit_request.code if isinstance(exit_request.code, int) else int(exit_request.code is not None)
        if isinstance(exit_request.code, str):
            print(exit_request.code, file=sys.stderr)
    except Exception:  # noqa: BLE001 - as Python's own end of a program
        sys.excepthook(*sys.exc_info())
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
