# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the driver libraries with the system's C compiler, once for each state of their sources."""

import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from roller_mlir.runtime.errors import BackendError

_HERE = Path(__file__).parent
LIBRARIES = {
    "cuda.c": ("libcuda.so.1", "libcuda.so"),
    "hip.c": ("libamdhip64.so", "libamdhip64.so.6", "libamdhip64.so.7"),
}
"""Source to the names under which programs ask for the library."""
_FLAGS = ("-std=gnu11", "-O1", "-shared", "-fPIC", "-fvisibility=hidden")
_LIMIT_S = 120.0
_PARTIAL = "partial-"
_ABANDONED_S = 600.0


def library_folder(parent: Path) -> Path:
    """Return the folder with the libraries, built where it is not there yet.

    It is made aside and renamed, so that it is there whole or not at all; what a killed process has left goes later.

    Args:
        parent: Where it lies; it is made.

    Raises:
        BackendError: There is no C compiler, it fails, or the folder cannot be written.
    """
    sources = sorted(path for path in _HERE.iterdir() if path.suffix in (".c", ".h"))
    digest = hashlib.sha256()
    for path in sources:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    folder = parent / digest.hexdigest()[:32]
    if folder.is_dir():
        return folder
    compiler = shutil.which("cc")
    if compiler is None:
        raise BackendError(
            "the simulated driver is built at its first use, which needs a C compiler ('cc'); install one"
        )
    try:
        parent.mkdir(parents=True, exist_ok=True)
        _sweep(parent)
        with tempfile.TemporaryDirectory(prefix=_PARTIAL, dir=parent, ignore_cleanup_errors=True) as aside:
            made = Path(aside, "made")
            made.mkdir()
            for source, (name, *others) in LIBRARIES.items():
                _compile(compiler, _HERE / source, made / name)
                for other in others:
                    (made / other).symlink_to(name)
            with suppress(OSError):  # somebody else was quicker
                os.rename(made, folder)
    except OSError as error:
        raise BackendError(f"the simulated driver cannot be built in {parent}: {error.strerror or error}") from error
    return folder


def _compile(compiler: str, source: Path, library: Path) -> None:
    command = [compiler, *_FLAGS, f"-Wl,-soname,{library.name}", "-o", str(library), str(source), "-ldl", "-lpthread"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise BackendError(f"'{compiler}' did not build {library.name} within {_LIMIT_S:g} s") from None
    if done.returncode:
        raise BackendError(f"'{compiler}' cannot build {library.name}: {done.stderr.strip()}")


def _sweep(parent: Path) -> None:
    for path in parent.glob(f"{_PARTIAL}*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _ABANDONED_S:
                shutil.rmtree(path)
