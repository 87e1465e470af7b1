# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler's side of its code generation children.

A child is started at the first job, reused, replaced when it dies, and ended with the process.

Each child has a session of its own, so that Ctrl-C reaches only the compiler, which then ends the child that it
waited for.
"""

import atexit
import functools
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

from roller_mlir.lowering.backend.child.frames import Message, decode, encode
from roller_mlir.lowering.backend.errors import CompileError

_MODULE = "roller_mlir.lowering.backend.child.worker"
_CHUNK_BYTES = 1 << 20


class _Worker:
    """One child. Used by one thread at a time."""

    def __init__(self) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by end()
        # -P and the caller's own search path: the child finds what the caller finds, wherever it was started.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", _MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            bufsize=0,
            env=environment,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin: Any = self._process.stdin
        self._stdout: Any = self._process.stdout
        os.set_blocking(self._stdin.fileno(), False)

    @property
    def alive(self) -> bool:
        """Whether the child still runs."""
        return self._process.poll() is None

    def exchange(self, job: Message, timeout_s: float) -> Message:
        """Send a job and waits for its answer.

        Raises:
            EOFError: the child ended.
            TimeoutError: no answer in time.
        """
        deadline = time.monotonic() + timeout_s
        self._log.seek(0)
        self._log.truncate()
        self._send(encode(job), deadline)
        return decode(lambda count: self._receive(count, deadline))

    def _wait(self, descriptor: int, event: int, deadline: float) -> None:
        poller = select.poll()
        poller.register(descriptor, event)
        if not poller.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise TimeoutError

    def _send(self, data: bytes, deadline: float) -> None:
        left = memoryview(data)
        descriptor = self._stdin.fileno()
        while left:
            self._wait(descriptor, select.POLLOUT, deadline)
            try:
                left = left[os.write(descriptor, left[:_CHUNK_BYTES]) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise EOFError from None

    def _receive(self, count: int, deadline: float) -> bytes:
        parts: list[bytes] = []
        descriptor = self._stdout.fileno()
        while count:
            self._wait(descriptor, select.POLLIN, deadline)
            part = os.read(descriptor, min(count, _CHUNK_BYTES))
            if not part:
                raise EOFError
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def exit_reason(self) -> str:
        """Say how the child ended and what it last printed."""
        code = self._process.wait(timeout=10)
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        self._log.seek(0)
        lines = [line for line in self._log.read().decode(errors="replace").splitlines() if line.strip()]
        said = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "")
        return f"{how}{': ' if said else ''}{said.strip()}"

    def detach(self) -> None:
        """Forget the child without ending it."""
        self._process.returncode = 0  # else Popen complains that it still runs

    def kill(self) -> None:
        """End the child at once; whoever waits for its answer gets an EOFError."""
        self._process.kill()

    def end(self) -> None:
        """End the child and gives back what it used."""
        self.kill()
        self._process.wait()
        self._stdin.close()
        self._stdout.close()
        self._log.close()


class WorkerPool:
    """Children that wait for jobs. Any number of threads may run jobs; each job has a child to itself."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()

    def run(self, kernel: str, job: Message, timeout_s: float) -> Message:
        """Run a job in a child.

        Args:
            kernel: whose job it is, for the error.
            job: the job, see `worker`.
            timeout_s: how long it may take.

        Raises:
            CompileError: the child crashed, took too long or refused. The pool stays usable.
        """
        worker = self._take()
        try:
            answer = worker.exchange(job, timeout_s)
            with self._lock:
                self._idle.append(worker)
        except EOFError:
            exit_reason = worker.exit_reason()
            worker.end()
            raise CompileError(kernel, f"LLVM code generation died with {exit_reason}") from None
        except TimeoutError:
            worker.end()
            raise CompileError(kernel, f"LLVM code generation took more than {timeout_s:g} s and was ended") from None
        except BaseException:
            worker.end()  # an answer may be on its way: this child cannot be used again
            raise
        finally:
            with self._lock:
                self._busy.discard(worker)
        if "error" in answer.fields:
            raise CompileError(kernel, f"LLVM refused the module: {answer.fields['error']}")
        return answer

    def _take(self) -> _Worker:
        while True:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            if worker is None:
                worker = _Worker()
            if worker.alive:
                with self._lock:
                    self._busy.add(worker)
                return worker
            worker.end()  # died while idle: no kernel's fault

    def close(self) -> None:
        """End all children that wait. The pool starts new ones when it is used again."""
        with self._lock:
            workers, self._idle = self._idle, []
        for worker in workers:
            worker.end()

    def abort(self) -> None:
        """End all children, also those at work: the threads that wait for them get a CompileError."""
        with self._lock:
            busy = tuple(self._busy)
        for worker in busy:
            worker.kill()
        self.close()

    def forget(self) -> None:
        """Drop the children without ending them: after a fork they are the other process's."""
        for worker in (*self._idle, *self._busy):
            worker.detach()
        self._lock = threading.Lock()
        self._idle = []
        self._busy = set()


@functools.cache
def process_pool() -> WorkerPool:
    """Return the pool of this process."""
    pool = WorkerPool()
    atexit.register(pool.close)
    os.register_at_fork(after_in_child=pool.forget)
    return pool
