# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process that outlives the one that started a Ray cluster, and ends what is left of that cluster.

Ray ends its processes in a Python that ends in good order. One that is killed leaves some, and the cluster's files.

python -m roller_mlir.support.jobs.ray_guard FOLDER      acts at the end of standard input, however that comes
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

_LIMIT_S = 5.0
# Until a process that was killed while it started another has ended.
_PAUSE_S = 0.02


@contextmanager
def guarded(folder: str) -> Generator[None, None, None]:
    """Let nothing be left of a new folder, nor of the processes that know it, once the block ends.

    That holds where this process is killed, too.
    """
    path = os.pathsep.join(entry for entry in sys.path if entry)
    guard = subprocess.Popen(
        [sys.executable, "-P", "-m", __name__, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,
    )
    try:
        yield
    finally:
        guard.communicate()


def clean(folder: str, spared: Collection[int]) -> None:
    """Kill the processes that know a folder, but for some, and remove it."""
    end = time.monotonic() + _LIMIT_S
    while (left := [one for one in _processes(folder) if one not in spared]) and time.monotonic() < end:
        for process in left:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(_PAUSE_S)
    shutil.rmtree(folder, ignore_errors=True)


def _processes(folder: str) -> list[int]:
    """Return the processes that know a folder."""
    numbers = [int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit()]
    return [number for number in numbers if _knows(Path("/proc", str(number)), folder)]


def _knows(process: Path, folder: str) -> bool:
    """Return whether a process has a folder in its arguments or as TMPDIR, or a file in it open.

    Some write over their arguments and their environment, but those have logs.
    """
    with suppress(OSError):  # it is somebody else's, or has ended in the meantime
        if os.fsencode(folder) in (process / "cmdline").read_bytes():
            return True
        if f"\0TMPDIR={folder}".encode() in b"\0" + (process / "environ").read_bytes():
            return True
        return any(_target(link).startswith(f"{folder}/") for link in (process / "fd").iterdir())
    return False


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""


def main() -> None:
    """Wait for the end of standard input, and clean up."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    owner = os.getppid()
    sys.stdin.buffer.read()
    clean(sys.argv[1], (owner, os.getpid()))


if __name__ == "__main__":
    main()
