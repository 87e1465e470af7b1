# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a driver library of this folder and runs a file of cases over it.

A driver library must be there before a process first asks for one, and stays; so cases run in a process of their own.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
COMPILER = shutil.which("cc") or shutil.which("gcc")


def build(source: str, library: Path) -> None:
    """Compiles a library whose name is that of the file."""
    assert COMPILER is not None
    flags = ("-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-Wl,-soname,{library.name}")
    command = [COMPILER, *flags, "-o", str(library), str(HERE / source), "-ldl"]
    subprocess.run(command, check=True, timeout=600)


def run_cases(folder: Path, *cases: str) -> None:
    """Runs files of cases with the libraries of a folder, in one process; each must pass, and none may be skipped."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            *(str(HERE / one) for one in cases),
        ],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        cwd=HERE.parents[2],
        env={**os.environ, "LD_LIBRARY_PATH": str(folder), "FAKE_CUDA_LOG": str(folder / "log")},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout, done.stdout
