# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A peer's process, from outside: started with an environment of its own, asked, and told of when it dies or hangs."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Any

from roller_mlir.evaluation.measure.cpu_peers.interface import PeerSource
from roller_mlir.evaluation.measure.runner.peers.peer import PeerError
from roller_mlir.support.foreign.bounded import read_json

LIMIT_S = 600.0
"""Time for an answer, far beyond what any takes."""
_FOREIGN = ("OPENBLAS_", "GOTO_", "BLIS_", "OMP_", "GOMP_", "KMP_", "MKL_", "DNNL_", "ONEDNN_", "ROLLER_NUM_THREADS")


def environment_of(source: PeerSource, threads: int, given: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a peer's process: what others set for its libraries is gone, threads are as many.

    >>> source = PeerSource(name="x", factory="m:f", environment={"OPENBLAS_CORETYPE": "Haswell"})
    >>> made = environment_of(source, 2, {"OPENBLAS_CORETYPE": "Zen", "MKL_DEBUG": "1", "HOME": "/h"})
    >>> made["OPENBLAS_CORETYPE"], made["OMP_NUM_THREADS"], made["HOME"], "MKL_DEBUG" in made
    ('Haswell', '2', '/h', False)
    """
    kept = {name: value for name, value in given.items() if not name.startswith(_FOREIGN)}
    count = dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "ROLLER_NUM_THREADS"), str(threads)
    )
    fixed = {"OMP_DYNAMIC": "FALSE", "MKL_DYNAMIC": "FALSE", "MKL_INTERFACE_LAYER": "LP64"}
    layer = {"MKL_THREADING_LAYER": "SEQUENTIAL" if threads == 1 else "GNU"}
    return {**kept, **count, **fixed, **layer, **source.environment}


class PeerProcess:
    """One peer in its process."""

    def __init__(self, source: PeerSource, threads: int, limit_s: float = LIMIT_S) -> None:
        """Start it; `wait` says whether the library is there."""
        self.source, self._limit_s, self._late = source, limit_s, False
        module = "roller_mlir.evaluation.measure.cpu_peers.worker"
        facts = [source.factory, json.dumps(dict(source.options)), str(threads)]
        command = [sys.executable, "-m", module, str(os.getpid()), *facts]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment_of(source, threads, os.environ),
        )

    def wait(self) -> None:
        """Wait until it has begun, which is before anything else is asked.

        Raises:
            PeerError: The library is missing.
        """
        try:
            self._answer()
        except PeerError:
            self.close()
            raise

    def ask(self, what: str, **words: Any) -> dict[str, Any]:
        """Return the answer to an order, which is a method of `worker.PeerWork`.

        Raises:
            PeerError: It fails in it; of the whole library where the process is gone.
        """
        assert self._process.stdin is not None, "it is a pipe"
        try:
            self._process.stdin.write(json.dumps({"do": what, **words}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer says why
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None, "it is a pipe"
        timer = threading.Timer(self._limit_s, self._end_late)
        timer.start()
        try:
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
        if not line:
            raise PeerError(self._why_gone(), library=True)
        answer: dict[str, Any] = read_json(line)
        if "missing" in answer:
            raise PeerError(answer["missing"], library=True)
        if "failed" in answer:
            raise PeerError(answer["failed"])
        return answer

    def _end_late(self) -> None:
        self._late = True
        self._process.kill()

    def _why_gone(self) -> str:
        code = self._process.wait()
        if self._late:
            return f"its process gave no answer in {self._limit_s:g} s"
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"its process died: {how}"

    def close(self) -> None:
        """End it."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
