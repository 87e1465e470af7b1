# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One worker process of `roller_mlir.support.jobs.pool`: what runs in it, and how it is held from outside."""

import faulthandler
import multiprocessing
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from multiprocessing import reduction, resource_tracker, util
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from roller_mlir.support.jobs.process_tree import descendants, kill_tree, wait_until_gone, without_interrupts

START_S = 600.0
"""Time that a process has to import the compiler. That takes seconds, on a busy machine many: only a process that hangs
takes so long, and one that dies of it is found at once."""

_PACKAGE = __name__.partition(".")[0]
_SOCKET_PATH = 108
"""Bytes that the path of a socket may take on Linux, with one of its end. In a folder of temporary files with a longer
path nothing can be forked; processes then start by themselves, which takes seconds more."""

_END_S = 5.0
_SWEEPS = 100
_ENDS = {signal.SIGTERM, signal.SIGHUP}
_FRAME = re.compile(r'File "([^"]+)", line (\d+) in (\S+)')


class _Inherited:
    """A file descriptor that a spawned process gets too, under a number of its own."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __reduce__(self) -> Any:
        return _detach, (reduction.DupFd(self.descriptor),)


def _detach(duplicate: Any) -> int:
    return duplicate.detach()


def find_entry(entry: str) -> Callable[[Any], Any]:
    """Return the function that an entry, "module:name", names."""
    module, name = entry.split(":")
    return getattr(import_module(module), name)


def do_job(work: Callable[[Any], Any], job: Any) -> tuple[Any, str]:
    """Do a job.

    Returns:
        The answer and "", or None and what was raised instead.
    """
    try:
        return work(job), ""
    except Exception as error:  # noqa: BLE001 - whatever it is, it is this job's, and the others go on
        return None, _describe(error)


def _describe(error: Exception) -> str:
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not one.filename.startswith("<")]
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno} in {frames[-1].name})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"


def serve(
    connection: Connection, entry: str, last_words: int, folder: str, forking: str, environment: dict[str, str]
) -> None:
    """Do the jobs that come over a connection, until None comes.

    Args:
        connection: Jobs in, in tuples; out come one None, when the compiler is imported, and what `do_job` returns.
            Where it cannot be imported, that comes as a bug at once, and the process ends.
        entry: The function that does one, as "module:name".
        last_words: File descriptor for the Python stack where a signal ends the process.
        folder: For temporary files.
        forking: Folder of the process that was forked, for who leaves last.
        environment: Of the process that has the jobs done; that of the one which was forked may be older.
    """
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal; it is the first one's
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    following = _leave_in_order(folder, forking)
    faulthandler.enable(last_words, all_threads=False)
    tempfile.tempdir = os.environ["TMPDIR"] = folder
    try:
        try:
            work = find_entry(entry)
        except Exception as error:  # noqa: BLE001 - an import does whatever the module does
            connection.send((None, f"{entry} cannot be imported: {_describe(error)}"))
            return
        connection.send(None)
        while (job := connection.recv()) is not None:
            connection.send_bytes(_packed(do_job(work, job[0])))
    except (EOFError, OSError):  # nobody is there any more
        if following is not None:
            following.join()  # who sees that, too, removes more than this, and ends the process
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _packed(answer: tuple[Any, str]) -> Any:
    """Return what pickle makes of an answer, or of why it makes nothing."""
    try:
        return reduction.ForkingPickler.dumps(answer)
    except Exception as error:  # noqa: BLE001 - it raises whatever an object's own code does
        return reduction.ForkingPickler.dumps((None, f"the answer cannot be sent: {_describe(error)}"))


def _leave_in_order(folder: str, forking: str) -> threading.Thread | None:
    """End with all that was started and written: when the process ends that started this one, and where this one must.

    That is at once, whatever this process is at. A process that was killed has left `forking` behind.

    Returns:
        Who waits for the end of the process that started this one; None where none did.
    """
    # Every thread that is started from now on has this mask, so that the one that waits for them gets them.
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDS)
    parent = multiprocessing.parent_process()

    def leave(number: int) -> None:
        # The main thread still starts and writes things, until it has nowhere to write.
        for _ in range(_SWEEPS):
            for one in descendants(os.getpid()):
                with suppress(OSError):
                    os.kill(one, signal.SIGKILL)
            shutil.rmtree(folder, ignore_errors=True)
            if not os.path.exists(folder):
                break
        os._exit(128 + number if number else 0)

    def follow(process: BaseProcess) -> None:
        process.join()
        # One that ends by itself closes what it is joined by first, and then removes the folder; it complains where
        # that is gone (CPython before 3.12).
        if process.pid is not None and not wait_until_gone([process.pid]):
            shutil.rmtree(forking, ignore_errors=True)
        leave(0)

    threading.Thread(target=lambda: leave(signal.sigwait(_ENDS)), daemon=True).start()
    if parent is None:
        return None
    following = threading.Thread(target=follow, args=(parent,), daemon=True)
    following.start()
    return following


class Worker:
    """One process, seen from the one that it works for.

    Attributes:
        connection: Where what it says can be waited for.
        ready: Whether it can be given a job.
        done: Number of jobs that it has done.
        key: Of the job that it is at, in a tuple; None where it is idle.
        limit_s: Time for what it is at: the job, or before that the start.
        deadline: When that must have ended, on the clock `time.monotonic`.
    """

    def __init__(self, entry: str) -> None:
        """Start the process; `entry` is the function that does a job, as "module:name"."""
        forks = len(os.path.join(util.get_temp_dir(), "listener-12345678")) < _SOCKET_PATH
        context = multiprocessing.get_context("forkserver") if forks else multiprocessing.get_context("spawn")
        # What this process has imported of us, workers need not import each: they are forks of one that has done so.
        context.set_forkserver_preload([name for name in sys.modules if name.partition(".")[0] == _PACKAGE])
        self.ready, self.done = False, 0
        self.key: tuple[Any] | None = None
        self.limit_s = START_S
        self.deadline = time.monotonic() + START_S
        self._job, self._job_s = None, 0.0
        resource_tracker.ensure_running()  # here, as it unblocks interrupts
        # An interrupt in between would leave a process that nobody knows, or half of what it has to read.
        with without_interrupts():
            self.connection, theirs = context.Pipe()
            self._last_words = tempfile.TemporaryFile()  # noqa: SIM115 - closed in end
            self._folder = tempfile.mkdtemp(prefix="roller-worker-")
            kept = _Inherited(self._last_words.fileno())
            arguments = (theirs, entry, kept, self._folder, util.get_temp_dir(), dict(os.environ))
            self.process: BaseProcess = context.Process(target=serve, args=arguments, daemon=True)
            self.process.start()
            theirs.close()

    def begin(self, key: Any, job: Any, limit_s: float) -> None:
        """Give it a job, which it begins as soon as it is ready."""
        self.key, self._job, self._job_s = (key,), job, limit_s
        if self.ready:
            self._send()

    def starts(self) -> None:
        """It is ready; the time of its first job begins."""
        self.ready = True
        self._send()

    def _send(self) -> None:
        self.limit_s, self.deadline = self._job_s, time.monotonic() + self._job_s
        data = reduction.ForkingPickler.dumps((self._job,))
        self._job = None
        with suppress(OSError):  # a process that has died already is found when its answer is read
            self.connection.send_bytes(data)

    def end(self, *, kill: bool = False) -> None:
        """End it, what it has started, and its temporary files."""
        if not kill:
            with suppress(OSError):
                self.connection.send(None)
            self.process.join(_END_S)
        if self.process.is_alive():
            assert self.process.pid is not None
            kill_tree(self.process.pid)
        self.process.join()
        self.connection.close()
        self._last_words.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def death(self) -> str:
        """Return how the process ended, and where it stood, once it has."""
        self.process.join(_END_S)
        code = self.process.exitcode
        if code is None or code >= 0:
            return f"exit code {code}"
        names = {one.value: one.name for one in signal.Signals}
        frame = _FRAME.search(os.pread(self._last_words.fileno(), 1 << 16, 0).decode(errors="replace"))
        where = f" at {Path(frame[1]).name}:{frame[2]} in {frame[3]}" if frame else ""
        return f"{names.get(-code, f'signal {-code}')}{where}"
